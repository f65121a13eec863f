// Copies of many runs of bytes that have equal length and begin at regular distances.
#pragma once

#include <cstddef>
#include <cstdint>

namespace halftone {

struct ByteRuns {
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
  std::int64_t source_stride = 0;  // bytes from the begin of a run to that of the next
  std::int64_t target_stride = 0;  // likewise
  std::int64_t bytes = 0;          // length of a run
  std::int64_t count = 0;          // number of runs
};

// Copies the runs in order, each long run by CopyBytes() (copy_bytes.h) and so by several threads.
// Source and target must not overlap.
void CopyRuns(const ByteRuns& runs) noexcept;

}  // namespace halftone
