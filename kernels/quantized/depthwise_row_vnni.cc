// This file alone is compiled for AVX512-VNNI. It includes nothing with inline functions that the
// linker could share with files for lesser CPUs.
#include "kernels/quantized/depthwise_row.h"
#include "kernels/vector_capabilities.h"

#if HALFTONE_CAN(DOT_BYTES)
// gcc 12 warns of its own intrinsics (its bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

namespace halftone {
namespace {

constexpr int kQuarters = 4;
constexpr std::int64_t kLanes = 16;  // channels of a quarter

struct Column {
  __m512i quarter[kQuarters];
};

// Four rows of bytes, by channels: each 32-bit lane has the four bytes of a channel.
inline Column Interleaved(const __m512i (&row)[kDepthwiseRowsAtOnce]) {
  const __m512i low01 = _mm512_unpacklo_epi8(row[0], row[1]);
  const __m512i high01 = _mm512_unpackhi_epi8(row[0], row[1]);
  const __m512i low23 = _mm512_unpacklo_epi8(row[2], row[3]);
  const __m512i high23 = _mm512_unpackhi_epi8(row[2], row[3]);
  return {{_mm512_unpacklo_epi16(low01, low23), _mm512_unpackhi_epi16(low01, low23),
           _mm512_unpacklo_epi16(high01, high23), _mm512_unpackhi_epi16(high01, high23)}};
}

// Window of kSize x kSize taps, kStride columns apart, so that all offsets are known; 0: any.
template <int kSize, int kStride>
class RowKernel {
 public:
  explicit RowKernel(const DepthwiseRowArgs& args)
      : args_(args),
        finish_(args.finish != nullptr ? *args.finish : ByteTileFinish{}),
        mask_(args.channels == kDepthwiseRowChannels ? ~__mmask64{0}
                                                     : (__mmask64{1} << args.channels) - 1),
        flip_(_mm512_set1_epi8(static_cast<char>(args.flip))),
        padding_(_mm512_set1_epi8(static_cast<char>(args.padding))),
        zero_(_mm512_set1_epi16(static_cast<short>(finish_.zero))),
        result_flip_(_mm512_set1_epi8(static_cast<char>(finish_.flip))),
        low_(_mm512_set1_ps(finish_.low)),
        high_(_mm512_set1_ps(finish_.high < static_cast<float>(255 - finish_.zero)
                                 ? finish_.high
                                 : static_cast<float>(255 - finish_.zero))) {}

  // P pixels from `pixel` on.
  template <int P>
  void Run(int pixel) const {
    __m512i sum[P][kQuarters];
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) {
#pragma GCC unroll 4
      for (int q = 0; q < kQuarters; ++q) {
        sum[p][q] = _mm512_setzero_si512();
      }
    }
    const std::int64_t first = args_.first_column + std::int64_t{pixel} * stride();
    const int columns = (P - 1) * stride() + kernel_columns();
#pragma GCC unroll 12
    for (int c = 0; c < columns; ++c) {
      for (int group = 0; group < groups(); ++group) {
        const Column column = Load(first + c, group);
#pragma GCC unroll 4
        for (int p = 0; p < P; ++p) {
          AddTap(column, c - p * stride(), group, sum[p]);
        }
      }
    }
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) {
      if (args_.finish != nullptr) {
        Finish(sum[p], pixel + p);
      } else {
        StoreSums(sum[p], args_.sums + std::int64_t{pixel + p} * kDepthwiseRowChannels);
      }
    }
  }

 private:
  [[nodiscard]] int stride() const {
    return kStride != 0 ? kStride : static_cast<int>(args_.stride);
  }

  [[nodiscard]] int kernel_rows() const {
    return kSize != 0 ? kSize : args_.kernel_rows;
  }

  [[nodiscard]] int kernel_columns() const {
    return kSize != 0 ? kSize : args_.kernel_columns;
  }

  [[nodiscard]] int groups() const {
    return (kernel_rows() + kDepthwiseRowsAtOnce - 1) / kDepthwiseRowsAtOnce;
  }

  [[nodiscard]] Column Load(std::int64_t column, int group) const {
    const bool inside = column >= 0 && column < args_.input_columns;
    __m512i row[kDepthwiseRowsAtOnce];
#pragma GCC unroll 4
    for (int r = 0; r < kDepthwiseRowsAtOnce; ++r) {
      const int at = group * kDepthwiseRowsAtOnce + r;
      const std::uint8_t* from = at < kernel_rows() && inside ? args_.rows[at] : nullptr;
      row[r] = from == nullptr
                   ? padding_
                   : _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask_, from + column * args_.pitch),
                                      flip_);
    }
    return Interleaved(row);
  }

  [[nodiscard]] __m512i Rounded(__m512i sum, int q) const {
    const __m512i terms = _mm512_loadu_si512(finish_.offset + q * kLanes);
    const __m512 steps = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_add_epi32(sum, terms)),
                                       _mm512_loadu_ps(finish_.multiplier + q * kLanes));
    return _mm512_cvtps_epi32(_mm512_min_ps(high_, _mm512_max_ps(low_, steps)));
  }

  // Adds to the sums of a pixel; the column lies under column `tap` of its window, if any.
  [[gnu::always_inline]] void AddTap(const Column& column, int tap, int group,
                                     __m512i (&sum)[kQuarters]) const {
    if (tap < 0 || tap >= kernel_columns()) {
      return;
    }
    const int first = (tap * groups() + group) * kQuarters * kDepthwiseRowChannels;
    const std::int8_t* weights = args_.weights + first;
#pragma GCC unroll 4
    for (std::int64_t q = 0; q < kQuarters; ++q) {
      sum[q] = _mm512_dpbusd_epi32(sum[q], column.quarter[q],
                                   _mm512_loadu_si512(weights + q * kDepthwiseRowChannels));
    }
  }

  // As ByteRows of byte_tile_vnni.cc.
  void Finish(const __m512i (&sum)[kQuarters], int pixel) const {
    const __m512i low =
        _mm512_adds_epi16(_mm512_packs_epi32(Rounded(sum[0], 0), Rounded(sum[1], 1)), zero_);
    const __m512i high =
        _mm512_adds_epi16(_mm512_packs_epi32(Rounded(sum[2], 2), Rounded(sum[3], 3)), zero_);
    const __m512i bytes = _mm512_xor_si512(_mm512_packus_epi16(low, high), result_flip_);
    _mm512_mask_storeu_epi8(finish_.y + pixel * finish_.row_stride, mask_, bytes);
  }

  static void StoreSums(const __m512i (&sum)[kQuarters], std::int32_t* to) {
    alignas(64) std::int32_t lanes[16];
    for (int q = 0; q < kQuarters; ++q) {
      _mm512_store_si512(lanes, sum[q]);
      for (int lane = 0; lane < 16; ++lane) {
        to[DepthwiseChannelAt(q, lane)] = lanes[lane];
      }
    }
  }

  // Copies: stores of bytes could change what a reference refers to.
  DepthwiseRowArgs args_;
  ByteTileFinish finish_;
  __mmask64 mask_;
  __m512i flip_, padding_;
  __m512i zero_, result_flip_;
  __m512 low_, high_;
};

template <int kSize, int kStride>
void RunRow(const DepthwiseRowArgs& args) {
  const RowKernel<kSize, kStride> kernel(args);
  int pixel = 0;
  for (; pixel + 4 <= args.pixels; pixel += 4) {
    kernel.template Run<4>(pixel);
  }
  for (; pixel + 2 <= args.pixels; pixel += 2) {
    kernel.template Run<2>(pixel);
  }
  if (pixel < args.pixels) {
    kernel.template Run<1>(pixel);
  }
}

struct SizeRow {
  int size, stride;
  void (*run)(const DepthwiseRowArgs& args);
};

constexpr SizeRow kSizes[] = {
    {3, 1, RunRow<3, 1>}, {3, 2, RunRow<3, 2>}, {5, 1, RunRow<5, 1>}, {5, 2, RunRow<5, 2>}};

}  // namespace

void DepthwiseRowVnni(const DepthwiseRowArgs& args) noexcept {
  for (const SizeRow& row : kSizes) {
    if (args.kernel_rows == row.size && args.kernel_columns == row.size &&
        args.stride == row.stride) {
      row.run(args);
      return;
    }
  }
  RunRow<0, 0>(args);
}

}  // namespace halftone

#pragma GCC diagnostic pop

#else

namespace halftone {

void DepthwiseRowVnni(const DepthwiseRowArgs&) noexcept {}

}  // namespace halftone

#endif
