#include "kernels/normalization/mean_variance_tiles.h"

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/normalization/mean_variance_tiles.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include <cmath>

#include "kernels/elements.h"
#include "kernels/normalization/normalization.h"
#include "kernels/vector_capabilities.h"
#include "kernels/vector_count-inl.h"
#include "kernels/vector_halves-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {
namespace {

// Mean to subtract and factor to multiply with.
struct Normal {
  Halves mean;
  Halves factor;
};

HWY_INLINE Halves Less(const Halves& a, const Halves& b) {
  return {hn::Sub(a.low, b.low), hn::Sub(a.high, b.high)};
}

HWY_INLINE Halves Zeros() {
  return {hn::Zero(DoubleTag()), hn::Zero(DoubleTag())};
}

// sum += a
HWY_INLINE void Add(Halves& sum, const Halves& a) {
  sum = {hn::Add(sum.low, a.low), hn::Add(sum.high, a.high)};
}

// sum += a^2
HWY_INLINE void AddSquares(Halves& sum, const Halves& a) {
  sum = {hn::MulAdd(a.low, a.low, sum.low), hn::MulAdd(a.high, a.high, sum.high)};
}

HWY_INLINE FloatVec Normalized(FloatTag d, FloatVec x, const Normal& by) {
  const Halves v = Less(Promoted(x), by.mean);
  return Demoted(d, {hn::Mul(v.low, by.factor.low), hn::Mul(v.high, by.factor.high)});
}

// Calls vector(p) for whole vectors of the spans and element(p) for the elements behind them.
template <typename T, typename OfVector, typename OfElement>
HWY_INLINE void ForEach(const MeanVarianceTile& tile, const OfVector& vector,
                        const OfElement& element) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(FloatTag()));
  for (const std::int64_t first : tile.spans) {
    const T* x = static_cast<const T*>(tile.x) + first;
    std::int64_t i = 0;
    for (; i + lanes <= tile.count; i += lanes) {
      vector(x + i);
    }
    for (; i < tile.count; ++i) {
      element(x + i);
    }
  }
}

HWY_INLINE double Total(const Halves& sums) {
#if !HALFTONE_CAN(SPLIT_VECTORS)
  return hn::GetLane(sums.low);
#else
  return hn::GetLane(hn::SumOfLanes(DoubleTag(), hn::Add(sums.low, sums.high)));
#endif
}

template <typename T>
double MeanOf(const MeanVarianceTile& tile, double elements) {
  const FloatTag d;
  Halves sums = Zeros();
  double rest = 0;
  ForEach<T>(
      tile, [&](const T* p) HWY_ATTR { Add(sums, Promoted(LoadFloats(d, p))); },
      [&](const T* p) { rest += static_cast<double>(NumberOf(*p)); });
  return (Total(sums) + rest) / elements;
}

template <typename T>
double VarianceOf(const MeanVarianceTile& tile, double elements, double mean) {
  const FloatTag d;
  const DoubleVec m = hn::Set(DoubleTag(), mean);
  Halves sums = Zeros();
  double rest = 0;
  ForEach<T>(
      tile,
      [&](const T* p) HWY_ATTR {
        AddSquares(sums, Less(Promoted(LoadFloats(d, p)), {m, m}));
      },
      [&](const T* p) {
        const double v = static_cast<double>(NumberOf(*p)) - mean;
        rest += v * v;
      });
  return (Total(sums) + rest) / elements;
}

template <typename T>
void Together(const MeanVarianceTile& tile) {
  const FloatTag d;
  const DoubleTag dd;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const double elements = static_cast<double>(std::ssize(tile.spans) * tile.count);
  const double mean = MeanOf<T>(tile, elements);
  const double deviation = std::sqrt(VarianceOf<T>(tile, elements, mean));
  const DoubleVec m = hn::Set(dd, mean);
  const DoubleVec factor = hn::Set(dd, 1 / (deviation + kMeanVarianceEpsilon));
  for (const std::int64_t first : tile.spans) {
    const T* x = static_cast<const T*>(tile.x) + first;
    T* y = static_cast<T*>(tile.y) + first;
    for (std::int64_t i = 0; i < tile.count; i += lanes) {
      const FloatVec v = LoadCount(d, x + i, tile.count - i);
      StoreCount(d, Normalized(d, v, {{m, m}, {factor, factor}}), y + i, tile.count - i);
    }
  }
}

HWY_INLINE DoubleVec Factor(DoubleVec squares, DoubleVec elements) {
  const DoubleTag dd;
  const DoubleVec deviation = hn::Sqrt(hn::Div(squares, elements));
  return hn::Div(hn::Set(dd, 1), hn::Add(deviation, hn::Set(dd, kMeanVarianceEpsilon)));
}

template <typename T>
void ByColumn(const MeanVarianceTile& tile) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const DoubleVec elements = hn::Set(DoubleTag(), static_cast<double>(tile.spans.size()));
  for (std::int64_t j = 0; j < tile.count; j += lanes) {
    const T* x = static_cast<const T*>(tile.x) + j;
    T* y = static_cast<T*>(tile.y) + j;
    const std::int64_t rest = tile.count - j;
    Halves sums = Zeros();
    for (const std::int64_t first : tile.spans) {
      Add(sums, Promoted(LoadCount(d, x + first, rest)));
    }
    const Halves mean = {hn::Div(sums.low, elements), hn::Div(sums.high, elements)};
    Halves squares = Zeros();
    for (const std::int64_t first : tile.spans) {
      AddSquares(squares, Less(Promoted(LoadCount(d, x + first, rest)), mean));
    }
    const Normal normal = {mean, {Factor(squares.low, elements), Factor(squares.high, elements)}};
    for (const std::int64_t first : tile.spans) {
      const FloatVec v = LoadCount(d, x + first, rest);
      StoreCount(d, Normalized(d, v, normal), y + first, rest);
    }
  }
}

template <typename T>
MeanVarianceLoops LoopsOf() {
  return {Together<T>, ByColumn<T>};
}

MeanVarianceLoops FindMeanVariance(DType dtype) {
  return dtype == DType::kFloat32
             ? LoopsOf<float>()
             : (dtype == DType::kFloat16 ? LoopsOf<Float16>() : LoopsOf<BFloat16>());
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(FindMeanVariance);

}  // namespace

MeanVarianceLoops FindMeanVarianceLoops(DType dtype) {
  return HWY_DYNAMIC_DISPATCH(FindMeanVariance)(dtype);
}

}  // namespace halftone
#endif  // HWY_ONCE
