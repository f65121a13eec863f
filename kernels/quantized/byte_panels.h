// Packed panels of B of a quantised product, kTileColumns columns wide, and the sums of its
// columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/quantized/byte_tile.h"

namespace halftone {

// Layout: panel after panel, each with kTileColumns groups of 4 elements along k per step. Columns
// beyond n and elements beyond k are zero.
struct BytePanels {
  std::int64_t k = 0;
  std::int64_t n = 0;

  [[nodiscard]] std::int64_t steps() const { return (k + kBytesPerStep - 1) / kBytesPerStep; }

  [[nodiscard]] std::int64_t panels() const { return (n + kTileColumns - 1) / kTileColumns; }

  [[nodiscard]] std::int64_t panel_bytes() const { return steps() * kTileColumns * kBytesPerStep; }

  [[nodiscard]] std::int64_t size_bytes() const { return panels() * panel_bytes(); }

  // Columns including those that fill the last panel.
  [[nodiscard]] std::int64_t padded_n() const { return panels() * kTileColumns; }
};

// Location of B; strides in elements.
struct ByteMatrix {
  const std::byte* data = nullptr;
  std::int64_t step_stride = 0;
  std::int64_t column_stride = 1;
  bool is_unsigned = false;  // shifted by -128 into int8
};

// Packs one panel to `target` and writes the sums of its columns (as packed) to `sums`
// (kTileColumns).
void PackBytePanel(const ByteMatrix& source, const BytePanels& layout, std::int64_t panel,
                   std::int8_t* target, std::int32_t* sums) noexcept;

}  // namespace halftone
