// Operators that run with channels last, and the changes in their steps. A new one is one row.
#pragma once

#include "src/exec/program.h"

namespace halftone {

struct LayoutRule {
  OpKind op;
  bool starts;              // takes the layout even when no operand has it
  bool first_operand_only;  // other operands keep their layout (weights, bounds), but for
                            // one that a pass added to the result
  bool needs_kernel;        // only where a kernel other than the reference serves it
  // Changes layout or attributes and adds constants; false: not possible for this step.
  bool (*rewrite)(Step& step, Program& program);
};

// The rule of an operator; null: it needs channels first.
const LayoutRule* FindLayoutRule(OpKind op);

// A constant of up to `rank` axes, padded with leading axes of 1, with channels last.
Tensor ConstantWithChannelsLast(const Tensor& tensor, int rank);

}  // namespace halftone
