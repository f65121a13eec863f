// Vector loops of Softmax and LogSoftmax.
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax/vector_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/softmax/softmax.h"
#include "kernels/vector_capabilities.h"
#include "kernels/vector_count-inl.h"
#include "kernels/vector_extremes-inl.h"
#include "kernels/vector_math-inl.h"
#include "kernels/vector_sum-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

struct PreciseMath {
  using Sum = PreciseSum;

  static HWY_INLINE FloatVec Exp(FloatTag d, FloatVec x) { return ExpPreciseBelow0(d, x); }

  // The reciprocal is off by 2u at most: the quotient by it, corrected by what is left, is off by
  // one rounding and terms of u^2.
  static HWY_INLINE FloatVec Scale(FloatVec e, FloatVec sum, FloatVec reciprocal) {
#if HALFTONE_CAN(FUSE_MULTIPLY_ADD)
    const FloatVec quotient = hn::Mul(e, reciprocal);
    return hn::MulAdd(hn::NegMulAdd(quotient, sum, e), reciprocal, quotient);
#else  // What is left takes a fused multiply-add.
    (void)reciprocal;
    return hn::Div(e, sum);
#endif
  }
};

struct FastMath {
  using Sum = FastSum;

  static HWY_INLINE FloatVec Exp(FloatTag d, FloatVec x) { return ExpFast(d, x); }

  static HWY_INLINE FloatVec Scale(FloatVec e, FloatVec, FloatVec reciprocal) {
    return hn::Mul(e, reciprocal);
  }
};

inline constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
// Longer rows of 16-bit elements compute the exponentials twice instead of keeping them.
inline constexpr std::int64_t kKeptExponentials = 4096;

// Calls step(i, count) for whole vectors, then for the rest.
template <typename Step>
HWY_INLINE void ForEachVector(FloatTag d, std::int64_t length, const Step& step) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= length; i += lanes) {
    step(i, lanes);
  }
  if (i < length) {
    step(i, length - i);
  }
}

// Source of rows: loads `count` elements from i on, the other lanes are -inf.
template <typename T>
struct PlainSource {
  const T* x;

  HWY_INLINE FloatVec Load(FloatTag d, std::int64_t i, std::int64_t count) const {
    return LoadCountOr(d, x + i, count, kMinusInfinity);
  }
};

template <typename T>
struct MaskedSource {
  const T* x;
  const T* mask;
  const std::uint8_t* keep;
  float scale;
  float fill;
  bool drop;
  bool mask_last;

  // The lanes whose bytes are not 0, of the first `count`.
  static HWY_INLINE hn::Mask<FloatTag> IsSet(FloatTag d, const std::uint8_t* p,
                                             std::int64_t count) {
    const hn::RebindToSigned<FloatTag> whole;
    const hn::Rebind<std::uint8_t, FloatTag> bytes;
    std::uint8_t first[kMaxLanes] = {};
    if (count < static_cast<std::int64_t>(hn::Lanes(d))) {
      std::copy_n(p, count, first);
      p = first;
    }
    return hn::RebindMask(d, hn::Ne(hn::PromoteTo(whole, hn::LoadU(bytes, p)), hn::Zero(whole)));
  }

  HWY_INLINE FloatVec Load(FloatTag d, std::int64_t i, std::int64_t count) const {
    FloatVec t = hn::Mul(LoadCount(d, x + i, count), hn::Set(d, scale));
    if (mask != nullptr && !mask_last) {
      t = hn::Add(t, LoadCount(d, mask + i, count));
    }
    if (keep != nullptr) {
      const auto set = IsSet(d, keep + i, count);
      t = hn::IfThenElse(drop ? hn::Not(set) : set, t, hn::Set(d, fill));
    }
    if (mask != nullptr && mask_last) {
      t = hn::Add(t, LoadCount(d, mask + i, count));
    }
    return count == static_cast<std::int64_t>(hn::Lanes(d))
               ? t
               : hn::IfThenElse(hn::FirstN(d, static_cast<std::size_t>(count)), t,
                                hn::Set(d, kMinusInfinity));
  }
};

template <typename Source>
HWY_INLINE float MaxOf(FloatTag d, const Source& source, std::int64_t length) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const FloatVec lowest = hn::Set(d, kMinusInfinity);
  FloatVec max[4] = {lowest, lowest, lowest, lowest};  // not one chain of latencies
  std::int64_t i = 0;
  for (; i + 4 * lanes <= length; i += 4 * lanes) {
    for (int c = 0; c < 4; ++c) {
      max[c] = hn::Max(max[c], source.Load(d, i + c * lanes, lanes));
    }
  }
  for (; i < length; i += lanes) {
    max[0] = hn::Max(max[0], source.Load(d, i, std::min(lanes, length - i)));
  }
  return ExtremeLane<true>(d, hn::Max(hn::Max(max[0], max[1]), hn::Max(max[2], max[3])));
}

template <typename T, typename Math, bool kLog, typename Source>
HWY_INLINE void Row(const Source& source, T* y, std::int64_t length) {
  const FloatTag d;
  const FloatVec max = hn::Set(d, MaxOf(d, source, length));
  const auto exponential = [&](std::int64_t i, std::int64_t count) HWY_ATTR {
    return Math::Exp(d, hn::Sub(source.Load(d, i, count), max));
  };
  HWY_ALIGN float kept[std::is_same_v<T, float> || kLog ? 1 : kKeptExponentials];
  const bool keeps = !kLog && (std::is_same_v<T, float> || length <= kKeptExponentials);
  float* stored = kept;
  if constexpr (std::is_same_v<T, float>) {
    stored = y;
  }
  const auto kept_exponential = [&](std::int64_t i, std::int64_t count) HWY_ATTR {
    const FloatVec e = exponential(i, count);
    if (keeps) {
      StoreCount(d, e, stored + i, count);
    }
    return e;
  };
  typename Math::Sum sum;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t first = 0;
  for (; first + 2 * lanes <= length; first += 2 * lanes) {
    const FloatVec e = kept_exponential(first, lanes);
    sum.Add(d, hn::Add(e, kept_exponential(first + lanes, lanes)));
  }
  for (; first < length; first += lanes) {
    sum.Add(d, kept_exponential(first, std::min(lanes, length - first)));
  }
  const double total = sum.Total(d);
  if (kLog) {
    const FloatVec log_sum = hn::Set(d, static_cast<float>(std::log(total)));
    ForEachVector(d, length, [&](std::int64_t i, std::int64_t count) HWY_ATTR {
      const FloatVec shifted = hn::Sub(source.Load(d, i, count), max);
      StoreCount(d, hn::Sub(shifted, log_sum), y + i, count);
    });
    return;
  }
  const FloatVec divisor = hn::Set(d, static_cast<float>(total));
  const FloatVec reciprocal = hn::Set(d, static_cast<float>(1 / total));
  ForEachVector(d, length, [&](std::int64_t i, std::int64_t count) HWY_ATTR {
    const FloatVec e = keeps ? LoadCount(d, stored + i, count) : exponential(i, count);
    StoreCount(d, Math::Scale(e, divisor, reciprocal), y + i, count);
  });
}

template <typename T, typename Math, bool kLog>
void Rows(const void* x, void* y, std::int64_t row_count, std::int64_t length) {
  for (std::int64_t row = 0; row < row_count; ++row) {
    Row<T, Math, kLog>(PlainSource<T>{static_cast<const T*>(x) + row * length},
                       static_cast<T*>(y) + row * length, length);
  }
}

template <typename T, typename Math>
void MaskedRow(const MaskedSoftmaxRow& row) {
  Row<T, Math, false>(MaskedSource<T>{static_cast<const T*>(row.x), static_cast<const T*>(row.mask),
                                      row.keep, row.scale, row.fill, row.drop, row.mask_last},
                      static_cast<T*>(row.y), row.length);
}

// One group a lane, `columns` of them; the exponentials are computed twice.
template <typename T, typename Math, bool kLog>
void Columns(const void* from, void* to, const SoftmaxGeometry& g, std::int64_t columns) {
  const FloatTag d;
  ForEachVector(d, columns, [&](std::int64_t column, std::int64_t count) HWY_ATTR {
    const T* x = static_cast<const T*>(from) + column;
    T* y = static_cast<T*>(to) + column;
    FloatVec max = hn::Set(d, kMinusInfinity);
    for (std::int64_t k = 0; k < g.length; ++k) {
      max = hn::Max(max, LoadCountOr(d, x + k * g.inner, count, kMinusInfinity));
    }
    const auto exponential = [&](std::int64_t k) HWY_ATTR {
      const FloatVec t = LoadCountOr(d, x + k * g.inner, count, kMinusInfinity);
      return Math::Exp(d, hn::Sub(t, max));
    };
    typename Math::Sum sums;
    std::int64_t k = 0;
    for (; k + 2 <= g.length; k += 2) {
      const FloatVec e = exponential(k);
      sums.Add(d, hn::Add(e, exponential(k + 1)));
    }
    if (k < g.length) {
      sums.Add(d, exponential(k));
    }
    const FloatVec sum = sums.Lanes(d);
    HWY_ALIGN float lanes[kMaxLanes];
    hn::Store(sum, d, lanes);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
      lanes[i] = kLog ? std::log(lanes[i]) : 1 / lanes[i];
    }
    const FloatVec derived = hn::Load(d, lanes);
    for (k = 0; k < g.length; ++k) {
      const FloatVec shifted = hn::Sub(LoadCountOr(d, x + k * g.inner, count, kMinusInfinity), max);
      const FloatVec result =
          kLog ? hn::Sub(shifted, derived) : Math::Scale(Math::Exp(d, shifted), sum, derived);
      StoreCount(d, result, y + k * g.inner, count);
    }
  });
}

template <typename T, typename Math>
SoftmaxLoops LoopsOf(OpKind op) {
  if (op == OpKind::kLogSoftmax) {
    return {Rows<T, Math, true>, Columns<T, Math, true>, nullptr};
  }
  return {Rows<T, Math, false>, Columns<T, Math, false>, MaskedRow<T, Math>};
}

template <typename Math>
SoftmaxLoops LoopsOfMode(OpKind op, DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return LoopsOf<Float16, Math>(op);
    case DType::kBFloat16:
      return LoopsOf<BFloat16, Math>(op);
    default:
      return LoopsOf<float, Math>(op);
  }
}

SoftmaxLoops FindLoops(OpKind op, DType dtype, ImplMode mode) {
  return mode == ImplMode::kHighPerformance ? LoopsOfMode<FastMath>(op, dtype)
                                            : LoopsOfMode<PreciseMath>(op, dtype);
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {

HWY_EXPORT(FindLoops);

SoftmaxLoops FindSoftmaxLoops(OpKind op, DType dtype, ImplMode mode) {
  return HWY_DYNAMIC_DISPATCH(FindLoops)(op, dtype, mode);
}

}  // namespace halftone
#endif  // HWY_ONCE
