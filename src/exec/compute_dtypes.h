// Dtypes in which a kernel computes a node. A plan may combine dtypes that no kernel of this
// machine has (float32 in and float16 out, bfloat16 beside float16, ...). Casts around the kernel
// (src/exec/lower.cc) then round each operand to its dtype of the plan, widen it to a dtype that
// holds all of them, and round the result to its dtype of the plan.
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

// Compute dtypes by the letters of the operator's signature (src/ir/op_table.h):
// - T, and A of operators other than Cast and Attention: the widest float of all inputs and
//   outputs.
// - Y of matrix operators, and operands that passes add: decided apart from the inputs. Inputs of
//   one 16-bit dtype keep it; bias and result have that dtype if both are planned so, else float32.
//   With other inputs: the widest float of all.
// - F: float32, or double if planned so.
// - Other letters, and types that are no floats: as planned.
// A combination that kernels have is left as it is.
ComputeDTypes ComputeDTypesOf(const Node& node, const NodePrecision& precision);

}  // namespace halftone
