#include "kernels/tile/panel_block.h"

#include <algorithm>

#include "kernels/tile/half_rows.h"

namespace halftone {
namespace {

// Fewest row tiles for which panels are widened in advance: widening a panel costs about as much as
// one row tile saves.
constexpr std::int64_t kFewTiles = 3;

// The tile that multiplies widened panels; null: those of `tile` are multiplied as they are.
const TileKernel* Widened(const TileKernel& tile) {
  return tile.widens_each_time ? nullptr : WidenedTile(tile);
}

}  // namespace

std::int64_t PanelBlockBytes(const PanelLayout& layout, const StepBlocks& blocks) {
  const TileKernel* widened = Widened(*layout.tile);
  if (widened == nullptr) {
    return 0;
  }
  const std::int64_t steps = std::min(blocks.steps, blocks.most);
  return std::min(BlockPanels(blocks), layout.panels()) * steps * widened->step_bytes();
}

PanelBlock PanelBlockOf(const PanelBlockQuery& query, std::byte* scratch) noexcept {
  const PanelLayout& layout = *query.layout;
  const TileKernel* widened = Widened(*layout.tile);
  const std::byte* first = query.packed + query.first_panel * layout.panel_bytes() +
                           query.blocks.begin(query.block) * layout.tile->step_bytes();
  if (widened == nullptr || query.row_tiles < kFewTiles) {
    return {layout.tile, first, layout.panel_bytes()};
  }
  const std::int64_t steps = query.blocks.size(query.block);
  const std::int64_t panel_bytes = steps * widened->step_bytes();
  for (std::int64_t panel = 0; panel < query.last_panel - query.first_panel; ++panel) {
    WidenRow(WidenedDType(*layout.tile), first + panel * layout.panel_bytes(),
             reinterpret_cast<float*>(scratch + panel * panel_bytes), steps * widened->columns);
  }
  return {widened, scratch, panel_bytes};
}

}  // namespace halftone
