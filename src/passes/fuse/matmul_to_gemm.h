// Gives a matrix product its bias.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// MatMul of two matrices whose result is read only by an Add of a constant with one value per
// column (or one value) becomes a Gemm with that bias. Its precision class and IR type stay the
// same.
void MatMulToGemm(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
