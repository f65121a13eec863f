// Bias of a matrix product: the constant that an Add after it adds to every row.
#pragma once

#include "src/ir/graph.h"

namespace halftone {

// The operand of `add` other than `product` when it is a constant with one value per column, or
// one value, and the sum has the type of the product; kNoValue when there is none.
ValueId ConstantBiasIn(const Graph& graph, const Node& add, ValueId product);

}  // namespace halftone
