#include "kernels/einsum/dot_rows.h"

#include "kernels/elements.h"
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/einsum/dot_rows.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include "kernels/vector_count-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

// Four sums a lane, because a multiply-add takes as long as four can be begun.
template <typename T>
HWY_INLINE float Dot(const T* a, const T* b, std::int64_t k) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto s0 = hn::Zero(d);
  auto s1 = hn::Zero(d);
  auto s2 = hn::Zero(d);
  auto s3 = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + 4 * lanes <= k; i += 4 * lanes) {
    s0 = hn::MulAdd(LoadFloats(d, a + i), LoadFloats(d, b + i), s0);
    s1 = hn::MulAdd(LoadFloats(d, a + i + lanes), LoadFloats(d, b + i + lanes), s1);
    s2 = hn::MulAdd(LoadFloats(d, a + i + 2 * lanes), LoadFloats(d, b + i + 2 * lanes), s2);
    s3 = hn::MulAdd(LoadFloats(d, a + i + 3 * lanes), LoadFloats(d, b + i + 3 * lanes), s3);
  }
  for (; i < k; i += lanes) {
    s0 = hn::MulAdd(LoadCount(d, a + i, k - i), LoadCount(d, b + i, k - i), s0);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
}

template <typename T>
void Dots(const DotRows& call, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t row = i / call.columns;
    const std::int64_t column = row / call.rows * call.columns + i % call.columns;
    const float sum = Dot(static_cast<const T*>(call.a) + row * call.k,
                          static_cast<const T*>(call.b) + column * call.k, call.k);
    static_cast<T*>(call.y)[i] = ElementOf<T>(sum);
  }
}

DotRowsLoop Find(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return Dots<Float16>;
    case DType::kBFloat16:
      return Dots<BFloat16>;
    default:
      return Dots<float>;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {

HWY_EXPORT(Find);

DotRowsLoop FindDotRowsLoop(DType dtype) {
  return HWY_DYNAMIC_DISPATCH(Find)(dtype);
}

}  // namespace halftone
#endif  // HWY_ONCE
