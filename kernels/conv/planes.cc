#include "kernels/conv/planes.h"

#include <algorithm>

#include "kernels/gemm/half_rows.h"

namespace halftone {
namespace {

// Whether any window reads this row: of a strided 1x1, most are not.
bool SomeTapReads(const WindowGeometry& window, std::int64_t row) {
  for (std::int64_t tap = 0; tap < window.kernel[1]; ++tap) {
    const std::int64_t from = row - tap * window.dilation[1];
    if (from >= 0 && from % window.stride[1] == 0) {
      return true;
    }
  }
  return false;
}

void ConvertRow(DType dtype, const std::byte* source, float* target, std::int64_t count) {
  WidenRow(dtype, source, target, count);
}

void ConvertRow(DType dtype, const std::byte* source, BFloat16* target, std::int64_t count) {
  NarrowRowToBFloat16(dtype, source, target, count);
}

// What a plane is made from.
template <typename T>
struct Source {
  DType dtype;
  const std::byte* data;
  T padding;
};

constexpr std::int64_t kPieceColumns = 256;

// Columns [0, count) of a source line to their phases, from padded column `column` on.
template <typename T>
void ScatterPhases(const PlaneLayout& layout, const Source<T>& line, std::int64_t column,
                   std::int64_t count, T* row) {
  const auto element = static_cast<std::int64_t>(SizeOf(line.dtype));
  T piece[kPieceColumns];
  for (std::int64_t done = 0; done < count; done += kPieceColumns) {
    const std::int64_t length = std::min(kPieceColumns, count - done);
    ConvertRow(line.dtype, line.data + done * element, piece, length);
    const std::int64_t start = column + done;
    for (std::int64_t phase = 0; phase < layout.phases; ++phase) {
      // The first column of this piece in this phase.
      std::int64_t i = (phase - start % layout.phases + layout.phases) % layout.phases;
      T* to = row + phase * layout.phase_size + (start + i) / layout.phases;
      for (; i < length; i += layout.phases) {
        *to++ = piece[i];
      }
    }
  }
}

template <typename T>
void LayOut(const WindowGeometry& window, const PlaneLayout& layout, const Source<T>& source,
            T* target) {
  const std::int64_t pad = window.pad[2];
  const std::int64_t count = std::min(window.input[2], layout.columns - pad);
  const std::int64_t line_bytes = window.input[2] * static_cast<std::int64_t>(SizeOf(source.dtype));
  for (std::int64_t y = 0; y < layout.rows; ++y) {
    T* row = target + y * layout.row_size();
    const std::int64_t from = y - window.pad[1];
    if (from < 0 || from >= window.input[1] || count <= 0) {
      std::fill(row, row + layout.row_size(), source.padding);
      continue;
    }
    if (!SomeTapReads(window, y)) {
      continue;
    }
    const std::byte* line = source.data + from * line_bytes;
    if (layout.phases == 1) {
      std::fill(row, row + pad, source.padding);
      ConvertRow(source.dtype, line, row + pad, count);
      std::fill(row + pad + count, row + layout.row_size(), source.padding);
    } else {
      std::fill(row, row + layout.row_size(), source.padding);
      ScatterPhases(layout, Source<T>{source.dtype, line, source.padding}, pad, count, row);
    }
  }
}

}  // namespace

PlaneLayout PlaneLayoutOf(const WindowGeometry& window) {
  const auto extent = [&](std::size_t axis) {
    return (window.output[axis] - 1) * window.stride[axis] +
           (window.kernel[axis] - 1) * window.dilation[axis] + 1;
  };
  PlaneLayout layout;
  layout.rows = extent(1);
  layout.columns = extent(2);
  layout.phases = window.stride[2];
  layout.phase_size = (layout.columns + layout.phases - 1) / layout.phases;
  return layout;
}

std::vector<std::int64_t> TapOffsets(const WindowGeometry& window, const PlaneLayout& layout) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t y = 0; y < window.kernel[1]; ++y) {
    for (std::int64_t x = 0; x < window.kernel[2]; ++x) {
      const std::int64_t column = x * window.dilation[2];
      offsets.push_back(y * window.dilation[1] * layout.row_size() +
                        column % layout.phases * layout.phase_size + column / layout.phases);
    }
  }
  return offsets;
}

bool IsPlainPlane(const WindowGeometry& window, const PlaneLayout& layout) {
  return layout.phases == 1 && window.pad[1] == 0 && window.pad[2] == 0 &&
         layout.rows == window.input[1] && layout.columns == window.input[2];
}

void LayOutFloats(const WindowGeometry& window, const PlaneLayout& layout, DType dtype,
                  const std::byte* source, float padding, float* target) noexcept {
  LayOut(window, layout, Source<float>{dtype, source, padding}, target);
}

void LayOutBFloat16(const WindowGeometry& window, const PlaneLayout& layout, DType dtype,
                    const std::byte* source, BFloat16* target) noexcept {
  LayOut(window, layout, Source<BFloat16>{dtype, source, BFloat16{}}, target);
}

}  // namespace halftone
