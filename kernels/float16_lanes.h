// Vectors of 32 float16 for files that are compiled for AVX512-FP16. Every function is static, so
// that the linker cannot use code of such a file in files for lesser CPUs.
#pragma once

#include "kernels/vector_capabilities.h"

#if HALFTONE_CAN(MULTIPLY_FLOAT16)
#include <immintrin.h>

#include <cstdint>

namespace halftone {

inline constexpr std::int64_t kHalfLanes = 32;

// Full mask for the masked intrinsics: gcc 12 warns about the unmasked ones, which begin with an
// undefined vector.
static constexpr __mmask16 kAll = 0xffff;

// Mask of the first `count` lanes; of all lanes if `count` is 32 or more.
[[gnu::always_inline]] static inline __mmask32 FirstHalves(std::int64_t count) {
  return static_cast<__mmask32>(count >= kHalfLanes ? ~0U : (1U << count) - 1);
}

// All lanes are the float16 of these bits.
[[gnu::always_inline]] static inline __m512h HalvesOf(std::uint16_t bits) {
  return _mm512_castsi512_ph(_mm512_set1_epi16(static_cast<short>(bits)));
}

// All lanes are `value`, rounded to nearest even.
[[gnu::always_inline]] static inline __m512h RoundedHalves(float value) {
  const __m256i rounded =
      _mm512_maskz_cvtps_ph(kAll, _mm512_set1_ps(value), _MM_FROUND_TO_NEAREST_INT);
  return _mm512_castsi512_ph(_mm512_maskz_broadcast_i64x4(0xff, rounded));
}

[[gnu::always_inline]] static inline __m512h LoadHalves(const std::uint16_t* p) {
  return _mm512_castsi512_ph(_mm512_loadu_si512(p));
}

// Loads the lanes in `there`; the other lanes are zero, and their memory is not read.
[[gnu::always_inline]] static inline __m512h LoadHalves(const std::uint16_t* p, __mmask32 there) {
  return _mm512_castsi512_ph(_mm512_maskz_loadu_epi16(there, p));
}

[[gnu::always_inline]] static inline void StoreHalves(__m512h v, std::uint16_t* p) {
  _mm512_storeu_si512(p, _mm512_castph_si512(v));
}

[[gnu::always_inline]] static inline void StoreHalves(__m512h v, std::uint16_t* p,
                                                      __mmask32 there) {
  _mm512_mask_storeu_epi16(p, there, _mm512_castph_si512(v));
}

[[gnu::always_inline]] static inline __m512h Select(__mmask32 which, __m512h there,
                                                    __m512h elsewhere) {
  return _mm512_castsi512_ph(
      _mm512_mask_mov_epi16(_mm512_castph_si512(elsewhere), which, _mm512_castph_si512(there)));
}

// Widens both halves of `v` to float32 and adds them to `sums`.
[[gnu::always_inline]] static inline __m512 AddWidened(__m512 sums, __m512h v) {
  const __m512i bits = _mm512_castph_si512(v);
  const __m512 low = _mm512_maskz_cvtph_ps(kAll, _mm512_maskz_extracti64x4_epi64(0xff, bits, 0));
  const __m512 high = _mm512_maskz_cvtph_ps(kAll, _mm512_maskz_extracti64x4_epi64(0xff, bits, 1));
  return _mm512_add_ps(sums, _mm512_add_ps(low, high));
}

// The sum of all lanes, added in pairs.
[[gnu::always_inline]] static inline float SumOf(__m512 v) {
  v = _mm512_add_ps(v, _mm512_maskz_shuffle_f32x4(kAll, v, v, 0x4e));
  v = _mm512_add_ps(v, _mm512_maskz_shuffle_f32x4(kAll, v, v, 0xb1));
  v = _mm512_add_ps(v, _mm512_maskz_permute_ps(kAll, v, 0x4e));
  v = _mm512_add_ps(v, _mm512_maskz_permute_ps(kAll, v, 0xb1));
  return _mm512_cvtss_f32(v);
}

}  // namespace halftone
#endif
