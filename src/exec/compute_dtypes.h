// Dtypes in which a kernel computes a node. A plan may combine dtypes that no kernel of this
// machine combines (float32 in and float16 out, bfloat16 beside float16, ...). Lowering
// (src/exec/lower.cc) then puts casts around the kernel: each operand is rounded to its dtype of
// the plan and widened to a dtype that holds all of them, and the result is rounded to its dtype of
// the plan.
#pragma once

#include <vector>

#include "src/ir/dtype.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// The smallest float dtype that holds every value of both: float32 for float16 and bfloat16.
DType WidestFloat(DType a, DType b);

struct ComputeDTypes {
  std::vector<DType> inputs;  // parallel to Node::inputs
  std::vector<DType> outputs;
};

// Compute dtypes by the letters of the operator's signature (src/ir/op_table.h):
// - T, and A of operators other than Cast and Attention: one dtype, the widest float of all inputs
//   and outputs with these letters.
// - Y (bias and result of matrix operators), and operands that passes add: one dtype. If T has a
//   16-bit dtype, T keeps it, and Y has the same if all of Y are planned so, else float32. If T is
//   wider, or Y is planned in double, T and Y have the widest float of both.
// - F: float32, or double if planned so.
// - Other letters, and types that are no floats: as planned.
//
// A combination that kernels have stays unchanged.
ComputeDTypes ComputeDTypesOf(const Node& node, const NodePrecision& precision);

}  // namespace halftone
