// Shape of the register tiles of AMX: 2 x 2 tile registers of sums, two of A and two of B, all
// eight registers together.
#pragma once

#include <cstdint>

namespace halftone {

inline constexpr int kAmxRows = 32;
inline constexpr int kAmxColumns = 32;

// Steps of 4 bytes in a row of a tile register. One instruction sums this many steps, counted from
// the begin of a block.
inline constexpr std::int64_t kAmxSteps = 16;

// Steps per block of k: a row tile of A is then 32 KiB and stays in an L1 of 48 KiB while panels of
// B, 32 KiB each, stream past it from the L2.
inline constexpr std::int64_t kAmxBlockSteps = 256;

}  // namespace halftone
