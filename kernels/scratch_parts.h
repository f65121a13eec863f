// Division of the scratch of a call (KernelArgs::scratch).
#pragma once

#include <cstdint>

namespace halftone {

// `bytes` rounded up to whole cache lines, so that the next part is also 64-byte aligned.
constexpr std::int64_t WholeLines(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

}  // namespace halftone
