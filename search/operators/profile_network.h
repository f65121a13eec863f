// Profile network: calls of one operator over a grid of shapes, in one graph. A machine profile is
// measured on it under the same conditions as operators in a network: weights come from the same
// level of memory, and operands are computed just before.
#pragma once

#include <optional>

#include "src/ir/graph.h"

namespace halftone {

// The profile network of an operator; empty if the operator has no grid.
std::optional<Graph> ProfileNetwork(OpKind op);

}  // namespace halftone
