// Convolution weights packed as the tile's left operand, once: row tiles by blocks of k.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/tile/tile_kernel.h"
#include "src/ir/dtype.h"

namespace halftone {

// Layout of a matrix [rows, k]: row tiles, each in blocks of k, each block with the rows of the
// tile. float32 and pairs are stored as the tile reads them. Other 16-bit types are stored
// unchanged, and widened block by block when they are used.
struct FilterLayout {
  const TileKernel* tile = kTileKernels.data();
  std::int64_t rows = 0;
  std::int64_t k = 0;
  StepBlocks blocks;

  [[nodiscard]] std::int64_t tiles() const { return tile->row_tiles(rows); }

  // Distance between rows of a block, in words; in 16-bit elements if the tile widens them.
  [[nodiscard]] std::int64_t row_stride(std::int64_t block) const {
    return tile->widens() ? blocks.size(block) : TileRowStride(blocks.size(block));
  }

  [[nodiscard]] std::int64_t block_offset(std::int64_t block) const;  // bytes from the tile's begin

  [[nodiscard]] std::int64_t tile_bytes() const { return block_offset(blocks.count()); }

  [[nodiscard]] std::int64_t size_bytes() const { return tiles() * tile_bytes(); }
};

FilterLayout FilterLayoutOf(const TileKernel& tile, std::int64_t rows, std::int64_t k);

// Packs [rows, k] row-major weights.
void PackFilters(const FilterLayout& layout, DType dtype, const std::byte* source,
                 std::byte* target) noexcept;

// Operand of the tile function for a block of a tile: in place, or widened into `buffer`
// (TileKernel::a_bytes()).
struct FilterBlock {
  const void* data = nullptr;
  std::int64_t lda = 0;  // words
};

FilterBlock FilterBlockOf(const FilterLayout& layout, const std::byte* packed, std::int64_t tile,
                          std::int64_t block, float* buffer) noexcept;

}  // namespace halftone
