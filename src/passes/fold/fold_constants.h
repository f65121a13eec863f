// Constant folding: nodes whose result does not depend on the input of the network.
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

// The call that `node` makes. Holds pointers into `graph`, whose values must not move meanwhile.
KernelQuery QueryOf(const Graph& graph, const Node& node);

// The outputs of a call whose present inputs are all constant, or that needs their shapes only
// (Shape, Size). Empty when the call depends on run-time data, when no kernel computes it in its
// dtypes, when an output is so large (2 GiB) that computing it again is better than keeping it, or
// when `budget` does not afford it.
std::optional<std::vector<Tensor>> EvaluateConstant(const KernelQuery& query, LoadBudget& budget);

// Whether nothing that is known in a run only goes into the call.
bool IsConstantCall(const KernelQuery& query);

// The outputs of a call whose present inputs are all constant, by the kernel that the call would
// run with. Error as SelectKernel() and prepare().
std::vector<Tensor> Evaluate(const KernelQuery& query);

// Turns the outputs of nodes that EvaluateConstant can compute into constants and removes the
// nodes, as far as `budget` affords it; without one, that of the constants that there are.
void FoldConstants(Graph& graph);
void FoldConstants(Graph& graph, LoadBudget budget);

}  // namespace halftone
