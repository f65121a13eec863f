// State of a prepared quantised product: packed B and its column terms, as far as they are
// constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/quantized/byte_product.h"
#include "kernels/quantized/operands.h"

namespace halftone {

// Products that share k and n but have a B each: batches of MatMul, groups of Conv.
struct ProductState : KernelState {
  ProductState(const KernelQuery& query, std::int64_t k, std::int64_t n,
               const ByteTileKernel& tile);

  // Packs B and computes the terms, as far as they are constant. `b` returns the constant B in the
  // order that b_offsets and the strides state. It is called only if B is constant and not packed
  // yet.
  void Prepare(const KernelQuery& query, const std::function<Tensor()>& b);

  [[nodiscard]] std::int64_t matrices() const {
    return static_cast<std::int64_t>(b_offsets.size());
  }

  // Bytes at the begin of the scratch, before those of the chunks, for packed B, its sums and
  // terms; 0 if all are constant.
  [[nodiscard]] std::int64_t operand_bytes() const;

  [[nodiscard]] std::int64_t scratch_bytes() const {
    return operand_bytes() + product.max_chunks * product.chunk_bytes();
  }

  OperandPlaces places;
  DType a_dtype = DType::kUInt8;
  DType b_dtype = DType::kInt8;
  DType y_dtype = DType::kInt32;
  ByteEpilogueState epilogue;
  ConstantInputs constants;
  ByteProduct product;
  std::vector<std::int64_t> b_offsets = {0};  // begin of each B, in elements
  std::int64_t b_step = 0;                    // elements along k
  std::int64_t b_column = 1;                  // elements between columns
  // Number of scales, zero points and biases from one matrix to the next.
  std::int64_t column_stride = 0;
  bool b_scale_per_column = false;
  bool b_zero_per_column = false;
  bool has_b_zero = false;  // some zero point of B, as packed, is not 0, or is not constant
  bool b_constant = false;
  bool terms_constant = false;
  Tensor packed;  // all matrices of a constant B
  std::vector<std::int32_t> sums, offset, b_zero;
  std::vector<float> multiplier;
};

// Operands of one run. OperandsOf() packs and computes what is not constant.
struct ProductOperands {
  const std::uint8_t* a = nullptr;
  std::uint8_t flip = 0;    // xored with A: 128 makes uint8 of int8
  std::uint8_t a_zero = 0;  // zero point of A after the xor
  std::byte* y = nullptr;
  std::byte* chunks = nullptr;

  // The run for matrix `index`. The caller adds m, the rows of A and the row stride of y.
  [[nodiscard]] ByteRun RunOf(const ProductState& state, std::int64_t index) const;

  const std::int8_t* b = nullptr;
  ColumnTerms terms;
  std::int32_t y_zero = 0;
  MaybeByteEpilogue epilogue = {};
};

ProductOperands OperandsOf(const ProductState& state, const KernelArgs& args) noexcept;

}  // namespace halftone
