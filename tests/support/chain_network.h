// A small network and target for tests of the search: MatMul and activations in a chain.
#pragma once

#include "src/ir/graph.h"
#include "src/target/target_spec.h"

namespace halftone::testing {

// x -> mm0 -> act0 -> mm1 -> act1 ...; act is Relu, every third one Softmax. Fusions are off, so
// that each node is a step.
Graph ChainNetwork(int pairs);

// MatMulV2 (white), Relu (gray) and SoftmaxV2 (black) in float32, float16 and bfloat16; MatMulV2
// and SoftmaxV2 have both implementation modes in all three dtypes.
TargetSpec ChainTarget();

}  // namespace halftone::testing
