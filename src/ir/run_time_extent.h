// Operators whose number of results depends on the values of operands: NonZero, NonMaxSuppression,
// Unique. A graph fixes that number to the one found for the sample with which the model was
// imported (Node::planned_count); values are computed in every run. A run that finds another number
// has no result, and reports that beside the data (KernelArgs::other_count).
#pragma once

#include "src/ir/op_kind.h"

namespace halftone {

constexpr bool HasRunTimeExtent(OpKind op) {
  return op == OpKind::kNonZero || op == OpKind::kNonMaxSuppression || op == OpKind::kUnique;
}

}  // namespace halftone
