// Shape of a kernel call in numbers: the facts by which the kernels of an operator compare. A
// machine profile (search/operators/machine_profile.h) identifies a call by its shape. It predicts
// shapes that were not timed from shapes that were.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/kernel_table.h"

namespace halftone {

struct CallShape {
  // Operator, kind, layout and dtypes, such as "Conv depthwise, channels last, constant weights:
  // float32, float32 -> float32". Calls of different families are never compared. The
  // implementation mode is left out, because it is a property of a kernel.
  std::string family;
  // Base-2 logarithms of extents, in an order that the operator fixes. All calls of a family have
  // equally many sizes.
  std::vector<double> sizes;

  friend bool operator==(const CallShape&, const CallShape&) = default;
};

// Empty if the operator has no row in call_shape.cc, if an operand of that row is left out, or if a
// rank is too small. No profile compares the kernels of such a call.
std::optional<CallShape> CallShapeOf(const KernelQuery& query);

// True if the operator has a row in call_shape.cc.
bool HasCallShape(OpKind op);

}  // namespace halftone
