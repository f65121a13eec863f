// This file alone is compiled for AVX512-VBMI. It includes nothing with inline functions that the
// linker could share with files for lesser CPUs.
#include "kernels/quantized/byte_lookup_vbmi.h"

#include "kernels/vector_capabilities.h"

#if HALFTONE_CAN(SHUFFLE_TABLES)
// gcc 12 warns of its own intrinsics (its bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

namespace halftone {
namespace {

class Table {
 public:
  explicit Table(const std::uint8_t* table) {
    for (std::int64_t i = 0; i < 4; ++i) {
      part_[i] = _mm512_loadu_si512(table + 64 * i);
    }
  }

  // Indices of the lower half by their 7 lower bits, and of the upper half likewise.
  [[nodiscard]] __m512i At(__m512i index) const {
    const __m512i lower = _mm512_permutex2var_epi8(part_[0], index, part_[1]);
    const __m512i upper = _mm512_permutex2var_epi8(part_[2], index, part_[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), lower, upper);
  }

 private:
  __m512i part_[4];
};

}  // namespace

void LookUpBytesByVbmi(const std::uint8_t* x, const std::uint8_t* table, std::uint8_t* y,
                       std::int64_t count) noexcept {
  const Table values(table);
  std::int64_t i = 0;
  for (; i + 64 <= count; i += 64) {
    _mm512_storeu_si512(y + i, values.At(_mm512_loadu_si512(x + i)));
  }
  if (i < count) {
    const __mmask64 rest = (__mmask64{1} << (count - i)) - 1;
    _mm512_mask_storeu_epi8(y + i, rest, values.At(_mm512_maskz_loadu_epi8(rest, x + i)));
  }
}

}  // namespace halftone

#pragma GCC diagnostic pop

#else

namespace halftone {

void LookUpBytesByVbmi(const std::uint8_t* x, const std::uint8_t* table, std::uint8_t* y,
                       std::int64_t count) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
    y[i] = table[x[i]];
  }
}

}  // namespace halftone

#endif
