// Constants of operators in a scaled format for which there are no integer kernels
// (src/ir/formats/qint16.h).
#pragma once

#include <cstddef>

#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Rounds a constant operand of `node`, which belongs to a graph of steps, to the 16-bit grid of its
// quantisation and returns it as float32. Weights of a product have a scale for each channel, other
// constants one. These stay unchanged: the bias of a product (the device adds it with 30 bits, more
// than float32 has), elements that are not finite, and a constant without a scale.
Tensor RoundedConstant(const Graph& graph, const Node& node, std::size_t input,
                       const Quantization& quantization);

}  // namespace halftone
