// B of a matrix product in panels of kTileColumns columns, as the tile reads it.
#pragma once

#include <cstdint>

#include "kernels/gemm/matrix_call.h"
#include "kernels/gemm/tile.h"

namespace halftone {

// Layout: panel after panel, each with one row of kTileColumns elements (kPairs: pairs) a step.
// Columns beyond n are zero; so is the second half of the last pair of an odd k.
struct PanelLayout {
  TileFormat format = TileFormat::kFloat;
  std::int64_t k = 0;
  std::int64_t n = 0;

  [[nodiscard]] std::int64_t steps() const {
    return (k + ElementsPerStep(format) - 1) / ElementsPerStep(format);
  }

  [[nodiscard]] std::int64_t panels() const { return (n + kTileColumns - 1) / kTileColumns; }

  [[nodiscard]] std::int64_t panel_bytes() const {
    return steps() * kTileColumns * BytesPerColumnStep(format);
  }

  [[nodiscard]] std::int64_t size_bytes() const { return panels() * panel_bytes(); }
};

// Where B is: the strides of a MatrixCall, from `data` on.
struct StridedMatrix {
  DType dtype = DType::kFloat32;
  const void* data = nullptr;
  std::int64_t step_stride = 0;
  std::int64_t column_stride = 1;
};

// Packs panels [first, last) to their places behind `target`. With kPairs, elements of other types
// than bfloat16 are rounded to it; otherwise the dtype is that of the format.
void PackPanels(const StridedMatrix& source, const PanelLayout& layout, std::int64_t first,
                std::int64_t last, std::byte* target) noexcept;

}  // namespace halftone
