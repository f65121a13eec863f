// Profile network: calls of one operator over a grid of shapes, in one graph. A machine profile is
// measured on it as operators are tuned in a network: weights come from the same level of memory,
// and operands are computed just before.
#pragma once

#include <optional>

#include "src/ir/graph.h"

namespace halftone {

// Empty: the operator has no grid.
std::optional<Graph> ProfileNetwork(OpKind op);

}  // namespace halftone
