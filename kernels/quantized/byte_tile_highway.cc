#include <cstring>
#include <utility>

#include "kernels/quantized/byte_tile.h"
#include "kernels/vector_capabilities.h"
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

#if !HALFTONE_CAN(SPLIT_VECTORS)

void Tile(const ByteTileArgs& args) {
  for (std::int64_t i = 0; i < args.rows; ++i) {
    std::int32_t* to = args.c + i * kByteTileColumns;
    for (int j = 0; j < kByteTileColumns && !args.accumulate; ++j) {
      to[j] = 0;
    }
    for (std::int64_t k = 0; k < args.steps; ++k) {
      const std::uint8_t* a = args.a + i * args.lda + k * kBytesPerStep;
      const std::int8_t* b = args.b + k * kByteTileColumns * kBytesPerStep;
      for (int j = 0; j < kByteTileColumns; ++j, b += kBytesPerStep) {
        const std::int32_t sum = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
        to[j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(to[j]) +
                                          static_cast<std::uint32_t>(sum));
      }
    }
  }
}

#else

// Rows at a time, by kParts parts of a panel: their sums and operands fit 32 or 16 registers.
constexpr int kRows = hn::MaxLanes(hn::ScalableTag<std::int32_t>()) >= 16 ? 12 : 4;
constexpr int kParts = 2;
constexpr std::int64_t kSteps = 128;  // of A that are widened at a time

// Rows of A as 16 bits.
struct WideRows {
  HWY_ALIGN std::int16_t values[kRows][kSteps * kBytesPerStep];
};

void Widen(const std::uint8_t* a, std::int64_t lda, int rows, std::int64_t count, WideRows& wide) {
  const hn::ScalableTag<std::int16_t> d16;
  const hn::Rebind<std::uint8_t, decltype(d16)> d8;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d16));
  for (int i = 0; i < rows; ++i) {
    const std::uint8_t* row = a + i * lda;
    std::int64_t k = 0;
    for (; k + lanes <= count; k += lanes) {
      hn::Store(hn::PromoteTo(d16, hn::LoadU(d8, row + k)), d16, wide.values[i] + k);
    }
    for (; k < count; ++k) {
      wide.values[i][k] = row[k];
    }
  }
}

// P parts of a panel by R rows. A lane of 32 bits holds the sum of two of the four products of a
// step (16 bits by 16 bits: exact), so a column has two lanes, and a part half the lanes' columns.
template <int R, int P>
void Columns(const WideRows& a, std::int64_t steps, const std::int8_t* b, bool accumulate,
             std::int32_t* c) {
  const hn::ScalableTag<std::int32_t> d32;
  const hn::Repartition<std::int16_t, decltype(d32)> d16;
  const hn::Rebind<std::int8_t, decltype(d16)> d8;
  const hn::Repartition<std::uint64_t, decltype(d16)> d64;
  constexpr std::int64_t kPanelStep = kByteTileColumns * kBytesPerStep;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d32));
  using Sums = decltype(hn::Zero(d32));
  Sums sum[R][P];
  Sums other[R][P];
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int p = 0; p < P; ++p) {
      sum[i][p] = hn::Zero(d32);
      other[i][p] = hn::Zero(d32);
    }
  }
  for (std::int64_t k = 0; k < steps; ++k) {
    decltype(hn::Zero(d16)) right[P];
#pragma GCC unroll 2
    for (int p = 0; p < P; ++p) {
      right[p] = hn::PromoteTo(d16, hn::LoadU(d8, b + k * kPanelStep + 2 * lanes * p));
    }
#pragma GCC unroll 12
    for (int i = 0; i < R; ++i) {
      std::uint64_t word = 0;  // the four elements of A, in every 64 bits
      std::memcpy(&word, a.values[i] + k * kBytesPerStep, sizeof(word));
      const auto left = hn::BitCast(d16, hn::Set(d64, word));
#pragma GCC unroll 2
      for (int p = 0; p < P; ++p) {
        sum[i][p] = hn::ReorderWidenMulAccumulate(d32, left, right[p], sum[i][p], other[i][p]);
      }
    }
  }
#pragma GCC unroll 12
  for (std::int64_t i = 0; i < R; ++i) {
    const auto first = hn::RearrangeToOddPlusEven(sum[i][0], other[i][0]);
    const auto second = hn::RearrangeToOddPlusEven(sum[i][P - 1], other[i][P - 1]);
    auto total = hn::Add(hn::ConcatEven(d32, second, first), hn::ConcatOdd(d32, second, first));
    std::int32_t* to = c + i * kByteTileColumns;
    total = accumulate ? hn::Add(total, hn::LoadU(d32, to)) : total;
    if constexpr (P == 1) {  // the upper half is the same again
      hn::StoreU(hn::LowerHalf(total), hn::Half<decltype(d32)>(), to);
    } else {
      hn::StoreU(total, d32, to);
    }
  }
}

using ColumnsFunction = void (*)(const WideRows&, std::int64_t, const std::int8_t*, bool,
                                 std::int32_t*);

template <int P, std::size_t... R>
ColumnsFunction ColumnsOf(int rows, std::index_sequence<R...>) {
  static constexpr ColumnsFunction kByRows[] = {Columns<static_cast<int>(R) + 1, P>...};
  return kByRows[rows - 1];
}

void Tile(const ByteTileArgs& args) {
  const auto columns = static_cast<int>(hn::Lanes(hn::ScalableTag<std::int32_t>())) / 2;
  constexpr auto kByRows = std::make_index_sequence<kRows>();
  WideRows wide;
  for (int row = 0; row < args.rows; row += kRows) {
    const int rows = args.rows - row < kRows ? args.rows - row : kRows;
    std::int64_t first = 0;
    do {  // without steps too: the sums are 0 then
      const std::int64_t steps = args.steps - first < kSteps ? args.steps - first : kSteps;
      Widen(args.a + row * args.lda + first * kBytesPerStep, args.lda, rows, steps * kBytesPerStep,
            wide);
      const bool accumulate = args.accumulate || first > 0;
      const std::int8_t* b = args.b + first * kByteTileColumns * kBytesPerStep;
      for (int column = 0; column < args.columns;) {
        const bool pair = column + columns < args.columns;
        const ColumnsFunction function =
            pair ? ColumnsOf<kParts>(rows, kByRows) : ColumnsOf<1>(rows, kByRows);
        function(wide, steps, b + column * kBytesPerStep, accumulate,
                 args.c + std::int64_t{row} * kByteTileColumns + column);
        column += pair ? kParts * columns : columns;
      }
      first += kSteps;
    } while (first < args.steps);
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
