#include "bench/onnxruntime/quantized_model.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "bench/onnxruntime/model_bytes.h"
#include "src/ir/tensor.h"
#include "src/onnx/initializer.h"

namespace halftone {
namespace {

// In this domain the two operators exist whatever the opset of the model is.
constexpr const char* kDomain = "com.microsoft";

// What the runtime has on integers, or moves without looking at the values.
constexpr std::string_view kQuantizable[] = {"Conv",      "MatMul",      "Gemm",
                                             "Add",       "Mul",         "Concat",
                                             "MaxPool",   "AveragePool", "GlobalAveragePool",
                                             "Relu",      "Clip",        "LeakyRelu",
                                             "Sigmoid",   "Reshape",     "Flatten",
                                             "Transpose", "Squeeze",     "Unsqueeze",
                                             "Resize"};

// Since opset 10 there are convolutions on integers. From 9 to it only these operators changed in a
// way that a model shows.
constexpr std::int64_t kOpsetBefore = 9;
constexpr std::string_view kChangedSince[] = {"Slice", "TopK", "Upsample"};

template <typename Range>
bool Has(const Range& range, std::string_view name) {
  return std::find(std::begin(range), std::end(range), name) != std::end(range);
}

// Which the runtime has no integer operator for, but for Add.
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
  if (std::none_of(nodes.begin(), nodes.end(),
                   [](const auto& node) { return Has(kChangedSince, node.op_type()); })) {
    for (auto& opset : *proto.mutable_opset_import()) {
      if (opset.domain().empty() && opset.version() == kOpsetBefore) {
        opset.set_version(kOpsetBefore + 1);
      }
    }
  }
}

class Quantizer {
 public:
  Quantizer(onnx::GraphProto& graph, const std::map<std::string, ValueRange>& ranges)
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
        AddPair(input.name(), renamed_[input.name()], ranges_.at(input.name()));
      }
    }
    for (const auto& node : graph_.node()) {
      AddNode(node, wanted);
    }
    graph_.clear_node();
    for (onnx::NodeProto& node : nodes_) {
      *graph_.add_node() = std::move(node);
    }
    for (onnx::TensorProto& tensor : tensors_) {
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
    nodes_.push_back(std::move(node));
    for (const std::string& name : rounded) {
      AddPair(name + "_exact", name, ranges_.at(name));
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
    const std::string name = node.input(1) + fmt::format("_int8_{}", axis);
    if (!scales_.contains(name)) {
      AddWeights(name, values, axis);
    }
    node.set_input(1, name + "_dequantized");
    if (node.input_size() > 2 && initializers_.contains(node.input(2))) {
      AddBias(node, TensorOf(*initializers_.at(node.input(2)), {}), name, ScaleOf(ranges_.at(x)));
    }
  }

  void AddWeights(const std::string& name, const Tensor& values, std::size_t axis) {
    const Shape& shape = values.shape();
    const std::int64_t channels = shape[axis];
    const std::int64_t inner = shape.ElementCount(axis + 1, shape.rank());
    std::vector<float> scales(static_cast<std::size_t>(channels), 0);
    const std::span<const float> floats = values.values<float>();
    const auto channel_of = [&](std::size_t i) {
      return (i / static_cast<std::size_t>(inner)) % static_cast<std::size_t>(channels);
    };
    for (std::size_t i = 0; i < floats.size(); ++i) {
      scales[channel_of(i)] = std::max(scales[channel_of(i)], std::abs(floats[i]) / 127);
    }
    for (float& scale : scales) {
      scale = scale > 0 ? scale : 1;
    }
    std::vector<std::int8_t> bytes(floats.size());
    for (std::size_t i = 0; i < floats.size(); ++i) {
      bytes[i] = static_cast<std::int8_t>(std::nearbyint(floats[i] / scales[channel_of(i)]));
    }
    AddTensor(name, onnx::TensorProto::INT8, shape.dims(), bytes);
    AddTensor(name + "_scale", onnx::TensorProto::FLOAT, {channels}, scales);
    AddTensor(name + "_zero", onnx::TensorProto::INT8, {channels},
              std::vector<std::int8_t>(static_cast<std::size_t>(channels), 0));
    AddDequantize(name, name + "_scale", name + "_zero", name + "_dequantized", axis);
    scales_.emplace(name, std::move(scales));
  }

  void AddBias(onnx::NodeProto& node, const Tensor& bias, const std::string& weights,
               float input_scale) {
    const std::vector<float>& of_weights = scales_.at(weights);
    const std::span<const float> floats = bias.values<float>();
    if (floats.size() != of_weights.size()) {
      return;  // Gemm with a bias of another form
    }
    std::vector<float> scales(floats.size());
    std::vector<std::int32_t> sums(floats.size());
    for (std::size_t i = 0; i < floats.size(); ++i) {
      scales[i] = of_weights[i] * input_scale;
      const double sum = std::nearbyint(static_cast<double>(floats[i]) / scales[i]);
      sums[i] = static_cast<std::int32_t>(std::clamp(sum, -2147483648.0, 2147483647.0));
    }
    const std::string name = fmt::format("{}_sums_{}", node.input(2), tensors_.size());
    const auto channels = std::ssize(floats);
    AddTensor(name, onnx::TensorProto::INT32, {channels}, sums);
    AddTensor(name + "_scale", onnx::TensorProto::FLOAT, {channels}, scales);
    AddTensor(name + "_zero", onnx::TensorProto::INT32, {channels},
              std::vector<std::int32_t>(floats.size(), 0));
    AddDequantize(name, name + "_scale", name + "_zero", name + "_dequantized", 0);
    node.set_input(2, name + "_dequantized");
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
      const std::string dequantized = input + "_dequantized";
      if (constants_.insert(input).second) {
        const Tensor values = TensorOf(*found->second, {});
        const std::span<const float> floats = values.values<float>();
        const auto [low, high] = std::minmax_element(floats.begin(), floats.end());
        if (low == floats.end()) {
          continue;
        }
        AddPair(input, dequantized, {*low, *high});
      }
      input = dequantized;
    }
  }

  static float ScaleOf(const ValueRange& range) {
    const float width = std::max(range.high, 0.0F) - std::min(range.low, 0.0F);
    return width > 0 ? width / 255 : 1;
  }

  void AddPair(const std::string& from, const std::string& to, const ValueRange& range) {
    const float scale = ScaleOf(range);
    const auto zero = static_cast<std::uint8_t>(
        std::clamp(std::nearbyint(-std::min(range.low, 0.0F) / scale), 0.0F, 255.0F));
    AddTensor(to + "_scale", onnx::TensorProto::FLOAT, {}, std::vector<float>{scale});
    AddTensor(to + "_zero", onnx::TensorProto::UINT8, {}, std::vector<std::uint8_t>{zero});
    onnx::NodeProto& quantize = nodes_.emplace_back();
    quantize.set_op_type("QuantizeLinear");
    quantize.set_domain(kDomain);
    quantize.add_input(from);
    quantize.add_input(to + "_scale");
    quantize.add_input(to + "_zero");
    quantize.add_output(to + "_uint8");
    AddDequantize(to + "_uint8", to + "_scale", to + "_zero", to, 0);
  }

  void AddDequantize(const std::string& from, const std::string& scale, const std::string& zero,
                     const std::string& to, std::size_t axis) {
    onnx::NodeProto& dequantize = nodes_.emplace_back();
    dequantize.set_op_type("DequantizeLinear");
    dequantize.set_domain(kDomain);
    dequantize.add_input(from);
    dequantize.add_input(scale);
    dequantize.add_input(zero);
    dequantize.add_output(to);
    onnx::AttributeProto& attribute = *dequantize.add_attribute();
    attribute.set_name("axis");
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(static_cast<std::int64_t>(axis));
  }

  template <typename T>
  void AddTensor(const std::string& name, int type, const std::vector<std::int64_t>& dims,
                 const std::vector<T>& values) {
    onnx::TensorProto& tensor = tensors_.emplace_back();
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (const std::int64_t extent : dims) {
      tensor.add_dims(extent);
    }
    tensor.set_raw_data(values.data(), values.size() * sizeof(T));
  }

  onnx::GraphProto& graph_;
  const std::map<std::string, ValueRange>& ranges_;
  std::map<std::string, const onnx::TensorProto*> initializers_;
  std::map<std::string, std::vector<const onnx::NodeProto*>> readers_;
  std::map<std::string, std::string> renamed_;
  std::map<std::string, std::vector<float>> scales_;  // of weights, by their new name
  std::set<std::string> constants_;
  std::vector<onnx::NodeProto> nodes_;
  std::vector<onnx::TensorProto> tensors_;
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

std::string QuantizedModel(std::string_view model,
                           const std::map<std::string, ValueRange>& ranges) {
  onnx::ModelProto proto = ParseModelBytes(model);
  RaiseOpset(proto);
  Quantizer(*proto.mutable_graph(), ranges).Rewrite();
  const bool has_domain = std::any_of(proto.opset_import().begin(), proto.opset_import().end(),
                                      [](const auto& opset) { return opset.domain() == kDomain; });
  if (!has_domain) {
    onnx::OperatorSetIdProto& opset = *proto.add_opset_import();
    opset.set_domain(kDomain);
    opset.set_version(1);
  }
  return proto.SerializeAsString();
}

}  // namespace halftone
