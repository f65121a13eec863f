// Dtypes in which a kernel computes a node. A plan may combine dtypes that no kernel of this
// machine has (float32 in and float16 out, bfloat16 beside float16, ...): each operand is then
// rounded to its dtype of the plan and computed with in a dtype that holds all of them, and the
// result is rounded to its dtype of the plan. Casts around the kernel do that (src/exec/lower.cc).
#pragma once

#include <vector>

#include "src/ir/dtype.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// The smallest float dtype that holds every value of both: float32 for float16 with bfloat16.
DType WidestFloat(DType a, DType b);

struct ComputeDTypes {
  std::vector<DType> inputs;  // parallel to Node::inputs
  std::vector<DType> outputs;
};

// The rule, by the letters of the operator's signature (src/ir/op_table.h):
// - T, and A of operators other than Cast and Attention: the widest float among all of them, inputs
//   and outputs.
// - Y, of matrix operators, and the operands that passes add to them, apart from the rest: inputs
// of
//   one 16-bit dtype keep it, and bias and result have that dtype if both are planned so, else
//   float32. Other inputs: the widest float of all.
// - F: float32, or double if planned so.
// - Everything else, and what is no float: as planned.
// A combination that kernels have is left as it is.
ComputeDTypes ComputeDTypesOf(const Node& node, const NodePrecision& precision);

}  // namespace halftone
