// Rounding of vectors of float32 to bytes as in rounding.h: saturate(rint(v) + zero_point). Part of
// Highway's once-per-target compilation (the guard toggles); include after "hwy/highway.h".
#if defined(HALFTONE_KERNELS_QUANTIZED_BYTE_ROUNDING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFTONE_KERNELS_QUANTIZED_BYTE_ROUNDING_INL_H_
#undef HALFTONE_KERNELS_QUANTIZED_BYTE_ROUNDING_INL_H_
#else
#define HALFTONE_KERNELS_QUANTIZED_BYTE_ROUNDING_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernels/vector_capabilities.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using ByteSumTag = hn::ScalableTag<std::int32_t>;
using ByteFloatTag = hn::Rebind<float, ByteSumTag>;
using ByteTag = hn::Rebind<std::uint8_t, ByteSumTag>;  // a quarter of a vector
using ByteFloatVec = hn::Vec<ByteFloatTag>;

// Rounding to bytes. int8 is rounded as uint8 with a zero point 128 higher; xor with 128 turns the
// result into int8.
class ByteRounding {
 public:
  // For uint8: its zero point and `flip` 0. For int8: its zero point plus 128 and `flip` 128.
  ByteRounding(std::int32_t zero, std::uint8_t flip)
      : zero_(zero),
        flip_(flip),
        least_(hn::Set(ByteFloatTag(), static_cast<float>(0 - zero))),
        most_(hn::Set(ByteFloatTag(), static_cast<float>(255 - zero))) {}

  // Rounds V whole vectors (1, 2 or 4) and stores their bytes one after the other.
  template <int V>
  HWY_INLINE void Store(const ByteFloatVec (&v)[V], std::uint8_t* y) const {
#if HALFTONE_CAN(AVX512)
    // Blocks of 128 bits hold 4 bytes of each vector.
    if constexpr (V == 2) {
      const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 0, 4, 8, 12, 1, 5, 9, 13);
      const __m512i words = Words(v[0], v[1]);
      const __m512i bytes = _mm512_permutexvar_epi32(order, _mm512_packus_epi16(words, words));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), _mm512_castsi512_si256(Flipped(bytes)));
      return;
    }
    if constexpr (V == 4) {
      const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
      const __m512i packed = _mm512_packus_epi16(Words(v[0], v[1]), Words(v[2], v[3]));
      _mm512_storeu_si512(y, Flipped(_mm512_permutexvar_epi32(order, packed)));
      return;
    }
#endif
    const ByteTag d;
    for (int k = 0; k < V; ++k) {
      auto f = hn::IfThenElse(hn::Gt(v[k], least_), v[k], least_);  // false for NaN
      f = hn::IfThenElse(hn::Lt(f, most_), f, most_);
      const auto q = hn::Add(hn::NearestInt(f), hn::Set(ByteSumTag(), zero_));
      hn::StoreU(hn::Xor(hn::DemoteTo(d, q), hn::Set(d, flip_)), d,
                 y + k * static_cast<std::int64_t>(hn::Lanes(d)));
    }
  }

 private:
#if HALFTONE_CAN(AVX512)
  // Numbers above the upper bound are replaced by it. Numbers below the range of int32, and NaN,
  // convert to the least int32. The pack instructions saturate the rest.
  [[nodiscard]] HWY_INLINE __m512i Words(ByteFloatVec low, ByteFloatVec high) const {
    const __m512i lower = _mm512_cvtps_epi32(_mm512_min_ps(most_.raw, low.raw));
    const __m512i upper = _mm512_cvtps_epi32(_mm512_min_ps(most_.raw, high.raw));
    return _mm512_adds_epi16(_mm512_packs_epi32(lower, upper),
                             _mm512_set1_epi16(static_cast<short>(zero_)));
  }

  [[nodiscard]] HWY_INLINE __m512i Flipped(__m512i bytes) const {
    return _mm512_xor_si512(bytes, _mm512_set1_epi8(static_cast<char>(flip_)));
  }
#endif

  std::int32_t zero_;
  std::uint8_t flip_;
  ByteFloatVec least_, most_;
};

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_QUANTIZED_BYTE_ROUNDING_INL_H_
