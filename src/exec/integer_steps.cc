#include "src/exec/integer_steps.h"

#include <fmt/format.h>

#include <bit>
#include <span>
#include <utility>

#include "kernels/kernel_table.h"
#include "src/base/error.h"
#include "src/ir/fused_operands.h"
#include "src/ir/op_table.h"
#include "src/quantization/quantize.h"

namespace halftone {
namespace {

struct Task {
  const Graph& graph;
  const Node& node;
  const NodePrecision& precision;
  const Quantization& quantization;
  SharedConstants& constants;

  [[nodiscard]] const TensorType& TypeOf(ValueId id) const { return graph.value(id).type; }

  [[nodiscard]] ValueId Input(std::size_t i) const {
    return i < node.inputs.size() ? node.inputs[i] : kNoValue;
  }

  // The constant at an operand; null: it is none.
  [[nodiscard]] const Tensor* Constant(std::size_t i) const {
    const ValueId id = Input(i);
    return id != kNoValue && graph.value(id).constant ? &*graph.value(id).constant : nullptr;
  }

  [[nodiscard]] ActivationScale Scale(ValueId id) const { return ScaleOf(graph, id, quantization); }
};

// A constant made of nothing but its content, held once.
Tensor Held(SharedConstants& constants, Tensor made) {
  const Hash128 key = Hasher()
                          .Add("integer step")
                          .Add(made.type().ToString())
                          .AddBytes({made.data(), made.size_bytes()})
                          .Finish();
  return constants.Derived(key, {}, [&] { return std::move(made); });
}

Tensor FloatScalar(const Task& task, float value) {
  return Held(task.constants, Tensor::From<float>({}, std::vector<float>{value}));
}

Tensor ByteScalar(const Task& task, std::int32_t value) {
  return Held(task.constants, Tensor::From<std::uint8_t>(
                                  {}, std::vector<std::uint8_t>{static_cast<std::uint8_t>(value)}));
}

// Values, their scale and their zero point.
void AddQuantized(const Task& task, ValueId id, IntegerStep& step) {
  const ActivationScale scale = task.Scale(id);
  step.inputs.emplace_back(id);
  step.inputs.emplace_back(FloatScalar(task, scale.scale));
  step.inputs.emplace_back(ByteScalar(task, scale.zero_point));
}

// [rows, columns] to [columns, rows].
Tensor Transposed(const Tensor& tensor) {
  Tensor result(tensor.dtype(), Shape{tensor.shape()[1], tensor.shape()[0]});
  const std::size_t size = SizeOf(tensor.dtype());
  for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
    const std::int64_t to = i % tensor.shape()[1] * tensor.shape()[0] + i / tensor.shape()[1];
    std::copy_n(tensor.data() + static_cast<std::size_t>(i) * size, size,
                result.mutable_data() + static_cast<std::size_t>(to) * size);
  }
  return result;
}

// Weights and bias of a product with constants.
struct Product {
  Tensor weights;
  int channel_axis = 0;
  std::vector<double> bias;  // one per channel; empty: none
};

std::optional<Product> ConvProduct(const Task& task) {
  const Tensor* weights = task.Constant(1);
  if (weights == nullptr || weights->shape().rank() < 3) {
    return std::nullopt;
  }
  return Product{.weights = *weights, .channel_axis = 0, .bias = {}};
}

std::optional<Product> MatrixProduct(const Task& task) {
  const Tensor* weights = task.Constant(1);
  const Attributes& attributes = task.node.attributes;
  const bool gemm = task.node.op == OpKind::kGemm;
  if (weights == nullptr || weights->shape().rank() != 2 ||
      task.TypeOf(task.Input(0)).shape.rank() < 2 || !task.node.fusion.b_perm.empty() ||
      (gemm && (attributes.Int("transA", 0) != 0 || attributes.Float("alpha", 1) != 1.0F ||
                attributes.Float("beta", 1) != 1.0F))) {
    return std::nullopt;
  }
  const bool transposed = gemm && attributes.Int("transB", 0) != 0;
  return Product{
      .weights = transposed ? Transposed(*weights) : *weights, .channel_axis = 1, .bias = {}};
}

// The bias and what correction adds to it; false: the bias is not one constant per channel.
bool AddBias(const Task& task, Product& product) {
  const auto channels = static_cast<std::size_t>(product.weights.shape()[product.channel_axis]);
  const Tensor* bias = task.Constant(kBiasOperand);
  if (bias == nullptr) {
    if (task.Input(kBiasOperand) != kNoValue) {
      return false;
    }
  } else {
    if (bias->ElementCount() != 1 && static_cast<std::size_t>(bias->ElementCount()) != channels) {
      return false;
    }
    product.bias = DoublesOf(*bias);
    if (product.bias.size() == 1) {
      product.bias.resize(channels, product.bias[0]);
    }
  }
  const auto shift = task.quantization.bias_shifts.find(task.node.name);
  if (shift != task.quantization.bias_shifts.end()) {
    if (shift->second.size() != channels) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("the quantisation shifts {} channels of node '{}', which has {}",
                              shift->second.size(), task.node.name, channels));
    }
    product.bias.resize(channels);
    for (std::size_t c = 0; c < channels; ++c) {
      product.bias[c] += static_cast<double>(shift->second[c]);
    }
  }
  return true;
}

std::optional<IntegerStep> QuantizedProduct(const Task& task, OpKind op,
                                            std::optional<Product> product) {
  const bool wide = !task.precision.outputs.at(0).is_scaled();
  if (!product || wide || !(task.node.fusion == kNoFusion) || !AddBias(task, *product)) {
    return std::nullopt;
  }
  const ActivationScale x = task.Scale(task.Input(0));
  const ActivationScale y = task.Scale(task.node.outputs.at(0));
  const auto given = task.quantization.weights.find(task.graph.value(task.Input(1)).name);
  const QuantizedWeights weights =
      QuantizeWeights({.weights = product->weights,
                       .channel_axis = product->channel_axis,
                       .per_channel = task.quantization.per_channel_weights,
                       .given = given == task.quantization.weights.end() ? nullptr : &given->second,
                       .bias = product->bias,
                       .input_scale = x.scale});
  IntegerStep step{.op = op, .attributes = {}, .fusion = {}, .inputs = {}};
  if (op == OpKind::kQLinearConv) {
    step.attributes = task.node.attributes;
  }
  AddQuantized(task, task.Input(0), step);
  step.inputs.emplace_back(Held(task.constants, weights.integers));
  const bool one = weights.scales.size() == 1;
  const Shape per_channel = one ? Shape{} : Shape{static_cast<std::int64_t>(weights.scales.size())};
  step.inputs.emplace_back(Held(task.constants, Tensor::From<float>(per_channel, weights.scales)));
  std::vector<std::int8_t> zeros(weights.scales.size());
  for (std::size_t c = 0; c < weights.zero_points.size(); ++c) {
    zeros[c] = static_cast<std::int8_t>(weights.zero_points[c]);
  }
  step.inputs.emplace_back(Held(task.constants, Tensor::From<std::int8_t>(per_channel, zeros)));
  step.inputs.emplace_back(FloatScalar(task, y.scale));
  step.inputs.emplace_back(ByteScalar(task, y.zero_point));
  if (!product->bias.empty()) {
    step.inputs.emplace_back(
        Held(task.constants, QuantizedBias(product->bias, x.scale, weights.scales)));
  }
  return step;
}

std::optional<IntegerStep> OfConv(const Task& task) {
  return QuantizedProduct(task, OpKind::kQLinearConv, ConvProduct(task));
}

std::optional<IntegerStep> OfMatrix(const Task& task) {
  return QuantizedProduct(task, OpKind::kQLinearMatMul, MatrixProduct(task));
}

// The operator itself on the integers of its first operand.
std::optional<IntegerStep> OfMover(const Task& task) {
  if (!task.precision.outputs.at(0).is_scaled() || task.node.outputs.size() != 1 ||
      !(task.node.fusion == kNoFusion) ||
      !KernelDTypes(task.node.op, DetectIsa()).Has(DType::kUInt8) ||
      task.Scale(task.Input(0)) != task.Scale(task.node.outputs[0])) {
    return std::nullopt;
  }
  IntegerStep step{
      .op = task.node.op, .attributes = task.node.attributes, .fusion = {}, .inputs = {}};
  for (std::size_t i = 0; i < task.node.inputs.size(); ++i) {
    const ValueId id = task.node.inputs[i];
    if (id == kNoValue) {
      step.inputs.emplace_back();
    } else if (task.precision.inputs.at(i).is_scaled()) {
      if (i != 0) {
        return std::nullopt;  // a fill value of Pad, for example
      }
      step.inputs.emplace_back(id);
    } else if (const Tensor* constant = task.Constant(i)) {
      step.inputs.emplace_back(*constant);
    } else {
      return std::nullopt;
    }
  }
  return step;
}

struct FormRow {
  OpKind op;
  std::optional<IntegerStep> (*make)(const Task& task);
};

constexpr FormRow kForms[] = {
    {OpKind::kConv, OfConv},          {OpKind::kGemm, OfMatrix},        {OpKind::kMatMul, OfMatrix},
    {OpKind::kMaxPool, OfMover},      {OpKind::kTranspose, OfMover},    {OpKind::kSlice, OfMover},
    {OpKind::kDepthToSpace, OfMover}, {OpKind::kSpaceToDepth, OfMover},
};

}  // namespace

ActivationScale ScaleOf(const Graph& graph, ValueId value, const Quantization& quantization) {
  const Value& of = graph.value(value);
  const auto found = quantization.activations.find(of.name);
  if (found != quantization.activations.end()) {
    return found->second;
  }
  if (of.constant) {
    return ScaleOfConstant(*of.constant);
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("the quantisation has no scale for tensor '{}'; calibrate it, or leave "
                          "the operators that make and read it in a float format",
                          of.name));
}

std::optional<IntegerStep> IntegerStepOf(const Graph& graph, const Node& node,
                                         const NodePrecision& precision,
                                         const Quantization& quantization,
                                         SharedConstants& constants) {
  if (node.inputs.empty() || node.inputs[0] == kNoValue || !precision.inputs.at(0).is_scaled() ||
      precision.engine != Engine::kAiCore) {
    return std::nullopt;
  }
  for (const FormRow& row : kForms) {
    if (row.op == node.op) {
      return row.make({graph, node, precision, quantization, constants});
    }
  }
  return std::nullopt;
}

}  // namespace halftone
