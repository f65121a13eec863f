// This file alone is compiled for AVX512-VNNI. It includes nothing with inline functions that the
// linker could share with files for lesser CPUs.
#include "kernels/quantized/byte_tile.h"
#include "kernels/vector_capabilities.h"

#if HALFTONE_CAN(DOT_BYTES)
// gcc 12 warns of its own intrinsics (its bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

namespace halftone {
namespace {

// A dot product takes 4 cycles (Zen 4; 5 elsewhere) and up to two start per cycle: 10 sums must be
// under way.
constexpr int ChainsFor(int vectors) {
  return vectors >= 10 ? 1 : vectors >= 5 ? 2 : 4;
}

constexpr std::int64_t kLanes = 16;  // 32-bit elements of a vector
constexpr std::int64_t kVectorBytes = 64;
constexpr std::int64_t kPanelStep = kByteTileColumns * kBytesPerStep;

// Rounds rows of sums to bytes, as byte_rounding-inl.h does.
template <int V>
class ByteRows {
 public:
  explicit ByteRows(const ByteTileFinish& finish)
      : y_(finish.y),
        row_stride_(finish.row_stride),
        zero_(_mm512_set1_epi16(static_cast<short>(finish.zero))),
        flip_(_mm512_set1_epi8(static_cast<char>(finish.flip))),
        low_(_mm512_set1_ps(finish.low)),
        high_(_mm512_min_ps(_mm512_set1_ps(static_cast<float>(255 - finish.zero)),
                            _mm512_set1_ps(finish.high))) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      offset_[v] = _mm512_loadu_si512(finish.offset + v * kLanes);
      multiplier_[v] = _mm512_loadu_ps(finish.multiplier + v * kLanes);
    }
  }

  void Store(int row, const __m512i (&sums)[V]) const {
    // Blocks of 128 bits hold 4 bytes of each vector.
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 0, 4, 8, 12, 1, 5, 9, 13);
    const __m512i first = Rounded(sums[0], 0);
    const __m512i last = V == 1 ? first : Rounded(sums[V - 1], V - 1);
    const __m512i words = _mm512_adds_epi16(_mm512_packs_epi32(first, last), zero_);
    const __m512i bytes =
        _mm512_xor_si512(_mm512_permutexvar_epi32(order, _mm512_packus_epi16(words, words)), flip_);
    std::uint8_t* to = y_ + row * row_stride_;
    if constexpr (V == 1) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_castsi512_si128(bytes));
    } else {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_castsi512_si256(bytes));
    }
  }

 private:
  // A sum below the upper bound has an int32, or becomes the least one; what follows saturates. NaN
  // passes the bounds, which are first operands.
  [[nodiscard]] __m512i Rounded(__m512i sum, int v) const {
    const __m512 steps =
        _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_add_epi32(sum, offset_[v])), multiplier_[v]);
    return _mm512_cvtps_epi32(_mm512_min_ps(high_, _mm512_max_ps(low_, steps)));
  }

  std::uint8_t* y_;
  std::int64_t row_stride_;
  __m512i zero_, flip_;
  __m512 low_, high_;
  __m512i offset_[V];
  __m512 multiplier_[V];
};

template <int R, int V>
void Clear(__m512i (&sum)[R][V]) {
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      sum[i][v] = _mm512_setzero_si512();
    }
  }
}

// Adds the sums of the other chains to those of the first.
template <int kChains, int R, int V>
void AddChains(__m512i (&sum)[kChains][R][V]) {
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
#pragma GCC unroll 4
      for (int u = 1; u < kChains; ++u) {
        sum[0][i][v] = _mm512_add_epi32(sum[0][i][v], sum[u][i][v]);
      }
    }
  }
}

template <int R, int V>
void StoreSums(const ByteTileArgs& args, const __m512i (&sum)[R][V]) {
#pragma GCC unroll 12
  for (std::int64_t i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      const __m512i total = sum[i][v];
      std::int32_t* to = args.c + i * kByteTileColumns + v * kLanes;
      _mm512_storeu_si512(
          to, args.accumulate ? _mm512_add_epi32(_mm512_loadu_si512(to), total) : total);
    }
  }
}

template <int R, int V>
void Product(const ByteTileArgs& args) {
  constexpr int kChains = ChainsFor(R * V);
  // One row waits for B from memory, where asking earlier is no faster, and slower in the cache.
  constexpr std::int64_t kBytesAhead = (R == 1 ? kStepsAhead / 4 : kStepsAhead) * kPanelStep;
  __m512i sum[kChains][R][V];
#pragma GCC unroll 4
  for (int u = 0; u < kChains; ++u) {
    Clear(sum[u]);
  }
  const std::int64_t lda = args.lda;
  const auto step = [&](auto& chain, const std::uint8_t* row, const std::int8_t* panel) {
    __m512i right[V];
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      right[v] = _mm512_loadu_si512(panel + v * kVectorBytes);
      _mm_prefetch(reinterpret_cast<const char*>(panel) + v * kVectorBytes + kBytesAhead,
                   _MM_HINT_T0);
    }
#pragma GCC unroll 12
    for (std::int64_t i = 0; i < R; ++i) {
      int word = 0;
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
  AddChains(sum);
  if (args.finish != nullptr) {
    const ByteRows<V> rows(*args.finish);
#pragma GCC unroll 12
    for (int i = 0; i < R; ++i) {
      rows.Store(i, sum[0][i]);
    }
    return;
  }
  StoreSums(args, sum[0]);
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

#pragma GCC diagnostic pop

#else

namespace halftone {

void ByteTileVnni(const ByteTileArgs&) noexcept {}

}  // namespace halftone

#endif
