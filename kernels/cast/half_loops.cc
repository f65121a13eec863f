#include "kernels/cast/half_loops.h"

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cast/half_loops.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "src/ir/half.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Words = hn::Rebind<std::uint32_t, Floats>;
using HalfWords = hn::Rebind<std::uint16_t, Floats>;
using Halves = hn::Rebind<hwy::float16_t, Floats>;

// Load and Store of one vector's worth of floats in each storage type, and of a single element.
struct AsFloat32 {
  using Element = float;

  static hn::Vec<Floats> Load(const float* from) { return hn::LoadU(Floats(), from); }

  static void Store(hn::Vec<Floats> v, float* to) { hn::StoreU(v, Floats(), to); }

  static float Get(float element) { return element; }

  static float Make(float value) { return value; }
};

struct AsFloat16 {
  using Element = Float16;

  static hn::Vec<Floats> Load(const Float16* from) {
    return hn::PromoteTo(Floats(),
                         hn::LoadU(Halves(), reinterpret_cast<const hwy::float16_t*>(from)));
  }

  static void Store(hn::Vec<Floats> v, Float16* to) {
    hn::StoreU(hn::DemoteTo(Halves(), v), Halves(), reinterpret_cast<hwy::float16_t*>(to));
  }

  static float Get(Float16 element) { return element.ToFloat(); }

  static Float16 Make(float value) { return Float16::FromFloat(value); }
};

struct AsBFloat16 {
  using Element = BFloat16;

  static hn::Vec<Floats> Load(const BFloat16* from) {
    const auto bits = hn::LoadU(HalfWords(), reinterpret_cast<const std::uint16_t*>(from));
    return hn::BitCast(Floats(), hn::ShiftLeft<16>(hn::PromoteTo(Words(), bits)));
  }

  // Adding 0x7fff plus the last kept bit carries into the upper half exactly when RNE rounds up. A
  // NaN could carry into infinity, so it is truncated and made quiet instead.
  static void Store(hn::Vec<Floats> v, BFloat16* to) {
    const Words words;
    const auto bits = hn::BitCast(words, v);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
    const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(words, 0x7fff)));
    const auto quiet = hn::Or(bits, hn::Set(words, 0x400000));
    // Compared as integers: Ne() of this Highway is ordered, that is false for NaN.
    const hn::Rebind<std::int32_t, Floats> signed_words;
    const auto magnitude = hn::BitCast(signed_words, hn::And(bits, hn::Set(words, 0x7fffffff)));
    const auto is_nan = hn::RebindMask(words, hn::Gt(magnitude, hn::Set(signed_words, 0x7f800000)));
    const auto upper = hn::ShiftRight<16>(hn::IfThenElse(is_nan, quiet, rounded));
    // Through int32, whose saturating narrowing is exact here: the values are below 2^16.
    hn::StoreU(hn::DemoteTo(HalfWords(), hn::BitCast(signed_words, upper)), HalfWords(),
               reinterpret_cast<std::uint16_t*>(to));
  }

  static float Get(BFloat16 element) { return element.ToFloat(); }

  static BFloat16 Make(float value) { return BFloat16::FromFloat(value); }
};

template <typename From, typename To>
void Loop(const void* source, void* target, std::int64_t count) {
  const auto* from = static_cast<const typename From::Element*>(source);
  auto* to = static_cast<typename To::Element*>(target);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
  std::int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {  // four independent conversions in flight
    To::Store(From::Load(from + i), to + i);
    To::Store(From::Load(from + i + lanes), to + i + lanes);
    To::Store(From::Load(from + i + 2 * lanes), to + i + 2 * lanes);
    To::Store(From::Load(from + i + 3 * lanes), to + i + 3 * lanes);
  }
  for (; i + lanes <= count; i += lanes) {
    To::Store(From::Load(from + i), to + i);
  }
  for (; i < count; ++i) {
    to[i] = To::Make(From::Get(from[i]));
  }
}

}  // namespace

void Float32ToFloat16(const void* source, void* target, std::int64_t count) {
  Loop<AsFloat32, AsFloat16>(source, target, count);
}

void Float16ToFloat32(const void* source, void* target, std::int64_t count) {
  Loop<AsFloat16, AsFloat32>(source, target, count);
}

void Float32ToBFloat16(const void* source, void* target, std::int64_t count) {
  Loop<AsFloat32, AsBFloat16>(source, target, count);
}

void BFloat16ToFloat32(const void* source, void* target, std::int64_t count) {
  Loop<AsBFloat16, AsFloat32>(source, target, count);
}

void Float16ToBFloat16(const void* source, void* target, std::int64_t count) {
  Loop<AsFloat16, AsBFloat16>(source, target, count);
}

void BFloat16ToFloat16(const void* source, void* target, std::int64_t count) {
  Loop<AsBFloat16, AsFloat16>(source, target, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {

HWY_EXPORT(Float32ToFloat16);
HWY_EXPORT(Float16ToFloat32);
HWY_EXPORT(Float32ToBFloat16);
HWY_EXPORT(BFloat16ToFloat32);
HWY_EXPORT(Float16ToBFloat16);
HWY_EXPORT(BFloat16ToFloat16);

namespace {

struct LoopRow {
  DType from;
  DType to;
  HalfLoop loop;
};

}  // namespace

HalfLoop HalfLoopFor(DType from, DType to) {
  // A pointer taken before Highway has chosen its target is that of a trampoline which asks the CPU
  // anew at every call; in a virtual machine CPUID traps, and each call took 20 us (measured on the
  // development machine, 2026-11-21).
  if (!hwy::GetChosenTarget().IsInitialized()) {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  const LoopRow rows[] = {
      {DType::kFloat32, DType::kFloat16, HWY_DYNAMIC_DISPATCH(Float32ToFloat16)},
      {DType::kFloat16, DType::kFloat32, HWY_DYNAMIC_DISPATCH(Float16ToFloat32)},
      {DType::kFloat32, DType::kBFloat16, HWY_DYNAMIC_DISPATCH(Float32ToBFloat16)},
      {DType::kBFloat16, DType::kFloat32, HWY_DYNAMIC_DISPATCH(BFloat16ToFloat32)},
      {DType::kFloat16, DType::kBFloat16, HWY_DYNAMIC_DISPATCH(Float16ToBFloat16)},
      {DType::kBFloat16, DType::kFloat16, HWY_DYNAMIC_DISPATCH(BFloat16ToFloat16)},
  };
  for (const LoopRow& row : rows) {
    if (row.from == from && row.to == to) {
      return row.loop;
    }
  }
  return nullptr;
}

}  // namespace halftone
#endif  // HWY_ONCE
