// This file alone is compiled for AVX512-BF16. It includes nothing with inline functions that the
// linker could share with files for lesser CPUs.
#include "kernels/tile/tile_pairs.h"

#include "kernels/vector_capabilities.h"

#if HALFTONE_CAN(DOT_BFLOAT16)
#include <immintrin.h>

namespace halftone {
namespace {

// A dot product takes 6 cycles and two start per cycle: 12 sums must be under way.
constexpr int ChainsFor(int vectors) {
  return vectors >= 12 ? 1 : vectors >= 6 ? 2 : 4;
}

constexpr std::int64_t kLanes = 16;

template <int R, int V>
void Clear(__m512 (&sum)[R][V]) {
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      sum[i][v] = _mm512_setzero_ps();
    }
  }
}

// Adds the sums of the other chains to those of the first.
template <int kChains, int R, int V>
void AddChains(__m512 (&sum)[kChains][R][V]) {
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
#pragma GCC unroll 4
      for (int u = 1; u < kChains; ++u) {
        sum[0][i][v] = _mm512_add_ps(sum[0][i][v], sum[u][i][v]);
      }
    }
  }
}

template <bool kAccumulate, int V>
void Store(const __m512 (&sum)[V], float* to) {
#pragma GCC unroll 2
  for (int v = 0; v < V; ++v) {
    _mm512_storeu_ps(to + v * kLanes, kAccumulate
                                          ? _mm512_add_ps(_mm512_loadu_ps(to + v * kLanes), sum[v])
                                          : sum[v]);
  }
}

template <int R, int V>
void Product(const TileArgs& args) {
  constexpr int kChains = ChainsFor(R * V);
  __m512 sum[kChains][R][V];
#pragma GCC unroll 4
  for (int u = 0; u < kChains; ++u) {
    Clear(sum[u]);
  }
  const auto* a = static_cast<const int*>(args.a);
  const auto* b = static_cast<const float*>(args.b);
  const std::int64_t lda = args.lda;
  const auto step = [&](auto& chain, const int* row, const float* panel) {
    __m512 right[V];
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      right[v] = _mm512_loadu_ps(panel + v * kLanes);
      __builtin_prefetch(panel + v * kLanes + kStepsAhead * kTileColumns);
    }
#pragma GCC unroll 12
    for (std::int64_t i = 0; i < R; ++i) {
      const __m512i left = _mm512_set1_epi32((row + (i / 3) * 3 * lda)[(i % 3) * lda]);
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) {
        chain[i][v] = _mm512_dpbf16_ps(chain[i][v], (__m512bh)left, (__m512bh)right[v]);
      }
    }
  };
  std::int64_t k = 0;
  for (; k + kChains <= args.steps; k += kChains) {
#pragma GCC unroll 4
    for (int u = 0; u < kChains; ++u) {
      step(sum[u], a + k + u, b + (k + u) * kTileColumns);
    }
  }
  if constexpr (kChains > 1) {
    for (; k < args.steps; ++k) {
      step(sum[0], a + k, b + k * kTileColumns);
    }
  }
  AddChains(sum);
  if (args.accumulate) {
#pragma GCC unroll 12
    for (std::int64_t i = 0; i < R; ++i) {
      Store<true>(sum[0][i], args.c + i * kTileColumns);
    }
  } else {
#pragma GCC unroll 12
    for (std::int64_t i = 0; i < R; ++i) {
      Store<false>(sum[0][i], args.c + i * kTileColumns);
    }
  }
}

using ProductFunction = void (*)(const TileArgs&);

template <int V>
constexpr ProductFunction kByRows[kTileRows] = {
    Product<1, V>, Product<2, V>, Product<3, V>, Product<4, V>,  Product<5, V>,  Product<6, V>,
    Product<7, V>, Product<8, V>, Product<9, V>, Product<10, V>, Product<11, V>, Product<12, V>};

}  // namespace

void TilePairs(const TileArgs& args) noexcept {
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

void TilePairs(const TileArgs&) noexcept {}

}  // namespace halftone

#endif
