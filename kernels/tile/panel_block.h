// Panels of one block of k, ready for the tile.
#pragma once

#include <algorithm>

#include "kernels/tile/pack_panels.h"
#include "kernels/tile/tile_kernel.h"

namespace halftone {

struct PanelBlock {
  const TileKernel* tile = nullptr;
  const std::byte* first = nullptr;  // begin of the first panel
  std::int64_t panel_stride = 0;     // bytes between panels
};

// Number of panels that row tiles pass over together. The panels must stay in the L2, so more
// panels go together if they have few steps.
inline std::int64_t BlockPanels(const StepBlocks& blocks) {
  return blocks.steps >= blocks.most
             ? kBlockPanels
             : kBlockPanels * blocks.most / std::max<std::int64_t>(blocks.steps, 1);
}

// Arguments of PanelBlockOf().
struct PanelBlockQuery {
  const PanelLayout* layout = nullptr;
  StepBlocks blocks;
  std::int64_t block = 0;
  // Panels [first_panel, last_panel): at most BlockPanels() of them if row_tiles is above 1.
  std::int64_t first_panel = 0;
  std::int64_t last_panel = 0;
  std::int64_t row_tiles = 0;         // number of row tiles that will pass over the panels
  const std::byte* packed = nullptr;  // all panels
};

// Scratch of PanelBlockOf(), a multiple of 64 bytes; 0 for tiles that widen nothing.
std::int64_t PanelBlockBytes(const PanelLayout& layout, const StepBlocks& blocks);

// Widens 16-bit elements to `scratch`, exactly, once for all row tiles. With fewer than 3 row
// tiles, or with TileKernel::widens_each_time, returns the packed panels, and the tile widens them.
// The results of products are the same.
PanelBlock PanelBlockOf(const PanelBlockQuery& query, std::byte* scratch) noexcept;

}  // namespace halftone
