// Loads and stores of float32, float16 and bfloat16 elements as vectors of float32: conversion on
// load is exact, on store it rounds once to nearest even. Part of Highway's once-per-target
// compilation (the guard toggles); include after "hwy/highway.h".
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
#include "src/ir/half.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVec = hn::Vec<FloatTag>;

inline constexpr std::size_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);

HWY_INLINE FloatVec LoadFloats(FloatTag d, const float* p) {
  return hn::LoadU(d, p);
}

HWY_INLINE void StoreFloats(FloatTag d, FloatVec v, float* p) {
  hn::StoreU(v, d, p);
}

// AVX2 and better convert binary16 in hardware (F16C, with correct rounding, subnormals, infinities
// and NaN) and have the integer conversions for bfloat16; elsewhere one element at a time.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL

HWY_INLINE FloatVec LoadFloats(FloatTag d, const Float16* p) {
  const hn::Rebind<hwy::float16_t, FloatTag> dh;
  return hn::PromoteTo(d, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(p)));
}

HWY_INLINE void StoreFloats(FloatTag, FloatVec v, Float16* p) {
  const hn::Rebind<hwy::float16_t, FloatTag> dh;
  hn::StoreU(hn::DemoteTo(dh, v), dh, reinterpret_cast<hwy::float16_t*>(p));
}

HWY_INLINE FloatVec LoadFloats(FloatTag d, const BFloat16* p) {
  const hn::Rebind<std::uint16_t, FloatTag> d16;
  const hn::RebindToUnsigned<FloatTag> du;
  const auto bits = hn::LoadU(d16, reinterpret_cast<const std::uint16_t*>(p));
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, bits)));
}

HWY_INLINE void StoreFloats(FloatTag, FloatVec v, BFloat16* p) {
  const hn::Rebind<std::uint16_t, FloatTag> d16;
  const hn::RebindToUnsigned<FloatTag> du;
  const hn::RebindToSigned<FloatTag> di;
  const auto bits = hn::BitCast(du, v);
  const auto even = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(du, 0x7fff)), even);
  const auto quiet = hn::Or(bits, hn::Set(du, 0x400000));  // a NaN must not round to infinity
  const auto kept = hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(v)), quiet, rounded);
  // Fits 16 bits, so the saturating conversion is exact.
  const auto upper = hn::DemoteTo(d16, hn::BitCast(di, hn::ShiftRight<16>(kept)));
  hn::StoreU(upper, d16, reinterpret_cast<std::uint16_t*>(p));
}

#else

template <typename Half>
HWY_INLINE FloatVec LoadFloats(FloatTag d, const Half* p) {
  HWY_ALIGN float lanes[kMaxLanes];
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    lanes[i] = p[i].ToFloat();
  }
  return hn::Load(d, lanes);
}

template <typename Half>
HWY_INLINE void StoreFloats(FloatTag d, FloatVec v, Half* p) {
  HWY_ALIGN float lanes[kMaxLanes];
  hn::Store(v, d, lanes);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    p[i] = Half::FromFloat(lanes[i]);
  }
}

#endif

// The first `count` < Lanes(d) elements; the other lanes are `fill`. Memory behind them is not
// read.
template <typename T>
HWY_INLINE FloatVec LoadFirst(FloatTag d, const T* p, std::size_t count, T fill = T{}) {
  HWY_ALIGN T lanes[kMaxLanes];
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    lanes[i] = i < count ? p[i] : fill;
  }
  return LoadFloats(d, lanes);
}

template <typename T>
HWY_INLINE void StoreFirst(FloatTag d, FloatVec v, T* p, std::size_t count) {
  HWY_ALIGN T lanes[kMaxLanes];
  StoreFloats(d, v, lanes);
  std::memcpy(p, lanes, count * sizeof(T));
}

// AVX2 and better have masked loads and stores of 32 bits that do not touch the other lanes; going
// through memory takes five times as long.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL

HWY_INLINE FloatVec LoadFirst(FloatTag d, const float* p, std::size_t count, float fill = 0) {
  const auto first = hn::FirstN(d, count);
  return hn::IfThenElse(first, hn::MaskedLoad(first, d, p), hn::Set(d, fill));
}

HWY_INLINE void StoreFirst(FloatTag d, FloatVec v, float* p, std::size_t count) {
  hn::BlendedStore(v, hn::FirstN(d, count), d, p);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_VECTOR_STORAGE_INL_H_
