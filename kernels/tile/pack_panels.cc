#include "kernels/tile/pack_panels.h"

#include <algorithm>
#include <cstring>

#include "kernels/tile/half_rows.h"
#include "kernels/tile/pack_columns.h"
#include "kernels/tile/pack_parts.h"
#include "src/ir/half.h"

namespace halftone {
namespace {

// Writes the row of B at element `k`, `columns` elements from `column` on, to `target`.
template <typename T>
void CopyRow(const StridedMatrix& source, std::int64_t k, std::int64_t column, std::int64_t columns,
             T* target) {
  const T* from =
      static_cast<const T*>(source.data) + k * source.step_stride + column * source.column_stride;
  if (source.column_stride == 1) {
    std::memcpy(target, from, static_cast<std::size_t>(columns) * sizeof(T));
  } else {
    for (std::int64_t j = 0; j < columns; ++j) {
      target[j] = from[j * source.column_stride];
    }
  }
}

// The rows of panels are kWidth elements (or pairs) wide; kWidth 0: as wide as the tile. Loops of a
// width that the compiler knows took 0.6 of the time (keys and values of Attention).
template <int kWidth, typename T>
void PackPlain(const StridedMatrix& source, const PanelLayout& layout, std::int64_t panel,
               T* target) {
  const int width = kWidth != 0 ? kWidth : layout.tile->columns;
  const int columns = layout.tile->ColumnsAt(panel, layout.n);
  for (std::int64_t k = 0; k < layout.k; ++k, target += width) {
    CopyRow(source, k, panel * width, columns, target);
    std::fill(target + columns, target + width, T{});
  }
}

// The row as 16-bit elements of dtype `to`.
void CopyRowAs(DType to, const StridedMatrix& source, std::int64_t k, std::int64_t column,
               std::int64_t columns, std::uint16_t* target) {
  if (source.dtype == to) {
    CopyRow(source, k, column, columns, target);
  } else if (source.dtype == DType::kFloat32) {
    float row[kMostTileColumns];
    CopyRow(source, k, column, columns, row);
    NarrowRowTo(to, DType::kFloat32, row, target, columns);
  } else {
    std::uint16_t row[kMostTileColumns];
    CopyRow(source, k, column, columns, row);
    NarrowRowTo(to, source.dtype, row, target, columns);
  }
}

template <int kWidth>
void PackPairs(const StridedMatrix& source, const PanelLayout& layout, std::int64_t panel,
               std::uint16_t* target) {
  const DType dtype = layout.tile->pair_dtype();
  const int width = kWidth != 0 ? kWidth : layout.tile->columns;
  const int columns = layout.tile->ColumnsAt(panel, layout.n);
  const std::int64_t column = panel * width;
  for (std::int64_t k = 0; k < layout.k; k += 2, target += std::int64_t{2} * width) {
    std::uint16_t even[kWidth != 0 ? kWidth : kMostTileColumns] = {};
    std::uint16_t odd[kWidth != 0 ? kWidth : kMostTileColumns] = {};
    CopyRowAs(dtype, source, k, column, columns, even);
    if (k + 1 < layout.k) {
      CopyRowAs(dtype, source, k + 1, column, columns, odd);
    }
    for (std::int64_t j = 0; j < width; ++j) {
      target[2 * j] = even[j];
      target[2 * j + 1] = odd[j];
    }
  }
}

template <int kWidth>
void PackPanel(const StridedMatrix& source, const PanelLayout& layout, std::int64_t panel,
               std::byte* to) {
  if (layout.tile->pairs()) {
    PackPairs<kWidth>(source, layout, panel, reinterpret_cast<std::uint16_t*>(to));
  } else if (layout.tile->storage == TileStorage::kFloat32) {
    PackPlain<kWidth>(source, layout, panel, reinterpret_cast<float*>(to));
  } else {
    PackPlain<kWidth>(source, layout, panel, reinterpret_cast<std::uint16_t*>(to));
  }
}

}  // namespace

void PackPanels(const StridedMatrix& source, const PanelLayout& layout, std::int64_t first,
                std::int64_t last, std::byte* target) noexcept {
  for (std::int64_t panel = first; panel < last; ++panel) {
    std::byte* to = target + panel * layout.panel_bytes();
    if (layout.tile->in_parts()) {
      PackParts(source, layout, panel, to);
    } else if (source.step_stride == 1 && source.column_stride != 1) {
      PackColumns(source, layout, panel, to);
    } else if (layout.tile->columns == kTileColumns) {
      PackPanel<kTileColumns>(source, layout, panel, to);
    } else {
      PackPanel<0>(source, layout, panel, to);
    }
  }
}

}  // namespace halftone
