// Rows of an implicit matrix: what the window of one output pixel reads, taps by rows, then by
// columns, then channels; zero in the padding. Channels last.
#pragma once

#include <cstdint>

#include "kernels/conv/conv_call.h"

namespace halftone {

// What rows are made of.
enum class PixelFormat : std::uint8_t { kFloat, kBFloat16 };

struct PixelRows {
  const ConvCall* call = nullptr;
  const std::byte* x = nullptr;  // of the group's first channel in the first image
  PixelFormat format = PixelFormat::kFloat;
};

// Writes elements [first, first + count) of the row of output pixel `pixel` (counted over all
// images). An odd `count` of bfloat16 is followed by one zero.
void GatherPixelRow(const PixelRows& rows, std::int64_t pixel, std::int64_t first,
                    std::int64_t count, std::byte* target) noexcept;

}  // namespace halftone
