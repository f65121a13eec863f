// Error power of a result, relative to the power of the exact result.
#pragma once

#include "src/accuracy/reference_power.h"
#include "src/ir/tensor.h"

namespace halftone {

// Returns the error power of `actual` over the power of `exact`, or the plain error power if
// `exact` is 0. Both are float32 tensors of one shape. Elements where either is not finite, and
// elements set apart (src/accuracy/set_apart.h), do not count.
double RelativeError(const ReferencePower& exact, const Tensor& actual);

}  // namespace halftone
