// Channel factors of quantised activations (ChannelFactors, src/quantization/quantization.h) on
// their way through the steps of a plan.
//
//   products       constant weights are multiplied by the factors of what they are multiplied with
//                  before they are rounded; scales of the sums are divided by those of the result
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

// Factors of a value; null: it has none, as constants have. Error kUsage: their axis or their
// number is not that of the value.
const ChannelFactors* FactorsOf(const Graph& graph, ValueId value,
                                const Quantization& quantization);

// The axis of the first result on which the channels lie that the first operand has along `axis`,
// all of them and in their order; empty: the node is no operator of the second row above, or does
// not keep them.
std::optional<int> KeptChannelAxis(const Graph& graph, const Node& node, int axis);

// True if the first operand and the first result have factors, and these are the same.
bool KeepsFactors(const Graph& graph, const Node& node, const Quantization& quantization);

// The axis along which a Conv, Gemm or MatMul with constant weights reads its channels: operand 0;
// empty: another operator, or weights that are no matrix.
std::optional<int> ReadChannelAxis(const Graph& graph, const Node& node);

// The axis of the channels that it makes.
std::optional<int> MadeChannelAxis(const Graph& graph, const Node& node);

// The activation behind a product whose result has factors: Relu or none. A bound of Clip that is
// not 0 is one number in the kernels, but another integer in each channel; it may go where no
// integer changes by it, because it rounds to 0 or 255 or lies beyond. Empty: it changes some.
std::optional<std::optional<StepActivation>> WithoutIdleBounds(
    const std::optional<StepActivation>& activation, const ActivationScale& scale,
    const ChannelFactors& factors);

}  // namespace halftone
