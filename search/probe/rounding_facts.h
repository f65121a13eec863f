// Effect of rounding the tensors of one group to a format: evidence for why the group stays in
// float32 (search/explain/causes.h).
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "search/probe/sensitivity.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Largest share of clipped values in a rounding error (RoundingFacts::clipped_share) with which
// errors add up as rounding errors do: an error with more of them is neither small nor zero-mean.
inline constexpr double kClippedShare = 0.1;

// Rounding of the values of a graph to a format, in float32. `graph` must outlive it.
class ValueRounding {
 public:
  // `quantization`: scales for a scaled format; a value without a scale is not rounded.
  ValueRounding(const Graph& graph, SharedQuantization quantization, NumericFormat format)
      : graph_(graph), quantization_(std::move(quantization)), format_(format) {}

  // `tensor` holds the value: float32.
  [[nodiscard]] Tensor Of(const Tensor& tensor, ValueId value) const;

  // Range of the numbers that a scaled format holds for the value; infinite for other formats.
  [[nodiscard]] ValueRange RangeOf(ValueId value) const;

  [[nodiscard]] NumericFormat format() const { return format_; }

 private:
  // True if the value has a scale that rounds it.
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

// Facts on one sample, without elements set apart (src/accuracy/set_apart.h). `operands` and
// `results` are the group's float32 tensors; tensors of other dtypes do not count. Fills
// RoundingFacts::operands, results, tiny_share and clipped_share.
RoundingFacts RoundingFactsOf(const ValueRounding& rounding, const HeldValues& operands,
                              const HeldValues& results);

// Number of terms of the longest sum in the nodes; 1 if no node sums.
std::int64_t LongestSum(const Graph& graph, std::span<const NodeId> nodes);

}  // namespace halftone
