#include "search/probe/rounding_facts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/accuracy/set_apart.h"
#include "src/exec/channel_factors.h"
#include "src/exec/integer_steps.h"
#include "src/ir/numeric_format.h"
#include "src/quantization/quantize.h"

namespace halftone {
namespace {

struct Sums {
  double error = 0;    // relative to each tensor's power, added up over tensors
  double tiny = 0;     // the part of it that values below the smallest normal number make
  double clipped = 0;  // and that values beyond the range make
  std::size_t tensors = 0;
};

void Add(const Tensor& tensor, ValueId of, const ValueRounding& rounding, Sums& sums) {
  if (tensor.dtype() != DType::kFloat32) {
    return;
  }
  const Tensor rounded = rounding.Of(tensor, of);
  double power = 0;
  double error = 0;
  double tiny = 0;
  double clipped = 0;
  const ValueRange range = rounding.RangeOf(of);
  const SetApart apart = SetApartIn(tensor);
  for (std::size_t i = 0; i < tensor.values<float>().size(); ++i) {
    const double value = tensor.values<float>()[i];
    const double off = value - rounded.values<float>()[i];
    if (!std::isfinite(value) || !std::isfinite(off) || apart.Holds(value)) {
      continue;
    }
    power += value * value;
    error += off * off;
    tiny += std::fabs(value) < rounding.format().row().smallest_normal ? off * off : 0;
    clipped += value < range.low || value > range.high ? off * off : 0;
  }
  if (power > 0) {
    sums.error += error / power;
    sums.tiny += tiny / power;
    sums.clipped += clipped / power;
    ++sums.tensors;
  }
}

std::int64_t SumOf(const Graph& graph, const Node& node) {
  const auto elements = [&](ValueId id) {
    return id == kNoValue ? 0 : graph.value(id).type.shape.ElementCount();
  };
  const std::int64_t in = node.inputs.empty() ? 0 : elements(node.inputs[0]);
  const std::int64_t out = node.outputs.empty() ? 0 : elements(node.outputs[0]);
  if (in == 0 || out == 0) {
    return 1;
  }
  switch (node.op) {
    case OpKind::kConv:
      return elements(node.inputs[1]) /
             std::max<std::int64_t>(1, graph.value(node.inputs[1]).type.shape[0]);
    case OpKind::kConvTranspose:  // weights [C, M / groups, kernel], in each result once a stride
      return in * elements(node.inputs[1]) /
             std::max<std::int64_t>(1, out * graph.value(node.inputs[1]).type.shape[0]);
    case OpKind::kGemm:
    case OpKind::kMatMul: {
      const Shape& shape = graph.value(node.outputs[0]).type.shape;
      const std::int64_t columns = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
      return in / std::max<std::int64_t>(1, out / std::max<std::int64_t>(1, columns));
    }
    case OpKind::kReduceSum:
    case OpKind::kReduceMean:
    case OpKind::kReduceL1:
    case OpKind::kReduceL2:
    case OpKind::kReduceSumSquare:
    case OpKind::kReduceLogSum:
    case OpKind::kReduceLogSumExp:
    case OpKind::kGlobalAveragePool:
      return in / out;
    default:
      return 1;
  }
}

}  // namespace

Tensor ValueRounding::Of(const Tensor& tensor, ValueId value) const {
  if (format_.is_dynamic()) {
    return RoundedByRows(tensor);
  }
  if (!format_.is_scaled()) {
    return Convert(Convert(tensor, format_), DType::kFloat32);
  }
  return HasScale(value) ? RoundedBy(tensor, ScaleOf(graph_, value, *quantization_),
                                     FactorsOf(graph_, value, *quantization_))
                         : tensor;
}

ValueRange ValueRounding::RangeOf(ValueId value) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!format_.is_scaled() || !HasScale(value)) {
    return {-kInfinity, kInfinity};
  }
  const ValueRange range = ScaleOf(graph_, value, *quantization_).range();
  const ChannelFactors* factors = FactorsOf(graph_, value, *quantization_);
  // The range of the channel with the largest factor, which is the widest.
  const double largest =
      factors == nullptr ? 1 : static_cast<double>(*std::ranges::max_element(factors->factors));
  return {range.low * largest, range.high * largest};
}

bool ValueRounding::HasScale(ValueId value) const {
  const Value& of = graph_.value(value);
  return quantization_ && (of.constant || quantization_->activations.contains(of.name));
}

RoundingFacts RoundingFactsOf(const ValueRounding& rounding, const HeldValues& operands,
                              const HeldValues& results) {
  const auto sums_of = [&](const HeldValues& held) {
    Sums sums;
    for (std::size_t i = 0; i < held.tensors.size(); ++i) {
      Add(held.tensors[i], held.values[i], rounding, sums);
    }
    return sums;
  };
  const Sums read = sums_of(operands);
  // Results of a dynamic format are float32.
  const Sums made = rounding.format().is_dynamic() ? Sums() : sums_of(results);
  const double error = read.error + made.error;
  return {.operands = read.tensors == 0 ? 0 : read.error / static_cast<double>(read.tensors),
          .results = made.tensors == 0 ? 0 : made.error / static_cast<double>(made.tensors),
          .tiny_share = error > 0 ? (read.tiny + made.tiny) / error : 0,
          .clipped_share = error > 0 ? (read.clipped + made.clipped) / error : 0};
}

std::int64_t LongestSum(const Graph& graph, std::span<const NodeId> nodes) {
  std::int64_t longest = 1;
  for (const NodeId id : nodes) {
    longest = std::max(longest, SumOf(graph, graph.node(id)));
  }
  return longest;
}

}  // namespace halftone
