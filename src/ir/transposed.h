// Transposition of a constant matrix.
#pragma once

#include "src/ir/tensor.h"

namespace halftone {

// Returns the transpose of a matrix of any element type. Requires rank 2.
Tensor Transposed(const Tensor& matrix);

}  // namespace halftone
