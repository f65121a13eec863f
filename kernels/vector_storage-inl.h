// Loads and stores of float32 vectors from and to elements of float32, float16 or bfloat16. A load
// is exact, a store rounds once to nearest even. `d` may be any tag of float32 lanes. Included once
// per Highway target, after "hwy/highway.h".
#if defined(HALFTONE_KERNELS_VECTOR_STORAGE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFTONE_KERNELS_VECTOR_STORAGE_INL_H_
#undef HALFTONE_KERNELS_VECTOR_STORAGE_INL_H_
#else
#define HALFTONE_KERNELS_VECTOR_STORAGE_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "kernels/vector_capabilities.h"
#include "src/ir/half.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVec = hn::Vec<FloatTag>;

inline constexpr std::size_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const float* p) {
  return hn::LoadU(d, p);
}

template <class D>
HWY_INLINE void StoreFloats(hn::Vec<D> v, D d, float* p) {
  hn::StoreU(v, d, p);
}

#if HALFTONE_CAN(CONVERT_HALVES)

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const Float16* p) {
  const hn::Rebind<hwy::float16_t, D> dh;
  return hn::PromoteTo(d, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(p)));
}

template <class D>
HWY_INLINE void StoreFloats(hn::Vec<D> v, D /*d*/, Float16* p) {
  const hn::Rebind<hwy::float16_t, D> dh;
  hn::StoreU(hn::DemoteTo(dh, v), dh, reinterpret_cast<hwy::float16_t*>(p));
}

#else  // one element at a time

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const Float16* p) {
  HWY_ALIGN float lanes[kMaxLanes];
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    lanes[i] = p[i].ToFloat();
  }
  return hn::Load(d, lanes);
}

template <class D>
HWY_INLINE void StoreFloats(hn::Vec<D> v, D d, Float16* p) {
  HWY_ALIGN float lanes[kMaxLanes];
  hn::Store(v, d, lanes);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    p[i] = Float16::FromFloat(lanes[i]);
  }
}

#endif

// Written out: Highway's own conversion to bfloat16 truncates.
template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const BFloat16* p) {
  const hn::Rebind<std::uint16_t, D> d16;
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::LoadU(d16, reinterpret_cast<const std::uint16_t*>(p));
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, bits)));
}

// Adds 0x7fff and the lowest kept bit, keeps the upper half. A NaN is quieted instead: the addition
// could carry it into infinity.
template <class D>
HWY_INLINE void StoreFloats(hn::Vec<D> v, D /*d*/, BFloat16* p) {
  const hn::Rebind<std::uint16_t, D> d16;
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(du, v);
  const auto even = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(du, 0x7fff)), even);
  const auto quiet = hn::Or(bits, hn::Set(du, 0x400000));
  const auto kept = hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(v)), quiet, rounded);
  // Fits 16 bits, so the saturating conversion is exact.
  const auto upper = hn::DemoteTo(d16, hn::BitCast(di, hn::ShiftRight<16>(kept)));
  hn::StoreU(upper, d16, reinterpret_cast<std::uint16_t*>(p));
}

// Loads the first `count` < Lanes(d) elements; the other lanes are `fill`. Does not read memory
// behind them.
template <typename T>
HWY_INLINE FloatVec LoadFirst(FloatTag d, const T* p, std::size_t count, T fill = T{}) {
  HWY_ALIGN T lanes[kMaxLanes];
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    lanes[i] = i < count ? p[i] : fill;
  }
  return LoadFloats(d, lanes);
}

template <typename T>
HWY_INLINE void StoreFirst(FloatVec v, FloatTag d, T* p, std::size_t count) {
  HWY_ALIGN T lanes[kMaxLanes];
  StoreFloats(v, d, lanes);
  std::memcpy(p, lanes, count * sizeof(T));
}

// Masked variants: going through memory takes five times as long.
#if HALFTONE_CAN(MASK_MEMORY)

HWY_INLINE FloatVec LoadFirst(FloatTag d, const float* p, std::size_t count, float fill = 0) {
  const auto first = hn::FirstN(d, count);
  return hn::IfThenElse(first, hn::MaskedLoad(first, d, p), hn::Set(d, fill));
}

HWY_INLINE void StoreFirst(FloatVec v, FloatTag d, float* p, std::size_t count) {
  hn::BlendedStore(v, hn::FirstN(d, count), d, p);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_VECTOR_STORAGE_INL_H_
