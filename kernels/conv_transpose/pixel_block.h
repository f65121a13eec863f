// Transposition of a block of output pixels from channels last to channels first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Largest number of pixels in a block.
inline constexpr std::int64_t kBlockPixels = 64;

// Sets rows[c, i] = pixels[i, c] for `count` pixels i and `channels` channels c. Elements have 2 or
// 4 bytes. Pixels are contiguous, and rows begin kBlockPixels elements apart.
void PixelsToRows(DType dtype, const std::byte* pixels, std::int64_t count, std::int64_t channels,
                  std::byte* rows) noexcept;

}  // namespace halftone
