// Effect of rounding the tensors of one group to a format: evidence for why the group stays in
// float32 (search/explain/causes.h).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "search/probe/sensitivity.h"
#include "src/accuracy/set_apart.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Limit on RoundingFacts::clipped_share up to which errors add up as rounding errors do. Above it,
// clipping dominates, and the error is neither small nor zero-mean.
inline constexpr double kClippedShare = 0.1;

// Rounds the values of a graph to a format; the rounded tensors are float32. `graph` must outlive
// it.
class ValueRounding {
 public:
  // `quantization`: scales for a scaled format. A value without a scale is not rounded.
  ValueRounding(const Graph& graph, SharedQuantization quantization, NumericFormat format)
      : graph_(graph), quantization_(std::move(quantization)), format_(format) {}

  // Rounds `tensor`, the float32 tensor of the value.
  [[nodiscard]] Tensor Of(const Tensor& tensor, ValueId value) const;

  // Range of the numbers that a scaled format holds for the value; with channel factors, that of
  // the channel with the widest range. Infinite for other formats, and for a value without a scale.
  [[nodiscard]] ValueRange RangeOf(ValueId value) const;

  [[nodiscard]] NumericFormat format() const { return format_; }

 private:
  // True if the value has a scale by which it is rounded.
  [[nodiscard]] bool HasScale(ValueId value) const;

  const Graph& graph_;
  SharedQuantization quantization_;
  NumericFormat format_;
};

// Tensors and, parallel to them, the values that they hold and their elements set apart. Spans are
// of the arguments.
struct HeldValues {
  HeldValues(std::span<const Tensor> of, std::span<const ValueId> held);

  std::span<const Tensor> tensors;
  std::span<const ValueId> values;
  std::vector<SetApart> apart;  // of float32 tensors
};

// Tensors after the rounding; those of other dtypes than float32 are the same.
std::vector<Tensor> RoundedBy(const ValueRounding& rounding, const HeldValues& held);

// Facts on one sample. `operands` and `results` are the group's float32 tensors, and
// `rounded_operands` is RoundedBy() of the operands; tensors of other
// dtypes, and elements set apart (src/accuracy/set_apart.h), do not count. Sets `operands`,
// `results`, `tiny_share` and `clipped_share`; `results` stays 0 for a dynamic format, whose
// results are float32.
RoundingFacts RoundingFactsOf(const ValueRounding& rounding, const HeldValues& operands,
                              std::span<const Tensor> rounded_operands, const HeldValues& results);

// Number of terms of the longest sum of a Conv, ConvTranspose, Gemm, MatMul, GlobalAveragePool or
// reduction among the nodes; 1 if there is none.
std::int64_t LongestSum(const Graph& graph, std::span<const NodeId> nodes);

}  // namespace halftone
