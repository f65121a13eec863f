// Inner blocks of a depthwise convolution: several output pixels by one vector of channels.
// Included once per Highway target, behind vector_storage-inl.h and epilogue-inl.h.
#if defined(HALFTONE_KERNELS_CONV_CHANNEL_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFTONE_KERNELS_CONV_CHANNEL_BLOCK_INL_H_
#undef HALFTONE_KERNELS_CONV_CHANNEL_BLOCK_INL_H_
#else
#define HALFTONE_KERNELS_CONV_CHANNEL_BLOCK_INL_H_
#endif

#include <limits>

#include "hwy/highway.h"
#include "kernels/conv/channel_filter.h"

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {

// Output rows of one image that are computed together.
struct Band {
  const ChannelFilter* filter;
  std::int64_t channels;
  const std::byte* image;     // the image of the input
  std::int64_t y;             // input row under the first tap of the band's first row
  std::int64_t first_result;  // element of the result at which the band begins

  [[nodiscard]] bool HasRow(std::int64_t row) const {
    return row >= 0 && row < filter->call->input[1];
  }

  // Index of the result element at pixel x of the band's row r.
  [[nodiscard]] std::int64_t ResultAt(int r, std::int64_t x) const {
    return first_result + (r * filter->call->output[2] + x) * channels;
  }

  [[nodiscard]] const float* WeightsOf(std::int64_t channel) const {
    const std::int64_t block = channel - channel % kFilterChannels;
    return filter->weights + block * filter->call->Taps() + channel - block;
  }
};

template <typename T>
HWY_INLINE const T* InputAt(const Band& band, std::int64_t row, std::int64_t x) {
  return reinterpret_cast<const T*>(band.image) +
         (row * band.filter->call->input[2] + x) * band.channels;
}

// A vector of channels from `first` on. In functions without kWhole, only its first `count`
// channels exist.
struct ChannelVector {
  std::int64_t first = 0;
  std::size_t count = 0;
};

template <bool kWhole, typename T>
HWY_INLINE FloatVec LoadChannels(const T* p, const ChannelVector& channel) {
  const FloatTag d;
  return kWhole ? LoadFloats(d, p) : LoadFirst(d, p, channel.count);
}

// Applies the epilogue to pixels [x, x + kPixels) of row r, rounds and stores them.
template <bool kWhole, typename R, int kPixels>
HWY_INLINE void StorePixels(const Band& band, int r, std::int64_t x, const ChannelVector& channel,
                            FloatVec (&sum)[kPixels]) {
  const FloatTag d;
  const Epilogue& epilogue = band.filter->call->epilogue;
  const std::int64_t first = band.ResultAt(r, x) + channel.first;
  if (epilogue.IsClamp()) {
    if (epilogue.range.low > -std::numeric_limits<float>::infinity()) {
#pragma GCC unroll 8
      for (int p = 0; p < kPixels; ++p) {
        sum[p] = AtLeast(sum[p], hn::Set(d, epilogue.range.low));
      }
    }
    if (epilogue.range.high < std::numeric_limits<float>::infinity()) {
#pragma GCC unroll 8
      for (int p = 0; p < kPixels; ++p) {
        sum[p] = AtMost(sum[p], hn::Set(d, epilogue.range.high));
      }
    }
  } else {
    const bool has_residual = epilogue.residual != ResidualPlace::kNone;
    const R* residual =
        has_residual ? reinterpret_cast<const R*>(band.filter->residual) + first : nullptr;
    const float* slopes = epilogue.SlopesFrom(channel.first);
    FinishVectors(
        sum, epilogue, slopes == nullptr ? hn::Zero(d) : LoadChannels<kWhole>(slopes, channel),
        residual, [&](int p) { return p * band.channels; },
        [&](int) { return kWhole ? hn::Lanes(d) : channel.count; });
  }
#pragma GCC unroll 8
  for (int p = 0; p < kPixels; ++p) {
    R* to = reinterpret_cast<R*>(band.filter->y) + first + p * band.channels;
    if constexpr (kWhole) {
      StoreFloats(sum[p], d, to);
    } else {
      StoreFirst(sum[p], d, to, channel.count);
    }
  }
}

// Adds the products of a row of kTaps taps and a row of the input.
template <int kTaps, int kStride, int kColumns, int kPixels>
HWY_INLINE void AddTaps(const float* weights, const FloatVec (&column)[kColumns],
                        FloatVec (&sum)[kPixels]) {
  const FloatTag d;
#pragma GCC unroll 8
  for (int tx = 0; tx < kTaps; ++tx) {
    const FloatVec weight = LoadFloats(d, weights + tx * kFilterChannels);
#pragma GCC unroll 8
    for (int p = 0; p < kPixels; ++p) {
      sum[p] = hn::MulAdd(weight, column[p * kStride + tx], sum[p]);
    }
  }
}

// Computes kRows rows by kPixels pixels from x on. The window is kTaps x kTaps with stride kStride
// and without dilation, and has all columns inside the input. Each input element is loaded and
// widened once for the taps of all rows that read it.
template <typename T, typename R, int kTaps, int kStride, int kRows, int kPixels, bool kWhole>
HWY_INLINE void FilterBlock(const Band& band, std::int64_t x, const ChannelVector& channel) {
  const FloatTag d;
  constexpr int kColumns = (kPixels - 1) * kStride + kTaps;
  const float* weights = band.WeightsOf(channel.first);
  const std::int64_t left = x * kStride - band.filter->call->pad[2];
  const FloatVec bias = LoadFloats(d, band.filter->bias + channel.first);
  FloatVec sum[kRows][kPixels];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int p = 0; p < kPixels; ++p) {
      sum[r][p] = bias;
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < (kRows - 1) * kStride + kTaps; ++i) {
    if (!band.HasRow(band.y + i)) {
      continue;
    }
    const T* from = InputAt<T>(band, band.y + i, left) + channel.first;
    FloatVec column[kColumns];
#pragma GCC unroll 16
    for (int k = 0; k < kColumns; ++k) {
      column[k] = LoadChannels<kWhole>(from + k * band.channels, channel);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const int ty = i - r * kStride;
      if (ty < 0 || ty >= kTaps) {
        continue;
      }
      const std::int64_t tap = std::int64_t{ty} * kTaps;
      AddTaps<kTaps, kStride>(weights + tap * kFilterChannels, column, sum[r]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    StorePixels<kWhole, R>(band, r, x, channel, sum[r]);
  }
}

// Adds the product of a tap for one pixel of each row; in the first row it reads `row` and
// `column`.
template <typename T, int kRows, bool kWhole>
HWY_INLINE void AddTapOfRows(const Band& band, std::int64_t row, std::int64_t column,
                             const ChannelVector& channel, FloatVec weight,
                             FloatVec (&sum)[kRows][1]) {
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    const std::int64_t at = row + r * band.filter->call->stride[1];
    if (band.HasRow(at)) {
      const T* from = InputAt<T>(band, at, column) + channel.first;
      sum[r][0] = hn::MulAdd(weight, LoadChannels<kWhole>(from, channel), sum[r][0]);
    }
  }
}

// Computes one pixel of each row, for any window; columns of the window may lie outside the input.
template <typename T, typename R, int kRows, bool kWhole>
HWY_INLINE void FilterColumn(const Band& band, std::int64_t x, const ChannelVector& channel) {
  const FloatTag d;
  const ConvCall& call = *band.filter->call;
  const float* weights = band.WeightsOf(channel.first);
  const std::int64_t left = x * call.stride[2] - call.pad[2];
  FloatVec sum[kRows][1];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    sum[r][0] = LoadFloats(d, band.filter->bias + channel.first);
  }
  for (std::int64_t ty = 0; ty < call.kernel[1]; ++ty) {
    for (std::int64_t tx = 0; tx < call.kernel[2]; ++tx) {
      const std::int64_t at = left + tx * call.dilation[2];
      if (at < 0 || at >= call.input[2]) {
        continue;
      }
      const FloatVec weight = LoadFloats(d, weights + (ty * call.kernel[2] + tx) * kFilterChannels);
      AddTapOfRows<T, kRows, kWhole>(band, band.y + ty * call.dilation[1], at, channel, weight,
                                     sum);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    StorePixels<kWhole, R>(band, r, x, channel, sum[r]);
  }
}

// Computes kPixels pixels of the first row of the band from x on, for any window that has all
// columns inside the input.
template <typename T, typename R, int kPixels, bool kWhole>
HWY_INLINE void FilterCells(const Band& band, std::int64_t x, const ChannelVector& channel) {
  const FloatTag d;
  const ConvCall& call = *band.filter->call;
  const float* weights = band.WeightsOf(channel.first);
  const std::int64_t pixel_step = call.stride[2] * band.channels;
  const std::int64_t tap_step = call.dilation[2] * band.channels;
  FloatVec sum[kPixels];
#pragma GCC unroll 8
  for (int p = 0; p < kPixels; ++p) {
    sum[p] = LoadFloats(d, band.filter->bias + channel.first);
  }
  for (std::int64_t ty = 0; ty < call.kernel[1]; ++ty) {
    const std::int64_t row = band.y + ty * call.dilation[1];
    if (!band.HasRow(row)) {
      continue;
    }
    const T* from = InputAt<T>(band, row, x * call.stride[2] - call.pad[2]) + channel.first;
    const float* weight = weights + ty * call.kernel[2] * kFilterChannels;
    for (std::int64_t tx = 0; tx < call.kernel[2]; ++tx) {
      const FloatVec w = LoadFloats(d, weight + tx * kFilterChannels);
#pragma GCC unroll 8
      for (int p = 0; p < kPixels; ++p) {
        const T* source = from + tx * tap_step + p * pixel_step;
        sum[p] = hn::MulAdd(w, LoadChannels<kWhole>(source, channel), sum[p]);
      }
    }
  }
  StorePixels<kWhole, R>(band, 0, x, channel, sum);
}

}  // namespace halftone::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_CONV_CHANNEL_BLOCK_INL_H_
