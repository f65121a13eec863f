// This file alone is compiled for AVX512-FP16. It includes nothing with inline functions that the
// linker could share with files for lesser CPUs.
#include "kernels/softmax/fp16_rows.h"

#include "kernels/float16_lanes.h"

#if HALFTONE_CAN(MULTIPLY_FLOAT16)

namespace halftone {
namespace {

constexpr std::uint16_t kMinusInfinity = 0xfc00;

// e^d for d <= 0: 2^n e^f with whole n and |f| <= 0.351, e^f = 1 + f + c2 f^2 + c3 f^3 within
// 1.4e-4 (c2, c3: the pair of float16 with the least largest error over a grid of f).
__m512h ExpBelow0(__m512h d) {
  const __m512h lowest = HalvesOf(0xcc80);     // -18: e^-18 < 2^-25, which rounds to 0
  const __m512h log2_e = HalvesOf(0x3dc5);     // 1.4423828125
  const __m512h whole = HalvesOf(0x6600);      // 1536: its neighbours are 1 apart
  const __m512h minus_ln2 = HalvesOf(0xb98c);  // -0.693359375
  const __m512h ln2_rest = HalvesOf(0x0af4);   // 0.693359375 - ln 2, within 2e-9
  const __m512h c3 = HalvesOf(0x315e);         // 0.167724609375
  const __m512h c2 = HalvesOf(0x3809);         // 0.50439453125
  const __m512h one = HalvesOf(0x3c00);
  d = _mm512_max_ph(lowest, d);  // NaN stays
  const __m512h n = _mm512_sub_ph(_mm512_fmadd_ph(d, log2_e, whole), whole);
  __m512h f = _mm512_fmadd_ph(n, minus_ln2, d);
  f = _mm512_fmadd_ph(n, ln2_rest, f);
  __m512h p = _mm512_fmadd_ph(c3, f, c2);
  p = _mm512_fmadd_ph(p, f, one);
  p = _mm512_fmadd_ph(p, f, one);
  return _mm512_scalef_ph(p, n);
}

__m512h MaxOfRow(const std::uint16_t* x, std::int64_t length) {
  const __m512h lowest = HalvesOf(kMinusInfinity);
  __m512h max0 = lowest;
  __m512h max1 = lowest;
  std::int64_t i = 0;
  for (; i + 2 * kHalfLanes <= length; i += 2 * kHalfLanes) {
    max0 = _mm512_max_ph(max0, LoadHalves(x + i));
    max1 = _mm512_max_ph(max1, LoadHalves(x + i + kHalfLanes));
  }
  for (; i < length; i += kHalfLanes) {
    const __mmask32 there = FirstHalves(length - i);
    max0 = _mm512_max_ph(max0, Select(there, LoadHalves(x + i, there), lowest));
  }
  // Lanes against those 16, 8, 4, 2 and 1 further on: each holds the largest then.
  __m512i max = _mm512_castph_si512(_mm512_max_ph(max0, max1));
  const auto joined = [](__m512i a, __m512i b) {
    return _mm512_castph_si512(_mm512_max_ph(_mm512_castsi512_ph(a), _mm512_castsi512_ph(b)));
  };
  max = joined(max, _mm512_maskz_shuffle_i64x2(0xff, max, max, 0x4e));
  max = joined(max, _mm512_maskz_shuffle_i64x2(0xff, max, max, 0xb1));
  max = joined(max, _mm512_maskz_shuffle_epi32(kAll, max, _MM_PERM_BADC));
  max = joined(max, _mm512_maskz_shuffle_epi32(kAll, max, _MM_PERM_CDAB));
  return _mm512_castsi512_ph(joined(max, _mm512_maskz_rol_epi32(kAll, max, 16)));
}

void Row(const std::uint16_t* x, std::uint16_t* y, std::int64_t length) {
  const __m512h max = MaxOfRow(x, length);
  const auto exponential = [&](std::int64_t i) {
    const __m512h e = ExpBelow0(_mm512_sub_ph(LoadHalves(x + i), max));
    StoreHalves(e, y + i);
    return e;
  };
  __m512 sums = _mm512_setzero_ps();
  std::int64_t i = 0;
  for (; i + 4 * kHalfLanes <= length; i += 4 * kHalfLanes) {
    const __m512h first = _mm512_add_ph(exponential(i), exponential(i + kHalfLanes));
    const __m512h second =
        _mm512_add_ph(exponential(i + 2 * kHalfLanes), exponential(i + 3 * kHalfLanes));
    sums = AddWidened(sums, _mm512_add_ph(first, second));
  }
  for (; i < length; i += kHalfLanes) {
    const __mmask32 there = FirstHalves(length - i);
    const __m512h e = ExpBelow0(_mm512_sub_ph(LoadHalves(x + i, there), max));
    StoreHalves(e, y + i, there);
    sums = AddWidened(sums, Select(there, e, _mm512_setzero_ph()));
  }
  const __m512h reciprocal = RoundedHalves(1 / SumOf(sums));
  for (i = 0; i + kHalfLanes <= length; i += kHalfLanes) {
    StoreHalves(_mm512_mul_ph(LoadHalves(y + i), reciprocal), y + i);
  }
  if (i < length) {
    const __mmask32 there = FirstHalves(length - i);
    StoreHalves(_mm512_mul_ph(LoadHalves(y + i, there), reciprocal), y + i, there);
  }
}

void Rows(const void* from, void* to, std::int64_t row_count, std::int64_t length) {
  const auto* x = static_cast<const std::uint16_t*>(from);
  auto* y = static_cast<std::uint16_t*>(to);
  for (std::int64_t row = 0; row < row_count; ++row) {
    Row(x + row * length, y + row * length, length);
  }
}

}  // namespace

SoftmaxRows FindFloat16SoftmaxRows() {
  return Rows;
}

}  // namespace halftone

#else

namespace halftone {

SoftmaxRows FindFloat16SoftmaxRows() {
  return nullptr;
}

}  // namespace halftone

#endif
