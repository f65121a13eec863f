// Packed panels of B of a quantised product, as wide as the tile that reads them, and the sums of
// its columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/quantized/byte_tile.h"

namespace halftone {

// Layout: panel after panel, each with `columns` groups of 4 elements along k per step. Columns
// beyond n and elements beyond k are zero.
struct BytePanels {
  int columns = kByteTileColumns;  // of the tile
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

// Location of B; strides in elements.
struct ByteMatrix {
  const std::byte* data = nullptr;
  std::int64_t step_stride = 0;
  std::int64_t column_stride = 1;
  bool is_unsigned = false;  // shifted by -128 into int8
};

// Packs one panel to `target` and writes the sums of its columns (as packed) to `sums`
// (layout.columns).
void PackBytePanel(const ByteMatrix& source, const BytePanels& layout, std::int64_t panel,
                   std::int8_t* target, std::int32_t* sums) noexcept;

}  // namespace halftone
