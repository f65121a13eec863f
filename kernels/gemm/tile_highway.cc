// The tile by fused multiply-add, for every vector width that Highway knows.
#include <cstddef>
#include <utility>

#include "kernels/gemm/tile.h"
#include "kernels/gemm/tile_pairs.h"
#include "src/ir/half.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/tile_highway.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/gemm/half_lanes-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {
namespace {

constexpr int kLanes = static_cast<int>(hn::MaxLanes(hn::ScalableTag<float>()));
// Rows whose sums fit into the registers, two vectors each: 12 x 2 of 32, 6 x 2 or 4 x 2 of 16.
constexpr int kRowsAtOnce = kLanes >= 16 ? 12 : kLanes >= 8 ? 6 : 4;

// Independent sums per element: an FMA takes 4 cycles and two start per cycle, so that 8 sums must
// be under way.
constexpr int ChainsFor(int vectors) {
  return vectors >= 8 ? 1 : vectors >= 4 ? 2 : 4;
}

// R rows by V vectors from column 0 of `b`.
template <int R, int V, typename B>
void Product(const TileArgs& args, const float* a, const B* b, float* c) {
  constexpr int kChains = ChainsFor(R * V);
  const hn::ScalableTag<float> d;
  hn::Vec<decltype(d)> sum[kChains][R][V];
#pragma GCC unroll 4
  for (int u = 0; u < kChains; ++u) {
#pragma GCC unroll 12
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) {
        sum[u][i][v] = hn::Zero(d);
      }
    }
  }
  const std::int64_t lda = args.lda;
  const auto step = [&](auto& chain, const float* row, const B* panel) HWY_ATTR {
    hn::Vec<decltype(d)> right[V];
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      right[v] = LoadFloats(d, panel + v * kLanes);
    }
#pragma GCC unroll 12
    for (int i = 0; i < R; ++i) {
      // Groups of three rows share a pointer: x86 addresses reach p, p + lda and p + 2 lda.
      const auto left = hn::Set(d, (row + (i / 3) * 3 * lda)[(i % 3) * lda]);
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) {
        chain[i][v] = hn::MulAdd(left, right[v], chain[i][v]);
      }
    }
  };
  std::int64_t k = 0;
  if (R == kTileRows && args.ahead != nullptr) {  // a row of it for each part of the steps
    static_assert(R < kTileRows || kChains == 1);
    const char* row = static_cast<const char*>(args.ahead);
    for (int i = 1; i <= kTileRows; ++i, row += args.ahead_pitch) {
      const std::int64_t end = args.steps * i / kTileRows;
      for (const char* p = row; k < end; ++k, p += kTileRows * args.ahead_element) {
        __builtin_prefetch(p, 0, 2);
        step(sum[0], a + k, b + k * kTileColumns);
      }
    }
  }
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
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      auto total = sum[0][i][v];
#pragma GCC unroll 4
      for (int u = 1; u < kChains; ++u) {
        total = hn::Add(total, sum[u][i][v]);
      }
      float* to = c + i * kTileColumns + v * kLanes;
      hn::StoreU(args.accumulate ? hn::Add(hn::LoadU(d, to), total) : total, d, to);
    }
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
        product(args, a + i * args.lda, b + j, c + i * kTileColumns + j);
      }
    }
  }
}

void TileFloat(const TileArgs& args) {
  Tile<float>(args);
}

void TileFloat16(const TileArgs& args) {
  Tile<Float16>(args);
}

void TileBFloat16(const TileArgs& args) {
  Tile<BFloat16>(args);
}

}  // namespace
}  // namespace halftone::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(TileFloat);
HWY_EXPORT(TileFloat16);
HWY_EXPORT(TileBFloat16);

void DispatchFloat(const TileArgs& args) noexcept {
  HWY_DYNAMIC_DISPATCH(TileFloat)(args);
}

void DispatchFloat16(const TileArgs& args) noexcept {
  HWY_DYNAMIC_DISPATCH(TileFloat16)(args);
}

void DispatchBFloat16(const TileArgs& args) noexcept {
  HWY_DYNAMIC_DISPATCH(TileBFloat16)(args);
}

}  // namespace

TileFunction TileFunctionOf(TileFormat format) {
  switch (format) {
    case TileFormat::kFloat16:
      return DispatchFloat16;
    case TileFormat::kBFloat16:
      return DispatchBFloat16;
    case TileFormat::kPairs:
      return TilePairs;
    case TileFormat::kFloat:
      break;
  }
  return DispatchFloat;
}

}  // namespace halftone
#endif  // HWY_ONCE
