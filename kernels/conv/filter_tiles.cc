#include "kernels/conv/filter_tiles.h"

#include <algorithm>
#include <cstring>

#include "kernels/tile/half_rows.h"

namespace halftone {

std::int64_t FilterLayout::block_offset(std::int64_t block) const {
  std::int64_t elements = 0;
  for (std::int64_t b = 0; b < block; ++b) {
    elements += tile->rows * row_stride(b);
  }
  return elements * (tile->widens() ? 2 : 4);
}

FilterLayout FilterLayoutOf(const TileKernel& tile, std::int64_t rows, std::int64_t k) {
  const std::int64_t unit = tile.step_elements();
  return {.tile = &tile, .rows = rows, .k = k, .blocks = tile.Blocks((k + unit - 1) / unit)};
}

void PackFilters(const FilterLayout& layout, DType dtype, const std::byte* source,
                 std::byte* target) noexcept {
  const auto element = static_cast<std::int64_t>(SizeOf(dtype));
  const TileKernel& tile = *layout.tile;
  const std::int64_t unit = tile.step_elements();
  const std::int64_t word = tile.widens() ? 2 : 4;
  std::memset(target, 0, static_cast<std::size_t>(layout.size_bytes()));
  for (std::int64_t row = 0; row < layout.rows; ++row) {
    for (std::int64_t block = 0; block < layout.blocks.count(); ++block) {
      const std::int64_t first = layout.blocks.begin(block) * unit;
      const std::int64_t count = std::min(layout.blocks.size(block) * unit, layout.k - first);
      const std::byte* from = source + (row * layout.k + first) * element;
      std::byte* to = target + row / tile.rows * layout.tile_bytes() + layout.block_offset(block) +
                      row % tile.rows * layout.row_stride(block) * word;
      if (tile.pairs()) {
        NarrowRowTo(tile.pair_dtype(), dtype, from, to, count);
      } else {
        std::memcpy(to, from, static_cast<std::size_t>(count * element));
      }
    }
  }
}

FilterBlock FilterBlockOf(const FilterLayout& layout, const std::byte* packed, std::int64_t tile,
                          std::int64_t block, float* buffer) noexcept {
  const std::byte* data = packed + tile * layout.tile_bytes() + layout.block_offset(block);
  if (!layout.tile->widens()) {
    return {data, layout.row_stride(block)};
  }
  const std::int64_t steps = layout.blocks.size(block);
  const std::int64_t lda = TileRowStride(steps);
  const int rows = layout.tile->RowsAt(tile, layout.rows);
  for (int row = 0; row < rows; ++row) {
    WidenRow(WidenedDType(*layout.tile), data + row * steps * 2, buffer + row * lda, steps);
  }
  return {buffer, lda};
}

}  // namespace halftone
