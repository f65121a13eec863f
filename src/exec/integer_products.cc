// Integer forms of Conv, ConvTranspose, Gemm and MatMul.
#include <fmt/format.h>

#include <vector>

#include "kernels/quantized/conv_transpose.h"
#include "src/base/error.h"
#include "src/exec/given_weight_scales.h"
#include "src/exec/integer_task.h"
#include "src/ir/fused_operands.h"
#include "src/ir/transposed.h"

namespace halftone {
namespace {

// The second operand and the bias of a product.
struct Product {
  std::optional<Tensor> weights;  // constant; empty: the value that the node reads
  int channel_axis = 0;
  std::vector<double> bias;  // one per channel; empty: none
};

std::optional<Product> MatrixProduct(const IntegerTask& task) {
  const Attributes& attributes = task.node.attributes;
  const bool gemm = task.node.op == OpKind::kGemm;
  if (task.TypeOf(task.Input(0)).shape.rank() < 2 || task.TypeOf(task.Input(1)).shape.rank() < 2 ||
      !task.node.fusion.b_perm.empty() ||
      (gemm && (attributes.Int("transA", 0) != 0 || attributes.Float("alpha", 1) != 1.0F ||
                attributes.Float("beta", 1) != 1.0F))) {
    return std::nullopt;
  }
  const Tensor* weights = task.Constant(1);
  const bool transposed = gemm && attributes.Int("transB", 0) != 0;
  if (weights == nullptr) {
    return transposed ? std::nullopt : std::optional(Product{});
  }
  if (weights->shape().rank() != 2) {
    return std::nullopt;
  }
  return Product{
      .weights = transposed ? Transposed(*weights) : *weights, .channel_axis = 1, .bias = {}};
}

// The bias and what correction adds to it; false: the bias is not one constant per channel.
bool AddBias(const IntegerTask& task, Product& product) {
  const Tensor* bias = task.Constant(kBiasOperand);
  if (bias == nullptr && task.Input(kBiasOperand) != kNoValue) {
    return false;
  }
  if (!product.weights) {
    return bias == nullptr;
  }
  const auto channels = static_cast<std::size_t>(product.weights->shape()[product.channel_axis]);
  if (bias != nullptr) {
    // Along the last axis: a Gemm may also add one number to each row.
    const Shape& shape = bias->shape();
    if (bias->ElementCount() != 1 &&
        (static_cast<std::size_t>(bias->ElementCount()) != channels ||
         static_cast<std::size_t>(shape[shape.rank() - 1]) != channels)) {
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

// Multiplies the weights of each channel that is read by its factor; false: the second operand is
// no constant, or the factors lie along another axis.
bool MultiplyByFactors(const IntegerTask& task, const ChannelFactors& factors, Product& product) {
  if (!product.weights || ReadChannelAxis(task.graph, task.node) != factors.axis) {
    return false;
  }
  if (task.node.op != OpKind::kConv) {
    product.weights = ScaledChannels(*product.weights, 0, factors.factors);
    return true;
  }
  // [M, C / groups, taps]: each group reads channels of its own.
  const Shape& shape = product.weights->shape();
  const std::int64_t channels = shape[1];
  const std::int64_t groups = std::ssize(factors.factors) / channels;
  const Tensor floats = Convert(*product.weights, DType::kFloat32);
  Tensor scaled(DType::kFloat32, shape);
  const auto from = floats.values<float>();
  const auto to = scaled.mutable_values<float>();
  const std::int64_t taps = shape.ElementCount(2, shape.rank());
  for (std::int64_t i = 0; i < std::ssize(from); ++i) {
    const std::int64_t result = i / taps / channels;
    const std::int64_t channel = result / (shape[0] / groups) * channels + i / taps % channels;
    to[static_cast<std::size_t>(i)] =
        from[static_cast<std::size_t>(i)] * factors.factors[static_cast<std::size_t>(channel)];
  }
  product.weights = std::move(scaled);
  return true;
}

// One scale for each channel of the result, divided by the channel's factor.
std::vector<float> DividedBy(const std::vector<float>& scales, const ChannelFactors& factors) {
  std::vector<float> divided;
  for (std::size_t c = 0; c < factors.factors.size(); ++c) {
    divided.push_back(scales[scales.size() == 1 ? 0 : c] / factors.factors[c]);
  }
  return divided;
}

// The axis of the operand, which a Gemm may have transposed.
int OwnChannelAxis(const IntegerTask& task, const Product& product) {
  const bool transposed =
      task.node.op == OpKind::kGemm && task.node.attributes.Int("transB", 0) != 0;
  return transposed ? 1 - product.channel_axis : product.channel_axis;
}

// Operands b, b_scale and b_zero_point of constant weights; the scales of their integers.
// `result_factors`: of the result; null: none.
std::vector<float> AddWeights(const IntegerTask& task, const Product& product, float input_scale,
                              const ChannelFactors* result_factors, IntegerStep& step) {
  const auto given = GivenWeightScales(task.graph, task.Input(1), OwnChannelAxis(task, product),
                                       task.quantization);
  const QuantizedWeights weights =
      QuantizeWeights({.weights = *product.weights,
                       .channel_axis = product.channel_axis,
                       .per_channel = task.quantization.per_channel_weights,
                       .given = given ? &*given : nullptr,
                       .bias = product.bias,
                       .input_scale = input_scale});
  const std::vector<float> scales =
      result_factors == nullptr ? weights.scales : DividedBy(weights.scales, *result_factors);
  const auto count = static_cast<std::int64_t>(scales.size());
  const Shape shape = count == 1 ? Shape{} : Shape{count};
  std::vector<std::int8_t> zeros(scales.size());
  for (std::size_t c = 0; c < zeros.size() && !weights.zero_points.empty(); ++c) {
    zeros[c] = static_cast<std::int8_t>(weights.zero_points[weights.scales.size() == 1 ? 0 : c]);
  }
  step.inputs.emplace_back(task.Held(weights.integers));
  step.inputs.emplace_back(task.Held(Tensor::From<float>(shape, scales)));
  step.inputs.emplace_back(task.Held(Tensor::From<std::int8_t>(shape, zeros)));
  return weights.scales;
}

// A residual of a quantised result is quantised; that of a float32 result is float32.
bool AddResidual(const IntegerTask& task, IntegerStep& step) {
  if (step.fusion.residual == ResidualPlace::kNone) {
    return task.Input(kResidualOperand) == kNoValue;
  }
  if (task.ReadsScaled(kResidualOperand) != task.MakesScaled() ||
      (task.MakesScaled() && task.FactorsOfValue(task.Input(kResidualOperand)) != nullptr)) {
    return false;
  }
  step.inputs.resize(kLinearResidualOperand);  // an absent bias
  if (task.MakesScaled()) {
    task.AddQuantized(kResidualOperand, step);
  } else {
    task.AddValue(kResidualOperand, step);
  }
  return true;
}

// Leaves the activation of `fusion` that keeps the factors of the result; false: there is none, or
// the factors lie along another axis.
bool MakesFactors(const IntegerTask& task, const ChannelFactors& factors, Fusion& fusion) {
  const ValueId result = task.node.outputs.at(0);
  const auto activation = WithoutIdleBounds(fusion.activation, task.ScaleOfValue(result), factors);
  if (!activation || fusion.residual != ResidualPlace::kNone ||
      MadeChannelAxis(task.graph, task.node) != factors.axis) {
    return false;
  }
  fusion.activation = *activation;
  return true;
}

std::optional<IntegerStep> QuantizedProduct(const IntegerTask& task, OpKind op,
                                            std::optional<Product> product) {
  auto fusion = IntegerFusion(task.node.fusion);
  const NumericFormat result = task.precision.outputs.at(0);
  if (!product || !fusion || !task.ReadsScaled(1) || !AddBias(task, *product) ||
      (!result.is_scaled() && result != DType::kFloat32 && result != DType::kFloat16)) {
    return std::nullopt;
  }
  const ChannelFactors* read = task.FactorsOfValue(task.Input(0));
  const ChannelFactors* made =
      result.is_scaled() ? task.FactorsOfValue(task.node.outputs.at(0)) : nullptr;
  if ((read != nullptr && !MultiplyByFactors(task, *read, *product)) ||
      (!product->weights && task.FactorsOfValue(task.Input(1)) != nullptr) ||
      (made != nullptr && !MakesFactors(task, *made, *fusion))) {
    return std::nullopt;
  }
  IntegerStep step{.op = op, .attributes = {}, .fusion = *fusion, .inputs = {}};
  if (op != OpKind::kQLinearMatMul) {
    step.attributes = task.node.attributes;
  }
  task.AddQuantized(0, step);
  const float input_scale = task.ScaleOfValue(task.Input(0)).scale;
  std::vector<float> scales;
  if (product->weights) {
    scales = AddWeights(task, *product, input_scale, made, step);
  } else {
    task.AddQuantized(1, step);
  }
  if (result.is_scaled()) {
    task.AddScale(task.ScaleOfValue(task.node.outputs.at(0)), step);
  } else {
    step.inputs.resize(step.inputs.size() + 2);
  }
  if (!product->bias.empty()) {
    step.inputs.emplace_back(task.Held(QuantizedBias(product->bias, input_scale, scales)));
  }
  return AddResidual(task, step) ? std::optional(std::move(step)) : std::nullopt;
}

}  // namespace

std::optional<Fusion> IntegerFusion(const Fusion& fusion) {
  if (fusion.activation && fusion.activation->op != OpKind::kRelu &&
      fusion.activation->op != OpKind::kClip) {
    return std::nullopt;
  }
  Fusion kept{.activation = fusion.activation, .residual = fusion.residual};
  return kept == fusion ? std::optional(kept) : std::nullopt;
}

std::optional<IntegerStep> IntegerConv(const IntegerTask& task) {
  const Tensor* weights = task.Constant(1);
  if (weights == nullptr || weights->shape().rank() < 3) {
    return std::nullopt;
  }
  return QuantizedProduct(task, OpKind::kQLinearConv,
                          Product{.weights = *weights, .channel_axis = 0, .bias = {}});
}

// Channels of the result lie along axis 1 of the weights, those of a depthwise call along axis 0.
std::optional<IntegerStep> IntegerConvTranspose(const IntegerTask& task) {
  const Tensor* weights = task.Constant(1);
  if (weights == nullptr || weights->shape().rank() < 3 || weights->ElementCount() == 0) {
    return std::nullopt;
  }
  const std::int64_t groups = task.node.attributes.Int("group", 1);
  const bool depthwise = groups == weights->shape()[0] && weights->shape()[1] == 1;
  if (groups != 1 && !depthwise) {
    return std::nullopt;
  }
  std::optional<IntegerStep> step = QuantizedProduct(
      task, OpKind::kQLinearConvTranspose,
      Product{.weights = *weights, .channel_axis = groups == 1 ? 1 : 0, .bias = {}});
  return step && ByteConvTransposeLimits(IntegerCall(task, *step).query).empty() ? std::move(step)
                                                                                 : std::nullopt;
}

std::optional<IntegerStep> IntegerMatrix(const IntegerTask& task) {
  return QuantizedProduct(task, OpKind::kQLinearMatMul, MatrixProduct(task));
}

}  // namespace halftone
