// Transposition of a matrix of two to four long rows to contiguous columns, and back.
#pragma once

#include <cstdint>

namespace halftone {

// True if InterleaveRows() and SeparateRows() accept this number of rows and this element size.
bool HasInterleaveRows(std::int64_t rows, std::int64_t element_bytes);

// target[c * rows + r] = source[r * source_stride + c] for c < columns. The stride is in elements.
void InterleaveRows(std::int64_t element_bytes, std::int64_t rows, std::int64_t columns,
                    const void* source, std::int64_t source_stride, void* target) noexcept;

// target[r * target_stride + c] = source[c * rows + r] for c < columns. The stride is in elements.
void SeparateRows(std::int64_t element_bytes, std::int64_t rows, std::int64_t columns,
                  const void* source, void* target, std::int64_t target_stride) noexcept;

}  // namespace halftone
