// The weights of a convolution as the tile's left operand: packed once, row tiles by blocks of k.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/gemm/tile.h"
#include "src/ir/dtype.h"

namespace halftone {

// A matrix [rows, k] as row tiles, each tile as blocks of k, each block kTileRows rows long. float
// and pairs are stored as the tile reads them; 16-bit types as they are, widened block by block.
struct FilterLayout {
  TileFormat format = TileFormat::kFloat;
  std::int64_t rows = 0;
  std::int64_t k = 0;
  StepBlocks blocks;

  [[nodiscard]] std::int64_t tiles() const { return (rows + kTileRows - 1) / kTileRows; }

  // Between the rows of a block, in words, or in 16-bit elements for the formats that are widened.
  [[nodiscard]] std::int64_t row_stride(std::int64_t block) const {
    return widened() ? blocks.size(block) : TileRowStride(blocks.size(block));
  }

  [[nodiscard]] bool widened() const {
    return format == TileFormat::kFloat16 || format == TileFormat::kBFloat16;
  }

  [[nodiscard]] std::int64_t block_offset(std::int64_t block) const;  // bytes from the tile's begin

  [[nodiscard]] std::int64_t tile_bytes() const { return block_offset(blocks.count()); }

  [[nodiscard]] std::int64_t size_bytes() const { return tiles() * tile_bytes(); }
};

FilterLayout FilterLayoutOf(TileFormat format, std::int64_t rows, std::int64_t k);

// Packs [rows, k] row-major weights.
void PackFilters(const FilterLayout& layout, DType dtype, const std::byte* source,
                 std::byte* target) noexcept;

// A block of a tile as the tile function reads it: in place, or widened into `buffer`
// (kTileRows * (kBlockSteps + 16) floats).
struct FilterBlock {
  const void* data = nullptr;
  std::int64_t lda = 0;  // words
};

FilterBlock FilterBlockOf(const FilterLayout& layout, const std::byte* packed, std::int64_t tile,
                          std::int64_t block, float* buffer) noexcept;

}  // namespace halftone
