// Packing of convolution weights as the left operand of the tile.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/tile/tile_kernel.h"
#include "src/ir/dtype.h"

namespace halftone {

// Layout of a packed matrix [rows, k]. It is divided into row tiles, each row tile into blocks of
// k, and each block holds the rows of its tile. float32 and pairs are stored as the tile reads
// them. Other 16-bit elements are stored unchanged, and widened block by block when they are used.
struct FilterLayout {
  const TileKernel* tile = kTileKernels.data();
  std::int64_t rows = 0;
  std::int64_t k = 0;
  StepBlocks blocks;

  [[nodiscard]] std::int64_t tiles() const { return tile->row_tiles(rows); }

  // Stride of the rows of a block, in words of 4 bytes; in 16-bit elements if the tile widens them.
  [[nodiscard]] std::int64_t row_stride(std::int64_t block) const {
    return tile->widens() ? blocks.size(block) : TileRowStride(blocks.size(block));
  }

  // Offset of a block from the begin of its row tile, in bytes.
  [[nodiscard]] std::int64_t block_offset(std::int64_t block) const;

  [[nodiscard]] std::int64_t tile_bytes() const { return block_offset(blocks.count()); }

  [[nodiscard]] std::int64_t size_bytes() const { return tiles() * tile_bytes(); }
};

FilterLayout FilterLayoutOf(const TileKernel& tile, std::int64_t rows, std::int64_t k);

// Packs row-major weights [rows, k] into size_bytes() bytes at `target`.
void PackFilters(const FilterLayout& layout, DType dtype, const std::byte* source,
                 std::byte* target) noexcept;

// Left operand of the tile function.
struct FilterBlock {
  const void* data = nullptr;
  std::int64_t lda = 0;  // stride of rows in words
};

// The operand for a block of a row tile. It lies in `packed`, or in `buffer` of
// TileKernel::a_bytes() bytes if it must be widened.
FilterBlock FilterBlockOf(const FilterLayout& layout, const std::byte* packed, std::int64_t tile,
                          std::int64_t block, float* buffer) noexcept;

}  // namespace halftone
