// Packed panels of B of a quantised product, as wide as the tile that reads them, and the sums of
// the columns of B.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/quantized/byte_tile.h"

namespace halftone {

// Layout: panel after panel. A panel has, for each step, `columns` groups of 4 elements that are
// neighbours along k. Columns beyond n and elements beyond k are zero.
struct BytePanels {
  int columns = kByteTileColumns;  // columns of the tile
  std::int64_t k = 0;
  std::int64_t n = 0;

  [[nodiscard]] std::int64_t steps() const { return (k + kBytesPerStep - 1) / kBytesPerStep; }

  [[nodiscard]] std::int64_t panels() const { return (n + columns - 1) / columns; }

  [[nodiscard]] std::int64_t panel_bytes() const { return steps() * columns * kBytesPerStep; }

  [[nodiscard]] std::int64_t size_bytes() const { return panels() * panel_bytes(); }

  // Number of columns, including padding of the last panel.
  [[nodiscard]] std::int64_t padded_n() const { return panels() * columns; }

  [[nodiscard]] int ColumnsAt(std::int64_t panel) const {
    const std::int64_t left = n - panel * columns;
    return left < columns ? static_cast<int>(left) : columns;
  }
};

// Location of B. Strides are in elements.
struct ByteMatrix {
  const std::byte* data = nullptr;
  std::int64_t step_stride = 0;  // along k
  std::int64_t column_stride = 1;
  bool is_unsigned = false;  // uint8, which is packed as int8, 128 lower
};

// Packs one panel to `target`, and writes the sum of each of its columns, as packed, to `sums`
// (layout.columns numbers).
void PackBytePanel(const ByteMatrix& source, const BytePanels& layout, std::int64_t panel,
                   std::int8_t* target, std::int32_t* sums) noexcept;

}  // namespace halftone
