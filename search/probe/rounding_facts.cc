#include "search/probe/rounding_facts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/accuracy/set_apart.h"
#include "src/base/lanes.h"
#include "src/exec/channel_factors.h"
#include "src/exec/integer_steps.h"
#include "src/ir/half_rounding.h"
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

// Sums over the elements of one tensor.
struct LaneSums {
  Lanes power{};
  Lanes error{};
  Lanes tiny{};
  Lanes clipped{};

  [[nodiscard]] bool are_finite() const { return std::isfinite(Total(power) + Total(error)); }
};

// Sums of the elements that `counts` holds of, by value and difference.
template <typename Counts>
LaneSums SumsWhere(std::span<const float> values, std::span<const float> after,
                   const ValueRange& range, double smallest_normal, const Counts& counts) {
  LaneSums sums;
  ForEachInLanes(values.size(), [&](std::size_t lane, std::size_t i) {
    const double value = values[i];
    const double off = value - static_cast<double>(after[i]);
    const bool is_counted = counts(value, off);
    const double square = is_counted ? off * off : 0;
    sums.power[lane] += is_counted ? value * value : 0;
    sums.error[lane] += square;
    sums.tiny[lane] += std::fabs(value) < smallest_normal ? square : 0;
    sums.clipped[lane] += value < range.low || value > range.high ? square : 0;
  });
  return sums;
}

void Add(const Tensor& tensor, const Tensor& rounded, const SetApart& apart,
         const ValueRange& range, double smallest_normal, Sums& sums) {
  const std::span<const float> values = tensor.values<float>();
  const std::span<const float> after = rounded.values<float>();
  LaneSums of_tensor;
  const bool may_count_all = !std::isfinite(apart.from);
  if (may_count_all) {
    of_tensor =
        SumsWhere(values, after, range, smallest_normal, [](double, double) { return true; });
  }
  if (!may_count_all || !of_tensor.are_finite()) {
    // A difference of what is not finite is NaN, which compares as false.
    of_tensor = SumsWhere(values, after, range, smallest_normal, [&](double value, double off) {
      return value - value == 0 && off - off == 0 && !apart.Holds(value);
    });
  }
  if (const double all = Total(of_tensor.power); all > 0) {
    sums.error += Total(of_tensor.error) / all;
    sums.tiny += Total(of_tensor.tiny) / all;
    sums.clipped += Total(of_tensor.clipped) / all;
    ++sums.tensors;
  }
}

Tensor RoundedToHalf(const Tensor& tensor, DType dtype) {
  Tensor rounded(DType::kFloat32, tensor.shape());
  const auto round = dtype == DType::kFloat16 ? RoundToFloat16 : RoundToBFloat16;
  round(tensor.values<float>(), rounded.mutable_values<float>());
  return rounded;
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

HeldValues::HeldValues(std::span<const Tensor> of, std::span<const ValueId> held)
    : tensors(of), values(held) {
  for (const Tensor& tensor : tensors) {
    apart.push_back(tensor.dtype() == DType::kFloat32 ? SetApartIn(tensor) : SetApart());
  }
}

Tensor ValueRounding::Of(const Tensor& tensor, ValueId value) const {
  if (format_.is_dynamic()) {
    return RoundedByRows(tensor);
  }
  if (format_ == DType::kFloat16 || format_ == DType::kBFloat16) {
    return RoundedToHalf(tensor, format_.dtype());
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

std::vector<Tensor> RoundedBy(const ValueRounding& rounding, const HeldValues& held) {
  std::vector<Tensor> rounded;
  for (std::size_t i = 0; i < held.tensors.size(); ++i) {
    const Tensor& tensor = held.tensors[i];
    rounded.push_back(tensor.dtype() == DType::kFloat32 ? rounding.Of(tensor, held.values[i])
                                                        : tensor);
  }
  return rounded;
}

RoundingFacts RoundingFactsOf(const ValueRounding& rounding, const HeldValues& operands,
                              std::span<const Tensor> rounded_operands, const HeldValues& results) {
  const auto sums_of = [&](const HeldValues& held, std::span<const Tensor> rounded) {
    Sums sums;
    for (std::size_t i = 0; i < held.tensors.size(); ++i) {
      if (held.tensors[i].dtype() == DType::kFloat32) {
        Add(held.tensors[i], rounded[i], held.apart[i], rounding.RangeOf(held.values[i]),
            rounding.format().row().smallest_normal, sums);
      }
    }
    return sums;
  };
  const Sums read = sums_of(operands, rounded_operands);
  // Results of a dynamic format are float32.
  const Sums made =
      rounding.format().is_dynamic() ? Sums() : sums_of(results, RoundedBy(rounding, results));
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
