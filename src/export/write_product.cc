#include "src/export/write_product.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "src/base/error.h"
#include "src/ir/fused_operands.h"
#include "src/ir/transposed.h"

namespace halftone {
namespace {

// Operand indices of QLinearConv and QLinearMatMul (kernels/quantized/quantized.h).
constexpr std::size_t kInputScale = 1;
constexpr std::size_t kWeights = 3;
constexpr std::size_t kWeightScales = 4;
constexpr std::size_t kWeightZeroPoints = 5;
constexpr std::size_t kResultScale = 6;
constexpr std::size_t kResultZeroPoint = 7;

// Tensors are not compared: such attributes differ.
bool SameAttribute(const Attribute& a, const Attribute& b) {
  return a.index() == b.index() && std::visit(
                                       [&](const auto& value) {
                                         using T = std::decay_t<decltype(value)>;
                                         if constexpr (std::is_same_v<T, Tensor>) {
                                           return false;
                                         } else {
                                           return value == std::get<T>(b);
                                         }
                                       },
                                       a);
}

bool SameAttributes(const Attributes& a, const Attributes& b) {
  return std::ranges::equal(a.values(), b.values(), [](const auto& x, const auto& y) {
    return x.first == y.first && SameAttribute(x.second, y.second);
  });
}

const Tensor* TensorAt(const IntegerStep& step, std::size_t i) {
  return i < step.inputs.size() ? std::get_if<Tensor>(&step.inputs[i]) : nullptr;
}

class ProductWriter {
 public:
  ProductWriter(const SourceFile& file, const Node& node, const IntegerStep& step,
                QdqFlavour flavour, RoundedTensors& tensors)
      : file_(file),
        node_(node),
        step_(step),
        flavour_(flavour),
        tensors_(tensors),
        main_(file.network.node(node.parts.at(0))) {}

  void Write() {
    onnx::NodeProto product = OwnNode();
    const auto& x = std::get<IntegerValue>(step_.inputs.at(0));
    product.add_input(tensors_.DividedIn(x.id, x.format));
    product.add_input(Weights());
    const std::string bias = Bias();
    // MatMul has no operand for it.
    const bool sum = !bias.empty() && node_.op == OpKind::kMatMul;
    if (!bias.empty() && !sum) {
      product.add_input(bias);
    }
    chain_.push_back(std::move(product));
    if (sum) {
      chain_.push_back(
          MakeNode("Add", tensors_.parts().FreeName(main_.name + "_bias"), {"", bias}, ""));
    }
    AddFused();
    WriteChain();
  }

 private:
  // The node of the file where its operator and attributes are those of the step, without operands.
  onnx::NodeProto OwnNode() {
    const int index = file_.NodeOf(node_.parts.at(0));
    const std::string type(InfoOf(node_.op).name);
    onnx::NodeProto made;
    if (index >= 0 && node_.op == main_.op && file_.graph.node(index).op_type() == type &&
        SameAttributes(node_.attributes, main_.attributes)) {
      made = file_.graph.node(index);
      made.clear_input();
    } else {
      made.set_op_type(type);
      made.set_name(NameOfPart(index, main_.name));
      SetAttributes(made, node_.attributes);
    }
    return made;
  }

  std::string Weights() {
    const std::string& name = file_.network.value(main_.inputs.at(1)).name;
    const Tensor& integers = *TensorAt(step_, kWeights);
    const Tensor& scales = *TensorAt(step_, kWeightScales);
    const Tensor& zero_points = *TensorAt(step_, kWeightZeroPoints);
    if (flavour_ == QdqFlavour::kTensorRt &&
        std::ranges::any_of(zero_points.values<std::int8_t>(),
                            [](int zero) { return zero != 0; })) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("weights '{}' have a zero point, TensorRT reads none; write flavour "
                              "ort, or quantise weights symmetrically",
                              name));
    }
    // The step has them as [K, N].
    const bool transposed = node_.op == OpKind::kGemm && node_.attributes.Int("transB", 0) != 0;
    const bool along_first =
        node_.op == OpKind::kConv || transposed ||
        (node_.op == OpKind::kConvTranspose && integers.shape()[0] == scales.ElementCount() &&
         integers.shape()[1] == 1);  // depthwise
    const std::int64_t axis = along_first ? 0 : 1;
    ModelParts& parts = tensors_.parts();
    return tensors_.Dequantize(
        name,
        {parts.AddTensor(name + "_quantized", transposed ? Transposed(integers) : integers),
         parts.AddTensor(name + "_scale", scales),
         parts.AddTensor(name + "_zero_point", zero_points)},
        scales.shape().rank() == 0 ? std::nullopt : std::optional(axis));
  }

  // Empty: there is none.
  std::string Bias() {
    const Tensor* integers = TensorAt(step_, kLinearBiasOperand);
    if (integers == nullptr) {
      return {};
    }
    const float input_scale = TensorAt(step_, kInputScale)->values<float>()[0];
    const std::span<const float> of_weights = TensorAt(step_, kWeightScales)->values<float>();
    const std::int64_t count = integers->ElementCount();
    std::vector<float> scales;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      scales.push_back(input_scale * of_weights[of_weights.size() == 1 ? 0 : i]);
    }
    const std::string name =
        main_.inputs.size() > kBiasOperand && main_.inputs[kBiasOperand] != kNoValue
            ? file_.network.value(main_.inputs[kBiasOperand]).name
            : main_.name + "_bias";
    ModelParts& parts = tensors_.parts();
    if (flavour_ == QdqFlavour::kTensorRt) {
      std::vector<float> floats;
      for (std::size_t i = 0; i < scales.size(); ++i) {
        floats.push_back(
            static_cast<float>(static_cast<double>(integers->values<std::int32_t>()[i]) *
                               static_cast<double>(scales[i])));
      }
      return parts.AddTensor(name + "_rounded", Tensor::From<float>({count}, floats));
    }
    return tensors_.Dequantize(
        name,
        {parts.AddTensor(name + "_quantized", *integers),
         parts.AddTensor(name + "_scale", Tensor::From<float>({count}, scales)),
         parts.AddTensor(
             name + "_zero_point",
             Tensor::From<std::int32_t>({count}, std::vector<std::int32_t>(scales.size(), 0)))},
        0);
  }

  // The nodes behind the product, with operand 0 open.
  void AddFused() {
    CheckIdleBounds();
    if (step_.fusion.residual == ResidualPlace::kBefore) {
      AddResidual();
    }
    if (step_.fusion.activation) {
      chain_.push_back(ActivationOf(*step_.fusion.activation));
    }
    if (step_.fusion.residual == ResidualPlace::kAfter) {
      AddResidual();
    }
  }

  // A step whose result has channel factors leaves out bounds of Clip beyond the range of the
  // integers (src/exec/channel_factors.h); a wider range for TensorRT would let numbers through.
  void CheckIdleBounds() const {
    const auto& bounds = node_.fusion.activation;
    if (flavour_ != QdqFlavour::kTensorRt || bounds == step_.fusion.activation) {
      return;
    }
    const ActivationScale scale{
        .scale = TensorAt(step_, kResultScale)->values<float>()[0],
        .zero_point = TensorAt(step_, kResultZeroPoint)->values<std::uint8_t>()[0]};
    const ValueRange range = scale.range();
    // Relu in place of Clip has its low bound.
    const bool low_is_left_out = !step_.fusion.activation;
    if (scale.zero_point != 128 &&
        (-range.low > range.high || (low_is_left_out && range.high > -range.low))) {
      throw Error(
          ErrorKind::kUnsupported,
          fmt::format("node '{}' has a Clip that stands in the zero point of its result, which has "
                      "channel factors, TensorRT has no zero points; write flavour ort, or "
                      "calibrate without channel factors",
                      node_.name));
    }
  }

  void AddResidual() {
    const auto& residual = std::get<IntegerValue>(step_.inputs.at(kLinearResidualOperand));
    const int index = PartOf([&](const Node& part) {
      return part.op == OpKind::kAdd && std::ranges::count(part.inputs, residual.id) > 0;
    });
    chain_.push_back(MakeNode("Add", NameOfPart(index, node_.name + "_residual"),
                              {"", tensors_.NameIn(residual.id, residual.format)}, ""));
  }

  onnx::NodeProto ActivationOf(const StepActivation& activation) {
    const int index = PartOf([&](const Node& part) { return part.op == activation.op; });
    if (index >= 0) {
      return file_.graph.node(index);
    }
    const std::string name = node_.name + "_activation";
    if (activation.op == OpKind::kRelu) {
      return MakeNode("Relu", tensors_.parts().FreeName(name), {""}, "");
    }
    const auto bound = [&](const char* what, float value) {
      return tensors_.parts().AddTensor(name + what, Tensor::From<float>({}, std::vector{value}));
    };
    return MakeNode("Clip", tensors_.parts().FreeName(name),
                    {"", bound("_min", activation.low), bound("_max", activation.high)}, "");
  }

  // The node of the file that the last such part of the step was; -1: none.
  template <typename Condition>
  [[nodiscard]] int PartOf(const Condition& condition) const {
    int found = -1;
    for (const NodeId part : node_.parts) {
      if (condition(file_.network.node(part))) {
        found = std::max(found, file_.NodeOf(part));
      }
    }
    return found;
  }

  // The name of a node of the file, which may have none.
  std::string NameOfPart(int index, const std::string& otherwise) {
    return index >= 0 ? file_.graph.node(index).name() : tensors_.parts().FreeName(otherwise);
  }

  void WriteChain() {
    const ValueId value = node_.outputs.at(0);
    const std::string last = tensors_.RawName(value);
    std::string made;
    for (std::size_t i = 0; i < chain_.size(); ++i) {
      onnx::NodeProto& node = chain_[i];
      if (i > 0) {
        node.set_input(0, made);
      }
      made = i + 1 == chain_.size()
                 ? last
                 : tensors_.parts().FreeName(fmt::format("{}_{}_Output", last, node.op_type()));
      node.clear_output();
      node.add_output(made);
      tensors_.AddNode(std::move(node));
    }
    tensors_.RoundMade(value);
  }

  const SourceFile& file_;
  const Node& node_;  // of the fused graph
  const IntegerStep& step_;
  QdqFlavour flavour_;
  RoundedTensors& tensors_;
  const Node& main_;  // of the network
  std::vector<onnx::NodeProto> chain_;
};

}  // namespace

bool HasIntegerWeights(const IntegerStep& step) {
  return (step.op == OpKind::kQLinearConv || step.op == OpKind::kQLinearConvTranspose ||
          step.op == OpKind::kQLinearMatMul) &&
         TensorAt(step, kWeights) != nullptr;
}

void WriteProduct(const SourceFile& file, const Node& node, const IntegerStep& step,
                  QdqFlavour flavour, RoundedTensors& tensors) {
  ProductWriter(file, node, step, flavour, tensors).Write();
}

}  // namespace halftone
