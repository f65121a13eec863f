#include "kernels/onednn/clamp.h"

#include <cmath>

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/onednn/clamp.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include "kernels/vector_storage-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

template <typename T>
void ClampAll(T* values, std::int64_t count, const ActivationRange& range) {
  const FloatTag d;
  const auto low = hn::Set(d, range.low);
  const auto high = hn::Set(d, range.high);
  const auto clamp = [&](FloatVec v) {
    v = hn::IfThenElse(hn::Lt(v, low), low, v);  // false for NaN, which passes
    return hn::IfThenElse(hn::Gt(v, high), high, v);
  };
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    StoreFloats(d, clamp(LoadFloats(d, values + i)), values + i);
  }
  if (i < count) {
    const auto rest = static_cast<std::size_t>(count - i);
    StoreFirst(d, clamp(LoadFirst(d, values + i, rest)), values + i, rest);
  }
}

void Clamp(DType dtype, void* values, std::int64_t count, const ActivationRange& range) {
  if (dtype == DType::kBFloat16) {
    ClampAll(static_cast<BFloat16*>(values), count, range);
  } else {
    ClampAll(static_cast<float*>(values), count, range);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(Clamp);

}  // namespace

bool IsBounded(const ActivationRange& range) {
  return !std::isinf(range.low) || !std::isinf(range.high);
}

void ClampInPlace(DType dtype, void* values, std::int64_t count,
                  const ActivationRange& range) noexcept {
  HWY_DYNAMIC_DISPATCH(Clamp)(dtype, values, count, range);
}

}  // namespace halftone
#endif  // HWY_ONCE
