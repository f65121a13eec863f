// Constants of operators in a scaled format that no kernel computes on the integers of
// (src/ir/formats/qint16.h).
#pragma once

#include <cstddef>

#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// float32 values of a constant operand of `node`, of a graph of steps, on the 16-bit grid that the
// quantisation gives it: weights of a product by their channels, others by one scale. As it is: the
// bias of a product, which the device adds with at most 30 bits, more than float32 has; elements
// that are not finite; a constant without a scale.
Tensor RoundedConstant(const Graph& graph, const Node& node, std::size_t input,
                       const Quantization& quantization);

}  // namespace halftone
