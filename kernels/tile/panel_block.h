// The panels of one block of k as the tile reads them.
#pragma once

#include <algorithm>

#include "kernels/tile/pack_panels.h"
#include "kernels/tile/tile_kernel.h"

namespace halftone {

struct PanelBlock {
  const TileKernel* tile = nullptr;
  const std::byte* first = nullptr;  // of the first panel
  std::int64_t panel_stride = 0;     // bytes
};

// Panels that row tiles pass over together: they stay in the L2, so that of few steps there are
// more.
inline std::int64_t BlockPanels(const StepBlocks& blocks) {
  return blocks.steps >= kBlockSteps
             ? kBlockPanels
             : kBlockPanels * kBlockSteps / std::max<std::int64_t>(blocks.steps, 1);
}

// What a call of PanelBlockOf() is about.
struct PanelBlockQuery {
  const PanelLayout* layout = nullptr;
  StepBlocks blocks;
  std::int64_t block = 0;
  std::int64_t first_panel = 0;  // at most BlockPanels() of them where row_tiles is above 1
  std::int64_t last_panel = 0;
  std::int64_t row_tiles = 0;         // that will pass over the panels
  const std::byte* packed = nullptr;  // all panels
};

// Scratch of PanelBlockOf(), a multiple of 64 bytes; 0 for tiles that are multiplied as they are.
std::int64_t PanelBlockBytes(const PanelLayout& layout, const StepBlocks& blocks);

// 16-bit elements are widened (exactly) once for all row tiles when there are a few of them, else
// by the tile itself: where conversions take turns with multiplications (Zen 4) that costs an
// eighth of the time. Results are the same.
PanelBlock PanelBlockOf(const PanelBlockQuery& query, std::byte* scratch) noexcept;

}  // namespace halftone
