// Packed panels: the columns of B of a matrix product, in the order in which a tile reads them.
#pragma once

#include <cstdint>

#include "kernels/tile/tile_kernel.h"
#include "src/ir/dtype.h"

namespace halftone {

// Layout: panel after panel, as wide as the tile. A panel has one row of elements (or pairs, or
// chunks of parts) for each step. Columns beyond n are zero, and so are elements of the last step
// beyond k.
struct PanelLayout {
  const TileKernel* tile = kTileKernels.data();
  std::int64_t k = 0;
  std::int64_t n = 0;

  [[nodiscard]] std::int64_t steps() const {
    return (k + tile->step_elements() - 1) / tile->step_elements();
  }

  [[nodiscard]] StepBlocks blocks() const { return tile->Blocks(steps()); }

  [[nodiscard]] std::int64_t panels() const { return tile->panels(n); }

  [[nodiscard]] std::int64_t panel_bytes() const { return steps() * tile->step_bytes(); }

  [[nodiscard]] std::int64_t size_bytes() const { return panels() * panel_bytes(); }
};

// Location of B. Strides are in elements.
struct StridedMatrix {
  DType dtype = DType::kFloat32;
  const void* data = nullptr;
  std::int64_t step_stride = 0;  // along k
  std::int64_t column_stride = 1;
};

// Packs panels [first, last) to their places in `target`, which begins with panel 0. For pairs,
// elements of other dtypes are rounded to the dtype of the pairs (NarrowRowsTo()). For parts, the
// source must be float32. For all other tiles, it must have the dtype of their storage.
void PackPanels(const StridedMatrix& source, const PanelLayout& layout, std::int64_t first,
                std::int64_t last, std::byte* target) noexcept;

}  // namespace halftone
