#include "kernels/pool/channel_pool.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/channel_pool.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/pool/max_keys-inl.h"
#include "kernels/vector_storage-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {
namespace {

// Number of vectors of channels that are reduced at once.
constexpr int kAtOnce = 4;

// The taps of one output pixel that lie inside the input.
struct Window {
  std::int64_t image;
  TapRange rows, columns;
  std::int64_t y, x;  // of the input, under the first tap
};

// Calls visit(from) for the first of the window's channels at each tap.
template <typename T, typename Visit>
HWY_INLINE void ForEachTap(const ChannelPool& pool, const Window& window, std::int64_t channel,
                           const Visit& visit) {
  const PoolCall& call = *pool.call;
  for (std::int64_t ty = window.rows.first; ty < window.rows.last; ++ty) {
    const std::int64_t row = window.image * call.input[1] + window.y + ty * call.dilation[1];
    for (std::int64_t tx = window.columns.first; tx < window.columns.last; ++tx) {
      const std::int64_t pixel = row * call.input[2] + window.x + tx * call.dilation[2];
      visit(static_cast<const T*>(pool.x) + pixel * call.channels + channel);
    }
  }
}

// Vector `v` of the channels from `from` on; a last one has `count` lanes.
template <bool kWhole, typename T>
HWY_INLINE FloatVec LoadChannels(FloatTag d, const T* from, int v, std::size_t count) {
  return kWhole ? LoadFloats(d, from + v * static_cast<std::int64_t>(hn::Lanes(d)))
                : LoadFirst(d, from, count);
}

// A NaN replaces anything and is replaced by nothing.
template <typename T, int kVectors, bool kWhole>
void KeepNaN(const ChannelPool& pool, const Window& window, std::int64_t channel, std::size_t count,
             FloatVec (&result)[kVectors]) {
  const FloatTag d;
  for (FloatVec& each : result) {
    each = hn::Set(d, -std::numeric_limits<float>::infinity());
  }
  ForEachTap<T>(pool, window, channel, [&](const T* from) {
    for (int v = 0; v < kVectors; ++v) {
      const FloatVec value = LoadChannels<kWhole>(d, from, v, count);
      result[v] =
          hn::IfThenElse(hn::Or(hn::Gt(value, result[v]), hn::IsNaN(value)), value, result[v]);
    }
  });
}

// The products with 0 add up to NaN where a value was NaN or infinite: then it is done again with
// care, which would take twice as long everywhere.
template <typename T, int kVectors, bool kWhole>
void Maxima(const ChannelPool& pool, const Window& window, std::int64_t channel, std::size_t count,
            FloatVec (&result)[kVectors]) {
  const FloatTag d;
  FloatVec zero[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    result[v] = hn::Set(d, -std::numeric_limits<float>::infinity());
    zero[v] = hn::Zero(d);
  }
  ForEachTap<T>(pool, window, channel, [&](const T* from) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const FloatVec value = LoadChannels<kWhole>(d, from, v, count);
      result[v] = hn::Max(value, result[v]);
      zero[v] = hn::MulAdd(value, hn::Zero(d), zero[v]);
    }
  });
  FloatVec sum = zero[0];
#pragma GCC unroll 4
  for (int v = 1; v < kVectors; ++v) {
    sum = hn::Add(sum, zero[v]);
  }
  if (!hn::AllFalse(d, hn::IsNaN(sum))) {
    KeepNaN<T, kVectors, kWhole>(pool, window, channel, count, result);
  }
}

// Each column of the window first, then the columns (kernels/pool/windowed.h says why).
template <typename T, int kVectors, bool kWhole>
void Averages(const ChannelPool& pool, const Window& window, std::int64_t channel,
              std::size_t count, FloatVec (&result)[kVectors]) {
  const FloatTag d;
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    result[v] = hn::Zero(d);
  }
  const PoolCall& call = *pool.call;
  for (std::int64_t tx = window.columns.first; tx < window.columns.last; ++tx) {
    FloatVec column[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      column[v] = hn::Zero(d);
    }
    for (std::int64_t ty = window.rows.first; ty < window.rows.last; ++ty) {
      const std::int64_t row = window.image * call.input[1] + window.y + ty * call.dilation[1];
      const std::int64_t pixel = row * call.input[2] + window.x + tx * call.dilation[2];
      const T* from = static_cast<const T*>(pool.x) + pixel * call.channels + channel;
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        column[v] = hn::Add(column[v], LoadChannels<kWhole>(d, from, v, count));
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      result[v] = hn::Add(result[v], column[v]);
    }
  }
  const auto counted = hn::Set(d, static_cast<float>(window.rows.counted * window.columns.counted));
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    result[v] = hn::Div(result[v], counted);
  }
}

// kVectors whole vectors of channels from `channel` on, or `count` lanes of one.
template <typename T, int kVectors, bool kWhole, bool kAverage>
void PoolCell(const ChannelPool& pool, const Window& window, std::int64_t channel,
              std::size_t count, T* y) {
  const FloatTag d;
  FloatVec result[kVectors];
  if (kAverage) {
    Averages<T, kVectors, kWhole>(pool, window, channel, count, result);
  } else {
    Maxima<T, kVectors, kWhole>(pool, window, channel, count, result);
  }
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    if (kWhole) {
      StoreFloats(result[v], d, y + channel + v * static_cast<std::int64_t>(hn::Lanes(d)));
    } else {
      StoreFirst(result[v], d, y + channel, count);
    }
  }
}

// kVectors whole vectors of channels of 16 bits, or `count` of one.
template <typename T, int kVectors>
void PoolKeys(const ChannelPool& pool, const Window& window, std::int64_t channel,
              std::int64_t count, T* y) {
  using Keys = MaxKeys<T>;
  const KeyTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  KeyVec result[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    result[v] = Keys::Start(d);
  }
  ForEachTap<T>(pool, window, channel, [&](const T* from) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      result[v] = Keys::Join(result[v], Keys::Load(d, from + v * lanes, count));
    }
  });
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    Keys::Store(d, result[v], y + channel + v * lanes, count);
  }
}

template <typename T>
void PoolPixelOfKeys(const ChannelPool& pool, const Window& window, T* y) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(KeyTag()));
  const std::int64_t channels = pool.call->channels;
  std::int64_t channel = 0;
  for (; channel + kAtOnce * lanes <= channels; channel += kAtOnce * lanes) {
    PoolKeys<T, kAtOnce>(pool, window, channel, lanes, y);
  }
  for (; channel + 2 * lanes <= channels; channel += 2 * lanes) {
    PoolKeys<T, 2>(pool, window, channel, lanes, y);
  }
  for (; channel < channels; channel += lanes) {
    PoolKeys<T, 1>(pool, window, channel, channels - channel, y);
  }
}

// Maxima of bytes: kVectors whole vectors of channels, or `count` of one. Over no taps, the least
// byte.
template <typename T, int kVectors>
void PoolBytes(const ChannelPool& pool, const Window& window, std::int64_t channel,
               std::int64_t count, T* y) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> result[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    result[v] = hn::Set(d, std::numeric_limits<T>::lowest());
  }
  T rest[HWY_MAX_BYTES] = {};
  ForEachTap<T>(pool, window, channel, [&](const T* from) {
    if (count < lanes) {
      std::memcpy(rest, from, static_cast<std::size_t>(count));
      from = rest;
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      result[v] = hn::Max(result[v], hn::LoadU(d, from + v * lanes));
    }
  });
  if (count < lanes) {
    hn::StoreU(result[0], d, rest);
    std::memcpy(y + channel, rest, static_cast<std::size_t>(count));
    return;
  }
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    hn::StoreU(result[v], d, y + channel + v * lanes);
  }
}

template <typename T>
void PoolPixelOfBytes(const ChannelPool& pool, const Window& window, T* y) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const std::int64_t channels = pool.call->channels;
  std::int64_t channel = 0;
  for (; channel + kAtOnce * lanes <= channels; channel += kAtOnce * lanes) {
    PoolBytes<T, kAtOnce>(pool, window, channel, lanes, y);
  }
  for (; channel + lanes <= channels; channel += lanes) {
    PoolBytes<T, 1>(pool, window, channel, lanes, y);
  }
  if (channel < channels) {
    PoolBytes<T, 1>(pool, window, channel, channels - channel, y);
  }
}

template <typename T, bool kAverage>
void PoolPixel(const ChannelPool& pool, const Window& window, T* y) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(FloatTag()));
  const std::int64_t channels = pool.call->channels;
  std::int64_t channel = 0;
  for (; channel + kAtOnce * lanes <= channels; channel += kAtOnce * lanes) {
    PoolCell<T, kAtOnce, true, kAverage>(pool, window, channel, 0, y);
  }
  for (; channel + lanes <= channels; channel += lanes) {
    PoolCell<T, 1, true, kAverage>(pool, window, channel, 0, y);
  }
  if (channel < channels) {
    const auto count = static_cast<std::size_t>(channels - channel);
    PoolCell<T, 1, false, kAverage>(pool, window, channel, count, y);
  }
}

template <typename T, bool kAverage>
void PoolRows(const ChannelPool& pool, std::int64_t first, std::int64_t last) {
  const PoolCall& call = *pool.call;
  T* y = static_cast<T*>(pool.y) + first * call.output[2] * call.channels;
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t oy = i % call.output[1];
    Window window{.image = i / call.output[1],
                  .rows = TapsAt(call, 1, oy),
                  .columns = {},
                  .y = oy * call.stride[1] - call.pad[1],
                  .x = -call.pad[2]};
    for (std::int64_t ox = 0; ox < call.output[2]; ++ox) {
      window.columns = pool.columns[ox];
      if constexpr (sizeof(T) == 1) {
        PoolPixelOfBytes<T>(pool, window, y);
      } else if constexpr (kAverage || std::is_same_v<T, float>) {
        PoolPixel<T, kAverage>(pool, window, y);
      } else {
        PoolPixelOfKeys<T>(pool, window, y);
      }
      window.x += call.stride[2];
      y += call.channels;
    }
  }
}

template <typename T>
void PoolOf(const ChannelPool& pool, std::int64_t first, std::int64_t last) {
  if (pool.call->average) {
    PoolRows<T, true>(pool, first, last);
  } else {
    PoolRows<T, false>(pool, first, last);
  }
}

void Pool(const ChannelPool& pool, std::int64_t first, std::int64_t last) {
  switch (pool.call->dtype) {
    case DType::kInt8:
      return PoolRows<std::int8_t, false>(pool, first, last);
    case DType::kUInt8:
      return PoolRows<std::uint8_t, false>(pool, first, last);
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

void PoolChannelRows(const ChannelPool& pool, std::int64_t first, std::int64_t last) noexcept {
  HWY_DYNAMIC_DISPATCH(Pool)(pool, first, last);
}

}  // namespace halftone
#endif  // HWY_ONCE
