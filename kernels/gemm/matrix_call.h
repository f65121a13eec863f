// Gemm and MatMul reduced to a batch of strided matrix products:
//
//   Y[b] = epilogue(alpha * A[b] * B[b] + beta * C)
//
// A[b] is M x K, B[b] is K x N, Y[b] is M x N. Y and the residual operand of the epilogue are dense
// and row-major.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/kernel_table.h"
#include "kernels/tile/epilogue.h"

namespace halftone {

// Strides and offsets are in elements.
struct MatrixCall {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t a_row = 0;               // between rows of A
  std::int64_t a_step = 1;              // along k
  std::int64_t b_step = 0;              // along k
  std::int64_t b_column = 1;            // between columns of B
  std::vector<std::int64_t> a_offsets;  // one per batch
  std::vector<std::int64_t> b_offsets;
  bool b_shared = true;  // all b_offsets are 0
  std::int64_t b_elements = 0;

  float alpha = 1.0F;
  float beta = 1.0F;
  bool has_bias = false;
  std::int64_t bias_row = 0;     // 0: all rows of Y share one row of C
  std::int64_t bias_column = 0;  // 0: all columns of Y share one column of C
  std::int64_t bias_elements = 0;
  Epilogue epilogue;

  DType dtype = DType::kFloat32;         // of A and B
  DType result_dtype = DType::kFloat32;  // of Y and C

  [[nodiscard]] std::int64_t batches() const { return static_cast<std::int64_t>(a_offsets.size()); }
};

// Folds batches of MatMul into M where they share B. Error kUnsupported if A and B, or C and the
// result, differ in dtype, for more than 2^24 products, and as EpilogueOf().
MatrixCall MatrixCallOf(const KernelQuery& query);

// Constant operands of a query. Owns them, because run() may get null in their place.
class ConstantInputs {
 public:
  explicit ConstantInputs(const KernelQuery& query);

  // Data of operand `i`: that of the run, else the constant; null if it has neither.
  [[nodiscard]] const void* Input(const KernelArgs& args, std::size_t i) const;

  // Releases a constant operand that prepare() packed and run() does not read.
  void Release(std::size_t i);
  [[nodiscard]] bool Released(std::size_t i) const;

 private:
  std::vector<std::optional<Tensor>> constants_;
};

// State of a kernel that packs some constant operands and keeps the others.
struct ConstantsState : KernelState {
  explicit ConstantsState(const KernelQuery& query) : constants(query) {}

  [[nodiscard]] bool Consumed(std::size_t input) const override {
    return constants.Released(input);
  }

  ConstantInputs constants;
};

}  // namespace halftone
