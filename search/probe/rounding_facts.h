// Effect of rounding the tensors of one group of operators to a format: the evidence for why it is
// kept in float32 (search/explain/causes.h).
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "search/probe/sensitivity.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"
#include "src/quantization/quantization.h"

namespace halftone {

// A larger share of clipped values in a rounding error (RoundingFacts::clipped_share) and it is
// neither small nor without a mean, so that it may not add up as rounding does.
inline constexpr double kClippedShare = 0.1;

// Rounding of the values of a graph to a format, in float32. `graph` must outlive it.
class ValueRounding {
 public:
  // `quantization`: scales of a scaled format; a value that it lacks is not rounded.
  ValueRounding(const Graph& graph, SharedQuantization quantization, NumericFormat format)
      : graph_(graph), quantization_(std::move(quantization)), format_(format) {}

  // `tensor` holds the value: float32.
  [[nodiscard]] Tensor Of(const Tensor& tensor, ValueId value) const;

  // Numbers that a scaled format has for the value; without bounds for another one.
  [[nodiscard]] ValueRange RangeOf(ValueId value) const;

  [[nodiscard]] NumericFormat format() const { return format_; }

 private:
  // Whether it is rounded by a scale.
  [[nodiscard]] bool HasScale(ValueId value) const;

  const Graph& graph_;
  SharedQuantization quantization_;
  NumericFormat format_;
};

// Tensors and, parallel to them, the values that they hold.
struct HeldValues {
  std::span<const Tensor> tensors;
  std::span<const ValueId> values;
};

// Facts for one sample, without elements set apart (src/accuracy/set_apart.h). `operands` and
// `results` are those of the group in float32; tensors of other dtypes do not count. Fills
// RoundingFacts::operands, results, tiny_share and clipped_share.
RoundingFacts RoundingFactsOf(const ValueRounding& rounding, const HeldValues& operands,
                              const HeldValues& results);

// Number of terms of the longest sum in the nodes; 1 where none sums.
std::int64_t LongestSum(const Graph& graph, std::span<const NodeId> nodes);

}  // namespace halftone
