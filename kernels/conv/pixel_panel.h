// Panels of the right operand of a convolution: the values under each tap for the panel's pixels.
#pragma once

#include <cstdint>

#include "kernels/tile/tile_kernel.h"
#include "src/ir/half.h"

namespace halftone {

// Elements that GatherPanel() may read behind the last run of a plane; the caller reserves them.
inline constexpr std::int64_t kGatherSlack = 16;

// Neighbouring output pixels whose inputs are neighbours too.
struct PixelRun {
  std::int64_t source = 0;  // element offset under tap offset 0
  std::int32_t column = 0;  // in the panel
  std::int32_t count = 0;
};

struct PixelPanel {
  int columns = kTileColumns;  // of the tile
  int run_count = 0;
  PixelRun runs[kMostTileColumns];
};

struct GatherArgs {
  const PixelPanel* panel = nullptr;
  const std::int64_t* offsets = nullptr;  // offsets of the taps, in elements; two a step for pairs
  std::int64_t steps = 0;
  const void* planes = nullptr;  // float; 16 bits for pairs
  bool odd_end = false;          // the last step of pairs has only its first element
  bool exact = false;            // reads nothing behind a run: the planes are the caller's input
  void* target = nullptr;        // [steps][columns] words, and a vector of slack behind
};

void GatherFloats(const GatherArgs& args) noexcept;
void GatherPairs(const GatherArgs& args) noexcept;

}  // namespace halftone
