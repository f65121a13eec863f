#include "kernels/tile/pack_columns.h"

#include <algorithm>
#include <array>

#include "kernels/tile/half_rows.h"
#include "kernels/transpose/tile.h"
#include "src/ir/half.h"

namespace halftone {
namespace {

// Packs `rows` columns of B, of `words` words each, into as many lanes of the rows of a panel that
// is kWidth words wide, or `any_width` if kWidth is 0.
template <int kWidth, typename Word>
void TransposeRows(const Word* from, std::int64_t stride, std::int64_t rows, std::int64_t words,
                   int any_width, Word* to) {
  const std::int64_t width = kWidth != 0 ? kWidth : any_width;
  constexpr std::int64_t kSize = MatrixRow<Word>::kSize;
  const std::int64_t whole_rows = rows / kSize * kSize;
  const std::int64_t whole_words = words / kSize * kSize;
  for (std::int64_t w = 0; w < whole_words; w += kSize) {
    for (std::int64_t row = 0; row < whole_rows; row += kSize) {
      TransposeTile(from + row * stride + w, stride, to + w * width + row, width);
    }
  }
  for (std::int64_t w = 0; w < words; ++w) {
    Word* line = to + w * width;
    for (std::int64_t row = w < whole_words ? whole_rows : 0; row < rows; ++row) {
      line[row] = from[row * stride + w];
    }
    std::fill(line + rows, line + width, Word{});
  }
}

// A panel of pairs by pieces that are rounded to their dtype.
template <int kWidth>
void TransposePairs(const StridedMatrix& source, const std::byte* first_column,
                    std::int64_t columns, const PanelLayout& layout, std::byte* target) {
  const std::int64_t k = layout.k;
  const int width = layout.tile->columns;
  constexpr std::int64_t kPiece = 64;
  // Written before it is read; clearing it takes longer than a panel of a short key.
  std::array<std::uint32_t, kMostTileColumns * kPiece / 2> words;
  const auto element = static_cast<std::int64_t>(SizeOf(source.dtype));
  for (std::int64_t first = 0; first < k; first += kPiece) {
    const std::int64_t count = std::min(kPiece, k - first);
    for (std::int64_t j = 0; j < columns; ++j) {
      auto* to = reinterpret_cast<std::uint16_t*>(words.data() + j * kPiece / 2);
      NarrowRowTo(layout.tile->pair_dtype(), source.dtype,
                  first_column + (j * source.column_stride + first) * element, to, count);
      if (count % 2 != 0) {
        to[count] = 0;
      }
    }
    TransposeRows<kWidth>(words.data(), kPiece / 2, columns, (count + 1) / 2, width,
                          reinterpret_cast<std::uint32_t*>(target) + first / 2 * width);
  }
}

template <int kWidth>
void PackPanel(const StridedMatrix& source, const PanelLayout& layout, std::int64_t panel,
               std::byte* target) {
  const TileKernel& tile = *layout.tile;
  const std::int64_t column = panel * tile.columns;
  const std::int64_t columns = tile.ColumnsAt(panel, layout.n);
  const std::byte* from =
      static_cast<const std::byte*>(source.data) +
      column * source.column_stride * static_cast<std::int64_t>(SizeOf(source.dtype));
  if (tile.pairs()) {
    TransposePairs<kWidth>(source, from, columns, layout, target);
  } else if (tile.storage == TileStorage::kFloat32) {
    TransposeRows<kWidth>(reinterpret_cast<const std::uint32_t*>(from), source.column_stride,
                          columns, layout.k, tile.columns,
                          reinterpret_cast<std::uint32_t*>(target));
  } else {
    TransposeRows<kWidth>(reinterpret_cast<const std::uint16_t*>(from), source.column_stride,
                          columns, layout.k, tile.columns,
                          reinterpret_cast<std::uint16_t*>(target));
  }
}

}  // namespace

void PackColumns(const StridedMatrix& source, const PanelLayout& layout, std::int64_t panel,
                 std::byte* target) noexcept {
  if (layout.tile->columns == kTileColumns) {
    PackPanel<kTileColumns>(source, layout, panel, target);
  } else {
    PackPanel<0>(source, layout, panel, target);
  }
}

}  // namespace halftone
