// Plain copies of large byte ranges, split over the threads when that pays.
#pragma once

#include <cstdint>

namespace halftone {

// Bytes that one thread copies in about 25 us: a core of the development machine copies 20 GB/s
// from memory (limits of that machine, 2026-11-20: 26 to 35 GB/s read plus write; more from cache).
inline constexpr std::int64_t kCopyGrainBytes = std::int64_t{512} << 10;

// Copies `bytes` from `source` to `target`; the ranges are the same or do not overlap.
void CopyBytes(void* target, const void* source, std::int64_t bytes) noexcept;

// Number of items of `item_bytes` that make kCopyGrainBytes, at least 1.
constexpr std::int64_t GrainOf(std::int64_t item_bytes) {
  return item_bytes >= kCopyGrainBytes ? 1 : kCopyGrainBytes / (item_bytes > 0 ? item_bytes : 1);
}

}  // namespace halftone
