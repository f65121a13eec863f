#include "kernels/gemm/panel_block.h"

#include <algorithm>

#include "kernels/cpu_isa.h"
#include "kernels/gemm/half_rows.h"

namespace halftone {
namespace {

// Widening a panel costs about what one row tile saves, unless the inner loop widens for free.
constexpr std::int64_t kFewTiles = 3;

bool IsWidened(TileFormat format) {
  return (format == TileFormat::kFloat16 || format == TileFormat::kBFloat16) && !HasFreeWidening();
}

constexpr std::int64_t kFloatStepBytes = kTileColumns * 4;

}  // namespace

std::int64_t PanelBlockBytes(const PanelLayout& layout, const StepBlocks& blocks) {
  if (!IsWidened(layout.format)) {
    return 0;
  }
  const std::int64_t steps = std::min(blocks.steps, kBlockSteps);
  return std::min(BlockPanels(blocks), layout.panels()) * steps * kFloatStepBytes;
}

PanelBlock PanelBlockOf(const PanelBlockQuery& query, std::byte* scratch) noexcept {
  const PanelLayout& layout = *query.layout;
  const std::int64_t step_bytes = kTileColumns * BytesPerColumnStep(layout.format);
  const std::byte* first = query.packed + query.first_panel * layout.panel_bytes() +
                           query.blocks.begin(query.block) * step_bytes;
  if (!IsWidened(layout.format) || query.row_tiles < kFewTiles) {
    return {TileFunctionOf(layout.format), first, layout.panel_bytes()};
  }
  const DType dtype = layout.format == TileFormat::kFloat16 ? DType::kFloat16 : DType::kBFloat16;
  const std::int64_t steps = query.blocks.size(query.block);
  for (std::int64_t panel = 0; panel < query.last_panel - query.first_panel; ++panel) {
    WidenRow(dtype, first + panel * layout.panel_bytes(),
             reinterpret_cast<float*>(scratch + panel * steps * kFloatStepBytes),
             steps * kTileColumns);
  }
  return {TileFunctionOf(TileFormat::kFloat), scratch, steps * kFloatStepBytes};
}

}  // namespace halftone
