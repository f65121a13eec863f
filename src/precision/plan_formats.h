// Search of a plan for number formats.
#pragma once

#include <algorithm>

#include "src/ir/numeric_format.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// True if a node reads or makes a value in a format for which `condition` holds.
inline bool HasFormat(const PrecisionPlan& plan, bool (*condition)(NumericFormat)) {
  return std::ranges::any_of(plan.nodes, [&](const NodePrecision& node) {
    return std::ranges::any_of(node.inputs, condition) ||
           std::ranges::any_of(node.outputs, condition);
  });
}

// Conditions for HasFormat(): 8 bits, and values that are rounded to a 16-bit float.
inline bool IsIn8Bits(NumericFormat format) {
  return format.has_scale();
}

inline bool IsIn16Bits(NumericFormat format) {
  return format == DType::kFloat16 || format == DType::kBFloat16;
}

}  // namespace halftone
