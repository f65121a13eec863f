#include "kernels/resize/separable.h"

#include <algorithm>
#include <cstring>

#include "kernels/parallel.h"

namespace halftone {
namespace {

// Number of slots of scratch, one per concurrent range of rows: more threads do not help one
// operator.
constexpr std::int64_t kMaxRanges = 16;
// About 1 ns an output element: 25 us.
constexpr std::int64_t kGrainElements = 1 << 15;

}  // namespace

SeparableResize::SeparableResize(const std::vector<AxisTaps>& taps, DType dtype)
    : dtype_(dtype),
      widen_(HalfLoopFor(dtype, DType::kFloat32)),
      narrow_(HalfLoopFor(DType::kFloat32, dtype)),
      taps_(taps) {}

// Per range: a blended row, and for halves a widened source row and a float output row.
std::size_t SeparableResize::scratch_bytes() const {
  const auto columns = taps_.columns();
  return static_cast<std::size_t>(kMaxRanges * (2 * taps_.source_width + columns) * taps_.inner) *
         sizeof(float);
}

void SeparableResize::Run(const void* source, void* target, std::byte* scratch) const noexcept {
  const auto rows = taps_.rows();
  const auto columns = taps_.columns();
  const std::int64_t items = taps_.outer * rows;
  const std::int64_t ranges =
      std::clamp<std::int64_t>(items * columns * taps_.inner / kGrainElements, 1,
                               std::min(kMaxRanges, std::max<std::int64_t>(items, 1)));
  const std::int64_t slot = (2 * taps_.source_width + columns) * taps_.inner;
  ParallelFor(ranges, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t range = begin; range < end; ++range) {
      float* own = reinterpret_cast<float*>(scratch) + range * slot;
      for (std::int64_t item = items * range / ranges; item < items * (range + 1) / ranges;
           ++item) {
        RunRow(item, static_cast<const std::byte*>(source), static_cast<std::byte*>(target), own);
      }
    }
  });
}

void SeparableResize::RunRow(std::int64_t item, const std::byte* source, std::byte* target,
                             float* scratch) const noexcept {
  const auto element = static_cast<std::int64_t>(SizeOf(dtype_));
  const auto rows = taps_.rows();
  const auto row_elements = taps_.columns() * taps_.inner;
  const std::int64_t source_row = taps_.source_width * taps_.inner;
  float* blended = scratch;
  float* widened = blended + source_row;
  float* narrow_from = widened + source_row;
  BlendRows(item % rows, source + item / rows * taps_.source_height * source_row * element, blended,
            widened);
  std::byte* row_target = target + item * row_elements * element;
  if (narrow_ == nullptr) {
    BlendColumns(blended, reinterpret_cast<float*>(row_target));
  } else {
    BlendColumns(blended, narrow_from);
    narrow_(narrow_from, row_target, row_elements);
  }
}

void SeparableResize::BlendRows(std::int64_t row, const std::byte* plane, float* blended,
                                float* widened) const noexcept {
  const std::int64_t count = taps_.source_width * taps_.inner;
  const auto row_bytes = count * static_cast<std::int64_t>(SizeOf(dtype_));
  for (int k = 0; k < taps_.vertical.width; ++k) {
    const auto tap = static_cast<std::size_t>(row * taps_.vertical.width + k);
    const std::byte* from = plane + taps_.vertical.index[tap] * row_bytes;
    const auto* values = reinterpret_cast<const float*>(from);
    if (widen_ != nullptr) {
      widen_(from, widened, count);
      values = widened;
    }
    const float weight = taps_.vertical.weight[tap];
    if (k == 0) {
      for (std::int64_t i = 0; i < count; ++i) {
        blended[i] = weight * values[i];
      }
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        blended[i] += weight * values[i];
      }
    }
  }
}

void SeparableResize::BlendColumns(const float* blended, float* target) const noexcept {
  const std::int64_t* index = taps_.horizontal.index.data();
  const float* weight = taps_.horizontal.weight.data();
  const auto columns = taps_.columns();
  if (taps_.inner == 1 && taps_.horizontal.width == 2) {
    for (std::int64_t o = 0; o < columns; ++o) {
      target[o] =
          weight[2 * o] * blended[index[2 * o]] + weight[2 * o + 1] * blended[index[2 * o + 1]];
    }
    return;
  }
  for (std::int64_t o = 0; o < columns; ++o) {
    float* to = target + o * taps_.inner;
    for (int k = 0; k < taps_.horizontal.width; ++k) {
      const float* from = blended + index[o * taps_.horizontal.width + k] * taps_.inner;
      const float w = weight[o * taps_.horizontal.width + k];
      for (std::int64_t i = 0; i < taps_.inner; ++i) {
        to[i] = k == 0 ? w * from[i] : to[i] + w * from[i];
      }
    }
  }
}

}  // namespace halftone
