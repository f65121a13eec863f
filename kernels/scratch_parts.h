// How the scratch of a call (KernelArgs::scratch) is divided.
#pragma once

#include <cstdint>

namespace halftone {

// Bytes of a part, so that the next part is 64-byte aligned too.
constexpr std::int64_t WholeLines(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

}  // namespace halftone
