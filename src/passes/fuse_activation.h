// Makes an activation part of the matrix operator or BatchNormalization before it.
#pragma once

#include "src/ir/graph.h"

namespace halftone {

// Relu, and Clip with constant bounds, behind a Conv, Gemm or BatchNormalization whose result
// nothing else reads, become its attributes kActivation, kActivationMin and kActivationMax
// (src/ir/graph.h).
void FuseActivation(Graph& graph);

}  // namespace halftone
