// Which operators run with channels last, and what changes in their steps. A new one is one row.
#pragma once

#include "src/exec/program.h"

namespace halftone {

struct LayoutRule {
  OpKind op;
  bool starts;              // takes the layout also when no operand has it
  bool first_operand_only;  // other operands keep their layout (weights, bounds), but for
                            // one that a pass added to the result
  bool needs_kernel;        // only where a kernel other than the reference serves it
  // Changes attributes and adds constants; false: this step cannot.
  bool (*rewrite)(Step& step, Program& program);
};

// Null: the operator needs channels first.
const LayoutRule* FindLayoutRule(OpKind op);

// A constant of up to `rank` axes, filled up with leading ones, with channels last.
Tensor ConstantWithChannelsLast(const Tensor& tensor, int rank);

}  // namespace halftone
