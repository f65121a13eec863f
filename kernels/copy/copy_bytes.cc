#include "kernels/copy/copy_bytes.h"

#include <cstddef>
#include <cstring>

#include "kernels/parallel.h"

namespace halftone {

void CopyBytes(void* target, const void* source, std::int64_t bytes) noexcept {
  if (target == source) {
    return;
  }
  ParallelFor(bytes, kCopyGrainBytes, [&](std::int64_t begin, std::int64_t end) {
    std::memcpy(static_cast<std::byte*>(target) + begin,
                static_cast<const std::byte*>(source) + begin,
                static_cast<std::size_t>(end - begin));
  });
}

}  // namespace halftone
