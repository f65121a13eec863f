// Error power of a result relative to its power.
#pragma once

#include "src/ir/tensor.h"

namespace halftone {

// Takes two float32 tensors of one shape; elements where either is not finite do not count. Returns
// the plain error power where `exact` is 0.
double RelativeError(const Tensor& exact, const Tensor& actual);

}  // namespace halftone
