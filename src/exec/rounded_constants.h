// Constants of operators in a scaled format without integer kernels (src/ir/formats/qint16.h).
#pragma once

#include <cstddef>

#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Rounds constant operand `input` of `node`, a node of a fused graph (FusedNetwork::graph), to the
// 16-bit grid of its quantisation, and returns it as float32. Weights of a product have one scale
// for each channel or one for all; other constants have one scale. These stay unchanged: the bias
// of a product (the device adds it with 30 bits, more than float32 has), elements that are not
// finite, and a constant without a scale.
Tensor RoundedConstant(const Graph& graph, const Node& node, std::size_t input,
                       const Quantization& quantization);

}  // namespace halftone
