// Channel factors of quantised activations (ChannelFactors, src/quantization/quantization.h) on
// their way through the steps of a plan.
//
//   products       constant weights are multiplied by the factors of their operand before
//                  rounding; scales of the sums are divided by the factors of the result
//   kept channels  pools, Transpose, views, and functions f with f(a x) = a f(x), a > 0: the
//                  integer step is the same where operand and result have the same factors
//   functions      a table for each channel, from any factors of the operand to any of the result
//   floats         QuantizeLinear and DequantizeLinear have a scale for each channel
// Other operators, and residuals, have no integer step where an operand or a result has factors:
// they run in float32 between DequantizeLinear and QuantizeLinear.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "src/ir/fusion.h"
#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Factors of a value; null: it has none, as constants have none. Error kUsage: the axis or the
// number of the factors does not fit the value.
const ChannelFactors* FactorsOf(const Graph& graph, ValueId value,
                                const Quantization& quantization);

// Axis of the first result that holds the channels of the first operand along `axis`, all of them
// in the same order. Empty: the operator does not keep channels (second row of the table), or this
// node changes them.
std::optional<int> KeptChannelAxis(const Graph& graph, const Node& node, int axis);

// True if the first operand and the first result have factors, and these are the same.
bool KeepsFactors(const Graph& graph, const Node& node, const Quantization& quantization);

// Axis along which a Conv, Gemm or MatMul with constant weights reads the channels of operand 0.
// Empty: another operator, or weights that are no matrix.
std::optional<int> ReadChannelAxis(const Graph& graph, const Node& node);

// Axis of its result along which such a node makes channels.
std::optional<int> MadeChannelAxis(const Graph& graph, const Node& node);

// The activation behind a product whose result has factors, reduced to Relu or none. A bound of
// Clip is one number in the kernels, but a different integer in each channel unless it is 0. A
// bound is dropped where it changes no integer, because it rounds to 0 or 255 or lies beyond.
// Empty: a bound changes some integer.
std::optional<std::optional<StepActivation>> WithoutIdleBounds(
    const std::optional<StepActivation>& activation, const ActivationScale& scale,
    const ChannelFactors& factors);

}  // namespace halftone
