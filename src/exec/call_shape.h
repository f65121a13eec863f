// Shape of a kernel call as numbers: what decides how the kernels of an operator compare. A machine
// profile (search/operators/machine_profile.h) identifies calls by it and predicts sizes that it
// has not timed from those that it has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/kernel_table.h"

namespace halftone {

struct CallShape {
  // Operator, kind, layout and dtypes, such as "Conv depthwise, channels last, constant weights:
  // float32, float32 -> float32". Calls of different families are never compared. The
  // implementation mode is not part of it: it belongs to the kernels.
  std::string family;
  // Base-2 logarithms of extents, in an order fixed by the operator. Every call of a family has the
  // same number of them.
  std::vector<double> sizes;

  friend bool operator==(const CallShape&, const CallShape&) = default;
};

// Empty for operators that have no row in call_shape.cc: no profile compares their kernels.
std::optional<CallShape> CallShapeOf(const KernelQuery& query);

// True if the operator has a row in call_shape.cc.
bool HasCallShape(OpKind op);

}  // namespace halftone
