// This file alone is compiled for AVX512-BF16, like tile_pairs.cc.
#include "kernels/tile/avx512_to_bf16.h"

#include "kernels/vector_capabilities.h"

#if HALFTONE_CAN(DOT_BFLOAT16)
#include <immintrin.h>

namespace halftone {
namespace {

constexpr std::int64_t kLanes = 16;

__m512 Load(const float* from) {
  return _mm512_loadu_ps(from);
}

// gcc 12 warns of the operand that _mm512_cvtph_ps leaves undefined.
__m512 Widen(__m256i halves) {
  return _mm512_maskz_cvtph_ps(0xFFFF, halves);
}

__m512 Load(const Float16* from) {
  return Widen(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}

__m512 Load(const float* from, __mmask16 there) {
  return _mm512_maskz_loadu_ps(there, from);
}

__m512 Load(const Float16* from, __mmask16 there) {
  return Widen(_mm256_maskz_loadu_epi16(there, from));
}

__m256i Narrow(__m512 value) {
  return (__m256i)_mm512_cvtneps_pbh(value);
}

template <typename From>
void NarrowRow(const From* source, BFloat16* target, std::int64_t count) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target + i), Narrow(Load(source + i)));
  }
  if (i < count) {
    const auto there = static_cast<__mmask16>((1U << (count - i)) - 1);
    _mm256_mask_storeu_epi16(target + i, there, Narrow(Load(source + i, there)));
  }
}

template <typename From>
void NarrowRows(const RowBlock& block) {
  const auto* source = static_cast<const char*>(block.source);
  auto* target = static_cast<char*>(block.target);
  for (std::int64_t row = 0; row < block.rows; ++row) {
    NarrowRow(reinterpret_cast<const From*>(source + row * block.source_pitch),
              reinterpret_cast<BFloat16*>(target + row * block.target_pitch), block.count);
  }
}

}  // namespace

void Avx512ToBFloat16(const RowBlock& block) noexcept {
  block.from == DType::kFloat16 ? NarrowRows<Float16>(block) : NarrowRows<float>(block);
}

}  // namespace halftone

#else

namespace halftone {

void Avx512ToBFloat16(const RowBlock&) noexcept {}

}  // namespace halftone

#endif
