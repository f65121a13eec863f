// Fusion of a MatMul with its bias.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Makes a MatMul of two matrices a Gemm with a bias if the only reader of its result is an Add of a
// constant with one value or one value per column. The precision class and the IR type of the node
// do not change.
void MatMulToGemm(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
