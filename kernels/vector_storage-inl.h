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

// Tag of the bits of 16-bit elements, as many lanes as D has.
template <class D>
using HalvesTag = hn::Rebind<std::uint16_t, D>;

// Written out: Highway's own conversion to bfloat16 truncates.
template <class D>
HWY_INLINE hn::Vec<D> FloatsOfBits(D d, hn::Vec<HalvesTag<D>> bits, const BFloat16* /*type*/) {
  const hn::RebindToUnsigned<D> du;
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, bits)));
}

// Adds 0x7fff and the lowest bit of the upper half, and returns the upper half. A NaN becomes quiet
// instead: the addition could carry it into infinity.
template <class D>
HWY_INLINE hn::Vec<HalvesTag<D>> BitsOfFloats(D /*d*/, hn::Vec<D> v, const BFloat16* /*type*/) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(du, v);
  const auto even = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(du, 0x7fff)), even);
  const auto quiet = hn::Or(bits, hn::Set(du, 0x400000));
  const auto kept = hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(v)), quiet, rounded);
  // Fits 16 bits, so the saturating conversion is exact.
  return hn::DemoteTo(HalvesTag<D>(), hn::BitCast(di, hn::ShiftRight<16>(kept)));
}

#if HALFTONE_CAN(CONVERT_HALVES)

template <class D>
HWY_INLINE hn::Vec<D> FloatsOfBits(D d, hn::Vec<HalvesTag<D>> bits, const Float16* /*type*/) {
  return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), bits));
}

template <class D>
HWY_INLINE hn::Vec<HalvesTag<D>> BitsOfFloats(D /*d*/, hn::Vec<D> v, const Float16* /*type*/) {
  return hn::BitCast(HalvesTag<D>(), hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), v));
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

// Load and store 16-bit elements of the types that FloatsOfBits() and BitsOfFloats() convert.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const T* p) {
  const HalvesTag<D> d16;
  return FloatsOfBits(d, hn::LoadU(d16, reinterpret_cast<const std::uint16_t*>(p)), p);
}

template <class D, typename T>
HWY_INLINE void StoreFloats(hn::Vec<D> v, D d, T* p) {
  hn::StoreU(BitsOfFloats(d, v, p), HalvesTag<D>(), reinterpret_cast<std::uint16_t*>(p));
}

// Loads the first `count` < Lanes(d) elements; the other lanes are `fill`, and the memory behind
// the elements is not read.
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

// Masked variants. The variants above go through memory, and take five times as long.
#if HALFTONE_CAN(MASK_MEMORY)

HWY_INLINE FloatVec LoadFirst(FloatTag d, const float* p, std::size_t count, float fill = 0) {
  const auto first = hn::FirstN(d, count);
  return hn::IfThenElse(first, hn::MaskedLoad(first, d, p), hn::Set(d, fill));
}

HWY_INLINE void StoreFirst(FloatVec v, FloatTag d, float* p, std::size_t count) {
  hn::BlendedStore(v, hn::FirstN(d, count), d, p);
}

// Loads the first `count` < Lanes(d) elements of 16 bits; the other lanes are zero.
HWY_INLINE hn::Vec<HalvesTag<FloatTag>> LoadFirstBits(const std::uint16_t* p, std::size_t count) {
  const HalvesTag<FloatTag> d16;
#if HALFTONE_CAN(AVX512)
  return hn::MaskedLoad(hn::FirstN(d16, count), d16, p);
#else  // masks of 32 bits: pairs, then the last of an odd number
  const hn::Repartition<std::int32_t, decltype(d16)> d32;
  const std::size_t pairs = count / 2;
  const auto whole =
      hn::MaskedLoad(hn::FirstN(d32, pairs), d32, reinterpret_cast<const std::int32_t*>(p));
  const std::int32_t last = count % 2 == 0 ? 0 : p[count - 1];
  const auto at_last = hn::Eq(hn::Iota(d32, 0), hn::Set(d32, static_cast<std::int32_t>(pairs)));
  return hn::BitCast(d16, hn::Or(whole, hn::IfThenElseZero(at_last, hn::Set(d32, last))));
#endif
}

template <typename T>
HWY_INLINE FloatVec LoadFirstHalves(FloatTag d, const T* p, std::size_t count, T fill) {
  const auto* bits = reinterpret_cast<const std::uint16_t*>(p);
  const FloatVec loaded = FloatsOfBits(d, LoadFirstBits(bits, count), p);
  return fill.bits == 0 ? loaded
                        : hn::IfThenElse(hn::FirstN(d, count), loaded, hn::Set(d, fill.ToFloat()));
}

HWY_INLINE FloatVec LoadFirst(FloatTag d, const Float16* p, std::size_t count, Float16 fill = {}) {
  return LoadFirstHalves(d, p, count, fill);
}

HWY_INLINE FloatVec LoadFirst(FloatTag d, const BFloat16* p, std::size_t count,
                              BFloat16 fill = {}) {
  return LoadFirstHalves(d, p, count, fill);
}

#if HALFTONE_CAN(AVX512)

template <typename T>
HWY_INLINE void StoreFirstHalves(FloatVec v, FloatTag d, T* p, std::size_t count) {
  const HalvesTag<FloatTag> d16;
  hn::BlendedStore(BitsOfFloats(d, v, p), hn::FirstN(d16, count), d16,
                   reinterpret_cast<std::uint16_t*>(p));
}

HWY_INLINE void StoreFirst(FloatVec v, FloatTag d, Float16* p, std::size_t count) {
  StoreFirstHalves(v, d, p, count);
}

HWY_INLINE void StoreFirst(FloatVec v, FloatTag d, BFloat16* p, std::size_t count) {
  StoreFirstHalves(v, d, p, count);
}

#endif
#endif

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_VECTOR_STORAGE_INL_H_
