#include "kernels/cast/integer_loops.h"

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cast/integer_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include <limits>
#include <type_traits>

#include "kernels/cast/element_conversion.h"
#include "kernels/vector_capabilities.h"
#include "kernels/vector_storage-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

// Floats or doubles as integers of their width. What conversions make of numbers outside is not the
// same everywhere, so that none gets one.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> Saturated(D d, hn::Vec<D> v) {
  using Float = hn::TFromD<D>;
  using Integer = hn::TFromD<hn::RebindToSigned<D>>;
  constexpr Float kLow = static_cast<Float>(std::numeric_limits<Integer>::min());
  constexpr Float kAbove = -kLow;
  // The greatest number below 2^31 or 2^63.
  constexpr Float kHigh = kAbove - kAbove / 2 * std::numeric_limits<Float>::epsilon();
  const hn::RebindToSigned<D> di;
  const auto above = hn::RebindMask(di, hn::Ge(v, hn::Set(d, kAbove)));
  const auto inside = hn::Min(hn::Max(v, hn::Set(d, kLow)), hn::Set(d, kHigh));
  const auto number = hn::IfThenElseZero(hn::Eq(v, v), inside);
  return hn::IfThenElse(above, hn::Set(di, std::numeric_limits<Integer>::max()),
                        hn::ConvertTo(di, number));
}

HWY_INLINE void StoreIntegers(FloatTag d, FloatVec v, std::int32_t* to) {
  hn::StoreU(Saturated(d, v), hn::RebindToSigned<FloatTag>(), to);
}

// Converts through int32: the narrowing saturates.
template <typename To, std::enable_if_t<sizeof(To) <= 2, int> = 0>
HWY_INLINE void StoreIntegers(FloatTag d, FloatVec v, To* to) {
  const hn::Rebind<To, FloatTag> narrow;
  const auto low = hn::Set(d, static_cast<float>(std::numeric_limits<To>::min()));
  const auto high = hn::Set(d, static_cast<float>(std::numeric_limits<To>::max()));
  const auto number = hn::IfThenElseZero(hn::Eq(v, v), hn::Min(hn::Max(v, low), high));
  const auto whole = hn::ConvertTo(hn::RebindToSigned<FloatTag>(), number);
  hn::StoreU(hn::DemoteTo(narrow, whole), narrow, to);
}

HWY_INLINE void StoreIntegers(FloatTag d, FloatVec v, std::int64_t* to) {
  const hn::ScalableTag<double> dd;
  const hn::ScalableTag<std::int64_t> di;
#if !HALFTONE_CAN(SPLIT_VECTORS)
  hn::StoreU(Saturated(dd, hn::PromoteTo(dd, v)), di, to);
  (void)d;
#else
  const hn::Half<FloatTag> half;
  hn::StoreU(Saturated(dd, hn::PromoteTo(dd, hn::LowerHalf(half, v))), di, to);
  hn::StoreU(Saturated(dd, hn::PromoteTo(dd, hn::UpperHalf(half, v))), di, to + hn::Lanes(dd));
  (void)d;
#endif
}

template <typename From, typename To>
void Loop(const void* source, void* target, std::int64_t count) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* from = static_cast<const From*>(source);
  auto* to = static_cast<To*>(target);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    StoreIntegers(d, LoadFloats(d, from + i), to + i);
  }
  for (; i < count; ++i) {
    to[i] = ConvertElement<To>(from[i]);
  }
}

template <typename From>
HalfLoop LoopFrom(DType to) {
  switch (to) {
    case DType::kInt8:
      return Loop<From, std::int8_t>;
    case DType::kUInt8:
      return Loop<From, std::uint8_t>;
    case DType::kInt16:
      return Loop<From, std::int16_t>;
    case DType::kUInt16:
      return Loop<From, std::uint16_t>;
    case DType::kInt32:
      return Loop<From, std::int32_t>;
    case DType::kInt64:
      return Loop<From, std::int64_t>;
    default:
      return nullptr;
  }
}

HalfLoop Find(DType from, DType to) {
  switch (from) {
    case DType::kFloat32:
      return LoopFrom<float>(to);
    case DType::kFloat16:
      return LoopFrom<Float16>(to);
    case DType::kBFloat16:
      return LoopFrom<BFloat16>(to);
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {

HWY_EXPORT(Find);

HalfLoop IntegerLoopFor(DType from, DType to) {
  return HWY_DYNAMIC_DISPATCH(Find)(from, to);
}

}  // namespace halftone
#endif  // HWY_ONCE
