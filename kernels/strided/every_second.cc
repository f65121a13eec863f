#include "kernels/strided/every_second.h"

#include <cstring>

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/strided/every_second.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
void CopyPairs(const std::byte* source, std::byte* target, std::int64_t count) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const T* from = reinterpret_cast<const T*>(source);
  T* to = reinterpret_cast<T*>(target);
  hn::Vec<decltype(d)> even;
  hn::Vec<decltype(d)> odd;
  std::int64_t i = 0;
  for (; i + lanes < count; i += lanes) {
    hn::LoadInterleaved2(d, from + 2 * i, even, odd);
    hn::StoreU(even, d, to + i);
  }
  if (count > lanes) {  // the last pair may have no second element: pairs that end with the last
    hn::LoadInterleaved2(d, from + 2 * (count - lanes) - 1, even, odd);
    hn::StoreU(odd, d, to + count - lanes);
    return;
  }
  for (; i < count; ++i) {
    std::memcpy(to + i, from + 2 * i, sizeof(T));
  }
}

void CopyEverySecondOf(const std::byte* source, std::byte* target, std::int64_t count,
                       std::int64_t bytes) {
  switch (bytes) {
    case 2:
      return CopyPairs<std::uint16_t>(source, target, count);
    case 4:
      return CopyPairs<std::uint32_t>(source, target, count);
    default:
      return CopyPairs<std::uint64_t>(source, target, count);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(CopyEverySecondOf);

}  // namespace

void CopyEverySecond(const std::byte* source, std::byte* target, std::int64_t count,
                     std::int64_t bytes) noexcept {
  HWY_DYNAMIC_DISPATCH(CopyEverySecondOf)(source, target, count, bytes);
}

}  // namespace halftone
#endif  // HWY_ONCE
