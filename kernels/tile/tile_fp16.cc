// This file alone is compiled for AVX512-FP16. It includes nothing with inline functions that the
// linker could share with files for lesser CPUs.
#include "kernels/tile/tile_fp16.h"

#include "kernels/tile/float16_sums.h"
#include "kernels/vector_capabilities.h"

#if HALFTONE_CAN(MULTIPLY_FLOAT16)
#include <immintrin.h>

namespace halftone {
namespace {

constexpr Float16Sums kSums = kFastFloat16Sums;
constexpr std::int64_t kLanes = 16;  // pairs of a vector

// A multiply-add takes 4 cycles and two start per cycle: 8 sums must be under way. With few rows
// those of several chains are; the chains stay the same.
constexpr int ChainsAtOnce(int vectors) {
  return vectors >= 8 ? 1 : vectors >= 4 ? 2 : 4;
}

template <int R, int V>
void Clear(__m512h (&sums)[R][V]) {
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      sums[i][v] = _mm512_setzero_ph();
    }
  }
}

// One step of R rows of A, `lda` words apart, by a row of the panel.
template <int R, int V>
[[gnu::always_inline]] inline void Step(const int* row, std::int64_t lda, const float* panel,
                                        __m512h (&sum)[R][V]) {
  __m512h right[V];
#pragma GCC unroll 2
  for (int v = 0; v < V; ++v) {
    right[v] = _mm512_castps_ph(_mm512_loadu_ps(panel + v * kLanes));
    __builtin_prefetch(panel + v * kLanes + kStepsAhead * kTileColumns);
  }
#pragma GCC unroll 12
  for (std::int64_t i = 0; i < R; ++i) {
    const __m512i left = _mm512_set1_epi32((row + (i / 3) * 3 * lda)[(i % 3) * lda]);
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      sum[i][v] = _mm512_fmadd_ph(_mm512_castsi512_ph(left), right[v], sum[i][v]);
    }
  }
}

// R rows by V vectors of 16 columns, kChains chains of `steps` steps each, one after the other
// along k, whose sums are added to `totals`.
template <int R, int V, int kChains>
void SumChains(const TileArgs& args, std::int64_t first_step, int steps, __m512h (&totals)[R][V]) {
  __m512h sum[kChains][R][V];
#pragma GCC unroll 4
  for (int u = 0; u < kChains; ++u) {
    Clear(sum[u]);
  }
  const int* a = static_cast<const int*>(args.a) + first_step;
  const float* b = static_cast<const float*>(args.b) + first_step * kTileColumns;
  const std::int64_t lda = args.lda;
  constexpr std::int64_t kChain = kSums.chain;
#pragma GCC unroll 1
  for (int k = 0; k < steps; ++k) {
#pragma GCC unroll 4
    for (int u = 0; u < kChains; ++u) {
      const std::int64_t at = u * kChain + k;
      Step(a + at, lda, b + at * kTileColumns, sum[u]);
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
#pragma GCC unroll 4
      for (int u = 0; u < kChains; ++u) {
        totals[i][v] = _mm512_add_ph(totals[i][v], sum[u][i][v]);
      }
    }
  }
}

// C (+)= even + odd halves of the pairs.
template <int R, int V>
void AddToFloats(const __m512h (&totals)[R][V], bool accumulate, float* c) {
  alignas(64) static constexpr std::uint16_t kEvenThenOdd[32] = {
      0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30,
      1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31};
  const __m512i order = _mm512_load_si512(kEvenThenOdd);
#pragma GCC unroll 1
  for (std::int64_t i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      float* const to = c + i * kTileColumns + v * kLanes;
      const __m512i halves = _mm512_permutexvar_epi16(order, _mm512_castph_si512(totals[i][v]));
      // gcc 12 warns of the operand that intrinsics without masks leave undefined.
      const __m256i low = __builtin_shufflevector(halves, halves, 0, 1, 2, 3);
      const __m256i high = __builtin_shufflevector(halves, halves, 4, 5, 6, 7);
      const __m512 even = _mm512_maskz_cvtph_ps(0xFFFF, low);
      const __m512 odd = _mm512_maskz_cvtph_ps(0xFFFF, high);
      const __m512 sum = _mm512_add_ps(even, odd);
      _mm512_storeu_ps(to, accumulate ? _mm512_add_ps(_mm512_loadu_ps(to), sum) : sum);
    }
  }
}

template <int R, int V>
void Product(const TileArgs& args) {
  constexpr int kAtOnce = ChainsAtOnce(R * V);
  constexpr std::int64_t kStepsAtOnce = std::int64_t{kAtOnce} * kSums.chain;
  bool accumulate = args.accumulate;
  std::int64_t k = 0;
  do {
    const std::int64_t end = args.steps - k < kSums.steps() ? args.steps : k + kSums.steps();
    __m512h totals[R][V];
    Clear(totals);
    for (; end - k >= kStepsAtOnce; k += kStepsAtOnce) {
      SumChains<R, V, kAtOnce>(args, k, kSums.chain, totals);
    }
    while (k < end) {
      const int steps = end - k < kSums.chain ? static_cast<int>(end - k) : kSums.chain;
      SumChains<R, V, 1>(args, k, steps, totals);
      k += steps;
    }
    AddToFloats(totals, accumulate, args.c);
    accumulate = true;
  } while (k < args.steps);
}

using ProductFunction = void (*)(const TileArgs&);

template <int V>
constexpr ProductFunction kByRows[kTileRows] = {
    Product<1, V>, Product<2, V>, Product<3, V>, Product<4, V>,  Product<5, V>,  Product<6, V>,
    Product<7, V>, Product<8, V>, Product<9, V>, Product<10, V>, Product<11, V>, Product<12, V>};

}  // namespace

void TileFloat16Pairs(const TileArgs& args) noexcept {
  TileArgs panel = args;
  for (int first = 0; first < args.columns; first += kTileColumns) {
    panel.b = static_cast<const char*>(args.b) + first / kTileColumns * args.panel_stride;
    panel.c = args.c + first;
    (args.columns - first <= 16 ? kByRows<1> : kByRows<2>)[args.rows - 1](panel);
  }
}

}  // namespace halftone

#else

namespace halftone {

void TileFloat16Pairs(const TileArgs&) noexcept {}

}  // namespace halftone

#endif
