// This file alone is compiled for AVX512-VNNI. It includes nothing with inline functions that the
// linker could share with files for lesser CPUs.
#include "kernels/quantized/byte_tile.h"
#include "kernels/vector_capabilities.h"

#if HALFTONE_CAN(DOT_BYTES)
#include <immintrin.h>

namespace halftone {
namespace {

// A dot product takes 4 cycles (Zen 4; 5 elsewhere) and up to two start per cycle: 10 sums must be
// under way.
constexpr int ChainsFor(int vectors) {
  return vectors >= 10 ? 1 : vectors >= 5 ? 2 : 4;
}

constexpr std::int64_t kPanelStep = kByteTileColumns * kBytesPerStep;

template <int R, int V>
void Product(const ByteTileArgs& args) {
  constexpr int kChains = ChainsFor(R * V);
  // One row waits for B from memory, where asking earlier is no faster, and slower in the cache.
  constexpr std::int64_t kBytesAhead = (R == 1 ? kStepsAhead / 4 : kStepsAhead) * kPanelStep;
  __m512i sum[kChains][R][V];
#pragma GCC unroll 4
  for (int u = 0; u < kChains; ++u) {
#pragma GCC unroll 12
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) {
        sum[u][i][v] = _mm512_setzero_si512();
      }
    }
  }
  const std::int64_t lda = args.lda;
  const auto step = [&](auto& chain, const std::uint8_t* row, const std::int8_t* panel) {
    __m512i right[V];
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      right[v] = _mm512_loadu_si512(panel + v * 64);
      _mm_prefetch(reinterpret_cast<const char*>(panel) + v * 64 + kBytesAhead, _MM_HINT_T0);
    }
#pragma GCC unroll 12
    for (int i = 0; i < R; ++i) {
      int word;
      __builtin_memcpy(&word, (row + (i / 3) * 3 * lda) + (i % 3) * lda, sizeof word);
      const __m512i left = _mm512_set1_epi32(word);
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) {
        chain[i][v] = _mm512_dpbusd_epi32(chain[i][v], left, right[v]);
      }
    }
  };
  const std::uint8_t* a = args.a;
  const std::int8_t* b = args.b;
  std::int64_t k = 0;
  for (; k + kChains <= args.steps; k += kChains) {
#pragma GCC unroll 4
    for (int u = 0; u < kChains; ++u) {
      step(sum[u], a + (k + u) * kBytesPerStep, b + (k + u) * kPanelStep);
    }
  }
  if constexpr (kChains > 1) {
    for (; k < args.steps; ++k) {
      step(sum[0], a + k * kBytesPerStep, b + k * kPanelStep);
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      __m512i total = sum[0][i][v];
#pragma GCC unroll 4
      for (int u = 1; u < kChains; ++u) {
        total = _mm512_add_epi32(total, sum[u][i][v]);
      }
      std::int32_t* to = args.c + i * kByteTileColumns + v * 16;
      _mm512_storeu_si512(
          to, args.accumulate ? _mm512_add_epi32(_mm512_loadu_si512(to), total) : total);
    }
  }
}

using ProductFunction = void (*)(const ByteTileArgs&);

template <int V>
constexpr ProductFunction kByRows[kByteTileRows] = {
    Product<1, V>, Product<2, V>, Product<3, V>, Product<4, V>,  Product<5, V>,  Product<6, V>,
    Product<7, V>, Product<8, V>, Product<9, V>, Product<10, V>, Product<11, V>, Product<12, V>};

}  // namespace

void ByteTileVnni(const ByteTileArgs& args) noexcept {
  (args.columns <= 16 ? kByRows<1> : kByRows<2>)[args.rows - 1](args);
}

}  // namespace halftone

#else

namespace halftone {

void ByteTileVnni(const ByteTileArgs&) noexcept {}

}  // namespace halftone

#endif
