// Products of a network with constant weights, as calibration looks at them.
#pragma once

#include <optional>
#include <vector>

#include "search/space/network_steps.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

// Conv, ConvTranspose, Gemm or MatMul whose second operand is constant.
bool IsProduct(const Graph& graph, const Node& node);

// The product at `product` and the BatchNormalization that goes into its weights; empty: another
// operator that scales goes into them. `steps` are of `graph`.
std::optional<std::vector<NodeId>> ProductAt(const Graph& graph, const NetworkSteps& steps,
                                             NodeId product);

// The axis of the channels of the result of a product, whose rank is `rank`.
int ResultChannelAxis(const Node& product, int rank);

}  // namespace halftone
