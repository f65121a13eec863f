#include "kernels/gemm/half_rows.h"

#include <cstring>

#include "kernels/cpu_isa.h"
#include "kernels/gemm/narrow_natively.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/half_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/gemm/half_lanes-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {
namespace {

constexpr std::int64_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);

// Whole vectors; the last one ends with the row and repeats some of the one before. Rows shorter
// than a vector go through a buffer, so that nothing is read or written outside.
template <typename From, typename To>
void ConvertRow(const From* source, To* target, std::int64_t count) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto v0 = LoadFloats(d, source + i);
    const auto v1 = LoadFloats(d, source + i + lanes);
    const auto v2 = LoadFloats(d, source + i + 2 * lanes);
    const auto v3 = LoadFloats(d, source + i + 3 * lanes);
    StoreFloats(v0, d, target + i);
    StoreFloats(v1, d, target + i + lanes);
    StoreFloats(v2, d, target + i + 2 * lanes);
    StoreFloats(v3, d, target + i + 3 * lanes);
  }
  for (; i + lanes <= count; i += lanes) {
    StoreFloats(LoadFloats(d, source + i), d, target + i);
  }
  if (i < count && count >= lanes) {
    StoreFloats(LoadFloats(d, source + count - lanes), d, target + count - lanes);
  } else if (i < count) {
    From in[kMaxLanes] = {};
    To out[kMaxLanes];
    std::memcpy(in, source, static_cast<std::size_t>(count) * sizeof(From));
    StoreFloats(LoadFloats(d, in), d, out);
    std::memcpy(target, out, static_cast<std::size_t>(count) * sizeof(To));
  }
}

void WidenFloat16(const Float16* source, float* target, std::int64_t count) {
  ConvertRow(source, target, count);
}

void WidenBFloat16(const BFloat16* source, float* target, std::int64_t count) {
  ConvertRow(source, target, count);
}

void NarrowFloat(const float* source, BFloat16* target, std::int64_t count) {
  ConvertRow(source, target, count);
}

void NarrowFloat16(const Float16* source, BFloat16* target, std::int64_t count) {
  ConvertRow(source, target, count);
}

}  // namespace
}  // namespace halftone::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(WidenFloat16);
HWY_EXPORT(WidenBFloat16);
HWY_EXPORT(NarrowFloat);
HWY_EXPORT(NarrowFloat16);

}  // namespace

void WidenRow(DType from, const void* source, float* target, std::int64_t count) noexcept {
  if (from == DType::kFloat16) {
    HWY_DYNAMIC_DISPATCH(WidenFloat16)(static_cast<const Float16*>(source), target, count);
  } else if (from == DType::kBFloat16) {
    HWY_DYNAMIC_DISPATCH(WidenBFloat16)(static_cast<const BFloat16*>(source), target, count);
  } else {
    std::memcpy(target, source, static_cast<std::size_t>(count) * sizeof(float));
  }
}

void NarrowRowToBFloat16(DType from, const void* source, BFloat16* target,
                         std::int64_t count) noexcept {
  static const bool native = (DetectIsa() & kIsaAvx512Bf16) != 0;
  if (from != DType::kBFloat16 && native) {
    from == DType::kFloat16
        ? NarrowFloat16Natively(static_cast<const Float16*>(source), target, count)
        : NarrowFloatNatively(static_cast<const float*>(source), target, count);
  } else if (from == DType::kFloat16) {
    HWY_DYNAMIC_DISPATCH(NarrowFloat16)(static_cast<const Float16*>(source), target, count);
  } else if (from == DType::kFloat32) {
    HWY_DYNAMIC_DISPATCH(NarrowFloat)(static_cast<const float*>(source), target, count);
  } else {
    std::memcpy(target, source, static_cast<std::size_t>(count) * sizeof(BFloat16));
  }
}

}  // namespace halftone
#endif  // HWY_ONCE
