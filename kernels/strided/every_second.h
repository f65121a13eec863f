// Every second element of a row, vectorised.
#pragma once

#include <cstddef>
#include <cstdint>

namespace halftone {

// Fewest elements for vectors. With fewer, a plain loop is at least as fast (for 16, it takes two
// thirds of the time).
inline constexpr std::int64_t kLeastOfEverySecond = 32;

// target[i] = source[2 * i] for `count` elements of `bytes` bytes each (2, 4 or 8), of any
// alignment. Reads source[0] to source[2 * count - 2].
void CopyEverySecond(const std::byte* source, std::byte* target, std::int64_t count,
                     std::int64_t bytes) noexcept;

}  // namespace halftone
