#include "labs/onnxruntime/quantized_model.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>

#include "labs/onnxruntime/model_bytes.h"
#include "labs/onnxruntime/quantize_pairs.h"
#include "src/ir/tensor.h"
#include "src/onnx/initializer.h"

namespace halftone {
namespace {

// Operators that the runtime has on integers, or that move values unchanged.
constexpr std::string_view kQuantizable[] = {"Conv",      "MatMul",      "Gemm",
                                             "Add",       "Mul",         "Concat",
                                             "MaxPool",   "AveragePool", "GlobalAveragePool",
                                             "Relu",      "Clip",        "LeakyRelu",
                                             "Sigmoid",   "Reshape",     "Flatten",
                                             "Transpose", "Squeeze",     "Unsqueeze",
                                             "Resize"};

// Opsets without convolutions on integers, and the first with them. Only these operators changed
// from one to the other in a way that a model shows.
constexpr std::int64_t kOldestRaised = 7;
constexpr std::int64_t kRaised = 10;
constexpr std::string_view kChangedSince[] = {"Slice", "TopK", "Upsample"};
constexpr std::string_view kDroppedAttribute = "spatial";  // of BatchNormalization

template <typename Range>
bool Has(const Range& range, std::string_view name) {
  return std::find(std::begin(range), std::end(range), name) != std::end(range);
}

// Sum of two operands, which the runtime has no integer operator for, except as Add.
bool IsSumOfTwo(const onnx::NodeProto& node) {
  return node.op_type() == "Sum" && node.input_size() == 2;
}

bool IsQuantizable(const onnx::NodeProto& node) {
  return node.domain().empty() && (Has(kQuantizable, node.op_type()) || IsSumOfTwo(node));
}

bool HasWeights(const onnx::NodeProto& node) {
  return node.op_type() == "Conv" || node.op_type() == "MatMul" || node.op_type() == "Gemm";
}

// A clamp behind the operator that computes it: rounding to the range behind the clamp is the
// clamp.
bool IsClamp(const onnx::NodeProto& node) {
  return node.op_type() == "Relu" || node.op_type() == "Clip";
}

bool IsTransposedB(const onnx::NodeProto& node) {
  return std::any_of(node.attribute().begin(), node.attribute().end(),
                     [](const auto& a) { return a.name() == "transB" && a.i() != 0; });
}

void RaiseOpset(onnx::ModelProto& proto) {
  const auto& nodes = proto.graph().node();
  const auto is_changed = [](const onnx::NodeProto& node) {
    return Has(kChangedSince, node.op_type()) ||
           std::ranges::any_of(node.attribute(),
                               [](const auto& a) { return a.name() == kDroppedAttribute; });
  };
  if (std::ranges::none_of(nodes, is_changed)) {
    for (auto& opset : *proto.mutable_opset_import()) {
      if (opset.domain().empty() && opset.version() >= kOldestRaised && opset.version() < kRaised) {
        opset.set_version(kRaised);
      }
    }
  }
}

class Quantizer {
 public:
  Quantizer(onnx::GraphProto& graph, const std::map<std::string, PeerRange>& ranges)
      : graph_(graph), ranges_(ranges) {
    for (const auto& initializer : graph.initializer()) {
      initializers_.emplace(initializer.name(), &initializer);
    }
    for (const auto& node : graph.node()) {
      for (const std::string& input : node.input()) {
        readers_[input].push_back(&node);
      }
    }
  }

  // Inputs and results that quantizable nodes read or make.
  [[nodiscard]] std::vector<std::string> Values() const {
    std::vector<std::string> values;
    const auto add = [&](const std::string& name) {
      if (!name.empty() && !initializers_.contains(name) && !Has(values, name)) {
        values.push_back(name);
      }
    };
    for (const auto& input : graph_.input()) {
      if (ReadByQuantizable(input.name())) {
        add(input.name());
      }
    }
    for (const auto& node : graph_.node()) {
      for (const std::string& output : node.output()) {
        if ((IsQuantizable(node) || ReadByQuantizable(output)) && !OnlyClamped(node, output)) {
          add(output);
        }
      }
    }
    return values;
  }

  void Rewrite() {
    const std::vector<std::string> values = Values();
    const std::set<std::string> wanted(values.begin(), values.end());
    for (const auto& input : graph_.input()) {
      if (wanted.contains(input.name()) && ranges_.contains(input.name())) {
        renamed_[input.name()] = input.name() + "_dequantized";
        pairs_.AddActivation(input.name(), renamed_[input.name()], ranges_.at(input.name()));
      }
    }
    for (const auto& node : graph_.node()) {
      AddNode(node, wanted);
    }
    graph_.mutable_node()->Swap(made_.mutable_node());
    for (onnx::TensorProto& tensor : *made_.mutable_initializer()) {
      *graph_.add_initializer() = std::move(tensor);
    }
  }

 private:
  [[nodiscard]] bool ReadByQuantizable(const std::string& name) const {
    const auto found = readers_.find(name);
    return found != readers_.end() &&
           std::any_of(found->second.begin(), found->second.end(),
                       [](const auto* node) { return IsQuantizable(*node); });
  }

  [[nodiscard]] bool OnlyClamped(const onnx::NodeProto& node, const std::string& name) const {
    const auto found = readers_.find(name);
    return (HasWeights(node) || IsSumOfTwo(node) || node.op_type() == "Add") &&
           found != readers_.end() && found->second.size() == 1 && IsClamp(*found->second.front());
  }

  void AddNode(onnx::NodeProto node, const std::set<std::string>& wanted) {
    if (IsSumOfTwo(node)) {
      node.set_op_type("Add");
    }
    if (HasWeights(node) && IsQuantizable(node)) {
      QuantizeWeights(node);
    } else if (IsQuantizable(node)) {
      QuantizeConstants(node);
    }
    for (std::string& input : *node.mutable_input()) {
      if (const auto found = renamed_.find(input); found != renamed_.end()) {
        input = found->second;
      }
    }
    std::vector<std::string> rounded;
    for (std::string& output : *node.mutable_output()) {
      if (wanted.contains(output) && ranges_.contains(output)) {
        rounded.push_back(output);
        output += "_exact";
      }
    }
    *made_.add_node() = std::move(node);
    for (const std::string& name : rounded) {
      pairs_.AddActivation(name + "_exact", name, ranges_.at(name));
    }
  }

  // A factor that is constant, by output channel; the bias in the scale of the sums.
  void QuantizeWeights(onnx::NodeProto& node) {
    const std::string& x = node.input(0);
    const auto weights =
        node.input_size() < 2 ? initializers_.end() : initializers_.find(node.input(1));
    if (weights == initializers_.end() || !ranges_.contains(x) ||
        weights->second->data_type() != onnx::TensorProto::FLOAT) {
      return;
    }
    const Tensor values = TensorOf(*weights->second, {});
    const std::size_t rank = values.shape().rank();
    const bool is_conv = node.op_type() == "Conv";
    if (!is_conv && rank != 2) {
      return;
    }
    const std::size_t axis = is_conv || IsTransposedB(node) ? 0 : 1;
    node.set_input(1, pairs_.AddWeights(node.input(1), values, axis));
    if (node.input_size() > 2 && initializers_.contains(node.input(2))) {
      const Tensor bias = TensorOf(*initializers_.at(node.input(2)), {});
      const std::string rounded = pairs_.AddBias(node.input(2), bias, node.input(1), ranges_.at(x));
      if (!rounded.empty()) {  // else Gemm with a bias of another form
        node.set_input(2, rounded);
      }
    }
  }

  // Constant operands of sums and products by element.
  void QuantizeConstants(onnx::NodeProto& node) {
    if (node.op_type() != "Add" && node.op_type() != "Mul") {
      return;
    }
    for (std::string& input : *node.mutable_input()) {
      const auto found = initializers_.find(input);
      if (found == initializers_.end() || found->second->data_type() != onnx::TensorProto::FLOAT) {
        continue;
      }
      const Tensor values = TensorOf(*found->second, {});
      const std::span<const float> floats = values.values<float>();
      if (floats.empty()) {
        continue;
      }
      const std::string dequantized = input + "_dequantized";
      if (constants_.insert(input).second) {
        const auto [low, high] = std::minmax_element(floats.begin(), floats.end());
        pairs_.AddActivation(input, dequantized, {*low, *high});
      }
      input = dequantized;
    }
  }

  onnx::GraphProto& graph_;
  const std::map<std::string, PeerRange>& ranges_;
  std::map<std::string, const onnx::TensorProto*> initializers_;
  std::map<std::string, std::vector<const onnx::NodeProto*>> readers_;
  std::map<std::string, std::string> renamed_;
  std::set<std::string> constants_;
  onnx::GraphProto made_;  // the rewritten nodes and what they read
  QuantizePairs pairs_{made_};
};

}  // namespace

std::vector<std::string> QuantizedValues(std::string_view model) {
  onnx::ModelProto proto = ParseModelBytes(model);
  return Quantizer(*proto.mutable_graph(), {}).Values();
}

std::string WithOutputs(std::string_view model, const std::vector<std::string>& values) {
  onnx::ModelProto proto = ParseModelBytes(model);
  std::set<std::string> there;
  for (const auto& output : proto.graph().output()) {
    there.insert(output.name());
  }
  for (const std::string& value : values) {
    if (there.insert(value).second) {
      proto.mutable_graph()->add_output()->set_name(value);
    }
  }
  return proto.SerializeAsString();
}

std::string QuantizedModel(std::string_view model, const std::map<std::string, PeerRange>& ranges) {
  onnx::ModelProto proto = ParseModelBytes(model);
  RaiseOpset(proto);
  Quantizer(*proto.mutable_graph(), ranges).Rewrite();
  const bool has_domain =
      std::any_of(proto.opset_import().begin(), proto.opset_import().end(),
                  [](const auto& opset) { return opset.domain() == kPairsDomain; });
  if (!has_domain) {
    onnx::OperatorSetIdProto& opset = *proto.add_opset_import();
    opset.set_domain(kPairsDomain);
    opset.set_version(1);
  }
  return proto.SerializeAsString();
}

}  // namespace halftone
