// Search for number formats in a plan.
#pragma once

#include <algorithm>

#include "src/ir/numeric_format.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// True if a node of the plan has an input or output format for which `condition` is true.
inline bool HasFormat(const PrecisionPlan& plan, bool (*condition)(NumericFormat)) {
  return std::ranges::any_of(plan.nodes, [&](const NodePrecision& node) {
    return std::ranges::any_of(node.inputs, condition) ||
           std::ranges::any_of(node.outputs, condition);
  });
}

// Conditions for HasFormat(): a format of 8 bits, and a 16-bit float.
inline bool IsIn8Bits(NumericFormat format) {
  return format.has_scale();
}

inline bool IsIn16Bits(NumericFormat format) {
  return format == DType::kFloat16 || format == DType::kBFloat16;
}

}  // namespace halftone
