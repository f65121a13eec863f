// This file alone is compiled for AVX512-BF16, like tile_pairs.cc.
#include "kernels/gemm/narrow_natively.h"

#if defined(__AVX512BF16__)
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

}  // namespace

void NarrowFloatNatively(const float* source, BFloat16* target, std::int64_t count) noexcept {
  NarrowRow(source, target, count);
}

void NarrowFloat16Natively(const Float16* source, BFloat16* target, std::int64_t count) noexcept {
  NarrowRow(source, target, count);
}

}  // namespace halftone

#else

namespace halftone {

void NarrowFloatNatively(const float*, BFloat16*, std::int64_t) noexcept {}

void NarrowFloat16Natively(const Float16*, BFloat16*, std::int64_t) noexcept {}

}  // namespace halftone

#endif
