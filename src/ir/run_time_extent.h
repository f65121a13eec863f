// Operators whose number of results depends on the values of operands: NonZero, NonMaxSuppression,
// Unique. A graph plans for the number that the sample of the import gives (Node::planned_count).
// The results are computed in every run. If a run finds another number, its outputs are not valid,
// and the kernel reports the number (KernelArgs::other_count).
#pragma once

#include "src/ir/op_kind.h"

namespace halftone {

constexpr bool HasRunTimeExtent(OpKind op) {
  return op == OpKind::kNonZero || op == OpKind::kNonMaxSuppression || op == OpKind::kUnique;
}

}  // namespace halftone
