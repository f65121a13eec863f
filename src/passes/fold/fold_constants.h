// Constant folding of nodes whose result does not depend on the input of the network.
//
// Evaluation uses the reference kernel of an operator if there is one, so that a folded value is
// rounded once and does not depend on the CPU.
#pragma once

#include <optional>
#include <vector>

#include "kernels/kernel_table.h"
#include "src/ir/graph.h"
#include "src/passes/fold/load_budget.h"

namespace halftone {

// The kernel call of `node`. It holds pointers into `graph`, whose values must not move while it is
// used.
KernelQuery QueryOf(const Graph& graph, const Node& node);

// Computes the outputs of a call. Empty: the call depends on run-time data, no kernel computes it
// in its dtypes, an output exceeds 2 GiB (then recomputing it is cheaper than storing it), or
// `budget` does not afford it.
std::optional<std::vector<Tensor>> EvaluateConstant(const KernelQuery& query, LoadBudget& budget);

// True if all present inputs of the call are constant, or if the call needs only their shapes
// (Shape, Size, EyeLike).
bool IsConstantCall(const KernelQuery& query);

// Computes the outputs of a call whose present inputs are all constant, by the kernel that would
// run it in an inference. Errors as SelectKernel() and prepare().
std::vector<Tensor> Evaluate(const KernelQuery& query);

// Replaces the outputs of each node that EvaluateConstant() can compute by constants, and removes
// the node. Without `budget`, the budget is that of a model with the constants of the graph.
void FoldConstants(Graph& graph);
void FoldConstants(Graph& graph, LoadBudget budget);

}  // namespace halftone
