#include "kernels/conv/filter_tiles.h"

#include <algorithm>
#include <cstring>

#include "kernels/gemm/half_rows.h"

namespace halftone {

std::int64_t FilterLayout::block_offset(std::int64_t block) const {
  std::int64_t elements = 0;
  for (std::int64_t b = 0; b < block; ++b) {
    elements += kTileRows * row_stride(b);
  }
  return elements * (widened() ? 2 : 4);
}

FilterLayout FilterLayoutOf(TileFormat format, std::int64_t rows, std::int64_t k) {
  const std::int64_t unit = ElementsPerStep(format);
  return {.format = format, .rows = rows, .k = k, .blocks = {.steps = (k + unit - 1) / unit}};
}

void PackFilters(const FilterLayout& layout, DType dtype, const std::byte* source,
                 std::byte* target) noexcept {
  const auto element = static_cast<std::int64_t>(SizeOf(dtype));
  const std::int64_t unit = ElementsPerStep(layout.format);
  const std::int64_t word = layout.widened() ? 2 : 4;
  std::memset(target, 0, static_cast<std::size_t>(layout.size_bytes()));
  for (std::int64_t row = 0; row < layout.rows; ++row) {
    for (std::int64_t block = 0; block < layout.blocks.count(); ++block) {
      const std::int64_t first = layout.blocks.begin(block) * unit;
      const std::int64_t count = std::min(layout.blocks.size(block) * unit, layout.k - first);
      const std::byte* from = source + (row * layout.k + first) * element;
      std::byte* to = target + row / kTileRows * layout.tile_bytes() + layout.block_offset(block) +
                      row % kTileRows * layout.row_stride(block) * word;
      if (layout.format == TileFormat::kPairs) {
        NarrowRowToBFloat16(dtype, from, reinterpret_cast<BFloat16*>(to), count);
      } else {
        std::memcpy(to, from, static_cast<std::size_t>(count * element));
      }
    }
  }
}

FilterBlock FilterBlockOf(const FilterLayout& layout, const std::byte* packed, std::int64_t tile,
                          std::int64_t block, float* buffer) noexcept {
  const std::byte* data = packed + tile * layout.tile_bytes() + layout.block_offset(block);
  if (!layout.widened()) {
    return {data, layout.row_stride(block)};
  }
  const DType dtype = layout.format == TileFormat::kFloat16 ? DType::kFloat16 : DType::kBFloat16;
  const std::int64_t steps = layout.blocks.size(block);
  const std::int64_t lda = TileRowStride(steps);
  const std::int64_t rows = std::min<std::int64_t>(kTileRows, layout.rows - tile * kTileRows);
  for (std::int64_t row = 0; row < rows; ++row) {
    WidenRow(dtype, data + row * steps * 2, buffer + row * lda, steps);
  }
  return {buffer, lda};
}

}  // namespace halftone
