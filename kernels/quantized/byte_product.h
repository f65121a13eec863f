// Matrix product of quantised data on packed panels, for MatMulInteger, QLinearMatMul,
// DynamicMatMul and the convolutions. Each operator supplies the rows of A.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/quantized/byte_panels.h"
#include "kernels/quantized/byte_result.h"
#include "src/ir/tensor.h"

namespace halftone {

// Rows of A as the tile reads them: uint8, `lda` bytes apart.
struct ByteRowsView {
  const std::uint8_t* data = nullptr;
  std::int64_t lda = 0;
};

struct ByteRowsQuery {
  const void* source = nullptr;  // ByteRun::source
  std::int64_t row = 0;
  int rows = 0;
  std::int64_t first = 0;  // first element along k
  std::int64_t count = 0;
  std::uint8_t* buffer = nullptr;  // for copies of the rows, `stride` bytes each
  std::int64_t stride = 0;
};

// Returns elements [first, first + count) of rows [row, row + rows): in place, or copied to
// `buffer`. The tile reads whole steps of 4 elements. The bytes between `count` and the end of its
// last step must be readable; their values do not matter, because B is zero there.
using ByteRows = ByteRowsView (*)(const ByteRowsQuery& query) noexcept;

// Terms of each column of the result, padded to whole panels (ByteResult).
struct ColumnTerms {
  std::int32_t* offset = nullptr;
  std::int32_t* b_zero = nullptr;  // null: all 0
  float* multiplier = nullptr;     // null: results are int32
};

// Operands from which ComputeColumnTerms() makes the terms, as the model has them. Null: absent.
struct ColumnOperands {
  std::int64_t k = 0;
  std::int64_t n = 0;
  std::int32_t a_zero = 0;               // of A as the tile reads it: 128 higher if A is int8
  const std::int32_t* b_sums = nullptr;  // sum of each column of the packed B
  const void* b_zero = nullptr;          // in the type of B
  bool b_unsigned = false;  // B is uint8; it is packed 128 lower, and so is its zero point
  bool b_zero_per_column = false;
  const std::int32_t* bias = nullptr;
  float a_scale = 1;
  const float* b_scale = nullptr;
  bool b_scale_per_column = false;
  float y_scale = 1;
};

void ComputeColumnTerms(const ColumnOperands& in, const ColumnTerms& out) noexcept;

// A product [m, k] x [k, n], fixed in prepare().
struct ByteProduct {
  BytePanels layout;
  StepBlocks blocks;
  const ByteTileKernel* tile = nullptr;
  int max_chunks = 1;

  ByteProduct() = default;
  ByteProduct(std::int64_t k, std::int64_t n, const ByteTileKernel& byte_tile);

  // Bytes of scratch per chunk.
  [[nodiscard]] std::int64_t chunk_bytes() const;
};

// Sums of a tile, and their place in the result.
struct ByteTileSums {
  const std::int32_t* sums = nullptr;
  std::int64_t stride = 0;  // elements between rows of sums
  std::int64_t row = 0;
  std::int64_t column = 0;
  int rows = 0;
  int columns = 0;
};

// Stores the results of a tile. `result` is ByteRun::result.
using ByteTileStore = void (*)(const void* result, const ByteTileSums& tile) noexcept;

// Operands and results of one run of a ByteProduct.
struct ByteRun {
  const ByteProduct* product = nullptr;
  std::int64_t m = 0;
  ByteRows rows = nullptr;  // returns rows of A
  const void* source = nullptr;
  const std::int8_t* b = nullptr;  // packed
  ColumnTerms terms;
  std::byte* y = nullptr;
  DType dtype = DType::kInt32;
  std::int64_t row_stride = 0;  // of y, elements
  std::int32_t y_zero = 0;
  MaybeByteEpilogue epilogue = {};  // its residual begins at y
  // If set, replaces all members from `terms` to `epilogue`: it computes the results from the sums.
  ByteTileStore store = nullptr;
  const void* result = nullptr;  // argument of `store`

  // Moves `y` and the residual forward by `elements` elements.
  void Advance(std::int64_t elements) {
    y += elements * static_cast<std::int64_t>(SizeOf(dtype));
    epilogue = Later(epilogue, elements);
  }
};

// Runs the product, split between threads. `scratch` has product->max_chunks *
// product->chunk_bytes() bytes.
void MultiplyBytes(const ByteRun& run, std::byte* scratch) noexcept;

}  // namespace halftone
