// This file alone is compiled for AVX512-FP16. It includes nothing with inline functions that the
// linker could share with files for lesser CPUs.
#include "kernels/normalization/fp16_rows.h"

#include "kernels/float16_lanes.h"

#if HALFTONE_CAN(MULTIPLY_FLOAT16)

namespace halftone {
namespace {

// r of which the bound is stated.
constexpr float kMostCancellation = 32;
constexpr float kLeastNormal = 0x1p-14F;
constexpr float kMostFinite = 65504;

const std::uint16_t* Halves(const void* p) {
  return static_cast<const std::uint16_t*>(p);
}

struct Sums {
  __m512 plain = _mm512_setzero_ps();
  __m512 squares = _mm512_setzero_ps();
};

template <bool kPlain>
Sums SumsOf(const NormalizedRow& row) {
  const std::uint16_t* x = Halves(row.x);
  Sums sums;
  std::int64_t i = 0;
  for (; i + 4 * kHalfLanes <= row.length; i += 4 * kHalfLanes) {
    const __m512h a = LoadHalves(x + i);
    const __m512h b = LoadHalves(x + i + kHalfLanes);
    const __m512h c = LoadHalves(x + i + 2 * kHalfLanes);
    const __m512h d = LoadHalves(x + i + 3 * kHalfLanes);
    if (kPlain) {
      sums.plain = AddWidened(sums.plain, _mm512_add_ph(_mm512_add_ph(a, b), _mm512_add_ph(c, d)));
    }
    const __m512h first = _mm512_fmadd_ph(b, b, _mm512_mul_ph(a, a));
    sums.squares = AddWidened(sums.squares, _mm512_fmadd_ph(d, d, _mm512_fmadd_ph(c, c, first)));
  }
  for (; i < row.length; i += kHalfLanes) {
    const __m512h a = LoadHalves(x + i, FirstHalves(row.length - i));
    if (kPlain) {
      sums.plain = AddWidened(sums.plain, a);
    }
    sums.squares = AddWidened(sums.squares, _mm512_mul_ph(a, a));
  }
  return sums;
}

float Root(float x) {
  return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x)));
}

// 1 / sqrt(variance + epsilon); 0: the row is one for float32, as where anything is NaN.
float FactorOf(float variance, float square, float epsilon) {
  const float sum = variance + epsilon;
  const float factor = 1 / Root(sum);
  const bool serves =
      square <= kMostCancellation * sum && factor >= kLeastNormal && factor <= kMostFinite;
  return serves ? factor : 0;
}

// y = (x - mean) * factor * scale + bias, of the elements of one vector.
template <bool kCenters>
struct Affine {
  Affine(const NormalizedRow& of, float mean_value, float factor_value)
      : row(of), mean(RoundedHalves(mean_value)), factor(RoundedHalves(factor_value)) {}

  void operator()(std::int64_t i, __mmask32 there) const {
    __m512h value = LoadHalves(Halves(row.x) + i, there);
    if (kCenters) {
      value = _mm512_sub_ph(value, mean);
    }
    value = _mm512_mul_ph(value, factor);
    const __m512h scale = LoadHalves(Halves(row.scale) + i, there);
    if (kCenters && row.bias != nullptr) {
      value = _mm512_fmadd_ph(value, scale, LoadHalves(Halves(row.bias) + i, there));
    } else {
      value = _mm512_mul_ph(value, scale);
    }
    StoreHalves(value, static_cast<std::uint16_t*>(row.y) + i, there);
  }

  const NormalizedRow& row;
  __m512h mean;
  __m512h factor;
};

template <bool kCenters>
bool Normalize(const NormalizedRow& row) {
  const Sums sums = SumsOf<kCenters>(row);
  const auto n = static_cast<float>(row.length);
  const float mean = kCenters ? SumOf(sums.plain) / n : 0;
  const float square = SumOf(sums.squares) / n;
  const float variance = square - mean * mean;
  const float factor = FactorOf(variance > 0 ? variance : 0, square, row.epsilon);
  if (factor == 0) {
    return false;
  }
  const Affine<kCenters> affine(row, mean, factor);
  std::int64_t i = 0;
  for (; i + kHalfLanes <= row.length; i += kHalfLanes) {
    affine(i, ~__mmask32{0});
  }
  if (i < row.length) {
    affine(i, FirstHalves(row.length - i));
  }
  return true;
}

}  // namespace

bool NormalizeFloat16Row(const NormalizedRow& row) noexcept {
  return Normalize<true>(row);
}

bool RmsNormalizeFloat16Row(const NormalizedRow& row) noexcept {
  return Normalize<false>(row);
}

}  // namespace halftone

#else

namespace halftone {

bool NormalizeFloat16Row(const NormalizedRow&) noexcept {
  return false;
}

bool RmsNormalizeFloat16Row(const NormalizedRow&) noexcept {
  return false;
}

}  // namespace halftone

#endif
