// Maxima of float16 and bfloat16 by integer keys. Nothing is converted to float32, so a vector has
// twice as many lanes. Part of Highway's once-per-target compilation (the guard toggles); include
// after "hwy/highway.h".
#if defined(HALFTONE_KERNELS_POOL_MAX_KEYS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFTONE_KERNELS_POOL_MAX_KEYS_INL_H_
#undef HALFTONE_KERNELS_POOL_MAX_KEYS_INL_H_
#else
#define HALFTONE_KERNELS_POOL_MAX_KEYS_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "kernels/vector_capabilities.h"
#include "kernels/vector_storage-inl.h"
#include "src/ir/half.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

using KeyTag = hn::ScalableTag<std::uint16_t>;
using KeyVec = hn::Vec<KeyTag>;

inline constexpr std::size_t kMaxKeyLanes = HWY_MAX_BYTES / sizeof(std::uint16_t);

// Magnitude bits of infinity.
constexpr std::int16_t InfinityBits(const Float16* /*type*/) {
  return 0x7c00;
}

constexpr std::int16_t InfinityBits(const BFloat16* /*type*/) {
  return 0x7f80;
}

// Rule of a maximum (pool_join-inl.h) by integer keys. The key of -inf is 0, a larger number has a
// larger key, -0 comes before +0, and NaN of either sign comes last. The bits of a number become a
// key in two steps: the magnitude of a negative number is inverted; then the value of -inf is
// subtracted.
template <typename T>
struct MaxKeys {
  using Tag = KeyTag;
  using Lane = std::uint16_t;
  static constexpr bool kAverage = false;

  static HWY_INLINE KeyVec Start(KeyTag d) { return hn::Zero(d); }

  static HWY_INLINE KeyVec Join(KeyVec max, KeyVec value) { return hn::Max(max, value); }

  // Keys of `count` elements, or of all lanes if `count` is larger; the other lanes are Start().
  static HWY_INLINE KeyVec Load(KeyTag d, const T* p, std::int64_t count) {
    const auto* bits = reinterpret_cast<const std::uint16_t*>(p);
    if (count >= static_cast<std::int64_t>(hn::Lanes(d))) {
      return KeysOf(d, hn::LoadU(d, bits));
    }
    const auto first = static_cast<std::size_t>(count);
    return hn::IfThenElseZero(hn::FirstN(d, first), KeysOf(d, LoadFirstBits(d, bits, first)));
  }

  // Stores the elements of the first `count` keys, or of all lanes if `count` is larger.
  static HWY_INLINE void Store(KeyTag d, KeyVec keys, T* p, std::int64_t count) {
    auto* bits = reinterpret_cast<std::uint16_t*>(p);
    if (count >= static_cast<std::int64_t>(hn::Lanes(d))) {
      hn::StoreU(BitsOf(d, keys), d, bits);
    } else {
      StoreFirstLanes(d, BitsOf(d, keys), bits, static_cast<std::size_t>(count));
    }
  }

  // Stores keys unchanged, to a row of keys.
  static HWY_INLINE void StoreLanes(KeyTag d, KeyVec keys, Lane* p, std::int64_t count) {
    if (count >= static_cast<std::int64_t>(hn::Lanes(d))) {
      hn::StoreU(keys, d, p);
    } else {
      StoreFirstLanes(d, keys, p, static_cast<std::size_t>(count));
    }
  }

  // The element of the largest key.
  static HWY_INLINE T OfLanes(KeyTag d, KeyVec keys) {
    HWY_ALIGN std::uint16_t lanes[kMaxKeyLanes];
    hn::Store(keys, d, lanes);
    std::uint16_t max = 0;
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
      max = lanes[i] > max ? lanes[i] : max;
    }
    hn::Store(BitsOf(d, hn::Set(d, max)), d, lanes);
    return T{lanes[0]};
  }

 private:
  using WholeTag = hn::RebindToSigned<KeyTag>;
  using WholeVec = hn::Vec<WholeTag>;

  static constexpr std::int16_t kFromMinusInfinity =
      InfinityBits(static_cast<const T*>(nullptr)) + 1;

  // Inverts the magnitude bits of negative numbers. The function is its own inverse.
  static HWY_INLINE WholeVec WithMagnitudeInverted(WholeTag d, WholeVec v) {
    return hn::Xor(v, hn::And(hn::ShiftRight<15>(v), hn::Set(d, 0x7fff)));
  }

  static HWY_INLINE KeyVec KeysOf(KeyTag d, KeyVec bits) {
    const WholeTag whole;
    const WholeVec ordered = WithMagnitudeInverted(whole, hn::BitCast(whole, bits));
    return hn::BitCast(d, hn::Add(ordered, hn::Set(whole, kFromMinusInfinity)));
  }

  static HWY_INLINE KeyVec BitsOf(KeyTag d, KeyVec keys) {
    const WholeTag whole;
    const WholeVec ordered = hn::Sub(hn::BitCast(whole, keys), hn::Set(whole, kFromMinusInfinity));
    return hn::BitCast(d, WithMagnitudeInverted(whole, ordered));
  }

#if HALFTONE_CAN(AVX512)
  static HWY_INLINE KeyVec LoadFirstBits(KeyTag d, const std::uint16_t* p, std::size_t count) {
    return hn::MaskedLoad(hn::FirstN(d, count), d, p);
  }

  static HWY_INLINE void StoreFirstLanes(KeyTag d, KeyVec v, std::uint16_t* p, std::size_t count) {
    hn::BlendedStore(v, hn::FirstN(d, count), d, p);
  }
#else
  static HWY_INLINE KeyVec LoadFirstBits(KeyTag d, const std::uint16_t* p, std::size_t count) {
    HWY_ALIGN std::uint16_t lanes[kMaxKeyLanes] = {};
    std::memcpy(lanes, p, count * sizeof(std::uint16_t));
    return hn::Load(d, lanes);
  }

  static HWY_INLINE void StoreFirstLanes(KeyTag d, KeyVec v, std::uint16_t* p, std::size_t count) {
    HWY_ALIGN std::uint16_t lanes[kMaxKeyLanes];
    hn::Store(v, d, lanes);
    std::memcpy(p, lanes, count * sizeof(std::uint16_t));
  }
#endif
};

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_POOL_MAX_KEYS_INL_H_
