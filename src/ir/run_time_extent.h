// Operators whose result has as many elements as its operands say: NonZero, NonMaxSuppression,
// Unique. In a
// graph the number is fixed, the one of the sample that the model was read for; values are computed
// in every run. A run that finds another number has no result.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "src/ir/op_kind.h"

namespace halftone {

// Attribute that the importer writes: the number that the shape is planned for.
inline constexpr std::string_view kPlannedCount = "planned_count";

// What the whole result holds after a run that found another number: no index, so that what reads
// it by index reads nothing.
inline constexpr std::int64_t kOtherCount = std::numeric_limits<std::int64_t>::min();

constexpr bool HasRunTimeExtent(OpKind op) {
  return op == OpKind::kNonZero || op == OpKind::kNonMaxSuppression || op == OpKind::kUnique;
}

}  // namespace halftone
