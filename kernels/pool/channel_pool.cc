#include "kernels/pool/channel_pool.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/channel_pool.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/vector_storage-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {
namespace {

// Vectors of channels under way at once.
constexpr int kAtOnce = 4;

// The taps of one output pixel that lie inside the input.
struct Window {
  std::int64_t image;
  TapRange rows, columns;
  std::int64_t y, x;  // of the input, under the first tap
};

// kVectors vectors of channels from `channel` on; with one, `count` of its lanes are there.
template <typename T, int kVectors, bool kAverage>
void PoolCell(const ChannelPool& pool, const Window& window, std::int64_t channel,
              std::size_t count, T* y) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const PoolCall& call = *pool.call;
  const bool whole = kVectors > 1 || count >= hn::Lanes(d);
  FloatVec result[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    result[v] = hn::Set(d, kAverage ? 0.0F : -std::numeric_limits<float>::infinity());
  }
  for (std::int64_t ty = window.rows.first; ty < window.rows.last; ++ty) {
    const std::int64_t row = window.image * call.input[1] + window.y + ty * call.dilation[1];
    for (std::int64_t tx = window.columns.first; tx < window.columns.last; ++tx) {
      const std::int64_t pixel = row * call.input[2] + window.x + tx * call.dilation[2];
      const T* from = static_cast<const T*>(pool.x) + pixel * call.channels + channel;
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const auto value =
            whole ? LoadFloats(d, from + v * lanes) : LoadFirst(d, from + v * lanes, count);
        if (kAverage) {
          result[v] = hn::Add(result[v], value);
        } else {  // a NaN replaces anything and is replaced by nothing
          result[v] =
              hn::IfThenElse(hn::Or(hn::Gt(value, result[v]), hn::IsNaN(value)), value, result[v]);
        }
      }
    }
  }
  const auto counted = hn::Set(d, static_cast<float>(window.rows.counted * window.columns.counted));
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    const auto value = kAverage ? hn::Div(result[v], counted) : result[v];
    if (whole) {
      StoreFloats(d, value, y + channel + v * lanes);
    } else {
      StoreFirst(d, value, y + channel, count);
    }
  }
}

template <typename T, bool kAverage>
void PoolPixels(const ChannelPool& pool, std::int64_t first, std::int64_t last) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(FloatTag()));
  const PoolCall& call = *pool.call;
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t in_image = i % call.OutputPixels();
    const std::int64_t oy = in_image / call.output[2];
    const std::int64_t ox = in_image % call.output[2];
    const Window window{.image = i / call.OutputPixels(),
                        .rows = TapsAt(call, 1, oy),
                        .columns = TapsAt(call, 2, ox),
                        .y = oy * call.stride[1] - call.pad[1],
                        .x = ox * call.stride[2] - call.pad[2]};
    T* y = static_cast<T*>(pool.y) + i * call.channels;
    std::int64_t channel = 0;
    for (; channel + kAtOnce * lanes <= call.channels; channel += kAtOnce * lanes) {
      PoolCell<T, kAtOnce, kAverage>(pool, window, channel, 0, y);
    }
    for (; channel < call.channels; channel += lanes) {
      const auto count = static_cast<std::size_t>(std::min(lanes, call.channels - channel));
      PoolCell<T, 1, kAverage>(pool, window, channel, count, y);
    }
  }
}

template <typename T>
void PoolOf(const ChannelPool& pool, std::int64_t first, std::int64_t last) {
  if (pool.call->average) {
    PoolPixels<T, true>(pool, first, last);
  } else {
    PoolPixels<T, false>(pool, first, last);
  }
}

void Pool(const ChannelPool& pool, std::int64_t first, std::int64_t last) {
  switch (pool.call->dtype) {
    case DType::kFloat16:
      return PoolOf<Float16>(pool, first, last);
    case DType::kBFloat16:
      return PoolOf<BFloat16>(pool, first, last);
    default:
      return PoolOf<float>(pool, first, last);
  }
}

}  // namespace
}  // namespace halftone::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(Pool);

}  // namespace

void PoolChannelPixels(const ChannelPool& pool, std::int64_t first, std::int64_t last) noexcept {
  HWY_DYNAMIC_DISPATCH(Pool)(pool, first, last);
}

}  // namespace halftone
#endif  // HWY_ONCE
