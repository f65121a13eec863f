// Vectors of float from and to memory of float, Float16 or BFloat16. Included once per Highway
// target.
#if defined(HALFTONE_KERNELS_GEMM_HALF_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFTONE_KERNELS_GEMM_HALF_LANES_INL_H_
#undef HALFTONE_KERNELS_GEMM_HALF_LANES_INL_H_
#else
#define HALFTONE_KERNELS_GEMM_HALF_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include "src/ir/half.h"

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Highway emulates binary16 without infinities where the CPU has no instructions for it, and its
// conversion to bfloat16 truncates: those two are written out here.
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX2
inline constexpr bool kHasFloat16 = false;
#else
inline constexpr bool kHasFloat16 = true;
#endif

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const float* HWY_RESTRICT from) {
  return hn::LoadU(d, from);
}

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const Float16* HWY_RESTRICT from) {
  if constexpr (kHasFloat16) {
    const hn::Rebind<hwy::float16_t, D> dh;
    return hn::PromoteTo(d, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(from)));
  } else {
    HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
    for (size_t i = 0; i < hn::Lanes(d); ++i) {
      lanes[i] = from[i].ToFloat();
    }
    return hn::Load(d, lanes);
  }
}

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const BFloat16* HWY_RESTRICT from) {
  const hn::Rebind<std::uint16_t, D> dh;
  const hn::Rebind<std::uint32_t, D> dw;
  const auto half = hn::LoadU(dh, reinterpret_cast<const std::uint16_t*>(from));
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(dw, half)));
}

template <class D>
HWY_INLINE void StoreFloats(hn::Vec<D> v, D d, float* HWY_RESTRICT to) {
  hn::StoreU(v, d, to);
}

template <class D>
HWY_INLINE void StoreFloats(hn::Vec<D> v, D d, Float16* HWY_RESTRICT to) {
  if constexpr (kHasFloat16) {
    const hn::Rebind<hwy::float16_t, D> dh;
    hn::StoreU(hn::DemoteTo(dh, v), dh, reinterpret_cast<hwy::float16_t*>(to));
  } else {
    HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
    hn::Store(v, d, lanes);
    for (size_t i = 0; i < hn::Lanes(d); ++i) {
      to[i] = Float16::FromFloat(lanes[i]);
    }
  }
}

// Round to nearest even: add 0x7fff and the lowest kept bit, keep the upper half. NaN is quieted
// instead, as the addition could carry it into infinity.
template <class D>
HWY_INLINE void StoreFloats(hn::Vec<D> v, D d, BFloat16* HWY_RESTRICT to) {
  const hn::Rebind<std::uint32_t, D> dw;
  const hn::Rebind<std::int32_t, D> di;
  const hn::Rebind<std::uint16_t, D> dh;
  const auto word = hn::BitCast(dw, v);
  const auto upper = hn::ShiftRight<16>(word);
  const auto odd = hn::And(upper, hn::Set(dw, 1U));
  const auto rounded = hn::ShiftRight<16>(hn::Add(word, hn::Add(odd, hn::Set(dw, 0x7fffU))));
  const auto quiet = hn::Or(upper, hn::Set(dw, 0x40U));
  const auto is_nan = hn::RebindMask(dw, hn::IsNaN(v));
  const auto bits = hn::IfThenElse(is_nan, quiet, rounded);
  hn::StoreU(hn::DemoteTo(dh, hn::BitCast(di, bits)), dh, reinterpret_cast<std::uint16_t*>(to));
  (void)d;
}

}  // namespace halftone::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
