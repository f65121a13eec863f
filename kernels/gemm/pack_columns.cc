#include "kernels/gemm/pack_columns.h"

#include <algorithm>
#include <array>

#include "kernels/gemm/half_rows.h"
#include "kernels/transpose/tile.h"
#include "src/ir/half.h"

namespace halftone {
namespace {

// The row of a panel that column `column` of `rows` rows of `words` words begins.
template <typename Word>
void TransposeRows(const Word* from, std::int64_t stride, std::int64_t rows, std::int64_t words,
                   Word* to) {
  constexpr std::int64_t kSize = TileRow<Word>::kSize;
  const std::int64_t whole_rows = rows / kSize * kSize;
  const std::int64_t whole_words = words / kSize * kSize;
  for (std::int64_t w = 0; w < whole_words; w += kSize) {
    for (std::int64_t row = 0; row < whole_rows; row += kSize) {
      TransposeTile(from + row * stride + w, stride, to + w * kTileColumns + row, kTileColumns);
    }
  }
  for (std::int64_t w = 0; w < words; ++w) {
    Word* line = to + w * kTileColumns;
    for (std::int64_t row = w < whole_words ? whole_rows : 0; row < rows; ++row) {
      line[row] = from[row * stride + w];
    }
    std::fill(line + rows, line + kTileColumns, Word{});
  }
}

// A panel of pairs by pieces that are rounded to bfloat16.
void TransposePairs(const StridedMatrix& source, const std::byte* first_column,
                    std::int64_t columns, std::int64_t k, std::byte* target) {
  constexpr std::int64_t kPiece = 64;
  std::array<std::uint32_t, kTileColumns * kPiece / 2> words{};
  const auto element = static_cast<std::int64_t>(SizeOf(source.dtype));
  for (std::int64_t first = 0; first < k; first += kPiece) {
    const std::int64_t count = std::min(kPiece, k - first);
    for (std::int64_t j = 0; j < columns; ++j) {
      auto* to = reinterpret_cast<BFloat16*>(words.data() + j * kPiece / 2);
      NarrowRowToBFloat16(source.dtype, first_column + (j * source.column_stride + first) * element,
                          to, count);
      if (count % 2 != 0) {
        to[count] = BFloat16{};
      }
    }
    TransposeRows(words.data(), kPiece / 2, columns, (count + 1) / 2,
                  reinterpret_cast<std::uint32_t*>(target) + first / 2 * kTileColumns);
  }
}

}  // namespace

void PackColumns(const StridedMatrix& source, const PanelLayout& layout, std::int64_t panel,
                 std::byte* target) noexcept {
  const std::int64_t column = panel * kTileColumns;
  const std::int64_t columns = std::min<std::int64_t>(kTileColumns, layout.n - column);
  const std::byte* from =
      static_cast<const std::byte*>(source.data) +
      column * source.column_stride * static_cast<std::int64_t>(SizeOf(source.dtype));
  if (layout.format == TileFormat::kPairs) {
    TransposePairs(source, from, columns, layout.k, target);
  } else if (layout.format == TileFormat::kFloat) {
    TransposeRows(reinterpret_cast<const std::uint32_t*>(from), source.column_stride, columns,
                  layout.k, reinterpret_cast<std::uint32_t*>(target));
  } else {
    TransposeRows(reinterpret_cast<const std::uint16_t*>(from), source.column_stride, columns,
                  layout.k, reinterpret_cast<std::uint16_t*>(target));
  }
}

}  // namespace halftone
