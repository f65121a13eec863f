#include "kernels/tile/pack_parts.h"

#include <algorithm>

#include "kernels/tile/float_parts.h"
#include "src/ir/half.h"

namespace halftone {
namespace {

constexpr std::int64_t kFloatsAtOnce = 16;  // SplitFloats() takes a multiple
constexpr std::int64_t kWidest = (kMostTileColumns + kFloatsAtOnce - 1) / kFloatsAtOnce * 16;

// Parts of a row of a panel.
struct RowParts {
  BFloat16 parts[kMostFloatParts][kWidest];
};

// Row `k` of B, `columns` elements from `column` on, zero behind them and below B.
void SplitRowOfB(const StridedMatrix& source, const PanelLayout& layout, std::int64_t k,
                 std::int64_t column, std::int64_t columns, RowParts& row) {
  float values[kWidest] = {};
  if (k < layout.k) {
    const float* from = static_cast<const float*>(source.data) + k * source.step_stride +
                        column * source.column_stride;
    for (std::int64_t j = 0; j < columns; ++j) {
      values[j] = from[j * source.column_stride];
    }
  }
  BFloat16* parts[kMostFloatParts];
  for (int part = 0; part < layout.tile->parts; ++part) {
    parts[part] = row.parts[part];
  }
  const std::int64_t width = (layout.tile->columns + kFloatsAtOnce - 1) / kFloatsAtOnce * 16;
  SplitFloats(values, width, {parts, static_cast<std::size_t>(layout.tile->parts)});
}

void Interleave(const BFloat16* even, const BFloat16* odd, std::int64_t count, BFloat16* to) {
  for (std::int64_t j = 0; j < count; ++j) {
    to[2 * j] = even[j];
    to[2 * j + 1] = odd[j];
  }
}

}  // namespace

void PackParts(const StridedMatrix& source, const PanelLayout& layout, std::int64_t panel,
               std::byte* target) noexcept {
  const TileKernel& tile = *layout.tile;
  const std::int64_t width = tile.columns;
  const std::int64_t column = panel * width;
  const std::int64_t columns = tile.ColumnsAt(panel, layout.n);
  auto* step = reinterpret_cast<BFloat16*>(target);
  for (std::int64_t first = 0; first < layout.k; first += kPartChunk) {
    for (std::int64_t pair = 0; pair < kPartChunk / 2; ++pair) {
      RowParts even;
      RowParts odd;
      SplitRowOfB(source, layout, first + 2 * pair, column, columns, even);
      SplitRowOfB(source, layout, first + 2 * pair + 1, column, columns, odd);
      for (int part = 0; part < tile.parts; ++part) {
        Interleave(even.parts[part], odd.parts[part], width,
                   step + (part * kPartChunk / 2 + pair) * 2 * width);
      }
    }
    step += tile.parts * kPartChunk * width;
  }
}

}  // namespace halftone
