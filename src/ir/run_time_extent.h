// Operators whose number of results depends on the values of operands: NonZero, NonMaxSuppression,
// Unique. A graph fixes that number as the sample has it with which the model was imported; values
// are computed in every run. A run that finds another number has no result.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "src/ir/op_kind.h"

namespace halftone {

// Attribute that the importer writes: the number of results that the shape is planned for.
inline constexpr std::string_view kPlannedCount = "planned_count";

// Fill value of the whole result after a run that found another number: no valid index, so that an
// operator that indexes by it reads nothing.
inline constexpr std::int64_t kOtherCount = std::numeric_limits<std::int64_t>::min();

constexpr bool HasRunTimeExtent(OpKind op) {
  return op == OpKind::kNonZero || op == OpKind::kNonMaxSuppression || op == OpKind::kUnique;
}

}  // namespace halftone
