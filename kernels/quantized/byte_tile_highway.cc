#include "kernels/quantized/byte_tile.h"
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quantized/byte_tile_highway.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

void Tile(const ByteTileArgs& args) {
  for (int i = 0; i < args.rows; ++i) {
    std::int32_t* to = args.c + i * kTileColumns;
    for (int j = 0; j < kTileColumns && !args.accumulate; ++j) {
      to[j] = 0;
    }
    for (std::int64_t k = 0; k < args.steps; ++k) {
      const std::uint8_t* a = args.a + i * args.lda + k * kBytesPerStep;
      const std::int8_t* b = args.b + k * kTileColumns * kBytesPerStep;
      for (int j = 0; j < kTileColumns; ++j, b += kBytesPerStep) {
        const std::int32_t sum = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
        to[j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(to[j]) +
                                          static_cast<std::uint32_t>(sum));
      }
    }
  }
}

#else

constexpr int kRows = 4;  // at a time: their sums and operands fit 16 registers

// Columns [0, lanes / 2) of a panel by R rows. A lane of 32 bits holds the sum of two of the four
// products of a step (16 bits by 16 bits: exact), so a column has two lanes.
template <int R>
void Columns(const ByteTileArgs& args, const std::uint8_t* a, const std::int8_t* b,
             std::int32_t* c) {
  const hn::ScalableTag<std::int32_t> d32;
  const hn::Repartition<std::int16_t, decltype(d32)> d16;
  const hn::Rebind<std::int8_t, decltype(d16)> d8;
  const hn::Repartition<std::uint64_t, decltype(d16)> d64;
  constexpr std::int64_t kPanelStep = kTileColumns * kBytesPerStep;
  using Sums = decltype(hn::Zero(d32));
  Sums sum[R];
  Sums other[R];
  for (int i = 0; i < R; ++i) {
    sum[i] = hn::Zero(d32);
    other[i] = hn::Zero(d32);
  }
  for (std::int64_t k = 0; k < args.steps; ++k) {
    const auto right = hn::PromoteTo(d16, hn::LoadU(d8, b + k * kPanelStep));
    for (int i = 0; i < R; ++i) {
      const std::uint8_t* row = a + i * args.lda + k * kBytesPerStep;
      // The four elements of A as 16 bits each, in every 64 bits.
      const std::uint64_t word = row[0] | static_cast<std::uint64_t>(row[1]) << 16U |
                                 static_cast<std::uint64_t>(row[2]) << 32U |
                                 static_cast<std::uint64_t>(row[3]) << 48U;
      const auto left = hn::BitCast(d16, hn::Set(d64, word));
      sum[i] = hn::ReorderWidenMulAccumulate(d32, left, right, sum[i], other[i]);
    }
  }
  const auto lanes = static_cast<int>(hn::Lanes(d32));
  HWY_ALIGN std::int32_t parts[HWY_MAX_BYTES / sizeof(std::int32_t)];
  for (int i = 0; i < R; ++i) {
    hn::Store(hn::RearrangeToOddPlusEven(sum[i], other[i]), d32, parts);
    std::int32_t* to = c + i * kTileColumns;
    for (int j = 0; j < lanes / 2; ++j) {
      const auto total = static_cast<std::uint32_t>(parts[2 * j]) +
                         static_cast<std::uint32_t>(parts[2 * j + 1]) +
                         (args.accumulate ? static_cast<std::uint32_t>(to[j]) : 0U);
      to[j] = static_cast<std::int32_t>(total);
    }
  }
}

void Tile(const ByteTileArgs& args) {
  using Function =
      void (*)(const ByteTileArgs&, const std::uint8_t*, const std::int8_t*, std::int32_t*);
  constexpr Function kByRows[kRows] = {Columns<1>, Columns<2>, Columns<3>, Columns<4>};
  const auto columns = static_cast<int>(hn::Lanes(hn::ScalableTag<std::int32_t>())) / 2;
  for (int row = 0; row < args.rows; row += kRows) {
    const int rows = args.rows - row < kRows ? args.rows - row : kRows;
    for (int column = 0; column < args.columns; column += columns) {
      kByRows[rows - 1](args, args.a + row * args.lda, args.b + column * kBytesPerStep,
                        args.c + row * kTileColumns + column);
    }
  }
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(Tile);

}  // namespace

void ByteTileHighway(const ByteTileArgs& args) noexcept {
  HWY_DYNAMIC_DISPATCH(Tile)(args);
}

}  // namespace halftone
#endif  // HWY_ONCE
