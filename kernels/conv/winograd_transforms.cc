// This file alone is compiled for AVX512-BF16, like kernels/tile/tile_pairs.cc.
#include "kernels/conv/winograd_transforms.h"

#include "kernels/vector_capabilities.h"

#if HALFTONE_CAN(DOT_BFLOAT16)
#include <immintrin.h>
#endif

namespace halftone {

#if HALFTONE_CAN(DOT_BFLOAT16)
namespace {

constexpr std::int64_t kLanes = 16;

// The forms with masks, as gcc 12 warns of the operand that those without leave undefined.
struct Float16Loader {
  static __m512 Load(const void* row, std::int64_t at, __mmask16 there) {
    const char* from = static_cast<const char*>(row) + at * 2;
    return _mm512_maskz_cvtph_ps(0xFFFF, _mm256_maskz_loadu_epi16(there, from));
  }
};

struct BFloat16Loader {
  static __m512 Load(const void* row, std::int64_t at, __mmask16 there) {
    const char* from = static_cast<const char*>(row) + at * 2;
    const __m256i halves = _mm256_maskz_loadu_epi16(there, from);
    const __m512i wide = _mm512_maskz_cvtepu16_epi32(0xFFFF, halves);
    return _mm512_castsi512_ps(_mm512_maskz_slli_epi32(0xFFFF, wide, 16));
  }
};

// B^T of four vectors.
void TransformInput(const __m512 (&d)[4], __m512 (&t)[4]) {
  t[0] = _mm512_sub_ps(d[0], d[2]);
  t[1] = _mm512_add_ps(d[1], d[2]);
  t[2] = _mm512_sub_ps(d[2], d[1]);
  t[3] = _mm512_sub_ps(d[1], d[3]);
}

// Channels [at, at + kLanes), of which those of `there` exist.
template <typename Loader>
void TransformChannels(const WinogradPixels& tile, std::int64_t at, __mmask16 there,
                       __mmask16 written) {
  __m512 columns[4][4];  // [j][i] of B^T d
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    __m512 d[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      d[i] = Loader::Load(tile.pixels[i * 4 + j], at, there);
    }
    TransformInput(d, columns[j]);
  }
  std::byte* to = tile.target + at * 2;
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const __m512 row[4] = {columns[0][i], columns[1][i], columns[2][i], columns[3][i]};
    __m512 v[4];
    TransformInput(row, v);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      _mm256_mask_storeu_epi16(to, written, (__m256i)_mm512_cvtneps_pbh(v[j]));
      to += tile.product_stride;
    }
  }
}

template <typename Loader>
void TransformPixels(const WinogradPixels& tile) {
  std::int64_t at = 0;
  for (; at + kLanes <= tile.channels; at += kLanes) {
    TransformChannels<Loader>(tile, at, 0xFFFF, 0xFFFF);
  }
  if (const std::int64_t rest = tile.channels - at; rest > 0) {
    const auto there = static_cast<__mmask16>((1U << rest) - 1);
    const auto written = static_cast<__mmask16>((1U << (rest + rest % 2)) - 1);
    TransformChannels<Loader>(tile, at, there, written);
  }
}

}  // namespace

void TransformWinogradPixels(const WinogradPixels& tile) noexcept {
  tile.dtype == DType::kFloat16 ? TransformPixels<Float16Loader>(tile)
                                : TransformPixels<BFloat16Loader>(tile);
}

void TransformWinogradSums(const WinogradSums& row) noexcept {
  for (std::int64_t tile = 0; tile < row.tiles; ++tile) {
    for (int column = 0; column < kTileColumns; column += kLanes) {
      const float* from = row.sums + tile * kTileColumns + column;
      __m512 upper[4];  // A^T m, by columns
      __m512 lower[4];
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        const float* m = from + j * row.product_stride;
        const std::int64_t next = 4 * row.product_stride;
        const __m512 m1 = _mm512_loadu_ps(m + next);
        const __m512 m2 = _mm512_loadu_ps(m + 2 * next);
        upper[j] = _mm512_add_ps(_mm512_add_ps(_mm512_loadu_ps(m), m1), m2);
        lower[j] = _mm512_sub_ps(_mm512_sub_ps(m1, m2), _mm512_loadu_ps(m + 3 * next));
      }
      const std::int64_t to = 2 * tile * kTileColumns + column;
      const auto store = [to](const __m512(&s)[4], float* pixels) {
        _mm512_storeu_ps(pixels + to, _mm512_add_ps(_mm512_add_ps(s[0], s[1]), s[2]));
        _mm512_storeu_ps(pixels + to + kTileColumns,
                         _mm512_sub_ps(_mm512_sub_ps(s[1], s[2]), s[3]));
      };
      store(upper, row.upper);
      store(lower, row.lower);
    }
  }
}

#else

void TransformWinogradPixels(const WinogradPixels&) noexcept {}

void TransformWinogradSums(const WinogradSums&) noexcept {}

#endif

}  // namespace halftone
