#include "kernels/quantized/depthwise_tile.h"

#include <algorithm>
#include <cstring>

#include "kernels/gemm/tile.h"
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

using Tag32 = hn::ScalableTag<std::int32_t>;
using Vec32 = hn::Vec<Tag32>;

// `count` channels, or all lanes when there are more; the others are 0.
template <typename T>
Vec32 LoadBytes(const T* x, int count) {
  const hn::Rebind<T, Tag32> d;
  if (count >= static_cast<int>(hn::Lanes(d))) {
    return hn::PromoteTo(Tag32(), hn::LoadU(d, x));
  }
  T first[HWY_MAX_BYTES / sizeof(std::int32_t)] = {};
  std::memcpy(first, x, static_cast<std::size_t>(count));
  return hn::PromoteTo(Tag32(), hn::LoadU(d, first));
}

// One output pixel: the taps of its window that lie inside the image.
template <typename T>
void SumPixel(const DepthwiseTile& tile, std::int64_t pixel, std::int32_t* sums) {
  const Tag32 d;
  const ConvCall& call = *tile.call;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  const auto* x = reinterpret_cast<const T*>(tile.x) + tile.channel;
  const std::int64_t row0 = tile.row * call.stride[1] - call.pad[1];
  const std::int64_t column0 = pixel * call.stride[2] - call.pad[2];
  const auto zero = hn::Set(d, tile.x_zero);
  for (int j = 0; j < tile.columns; j += 2 * lanes) {
    const int left = tile.columns - j;
    auto sum0 = hn::Zero(d);
    auto sum1 = hn::Zero(d);
    for (std::int64_t ky = 0; ky < call.kernel[1]; ++ky) {
      const std::int64_t row = row0 + ky * call.dilation[1];
      if (row < 0 || row >= call.input[1]) {
        continue;
      }
      for (std::int64_t kx = 0; kx < call.kernel[2]; ++kx) {
        const std::int64_t column = column0 + kx * call.dilation[2];
        if (column < 0 || column >= call.input[2]) {
          continue;
        }
        const T* from = x + (row * call.input[2] + column) * call.group + j;
        const std::int32_t* w = tile.weights + (ky * call.kernel[2] + kx) * tile.weight_stride + j;
        sum0 = hn::Add(sum0, hn::Mul(hn::Sub(LoadBytes(from, left), zero), hn::LoadU(d, w)));
        if (left > lanes) {
          sum1 = hn::Add(sum1, hn::Mul(hn::Sub(LoadBytes(from + lanes, left - lanes), zero),
                                       hn::LoadU(d, w + lanes)));
        }
      }
    }
    hn::StoreU(sum0, d, sums + j);
    if (left > lanes) {
      hn::StoreU(sum1, d, sums + j + lanes);
    }
  }
}

void SumTile(const DepthwiseTile& tile, std::int32_t* sums) {
  for (int i = 0; i < tile.pixels; ++i) {
    if (tile.x_signed) {
      SumPixel<std::int8_t>(tile, tile.pixel + i, sums + i * kTileColumns);
    } else {
      SumPixel<std::uint8_t>(tile, tile.pixel + i, sums + i * kTileColumns);
    }
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
