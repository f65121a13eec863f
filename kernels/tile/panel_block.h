// Panels of one block of k, ready for the tile.
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

// Panels per block that row tiles pass over together: they stay in the L2, so that there are more
// of them with few steps.
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
  std::int64_t first_panel = 0;  // at most BlockPanels() of them where row_tiles is above 1
  std::int64_t last_panel = 0;
  std::int64_t row_tiles = 0;         // number of row tiles that will pass over the panels
  const std::byte* packed = nullptr;  // all panels
};

// Scratch of PanelBlockOf(), a multiple of 64 bytes; 0 for tiles that widen nothing.
std::int64_t PanelBlockBytes(const PanelLayout& layout, const StepBlocks& blocks);

// Widens 16-bit elements (exactly) once for all row tiles when there are a few of them, else leaves
// it to the tile: where conversions alternate with multiplications (Zen 4) that costs an eighth of
// the time. Results are the same.
PanelBlock PanelBlockOf(const PanelBlockQuery& query, std::byte* scratch) noexcept;

}  // namespace halftone
