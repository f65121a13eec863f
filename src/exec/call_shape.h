// Shape of a call: what decides how the kernels of an operator compare, as numbers. A machine
// profile (search/operators/machine_profile.h) knows calls by it, so that calls of other sizes are
// predicted from those it has timed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/kernel_table.h"

namespace halftone {

struct CallShape {
  // Operator, kind, layout and dtypes: calls of different families say nothing about each other.
  // Not the implementation mode, of which the kernels speak. "Conv depthwise, channels last,
  // constant weights: float32, float32 -> float32".
  std::string family;
  // Base-2 logarithms of extents, in an order that the operator has; as many in every call of a
  // family.
  std::vector<double> sizes;

  friend bool operator==(const CallShape&, const CallShape&) = default;
};

// Empty for operators that have no row in call_shape.cc: no profile compares their kernels.
std::optional<CallShape> CallShapeOf(const KernelQuery& query);

// True for operators that have a row there.
bool HasCallShape(OpKind op);

}  // namespace halftone
