#include "kernels/quantized/byte_panels.h"

#include <algorithm>
#include <cstring>

namespace halftone {

void PackBytePanel(const ByteMatrix& source, const BytePanels& layout, std::int64_t panel,
                   std::int8_t* target, std::int32_t* sums) noexcept {
  const std::int64_t first = panel * layout.columns;
  const int columns = layout.ColumnsAt(panel);
  const std::int64_t step_bytes = layout.columns * kBytesPerStep;
  const auto flip = static_cast<std::uint8_t>(source.is_unsigned ? 0x80 : 0);
  const auto* from = reinterpret_cast<const std::uint8_t*>(source.data);
  std::memset(target, 0, static_cast<std::size_t>(layout.panel_bytes()));
  std::fill_n(sums, layout.columns, 0);
  for (std::int64_t k = 0; k < layout.k; ++k) {
    const std::uint8_t* row = from + k * source.step_stride + first * source.column_stride;
    std::int8_t* to = target + k / kBytesPerStep * step_bytes + k % kBytesPerStep;
    for (int j = 0; j < columns; ++j) {
      const auto value = static_cast<std::int8_t>(row[j * source.column_stride] ^ flip);
      to[j * kBytesPerStep] = value;
      sums[j] += value;
    }
  }
}

}  // namespace halftone
