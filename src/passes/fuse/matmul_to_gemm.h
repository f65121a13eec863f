// Fusion of a MatMul with its bias.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// A MatMul of two matrices becomes a Gemm with a bias where the only reader of its result is an Add
// of a constant, with one value per column or one value in all. Its precision class and IR type do
// not change.
void MatMulToGemm(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
