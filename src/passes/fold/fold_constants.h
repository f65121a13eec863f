// Constant folding of nodes whose result does not depend on the input of the network.
//
// Evaluation uses the reference kernels where an operator has one, so a folded value carries one
// rounding and does not depend on the CPU.
#pragma once

#include <optional>
#include <vector>

#include "kernels/kernel_table.h"
#include "src/ir/graph.h"
#include "src/passes/fold/load_budget.h"

namespace halftone {

// The call of `node`. Holds pointers into `graph`, whose values must not move meanwhile.
KernelQuery QueryOf(const Graph& graph, const Node& node);

// The outputs of a call whose present inputs are all constant, or that needs only their shapes
// (Shape, Size). Empty when the call depends on run-time data, when no kernel computes it in its
// dtypes, when an output is so large (2 GiB) that recomputing beats storing it, or when `budget`
// does not afford it.
std::optional<std::vector<Tensor>> EvaluateConstant(const KernelQuery& query, LoadBudget& budget);

// True if all inputs of the call are known before a run.
bool IsConstantCall(const KernelQuery& query);

// The outputs of a call whose present inputs are all constant, by the kernel that the call would
// run with. Errors as SelectKernel() and prepare().
std::vector<Tensor> Evaluate(const KernelQuery& query);

// Turns the outputs of nodes that EvaluateConstant can compute into constants and removes the
// nodes, as far as `budget` affords it; by default, a budget that the constants of the graph set.
void FoldConstants(Graph& graph);
void FoldConstants(Graph& graph, LoadBudget budget);

}  // namespace halftone
