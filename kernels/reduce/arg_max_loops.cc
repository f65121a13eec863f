// Vector loops of ArgMax and ArgMin: along rows, and along an axis with others behind it.
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/arg_max_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include <algorithm>
#include <bit>
#include <limits>

#include "kernels/reduce/reduce.h"
#include "kernels/vector_count-inl.h"
#include "kernels/vector_extremes-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

using FloatMask = hn::Mask<FloatTag>;

struct Greatest {
  static constexpr float kWorst = -std::numeric_limits<float>::infinity();

  static HWY_INLINE FloatMask Better(FloatVec a, FloatVec b) { return hn::Gt(a, b); }

  static HWY_INLINE FloatVec Best(FloatVec a, FloatVec b) { return hn::Max(a, b); }

  static HWY_INLINE float OfLanes(FloatTag d, FloatVec v) { return ExtremeLane<true>(d, v); }

  static bool IsBetter(float a, float b) { return a > b; }
};

struct Least {
  static constexpr float kWorst = std::numeric_limits<float>::infinity();

  static HWY_INLINE FloatMask Better(FloatVec a, FloatVec b) { return hn::Lt(a, b); }

  static HWY_INLINE FloatVec Best(FloatVec a, FloatVec b) { return hn::Min(a, b); }

  static HWY_INLINE float OfLanes(FloatTag d, FloatVec v) { return ExtremeLane<false>(d, v); }

  static bool IsBetter(float a, float b) { return a < b; }
};

struct IsNoNumber {
  HWY_INLINE FloatMask operator()(FloatTag, FloatVec x) const { return hn::IsNaN(x); }
};

struct IsValue {
  HWY_INLINE FloatMask operator()(FloatTag d, FloatVec x) const {
    return hn::Eq(x, hn::Set(d, value));
  }

  float value;
};

// The first, or last, of the elements that `test` holds for; -1: none.
template <bool kLast, typename T, typename Test>
std::int64_t Find(const T* x, std::int64_t count, const Test& test) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t vectors = (count + lanes - 1) / lanes;
  for (std::int64_t i = 0; i < vectors; ++i) {
    const std::int64_t at = (kLast ? vectors - 1 - i : i) * lanes;
    const std::int64_t here = std::min(lanes, count - at);
    const auto hits =
        hn::And(test(d, LoadCount(d, x + at, here)), hn::FirstN(d, static_cast<std::size_t>(here)));
    if (!hn::AllFalse(d, hits)) {
      std::uint64_t bits = 0;
      hn::StoreMaskBits(d, hits, reinterpret_cast<std::uint8_t*>(&bits));
      return at + (kLast ? std::bit_width(bits) - 1 : std::countr_zero(bits));
    }
  }
  return -1;
}

// Summary of a block of a row.
struct BlockSummary {
  float best;
  bool has_nan;  // then `best` means nothing
};

template <typename T, typename Order>
HWY_INLINE BlockSummary Summary(const T* x, std::int64_t count) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const FloatVec worst = hn::Set(d, Order::kWorst);
  FloatVec best0 = worst;
  FloatVec best1 = worst;
  FloatMask nan0 = hn::IsNaN(worst);
  FloatMask nan1 = nan0;
  std::int64_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const FloatVec x0 = LoadFloats(d, x + i);
    const FloatVec x1 = LoadFloats(d, x + i + lanes);
    best0 = Order::Best(best0, x0);
    best1 = Order::Best(best1, x1);
    nan0 = hn::Or(nan0, hn::IsNaN(x0));
    nan1 = hn::Or(nan1, hn::IsNaN(x1));
  }
  for (; i < count; i += lanes) {
    const auto here = hn::FirstN(d, static_cast<std::size_t>(std::min(lanes, count - i)));
    const FloatVec x0 = hn::IfThenElse(here, LoadCount(d, x + i, count - i), worst);
    best0 = Order::Best(best0, x0);
    nan0 = hn::Or(nan0, hn::IsNaN(x0));
  }
  return {Order::OfLanes(d, Order::Best(best0, best1)), !hn::AllFalse(d, hn::Or(nan0, nan1))};
}

// Blocks are looked through for their best value only; for its place only where it is the best so
// far, which on random numbers is the logarithm of the number of blocks, and at worst all of them
// once more, from the first-level cache.
template <typename T, typename Order, bool kLast>
std::int64_t IndexInRow(const T* x, std::int64_t length) {
  constexpr std::int64_t kBlock = 1024;  // 4 KiB
  float best = Order::kWorst;
  std::int64_t index = 0;
  for (std::int64_t begin = 0; begin < length; begin += kBlock) {
    const std::int64_t count = std::min(kBlock, length - begin);
    const BlockSummary block = Summary<T, Order>(x + begin, count);
    if (block.has_nan) {
      return begin + Find<kLast>(x + begin, kLast ? length - begin : count, IsNoNumber{});
    }
    if (Order::IsBetter(block.best, best) || (kLast && block.best == best)) {
      best = block.best;
      index = begin + Find<kLast>(x + begin, count, IsValue{best});
    }
  }
  return index;
}

// Lanes in which x takes the place of `best`: x is better, or NaN where `best` is not; if the last
// index is sought, also any NaN, and x equal to `best`.
template <typename Order, bool kLast>
HWY_INLINE FloatMask Replaces(FloatVec x, FloatVec best) {
  const auto settled = hn::IsNaN(best);
  return kLast ? hn::Or(hn::AndNot(settled, hn::Not(Order::Better(best, x))), hn::IsNaN(x))
               : hn::AndNot(settled, hn::Or(Order::Better(x, best), hn::IsNaN(x)));
}

// Row by row against the best of `count` columns, which stay in the first-level cache.
template <typename T, typename Order, bool kLast>
void IndicesInColumns(const T* x, std::int64_t* y, const ArgMaxTile& tile) {
  const FloatTag d;
  const hn::RebindToSigned<FloatTag> di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  HWY_ALIGN float best[kArgMaxColumns];
  HWY_ALIGN std::int32_t index[kArgMaxColumns];
  for (std::int64_t j = 0; j < tile.count; j += lanes) {
    hn::Store(LoadCount(d, x + j, tile.count - j), d, best + j);
    hn::Store(hn::Zero(di), di, index + j);
  }
  for (std::int64_t k = 1; k < tile.length; ++k) {
    const T* row = x + k * tile.inner;
    const auto here = hn::Set(di, static_cast<std::int32_t>(k));
    for (std::int64_t j = 0; j < tile.count; j += lanes) {
      const FloatVec v = LoadCount(d, row + j, tile.count - j);
      const FloatVec old = hn::Load(d, best + j);
      const auto replaces = Replaces<Order, kLast>(v, old);
      hn::Store(hn::IfThenElse(replaces, v, old), d, best + j);
      hn::Store(hn::IfThenElse(hn::RebindMask(di, replaces), here, hn::Load(di, index + j)), di,
                index + j);
    }
  }
  std::copy_n(index, tile.count, y);
}

template <typename T, typename Order, bool kLast>
void Loop(const void* from, std::int64_t* y, const ArgMaxTile& tile) {
  const T* x = static_cast<const T*>(from);
  if (tile.inner == 1) {
    *y = IndexInRow<T, Order, kLast>(x, tile.length);
  } else {
    IndicesInColumns<T, Order, kLast>(x, y, tile);
  }
}

template <typename T>
ArgMaxLoop LoopOf(ArgMaxForm form) {
  static constexpr ArgMaxLoop kLoops[2][2] = {
      {Loop<T, Greatest, false>, Loop<T, Greatest, true>},
      {Loop<T, Least, false>, Loop<T, Least, true>},
  };
  return kLoops[form.least ? 1 : 0][form.last ? 1 : 0];
}

ArgMaxLoop FindLoop(DType dtype, ArgMaxForm form) {
  return dtype == DType::kFloat32
             ? LoopOf<float>(form)
             : (dtype == DType::kFloat16 ? LoopOf<Float16>(form) : LoopOf<BFloat16>(form));
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {

HWY_EXPORT(FindLoop);

ArgMaxLoop FindArgMaxLoop(DType dtype, ArgMaxForm form) {
  return HWY_DYNAMIC_DISPATCH(FindLoop)(dtype, form);
}

}  // namespace halftone
#endif  // HWY_ONCE
