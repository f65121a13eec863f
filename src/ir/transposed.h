// Transposition of a constant matrix.
#pragma once

#include "src/ir/tensor.h"

namespace halftone {

// [rows, columns] to [columns, rows], of any element type. Requires rank 2.
Tensor Transposed(const Tensor& matrix);

}  // namespace halftone
