// Bias of a matrix product: the constant that an Add behind the product adds to every row.
#pragma once

#include "src/ir/graph.h"

namespace halftone {

// The operand of `add` other than `product`, if it is a constant with one value or one value per
// column and the sum has the type of the product; else kNoValue.
ValueId ConstantBiasIn(const Graph& graph, const Node& add, ValueId product);

}  // namespace halftone
