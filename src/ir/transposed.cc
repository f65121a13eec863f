#include "src/ir/transposed.h"

#include <algorithm>

namespace halftone {

Tensor Transposed(const Tensor& matrix) {
  const std::int64_t rows = matrix.shape()[0];
  const std::int64_t columns = matrix.shape()[1];
  Tensor result(matrix.dtype(), Shape{columns, rows});
  const auto size = static_cast<std::int64_t>(SizeOf(matrix.dtype()));
  for (std::int64_t i = 0; i < matrix.ElementCount(); ++i) {
    const std::int64_t to = i % columns * rows + i / columns;
    std::copy_n(matrix.data() + i * size, size, result.mutable_data() + to * size);
  }
  return result;
}

}  // namespace halftone
