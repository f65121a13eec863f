#include "kernels/normalization/lp_tiles.h"

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/normalization/lp_tiles.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include <cmath>

#include "kernels/vector_count-inl.h"
#include "kernels/vector_halves-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

HWY_INLINE FloatVec Scaled(FloatTag d, FloatVec x, const Halves& scale) {
  const Halves v = Promoted(x);
  return Demoted(d, {hn::Mul(v.low, scale.low), hn::Mul(v.high, scale.high)});
}

template <int kP>
HWY_INLINE DoubleVec With(DoubleVec sum, DoubleVec x) {
  return kP == 1 ? hn::Add(sum, hn::Abs(x)) : hn::MulAdd(x, x, sum);
}

// Sums of |x|^p, one a lane.
template <int kP>
class PowerSum {
 public:
  HWY_INLINE PowerSum() : sums_{hn::Zero(DoubleTag()), hn::Zero(DoubleTag())} {}

  HWY_INLINE void Add(FloatVec x) {
    const Halves v = Promoted(x);
    sums_.low = With<kP>(sums_.low, v.low);
    sums_.high = With<kP>(sums_.high, v.high);
  }

  HWY_INLINE double Total() const {
    return hn::GetLane(hn::SumOfLanes(DoubleTag(), hn::Add(sums_.low, sums_.high)));
  }

  HWY_INLINE Halves Factors() const { return {Factor(sums_.low), Factor(sums_.high)}; }

 private:
  // 1 / norm, 0 where that is 0.
  static HWY_INLINE DoubleVec Factor(DoubleVec sum) {
    const DoubleTag dd;
    const DoubleVec norm = kP == 1 ? sum : hn::Sqrt(sum);
    const auto is_zero = hn::Eq(norm, hn::Zero(dd));
    return hn::IfThenZeroElse(is_zero, hn::Div(hn::Set(dd, 1), norm));
  }

  Halves sums_;
};

template <typename T, int kP>
void NormalizeRow(const T* x, T* y, std::int64_t length) {
  const FloatTag d;
  const DoubleTag dd;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  PowerSum<kP> even;
  PowerSum<kP> odd;
  std::int64_t i = 0;
  for (; i + 2 * lanes <= length; i += 2 * lanes) {
    even.Add(LoadFloats(d, x + i));
    odd.Add(LoadFloats(d, x + i + lanes));
  }
  for (; i < length; i += lanes) {
    even.Add(LoadCount(d, x + i, length - i));
  }
  const double sum = even.Total() + odd.Total();
  const double norm = kP == 1 ? sum : std::sqrt(sum);
  const DoubleVec factor = hn::Set(dd, norm == 0 ? 0 : 1 / norm);
  for (i = 0; i < length; i += lanes) {
    const FloatVec v = LoadCount(d, x + i, length - i);
    StoreCount(d, Scaled(d, v, {factor, factor}), y + i, length - i);
  }
}

template <typename T, int kP>
void NormalizeColumns(const LpTile& tile) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t j = 0; j < tile.count; j += lanes) {
    const T* x = static_cast<const T*>(tile.x) + j;
    T* y = static_cast<T*>(tile.y) + j;
    PowerSum<kP> sum;
    for (std::int64_t k = 0; k < tile.length; ++k) {
      sum.Add(LoadCount(d, x + k * tile.inner, tile.count - j));
    }
    const Halves factors = sum.Factors();
    for (std::int64_t k = 0; k < tile.length; ++k) {
      const FloatVec v = LoadCount(d, x + k * tile.inner, tile.count - j);
      StoreCount(d, Scaled(d, v, factors), y + k * tile.inner, tile.count - j);
    }
  }
}

template <typename T, int kP>
void Loop(const LpTile& tile) {
  if (tile.inner == 1) {
    NormalizeRow<T, kP>(static_cast<const T*>(tile.x), static_cast<T*>(tile.y), tile.length);
  } else {
    NormalizeColumns<T, kP>(tile);
  }
}

template <typename T>
LpLoop LoopOf(std::int64_t p) {
  return p == 1 ? Loop<T, 1> : Loop<T, 2>;
}

LpLoop Find(DType dtype, std::int64_t p) {
  return dtype == DType::kFloat32
             ? LoopOf<float>(p)
             : (dtype == DType::kFloat16 ? LoopOf<Float16>(p) : LoopOf<BFloat16>(p));
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {

HWY_EXPORT(Find);

LpLoop FindLpLoop(DType dtype, std::int64_t p) {
  return HWY_DYNAMIC_DISPATCH(Find)(dtype, p);
}

}  // namespace halftone
#endif  // HWY_ONCE
