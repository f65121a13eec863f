#include "kernels/conv/channel_filter.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/channel_filter.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// The order matters.
// clang-format off
#include "kernels/vector_storage-inl.h"
#include "kernels/gemm/epilogue-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {
namespace {

// Pixels that share the loads of their weights: an FMA takes 4 cycles and two start per cycle.
constexpr int kPixelsAtOnce = 8;
constexpr int kFewPixels = 2;

// One output row: the taps of the rows of the input that it sees.
struct Row {
  const ChannelFilter* filter;
  std::int64_t channels;
  std::int64_t image;
  std::int64_t y;          // of the input, under the first tap
  std::int64_t first_tap;  // rows of taps inside the input
  std::int64_t last_tap;
  const std::byte* residual;  // of the row's first pixel; null: none
};

template <typename T>
const T* InputAt(const Row& row, std::int64_t tap_row, std::int64_t x) {
  const ConvCall& call = *row.filter->call;
  const std::int64_t y = row.y + tap_row * call.dilation[1];
  return reinterpret_cast<const T*>(row.filter->x) +
         ((row.image * call.input[1] + y) * call.input[2] + x) * row.channels;
}

// Pixels [x, x + kPixels) of one row and one vector of channels from `channel` on; unless kWhole,
// only `count` of them are there. All columns of taps are inside the input for all of the pixels,
// or kPixels is 1.
template <typename T, typename R, int kPixels, bool kWhole>
HWY_INLINE void FilterCell(const Row& row, std::int64_t x, std::int64_t channel, std::size_t count,
                           R* y) {
  const FloatTag d;
  const ConvCall& call = *row.filter->call;
  const auto load = [&](const auto* p)
                        HWY_ATTR { return kWhole ? LoadFloats(d, p) : LoadFirst(d, p, count); };
  const std::int64_t pixel_step = call.stride[2] * row.channels;
  const std::int64_t tap_step = call.dilation[2] * row.channels;
  const std::int64_t left = x * call.stride[2] - call.pad[2];
  FloatVec sum[kPixels];
#pragma GCC unroll 8
  for (int p = 0; p < kPixels; ++p) {
    sum[p] = load(row.filter->bias + channel);
  }
  for (std::int64_t ty = row.first_tap; ty < row.last_tap; ++ty) {
    const float* weights = row.filter->weights + ty * call.kernel[2] * row.channels + channel;
    const T* from = InputAt<T>(row, ty, left) + channel;
    for (std::int64_t tx = 0; tx < call.kernel[2]; ++tx) {
      const std::int64_t at = left + tx * call.dilation[2];
      if (kPixels > 1 || (at >= 0 && at < call.input[2])) {
        const auto weight = load(weights + tx * row.channels);
        const T* source = from + tx * tap_step;
#pragma GCC unroll 8
        for (int p = 0; p < kPixels; ++p) {
          sum[p] = hn::MulAdd(weight, load(source + p * pixel_step), sum[p]);
        }
      }
    }
  }
  FinishVectors(
      sum, call.epilogue, reinterpret_cast<const R*>(row.residual),
      [&](int p) { return (x + p) * row.channels + channel; },
      [&](int) { return kWhole ? hn::Lanes(d) : count; });
#pragma GCC unroll 8
  for (int p = 0; p < kPixels; ++p) {
    R* to = y + (x + p) * row.channels + channel;
    if constexpr (kWhole) {
      StoreFloats(d, sum[p], to);
    } else {
      StoreFirst(d, sum[p], to, count);
    }
  }
}

// The same for whole vectors, rows of kTaps taps without gaps between them, and pixels whose taps
// are all inside the input: each input is loaded (and widened) once for all taps that read it.
template <typename T, typename R, int kTaps, int kStride, int kPixels>
HWY_INLINE void FilterRun(const Row& row, std::int64_t x, std::int64_t channel, R* y) {
  const FloatTag d;
  constexpr int kColumns = (kPixels - 1) * kStride + kTaps;
  const ConvCall& call = *row.filter->call;
  FloatVec sum[kPixels];
#pragma GCC unroll 8
  for (int p = 0; p < kPixels; ++p) {
    sum[p] = LoadFloats(d, row.filter->bias + channel);
  }
  for (std::int64_t ty = row.first_tap; ty < row.last_tap; ++ty) {
    const float* weights = row.filter->weights + ty * kTaps * row.channels + channel;
    const T* from = InputAt<T>(row, ty, x * kStride - call.pad[2]) + channel;
    FloatVec column[kColumns];
#pragma GCC unroll 32
    for (int i = 0; i < kColumns; ++i) {
      column[i] = LoadFloats(d, from + i * row.channels);
    }
#pragma GCC unroll 8
    for (int tx = 0; tx < kTaps; ++tx) {
      const FloatVec weight = LoadFloats(d, weights + tx * row.channels);
#pragma GCC unroll 8
      for (int p = 0; p < kPixels; ++p) {
        sum[p] = hn::MulAdd(weight, column[p * kStride + tx], sum[p]);
      }
    }
  }
  FinishVectors(
      sum, call.epilogue, reinterpret_cast<const R*>(row.residual),
      [&](int p) { return (x + p) * row.channels + channel; }, [&](int) { return hn::Lanes(d); });
#pragma GCC unroll 8
  for (int p = 0; p < kPixels; ++p) {
    StoreFloats(d, sum[p], y + (x + p) * row.channels + channel);
  }
}

// The output columns whose taps are all inside the input: [first, last).
struct Inside {
  std::int64_t first;
  std::int64_t last;
};

Inside InsideOf(const ConvCall& call) {
  const std::int64_t reach = (call.kernel[2] - 1) * call.dilation[2];
  const std::int64_t stride = call.stride[2];
  const std::int64_t first =
      std::min(call.output[2], (std::max<std::int64_t>(call.pad[2], 0) + stride - 1) / stride);
  const std::int64_t room = call.input[2] - 1 - reach + call.pad[2];
  const std::int64_t last = room < 0 ? 0 : room / stride + 1;
  return {first, std::clamp(last, first, call.output[2])};
}

// Pixels [x, x + kPixels) and all channels.
template <typename T, typename R, int kPixels>
void FilterPixels(const Row& row, std::int64_t x, R* y) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(FloatTag()));
  std::int64_t channel = 0;
  for (; channel + lanes <= row.channels; channel += lanes) {
    FilterCell<T, R, kPixels, true>(row, x, channel, 0, y);
  }
  if (channel < row.channels) {
    FilterCell<T, R, kPixels, false>(row, x, channel,
                                     static_cast<std::size_t>(row.channels - channel), y);
  }
}

template <typename T, typename R, int kTaps, int kStride, int kPixels>
void FilterDense(const Row& row, std::int64_t x, R* y) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(FloatTag()));
  std::int64_t channel = 0;
  for (; channel + lanes <= row.channels; channel += lanes) {
    FilterRun<T, R, kTaps, kStride, kPixels>(row, x, channel, y);
  }
  if (channel < row.channels) {
    FilterCell<T, R, kPixels, false>(row, x, channel,
                                     static_cast<std::size_t>(row.channels - channel), y);
  }
}

// As many pixels as leave registers for their columns (of 32).
template <typename T, typename R>
struct DenseForm {
  int taps;
  int stride;
  int pixels;
  void (*run)(const Row& row, std::int64_t x, R* y);
};

template <typename T, typename R>
constexpr DenseForm<T, R> kDenseForms[] = {
    {3, 1, 8, FilterDense<T, R, 3, 1, 8>}, {3, 1, 4, FilterDense<T, R, 3, 1, 4>},
    {3, 2, 6, FilterDense<T, R, 3, 2, 6>}, {5, 1, 8, FilterDense<T, R, 5, 1, 8>},
    {5, 1, 4, FilterDense<T, R, 5, 1, 4>}, {5, 2, 6, FilterDense<T, R, 5, 2, 6>},
};

// A few pixels at a time and all of their channels: what they read stays in the nearest cache, and
// memory is read in its own order.
template <typename T, typename R>
void FilterRow(const Row& row, R* y) {
  const ConvCall& call = *row.filter->call;
  const Inside inside = InsideOf(call);
  std::int64_t x = 0;
  for (; x < inside.first; ++x) {
    FilterPixels<T, R, 1>(row, x, y);
  }
  for (const DenseForm<T, R>& form : kDenseForms<T, R>) {
    if (call.dilation[2] == 1 && call.kernel[2] == form.taps && call.stride[2] == form.stride) {
      for (; x + form.pixels <= inside.last; x += form.pixels) {
        form.run(row, x, y);
      }
    }
  }
  for (; x + kPixelsAtOnce <= inside.last; x += kPixelsAtOnce) {
    FilterPixels<T, R, kPixelsAtOnce>(row, x, y);
  }
  for (; x + kFewPixels <= inside.last; x += kFewPixels) {
    FilterPixels<T, R, kFewPixels>(row, x, y);
  }
  for (; x < call.output[2]; ++x) {
    FilterPixels<T, R, 1>(row, x, y);
  }
}

template <typename T, typename R>
void FilterRows(const ChannelFilter& filter, std::int64_t first, std::int64_t last) {
  const ConvCall& call = *filter.call;
  for (std::int64_t i = first; i < last; ++i) {
    Row row{.filter = &filter,
            .channels = call.group,
            .image = i / call.output[1],
            .y = i % call.output[1] * call.stride[1] - call.pad[1],
            .first_tap = 0,
            .last_tap = call.kernel[1],
            .residual = nullptr};
    const std::int64_t first_result = i * call.output[2] * row.channels;
    if (filter.residual != nullptr) {
      row.residual = filter.residual + first_result * static_cast<std::int64_t>(sizeof(R));
    }
    while (row.first_tap < row.last_tap && row.y + row.first_tap * call.dilation[1] < 0) {
      ++row.first_tap;
    }
    while (row.last_tap > row.first_tap &&
           row.y + (row.last_tap - 1) * call.dilation[1] >= call.input[1]) {
      --row.last_tap;
    }
    FilterRow<T, R>(row, reinterpret_cast<R*>(filter.y) + first_result);
  }
}

void Filter(const ChannelFilter& filter, std::int64_t first, std::int64_t last) {
  const bool wide = filter.call->result_dtype == DType::kFloat32;
  switch (filter.call->dtype) {
    case DType::kFloat16:
      return wide ? FilterRows<Float16, float>(filter, first, last)
                  : FilterRows<Float16, Float16>(filter, first, last);
    case DType::kBFloat16:
      return wide ? FilterRows<BFloat16, float>(filter, first, last)
                  : FilterRows<BFloat16, BFloat16>(filter, first, last);
    default:
      return FilterRows<float, float>(filter, first, last);
  }
}

}  // namespace
}  // namespace halftone::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(Filter);

}  // namespace

void FilterChannelRows(const ChannelFilter& filter, std::int64_t first,
                       std::int64_t last) noexcept {
  HWY_DYNAMIC_DISPATCH(Filter)(filter, first, last);
}

}  // namespace halftone
#endif  // HWY_ONCE
