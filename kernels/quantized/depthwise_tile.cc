#include "kernels/quantized/depthwise_tile.h"

#include <algorithm>
#include <cstring>

#include "kernels/tile/tile.h"
#include "kernels/vector_capabilities.h"
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quantized/depthwise_tile.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A tap of the windows of one output row: what it reads under the first column, its weights.
struct Tap {
  std::int64_t offset;  // elements from the tile's first channel
  std::int64_t column;  // from the window's begin
  const std::int16_t* weights;
};

struct Taps {
  Tap at[kMostDepthwiseTaps + 1];
  int count = 0;
};

// Finds the taps whose row lies inside the image.
void FindTaps(const DepthwiseTile& tile, Taps& taps) {
  const ConvCall& call = *tile.call;
  for (std::int64_t ky = 0; ky < call.kernel[1]; ++ky) {
    const std::int64_t row = tile.row * call.stride[1] - call.pad[1] + ky * call.dilation[1];
    for (std::int64_t kx = 0; row >= 0 && row < call.input[1] && kx < call.kernel[2]; ++kx) {
      const std::int64_t column = kx * call.dilation[2];
      taps.at[taps.count++] = {
          .offset = (row * call.input[2] + column) * call.group,
          .column = column,
          .weights = tile.weights + (ky * call.kernel[2] + kx) * tile.weight_stride};
    }
  }
}

#if !HALFTONE_CAN(SPLIT_VECTORS)

template <typename T>
void SumPixels(const DepthwiseTile& tile, const Taps& taps, std::int32_t* sums) {
  const ConvCall& call = *tile.call;
  const auto* x = reinterpret_cast<const T*>(tile.x) + tile.channel;
  for (int i = 0; i < tile.pixels; ++i) {
    const std::int64_t column0 = (tile.pixel + i) * call.stride[2] - call.pad[2];
    for (int j = 0; j < tile.columns; ++j) {
      std::int32_t sum = 0;
      for (int t = 0; t < taps.count; ++t) {
        const std::int64_t column = column0 + taps.at[t].column;
        if (column >= 0 && column < call.input[2]) {
          sum += (x[taps.at[t].offset + column0 * call.group + j] - tile.x_zero) *
                 taps.at[t].weights[j];
        }
      }
      sums[i * kDepthwiseChannels + j] = sum;
    }
  }
}

#else

using Tag16 = hn::ScalableTag<std::int16_t>;
using Tag32 = hn::ScalableTag<std::int32_t>;
using Vec16 = hn::Vec<Tag16>;
using Vec32 = hn::Vec<Tag32>;

// `count` channels, or all lanes when there are more; the others are 0.
template <typename T>
Vec16 LoadBytes(const T* x, int count) {
  const hn::Rebind<T, Tag16> d;
  if (count >= static_cast<int>(hn::Lanes(d))) {
    return hn::PromoteTo(Tag16(), hn::LoadU(d, x));
  }
  T first[HWY_MAX_BYTES / sizeof(std::int16_t)] = {};
  std::memcpy(first, x, static_cast<std::size_t>(count));
  return hn::PromoteTo(Tag16(), hn::LoadU(d, first));
}

// Sums of pairs of taps: interleaving gives the lower and the upper 4 channels of each 8.
void StoreSums(Vec32 lower, Vec32 upper, int count, std::int32_t* sums) {
  HWY_ALIGN std::int32_t parts[2][HWY_MAX_BYTES / sizeof(std::int32_t)];
  hn::Store(lower, Tag32(), parts[0]);
  hn::Store(upper, Tag32(), parts[1]);
  constexpr int kBlock = 4;
  for (int j = 0; j < count; j += 2 * kBlock) {
    std::memcpy(sums + j, parts[0] + j / 2, kBlock * sizeof(std::int32_t));
    std::memcpy(sums + j + kBlock, parts[1] + j / 2, kBlock * sizeof(std::int32_t));
  }
}

// P pixels from `pixel` on, channels [j, j + lanes). A tap outside the image, where kInside is
// false, adds nothing.
template <typename T, int P, bool kInside>
void SumLanes(const DepthwiseTile& tile, const Taps& taps, std::int64_t pixel, int j,
              std::int32_t* sums) {
  const Tag16 d16;
  const Tag32 d32;
  const ConvCall& call = *tile.call;
  const int left = tile.columns - j;
  const auto zero = hn::Set(d16, static_cast<std::int16_t>(tile.x_zero));
  const std::int64_t column0 = pixel * call.stride[2] - call.pad[2];
  const T* x = reinterpret_cast<const T*>(tile.x) + tile.channel + j + column0 * call.group;
  const std::int64_t step = call.stride[2] * call.group;
  Vec32 lower[P];
  Vec32 upper[P];
  Vec32 lower_rest[P];  // second sums, which x86 does not use
  Vec32 upper_rest[P];
#pragma GCC unroll 4
  for (int i = 0; i < P; ++i) {
    lower[i] = hn::Zero(d32);
    upper[i] = hn::Zero(d32);
    lower_rest[i] = hn::Zero(d32);
    upper_rest[i] = hn::Zero(d32);
  }
  const auto load = [&](const Tap& tap, int i) {
    if constexpr (!kInside) {
      const std::int64_t column = column0 + i * call.stride[2] + tap.column;
      if (column < 0 || column >= call.input[2]) {
        return hn::Zero(d16);
      }
    }
    return hn::Sub(LoadBytes(x + tap.offset + i * step, left), zero);
  };
  for (int t = 0; t < taps.count; t += 2) {
    const Tap& tap = taps.at[t];
    const bool pair = t + 1 < taps.count;
    const Tap& next = taps.at[pair ? t + 1 : t];
    const auto w = hn::LoadU(d16, tap.weights + j);
    const auto w_next = pair ? hn::LoadU(d16, next.weights + j) : hn::Zero(d16);
    const auto w_lower = hn::InterleaveLower(d16, w, w_next);
    const auto w_upper = hn::InterleaveUpper(d16, w, w_next);
#pragma GCC unroll 4
    for (int i = 0; i < P; ++i) {
      const auto a = load(tap, i);
      const auto b = load(next, i);
      lower[i] = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveLower(d16, a, b), w_lower,
                                               lower[i], lower_rest[i]);
      upper[i] = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveUpper(d16, a, b), w_upper,
                                               upper[i], upper_rest[i]);
    }
  }
  const int count = std::min(static_cast<int>(hn::Lanes(d16)), (left + 7) / 8 * 8);
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < P; ++i) {
    StoreSums(hn::RearrangeToOddPlusEven(lower[i], lower_rest[i]),
              hn::RearrangeToOddPlusEven(upper[i], upper_rest[i]), count,
              sums + i * kDepthwiseChannels + j);
  }
}

template <typename T>
void SumPixels(const DepthwiseTile& tile, const Taps& taps, std::int32_t* sums) {
  constexpr int kAtOnce = 4;
  const ConvCall& call = *tile.call;
  const auto lanes = static_cast<int>(hn::Lanes(Tag16()));
  const auto inside = [&](std::int64_t pixel) {
    const std::int64_t first = pixel * call.stride[2] - call.pad[2];
    return first >= 0 && first + (call.kernel[2] - 1) * call.dilation[2] < call.input[2];
  };
  for (int i = 0; i < tile.pixels;) {
    const std::int64_t pixel = tile.pixel + i;
    const bool four = i + kAtOnce <= tile.pixels && inside(pixel) && inside(pixel + kAtOnce - 1);
    for (int j = 0; j < tile.columns; j += lanes) {
      std::int32_t* to = sums + std::int64_t{i} * kDepthwiseChannels;
      if (four) {
        SumLanes<T, kAtOnce, true>(tile, taps, pixel, j, to);
      } else {
        SumLanes<T, 1, false>(tile, taps, pixel, j, to);
      }
    }
    i += four ? kAtOnce : 1;
  }
}

#endif

void SumTile(const DepthwiseTile& tile, std::int32_t* sums) {
  Taps taps;
  FindTaps(tile, taps);
  if (tile.x_signed) {
    SumPixels<std::int8_t>(tile, taps, sums);
  } else {
    SumPixels<std::uint8_t>(tile, taps, sums);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(SumTile);

}  // namespace

void SumDepthwiseTile(const DepthwiseTile& tile, std::int32_t* sums) noexcept {
  HWY_DYNAMIC_DISPATCH(SumTile)(tile, sums);
}

}  // namespace halftone
#endif  // HWY_ONCE
