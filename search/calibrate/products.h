// Products with constant weights in a network, as calibration finds them.
#pragma once

#include <optional>
#include <vector>

#include "search/space/network_steps.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

// True for a Conv, ConvTranspose, Gemm or MatMul whose second operand is constant.
bool IsProduct(const Graph& graph, const Node& node);

// The node `product`, followed by the BatchNormalization that is folded into its weights if there
// is one. Empty if another operator that scales is folded into them. `steps` are those of `graph`.
std::optional<std::vector<NodeId>> ProductAt(const Graph& graph, const NetworkSteps& steps,
                                             NodeId product);

// Axis of the channels of a product's result, which has rank `rank`.
int ResultChannelAxis(const Node& product, int rank);

}  // namespace halftone
