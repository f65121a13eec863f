#include "kernels/conv/channel_filter.h"

#include <algorithm>

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/channel_filter.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// The order matters.
// clang-format off
#include "kernels/vector_capabilities.h"
#include "kernels/vector_storage-inl.h"
#include "kernels/tile/epilogue-inl.h"
#include "kernels/conv/channel_block-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {
namespace {

// Sums in registers: 16 of 32 leave room for the columns of a row, 8 of 16 too. An FMA takes 4
// cycles and two start per cycle, so no fewer than 8.
constexpr bool kManyRegisters = HALFTONE_CAN(AVX512);
constexpr int kBlockPixels = 4;
constexpr int kTallRows = kManyRegisters ? 4 : 2;
constexpr int kFlatRows = 2;
constexpr int kCells = 8;
constexpr int kFewCells = 2;

// One pixel or block of a band, all channels.
using Step = void (*)(const Band& band, std::int64_t x);

// Calls whole(channels) for whole vectors and part(channels) for what is left.
template <typename Whole, typename Part>
HWY_INLINE void ForEachVector(const Band& band, const Whole& whole, const Part& part) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(FloatTag()));
  ChannelVector channel;
  for (; channel.first + lanes <= band.channels; channel.first += lanes) {
    whole(channel);
  }
  if (channel.first < band.channels) {
    channel.count = static_cast<std::size_t>(band.channels - channel.first);
    part(channel);
  }
}

template <typename T, typename R, int kTaps, int kStride, int kRows>
void Block(const Band& band, std::int64_t x) {
  ForEachVector(
      band,
      [&](const ChannelVector& channel) HWY_ATTR {
        FilterBlock<T, R, kTaps, kStride, kRows, kBlockPixels, true>(band, x, channel);
      },
      [&](const ChannelVector& channel) HWY_ATTR {
        FilterBlock<T, R, kTaps, kStride, kRows, kBlockPixels, false>(band, x, channel);
      });
}

template <typename T, typename R, int kRows>
void Column(const Band& band, std::int64_t x) {
  ForEachVector(
      band,
      [&](const ChannelVector& channel)
          HWY_ATTR { FilterColumn<T, R, kRows, true>(band, x, channel); },
      [&](const ChannelVector& channel)
          HWY_ATTR { FilterColumn<T, R, kRows, false>(band, x, channel); });
}

template <typename T, typename R, int kPixels>
void Cells(const Band& band, std::int64_t x) {
  ForEachVector(
      band,
      [&](const ChannelVector& channel)
          HWY_ATTR { FilterCells<T, R, kPixels, true>(band, x, channel); },
      [&](const ChannelVector& channel)
          HWY_ATTR { FilterCells<T, R, kPixels, false>(band, x, channel); });
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

// Computation of kRows rows of a square window.
struct SquareForm {
  int taps;
  int stride;
  int rows;
  Step block;   // kBlockPixels pixels
  Step column;  // one pixel
};

template <typename T, typename R, int kTaps, int kStride, int kRows>
constexpr SquareForm Square() {
  return {kTaps, kStride, kRows, Block<T, R, kTaps, kStride, kRows>, Column<T, R, kRows>};
}

// The taller first: an input row that is in two bands is read from the next cache twice. With
// stride 2 neighbouring bands share one row only, and more rows are more places to read from (4:
// 1.05 of the time on 112x112x64, Zen 4).
template <typename T, typename R>
constexpr SquareForm kSquareForms[] = {
    Square<T, R, 3, 1, kTallRows>(), Square<T, R, 3, 1, kFlatRows>(),
    Square<T, R, 3, 2, kFlatRows>(), Square<T, R, 5, 1, kFlatRows>(),
    Square<T, R, 5, 2, kFlatRows>(),
};

bool Fits(const SquareForm& form, const ConvCall& call) {
  return call.kernel[1] == form.taps && call.kernel[2] == form.taps &&
         call.stride[1] == form.stride && call.stride[2] == form.stride && call.dilation[1] == 1 &&
         call.dilation[2] == 1;
}

// A few pixels at a time and all of their channels: what they read stays in the nearest cache, and
// memory is read in its own order. Blocks overlap at the end of a row.
void FilterSquare(const SquareForm& form, const Band& band, const Inside& inside) {
  std::int64_t x = 0;
  for (; x < inside.first; ++x) {
    form.column(band, x);
  }
  if (inside.last - inside.first >= kBlockPixels) {
    for (; x < inside.last; x += kBlockPixels) {
      x = std::min(x, inside.last - kBlockPixels);
      form.block(band, x);
    }
  }
  for (; x < band.filter->call->output[2]; ++x) {
    form.column(band, x);
  }
}

template <typename T, typename R>
void FilterRow(const Band& band, const Inside& inside) {
  std::int64_t x = 0;
  for (; x < inside.first; ++x) {
    Column<T, R, 1>(band, x);
  }
  for (; x + kCells <= inside.last; x += kCells) {
    Cells<T, R, kCells>(band, x);
  }
  for (; x + kFewCells <= inside.last; x += kFewCells) {
    Cells<T, R, kFewCells>(band, x);
  }
  for (; x < band.filter->call->output[2]; ++x) {
    Column<T, R, 1>(band, x);
  }
}

template <typename T, typename R>
void FilterRows(const ChannelFilter& filter, std::int64_t first, std::int64_t last) {
  const ConvCall& call = *filter.call;
  const Inside inside = InsideOf(call);
  const std::int64_t image = call.input[1] * call.input[2] * call.group;
  while (first < last) {
    const std::int64_t row = first % call.output[1];
    const std::int64_t rows = std::min(last - first, call.output[1] - row);
    const Band band{
        .filter = &filter,
        .channels = call.group,
        .image = filter.x + first / call.output[1] * image * static_cast<std::int64_t>(sizeof(T)),
        .y = row * call.stride[1] - call.pad[1],
        .first_result = first * call.output[2] * call.group};
    const auto* form =
        std::find_if(std::begin(kSquareForms<T, R>), std::end(kSquareForms<T, R>),
                     [&](const SquareForm& f) { return f.rows <= rows && Fits(f, call); });
    if (form != std::end(kSquareForms<T, R>)) {
      FilterSquare(*form, band, inside);
      first += form->rows;
    } else {
      FilterRow<T, R>(band, inside);
      ++first;
    }
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
