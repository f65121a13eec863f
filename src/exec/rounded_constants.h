// Constants of operators in a scaled format that no kernel computes on the integers of
// (src/ir/formats/qint16.h).
#pragma once

#include <cstddef>

#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Rounds a constant operand of `node`, in a graph of steps, to the 16-bit grid of its quantisation
// and returns it as float32: weights of a product have a scale for each channel, other constants
// one. Unchanged: the bias of a product, which the device adds with 30 bits, more than float32 has;
// elements that are not finite; a constant without a scale.
Tensor RoundedConstant(const Graph& graph, const Node& node, std::size_t input,
                       const Quantization& quantization);

}  // namespace halftone
