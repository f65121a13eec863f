// Transposition of blocks of output pixels with channels last to rows of each channel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Largest number of pixels in a block.
inline constexpr std::int64_t kBlockPixels = 64;

// rows[c, i] = pixels[i, c] for `count` pixels of `channels` elements of 2 or 4 bytes; rows are
// kBlockPixels elements apart.
void PixelsToRows(DType dtype, const std::byte* pixels, std::int64_t count, std::int64_t channels,
                  std::byte* rows) noexcept;

}  // namespace halftone
