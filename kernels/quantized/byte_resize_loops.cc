#include "kernels/quantized/byte_resize_loops.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quantized/byte_resize_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/quantized/byte_rounding-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {
namespace {

using Tag32 = ByteSumTag;
using TagF = ByteFloatTag;
using Tag8 = ByteTag;
using VecF = ByteFloatVec;

constexpr std::size_t kMostLanes = HWY_MAX_BYTES / sizeof(float);
static_assert(kMostLanes <= static_cast<std::size_t>(kResizeSpareFloats));

// Sum over the taps of the vector from byte i on. `kTaps`: their number; 0: from.taps.
template <int kTaps>
HWY_INLINE VecF BlendedAt(const ByteRowTaps& from, const std::uint8_t* const* rows,
                          std::int64_t i) {
  const int taps = kTaps > 0 ? kTaps : from.taps;
  const auto flip = hn::Set(Tag8(), from.flip);
  const auto zero = hn::Set(Tag32(), from.zero);
  const auto term = [&](int k) HWY_ATTR {
    const std::uint8_t* row = kTaps > 0 ? rows[k] : from.plane + from.rows[k] * from.pitch;
    const auto steps =
        hn::Sub(hn::PromoteTo(Tag32(), hn::Xor(hn::LoadU(Tag8(), row + i), flip)), zero);
    return hn::Mul(hn::Set(TagF(), from.weights[k]), hn::ConvertTo(TagF(), steps));
  };
  VecF sum = term(0);
  for (int k = 1; k < taps; ++k) {
    sum = hn::Add(sum, term(k));
  }
  return sum;
}

template <int kTaps>
void BlendTaps(const ByteRowTaps& from, float* blended, std::int64_t count) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(TagF()));
  const std::uint8_t* rows[std::max(kTaps, 1)] = {};
  for (int k = 0; k < kTaps; ++k) {
    rows[k] = from.plane + from.rows[k] * from.pitch;
  }
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(BlendedAt<kTaps>(from, rows, i), TagF(), blended + i);
  }
  for (; i < count; ++i) {
    float sum = 0;
    for (int k = 0; k < from.taps; ++k) {
      const std::uint8_t byte = from.plane[from.rows[k] * from.pitch + i] ^ from.flip;
      const float term = from.weights[k] * static_cast<float>(byte - from.zero);
      sum = k == 0 ? term : sum + term;
    }
    blended[i] = sum;
  }
}

void BlendRows(const ByteRowTaps& from, float* blended, std::int64_t count) {
  switch (from.taps) {
    case 1:
      return BlendTaps<1>(from, blended, count);
    case 2:
      return BlendTaps<2>(from, blended, count);
    case 4:
      return BlendTaps<4>(from, blended, count);
    default:
      return BlendTaps<0>(from, blended, count);
  }
}

// Rounds V vectors of sums; `count` bytes of one vector where it is the last.
template <int V>
HWY_INLINE void StoreBytes(VecF (&sum)[V], float ratio, const ByteRounding& rounding,
                           std::uint8_t* y, std::int64_t count) {
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    sum[v] = hn::Mul(sum[v], hn::Set(TagF(), ratio));
  }
  if (V > 1 || count >= static_cast<std::int64_t>(hn::Lanes(TagF()))) {
    rounding.Store(sum, y);
    return;
  }
  std::uint8_t rest[kMostLanes];
  rounding.Store(sum, rest);
  std::memcpy(y, rest, static_cast<std::size_t>(count));
}

// V vectors of a pixel from element i on. `kTaps`: number of taps; 0: columns.width.
template <int kTaps, int V>
HWY_INLINE void SumPixel(const ResizeColumns& columns, const float* blended, std::int64_t column,
                         std::int64_t i, VecF (&sum)[V]) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(TagF()));
  const int taps = kTaps > 0 ? kTaps : columns.width;
  const auto tap = static_cast<std::size_t>(column * columns.width);
  const auto term = [&](int k, int v) HWY_ATTR {
    const std::size_t at = tap + static_cast<std::size_t>(k);
    return hn::Mul(hn::Set(TagF(), columns.pixel_weight[at]),
                   hn::LoadU(TagF(), blended + columns.pixel[at] * columns.inner + i + v * lanes));
  };
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    sum[v] = term(0, v);
  }
  for (int k = 1; k < taps; ++k) {
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      sum[v] = hn::Add(sum[v], term(k, v));
    }
  }
}

template <int kTaps>
void BlendPixels(const ResizeColumns& columns, const float* blended, float ratio,
                 const ByteRounding& rounding, std::uint8_t* y) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(TagF()));
  for (std::int64_t column = 0; column < columns.columns; ++column) {
    std::uint8_t* to = y + column * columns.inner;
    std::int64_t i = 0;
    for (; i + 4 * lanes <= columns.inner; i += 4 * lanes) {
      VecF sum[4];
      SumPixel<kTaps>(columns, blended, column, i, sum);
      StoreBytes(sum, ratio, rounding, to + i, 4 * lanes);
    }
    for (; i < columns.inner; i += lanes) {
      VecF sum[1];
      SumPixel<kTaps>(columns, blended, column, i, sum);
      StoreBytes(sum, ratio, rounding, to + i, columns.inner - i);
    }
  }
}

void GatherPixels(const ResizeColumns& columns, const float* blended, float ratio,
                  const ByteRounding& rounding, std::uint8_t* y) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(TagF()));
  const std::int64_t count = columns.columns * columns.inner;
  const auto term = [&](int k, std::int64_t i) HWY_ATTR {
    const auto at = static_cast<std::size_t>(k) * columns.stride() + static_cast<std::size_t>(i);
    return hn::Mul(hn::LoadU(TagF(), columns.index_weight.data() + at),
                   hn::GatherIndex(TagF(), blended, hn::LoadU(Tag32(), columns.index.data() + at)));
  };
  for (std::int64_t i = 0; i < count; i += lanes) {
    VecF sum[1] = {term(0, i)};
    for (int k = 1; k < columns.width; ++k) {
      sum[0] = hn::Add(sum[0], term(k, i));
    }
    StoreBytes(sum, ratio, rounding, y + i, count - i);
  }
}

void BlendAllColumns(const ResizeColumns& columns, const float* blended, float ratio,
                     const ByteTarget& y) {
  const ByteRounding rounding(y.zero, y.flip);
  auto* to = static_cast<std::uint8_t*>(y.data);
  if (!columns.index.empty()) {
    return GatherPixels(columns, blended, ratio, rounding, to);
  }
  switch (columns.width) {
    case 1:
      return BlendPixels<1>(columns, blended, ratio, rounding, to);
    case 2:
      return BlendPixels<2>(columns, blended, ratio, rounding, to);
    case 4:
      return BlendPixels<4>(columns, blended, ratio, rounding, to);
    default:
      return BlendPixels<0>(columns, blended, ratio, rounding, to);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(BlendRows);
HWY_EXPORT(BlendAllColumns);

// Pixels of fewer elements are gathered: the widest vector of float32.
constexpr std::int64_t kElementsOfVector = 16;

}  // namespace

ResizeColumns::ResizeColumns(const SeparableTaps& taps)
    : width(taps.horizontal.width),
      columns(taps.columns()),
      inner(taps.inner),
      pixel(taps.horizontal.index),
      pixel_weight(taps.horizontal.weight) {
  if (inner >= kElementsOfVector ||
      taps.source_width * inner > std::numeric_limits<std::int32_t>::max()) {
    return;
  }
  index.resize(static_cast<std::size_t>(width) * stride());
  index_weight.resize(index.size());
  for (int k = 0; k < width; ++k) {
    for (std::int64_t i = 0; i < columns * inner; ++i) {
      const auto tap = static_cast<std::size_t>(i / inner * width + k);
      const auto at = static_cast<std::size_t>(k) * stride() + static_cast<std::size_t>(i);
      index[at] = static_cast<std::int32_t>(pixel[tap] * inner + i % inner);
      index_weight[at] = pixel_weight[tap];
    }
  }
}

void BlendByteRows(const ByteRowTaps& from, float* blended, std::int64_t count) noexcept {
  HWY_DYNAMIC_DISPATCH(BlendRows)(from, blended, count);
}

void BlendColumns(const ResizeColumns& columns, const float* blended, float ratio,
                  const ByteTarget& y) noexcept {
  HWY_DYNAMIC_DISPATCH(BlendAllColumns)(columns, blended, ratio, y);
}

}  // namespace halftone
#endif  // HWY_ONCE
