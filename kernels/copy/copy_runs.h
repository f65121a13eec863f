// Copies of many runs of equal length at regular distances.
#pragma once

#include <cstddef>
#include <cstdint>

namespace halftone {

struct ByteRuns {
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
  std::int64_t source_stride = 0;  // bytes from run to run
  std::int64_t target_stride = 0;
  std::int64_t bytes = 0;  // of a run
  std::int64_t count = 0;
};

// Copies the runs in order, and splits each long run between the threads. Source and target must
// not overlap.
void CopyRuns(const ByteRuns& runs) noexcept;

}  // namespace halftone
