// Channel factors of quantised activations (ChannelFactors, src/quantization/quantization.h) in the
// integer steps of a plan.
//
//   products       Conv, Gemm and MatMul: constant weights are multiplied by the factors of
//                  operand 0 before rounding; the factors of the result divide the sums' scales
//   kept channels  pools, Transpose, views, and functions f with f(a x) = a f(x) for a > 0: the
//                  integer step is unchanged if operand and result have the same factors
//   functions      a table for each channel; operand and result may have any factors on one axis
//   floats         QuantizeLinear and DequantizeLinear have a scale for each channel
//
// Any other operator has no integer step if an operand or a result has factors. A product with a
// residual has none if the residual or the result has factors. Such operators run in float32
// between DequantizeLinear and QuantizeLinear.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "src/ir/fusion.h"
#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Factors of a value; null if it has none. Constants never have factors. Error kUsage: the axis or
// the number of the factors does not fit the shape of the value.
const ChannelFactors* FactorsOf(const Graph& graph, ValueId value,
                                const Quantization& quantization);

// Axis of the first result that holds, in the same order, all channels of the first operand along
// `axis`. Empty if the operator is not in the row "kept channels" above, or if this node mixes or
// splits the channels.
std::optional<int> KeptChannelAxis(const Graph& graph, const Node& node, int axis);

// True if the first operand and the first result have the same factors, along axes that hold the
// same channels.
bool KeepsFactors(const Graph& graph, const Node& node, const Quantization& quantization);

// Axis along which a Conv, Gemm or MatMul with constant weights reads the channels of operand 0.
// Empty for another operator. Empty also for a Gemm or MatMul whose weights are no matrix, whose
// operand 0 has fewer than two axes, or that transposes operand 0.
std::optional<int> ReadChannelAxis(const Graph& graph, const Node& node);

// Axis of the result along which such a node makes its channels. Empty where ReadChannelAxis() is.
std::optional<int> MadeChannelAxis(const Graph& graph, const Node& node);

// Activation behind a product whose result has factors, reduced to Relu or none. A kernel has one
// number for a bound of Clip. In each channel it is another integer, unless it is 0. So a bound is
// dropped if it changes no integer, because it rounds to 0 or 255 or lies beyond. Empty if a bound
// changes some integer, or if the activation is neither Relu nor Clip.
std::optional<std::optional<StepActivation>> WithoutIdleBounds(
    const std::optional<StepActivation>& activation, const ActivationScale& scale,
    const ChannelFactors& factors);

}  // namespace halftone
