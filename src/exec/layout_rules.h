// Operators that can run with channels last, and the changes in their steps. Each operator is a row
// of layout_rules.cc.
#pragma once

#include "src/exec/program.h"

namespace halftone {

struct LayoutRule {
  OpKind op;
  bool starts;  // takes the layout even if no operand has it
  // Operands other than the first keep their layout (weights, bounds), except one that a pass added
  // to the result.
  bool first_operand_only;
  bool needs_kernel;  // takes the layout only if a kernel other than the reference serves it
  // Changes layout or attributes, and adds constants. False if this step cannot take the layout.
  bool (*rewrite)(Step& step, Program& program);
};

// The rule of an operator; null if it needs channels first.
const LayoutRule* FindLayoutRule(OpKind op);

// A copy of a constant with channels last. A constant of fewer than `rank` axes gets leading axes
// of extent 1 first.
Tensor ConstantWithChannelsLast(const Tensor& tensor, int rank);

}  // namespace halftone
