#include "kernels/streamed_store.h"

#include <atomic>
#include <cstring>

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/streamed_store.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Whole vectors at aligned addresses bypass the caches; bytes before and behind them do not. Two
// vectors of 256 bits, or one of 512, fill a cache line.
void StoreParts(const std::byte* from, std::byte* to, std::int64_t bytes) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto to_aligned = static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(to) &
                                                    static_cast<std::uintptr_t>(lanes - 1));
  std::int64_t i = std::min(to_aligned, bytes);
  std::memcpy(to, from, static_cast<std::size_t>(i));
  for (; i + lanes <= bytes; i += lanes) {
    hn::Stream(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from + i)), d,
               reinterpret_cast<std::uint8_t*>(to + i));
  }
  std::memcpy(to + i, from + i, static_cast<std::size_t>(bytes - i));
}

}  // namespace halftone::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {

HWY_EXPORT(StoreParts);

void StoreStreamed(const std::byte* from, std::byte* to, std::int64_t bytes) noexcept {
  HWY_DYNAMIC_DISPATCH(StoreParts)(from, to, bytes);
}

void FinishStreamed() noexcept {
#if defined(__SSE2__)
  __builtin_ia32_sfence();
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace halftone
#endif  // HWY_ONCE
