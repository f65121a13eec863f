// Panels of the right operand of a convolution. A panel holds the values under each tap for its
// pixels.
#pragma once

#include <cstdint>

#include "kernels/tile/tile_kernel.h"
#include "src/ir/half.h"

namespace halftone {

// Number of elements that GatherFloats() and GatherPairs() may read behind the planes. The caller
// reserves them.
inline constexpr std::int64_t kGatherSlack = 16;

// Neighbouring output pixels whose inputs are neighbours too.
struct PixelRun {
  std::int64_t source = 0;  // element of the planes under the first pixel, for a tap of offset 0
  std::int32_t column = 0;  // column of the first pixel in the panel
  std::int32_t count = 0;   // number of pixels
};

struct PixelPanel {
  int columns = kTileColumns;  // columns of the tile
  int run_count = 0;
  PixelRun runs[kMostTileColumns];
};

struct GatherArgs {
  const PixelPanel* panel = nullptr;
  // Offsets of the taps in elements: one for each step, or two for each step of pairs.
  const std::int64_t* offsets = nullptr;
  std::int64_t steps = 0;
  const void* planes = nullptr;  // elements are float, or of 16 bits for pairs
  bool odd_end = false;          // the second element of the last step of pairs is zero
  bool exact = false;            // nothing is read behind a run: the planes have no slack
  void* target = nullptr;        // [steps][columns] words, with room for one vector behind them
};

void GatherFloats(const GatherArgs& args) noexcept;
void GatherPairs(const GatherArgs& args) noexcept;

}  // namespace halftone
