// Value of a Constant node.
#pragma once

#include "src/ir/attributes.h"

namespace halftone {

// Returns the value of the attribute value, value_float(s) or value_int(s). Errors: kModel unless
// there is exactly one attribute; kUnsupported for texts. AttributesOf() refuses sparse_value.
Tensor ConstantNodeValue(const Attributes& attributes);

}  // namespace halftone
