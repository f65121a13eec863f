#include "kernels/tile/tile_highway.h"

#include <cstddef>
#include <utility>

#include "kernels/vector_targets.h"
#include "src/ir/half.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/tile/tile_highway.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/vector_storage-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {
namespace {

using Tag = hn::ScalableTag<float>;
using Lanes = hn::Vec<Tag>;

constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag()));
// Number of rows whose sums, two vectors each, fit into the registers: 12 x 2 of 32, 6 x 2 or 4 x 2
// of 16.
constexpr int kRowsAtOnce = kLanes >= 16 ? 12 : kLanes >= 8 ? 6 : 4;

// Independent sums per element: an FMA takes 4 cycles and two start per cycle, so that 8 sums must
// be under way.
constexpr int ChainsFor(int vectors) {
  return vectors >= 8 ? 1 : vectors >= 4 ? 2 : 4;
}

// Pointers into R rows of A, one for each three rows: x86 addresses reach p, p + lda and p + 2 lda.
// Moved on by Advance(), which compilers can't look through: they make twelve offsets of them
// otherwise, more than there are registers, and save some to memory in the loop (gcc 12).
template <int R>
struct RowPointers {
  static constexpr int kGroups = (R + 2) / 3;

  HWY_INLINE RowPointers(const float* a, std::int64_t row_stride) : lda(row_stride) {
#pragma GCC unroll 4
    for (std::int64_t g = 0; g < kGroups; ++g) {
      group[g] = a + 3 * g * lda;
    }
  }

  HWY_INLINE void Advance(std::int64_t steps) {
#pragma GCC unroll 4
    for (int g = 0; g < kGroups; ++g) {
      group[g] += steps;
      asm("" : "+r"(group[g]));  // NOLINT(hicpp-no-assembler): no instruction
    }
  }

  [[nodiscard]] HWY_INLINE const float& At(int row, int step) const {
    return (group[row / 3] + step)[row % 3 * lda];
  }

  const float* group[kGroups];
  std::int64_t lda;
};

// One step, `at` steps from where `rows` and `b` are.
template <int R, int V, typename B>
HWY_INLINE void Step(Tag d, const RowPointers<R>& rows, const B* b, int at, Lanes (&sum)[R][V]) {
  Lanes right[V];
#pragma GCC unroll 2
  for (int v = 0; v < V; ++v) {
    right[v] = LoadFloats(d, b + at * kTileColumns + v * kLanes);
    constexpr bool kWaitsForB = R > 1 || sizeof(B) < sizeof(float);
    if (kWaitsForB && sizeof(B) * v * kLanes % kLineBytes == 0) {
      __builtin_prefetch(b + (at + kStepsAhead) * kTileColumns + v * kLanes);
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i) {
    const Lanes left = hn::Set(d, rows.At(i, at));
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      sum[i][v] = hn::MulAdd(left, right[v], sum[i][v]);
    }
  }
}

// kSteps of them, a chain of sums after the other; on to what follows.
template <int kSteps, int kChains, int R, int V, typename B>
HWY_INLINE void Steps(Tag d, RowPointers<R>& rows, const B*& b, Lanes (&sum)[kChains][R][V]) {
  static_assert(kSteps == 1 || kSteps == 4);
  Step(d, rows, b, 0, sum[0]);
  if constexpr (kSteps == 4) {
    Step(d, rows, b, 1, sum[1 % kChains]);
    Step(d, rows, b, 2, sum[2 % kChains]);
    Step(d, rows, b, 3, sum[3 % kChains]);
  }
  rows.Advance(kSteps);
  b += kSteps * kTileColumns;
}

template <int R, int V>
HWY_INLINE void Clear(Tag d, Lanes (&sum)[R][V]) {
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      sum[i][v] = hn::Zero(d);
    }
  }
}

// Adds the sums of the other chains to those of the first.
template <int kChains, int R, int V>
HWY_INLINE void AddChains(Lanes (&sum)[kChains][R][V]) {
#pragma GCC unroll 4
  for (int u = 1; u < kChains; ++u) {
#pragma GCC unroll 12
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) {
        sum[0][i][v] = hn::Add(sum[0][i][v], sum[u][i][v]);
      }
    }
  }
}

template <bool kAccumulate, int R, int V>
HWY_INLINE void StoreSums(Tag d, const Lanes (&sum)[R][V], float* c, std::int64_t stride) {
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (std::int64_t v = 0; v < V; ++v) {
      float* const to = c + i * stride + v * kLanes;
      hn::StoreU(kAccumulate ? hn::Add(hn::LoadU(d, to), sum[i][v]) : sum[i][v], d, to);
    }
  }
}

// Elements [at, at + kLanes) of three rows of `next`, from `row` on.
template <typename From>
HWY_INLINE void WidenThreeRows(Tag d, const RowBlock& next, int row, std::int64_t at) {
  const char* from = static_cast<const char*>(next.source) + row * next.source_pitch;
  char* to = static_cast<char*>(next.target) + row * next.target_pitch;
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) {
    StoreFloats(LoadFloats(d, reinterpret_cast<const From*>(from + i * next.source_pitch) + at), d,
                reinterpret_cast<float*>(to + i * next.target_pitch) + at);
  }
}

HWY_INLINE void WidenThree(Tag d, const RowBlock& next, int row, std::int64_t at) {
  if (next.from == DType::kFloat16) {
    WidenThreeRows<Float16>(d, next, row, at);
  } else if (next.from == DType::kBFloat16) {
    WidenThreeRows<BFloat16>(d, next, row, at);
  } else {
    WidenThreeRows<float>(d, next, row, at);
  }
}

// R rows by V vectors from column 0 of `b`.
template <int R, int V, typename B>
void Product(const TileArgs& args, const float* a, const B* b, float* c) {
  constexpr int kChains = ChainsFor(R * V);
  const Tag d;
  Lanes sum[kChains][R][V];
#pragma GCC unroll 4
  for (int u = 0; u < kChains; ++u) {
    Clear<R, V>(d, sum[u]);
  }
  RowPointers<R> rows(a, args.lda);
  std::int64_t k = 0;
  if (R == kTileRows && kLanes == kLeastAhead && args.next != nullptr) {
    for (; k + kLanes <= args.steps; k += kLanes) {
      for (int i = 0; i < kTileRows; i += 3) {
        WidenThree(d, *args.next, i, k);
        Steps<4>(d, rows, b, sum);
      }
    }
    for (int i = 0; i < kTileRows && k < args.steps; i += 3) {  // repeats some of those before
      WidenThree(d, *args.next, i, args.steps - kLanes);
    }
  } else if (R == kTileRows && args.ahead != nullptr) {
    // A line of each of its rows for 16 steps; of 16-bit rows twice the same.
    constexpr std::int64_t kLineSteps = 16;
    for (; k + kLineSteps <= args.steps; k += kLineSteps) {
      const char* row = static_cast<const char*>(args.ahead) + k * args.ahead_element;
      for (int i = 0; i < kTileRows; i += 3, row += 3 * args.ahead_pitch) {
        __builtin_prefetch(row, 0, 2);
        __builtin_prefetch(row + args.ahead_pitch, 0, 2);
        __builtin_prefetch(row + 2 * args.ahead_pitch, 0, 2);
        Steps<4>(d, rows, b, sum);
      }
    }
    const char* row = static_cast<const char*>(args.ahead) + k * args.ahead_element;
    for (int i = 0; i < kTileRows && k < args.steps; ++i, row += args.ahead_pitch) {
      __builtin_prefetch(row, 0, 2);
    }
  }
  for (; k + 4 <= args.steps; k += 4) {
    Steps<4>(d, rows, b, sum);
  }
  for (; k < args.steps; ++k) {
    Steps<1>(d, rows, b, sum);
  }
  AddChains<kChains, R, V>(sum);
  if (args.accumulate) {
    StoreSums<true>(d, sum[0], c, args.c_stride);
  } else {
    StoreSums<false>(d, sum[0], c, args.c_stride);
  }
}

template <typename B>
using ProductFunction = void (*)(const TileArgs&, const float*, const B*, float*);

template <int V, typename B, std::size_t... R>
ProductFunction<B> ProductOf(int rows, std::index_sequence<R...>) {
  static constexpr ProductFunction<B> kByRows[] = {Product<static_cast<int>(R) + 1, V, B>...};
  return kByRows[rows - 1];
}

template <typename B>
void Tile(const TileArgs& args) {
  constexpr auto kRows = std::make_index_sequence<kRowsAtOnce>();
  const auto* a = static_cast<const float*>(args.a);
  for (int first = 0; first < args.columns; first += kTileColumns) {
    const int columns = args.columns - first < kTileColumns ? args.columns - first : kTileColumns;
    const auto* b = reinterpret_cast<const B*>(static_cast<const std::byte*>(args.b) +
                                               first / kTileColumns * args.panel_stride);
    float* c = args.c + first;
    for (int i = 0; i < args.rows; i += kRowsAtOnce) {
      const int rows = args.rows - i < kRowsAtOnce ? args.rows - i : kRowsAtOnce;
      for (int j = 0; j < columns; j += 2 * kLanes) {
        const auto product =
            columns - j <= kLanes ? ProductOf<1, B>(rows, kRows) : ProductOf<2, B>(rows, kRows);
        product(args, a + i * args.lda, b + j, c + i * args.c_stride + j);
      }
    }
  }
}

void OfFloat(const TileArgs& args) {
  Tile<float>(args);
}

void OfFloat16(const TileArgs& args) {
  Tile<Float16>(args);
}

void OfBFloat16(const TileArgs& args) {
  Tile<BFloat16>(args);
}

bool TakesAllRows() {
  return kRowsAtOnce == kTileRows && kLanes == kLeastAhead;
}

}  // namespace
}  // namespace halftone::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(OfFloat);
HWY_EXPORT(OfFloat16);
HWY_EXPORT(OfBFloat16);
HWY_EXPORT(TakesAllRows);

}  // namespace

void TileFloat(const TileArgs& args) noexcept {
  HWY_DYNAMIC_DISPATCH(OfFloat)(args);
}

void TileFloat16(const TileArgs& args) noexcept {
  HWY_DYNAMIC_DISPATCH(OfFloat16)(args);
}

void TileBFloat16(const TileArgs& args) noexcept {
  HWY_DYNAMIC_DISPATCH(OfBFloat16)(args);
}

bool HighwayConvertsAhead() {
  return HWY_DYNAMIC_DISPATCH(TakesAllRows)();
}

}  // namespace halftone
#endif  // HWY_ONCE
