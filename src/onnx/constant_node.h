// The value of a Constant node.
#pragma once

#include "src/ir/attributes.h"

namespace halftone {

// Reads value, value_float(s) or value_int(s). Error kModel unless there is exactly one,
// kUnsupported for texts (sparse_value is refused where attributes are read).
Tensor ConstantNodeValue(const Attributes& attributes);

}  // namespace halftone
