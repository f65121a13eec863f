#include "kernels/resize/separable.h"

#include <algorithm>
#include <cstring>

#include "kernels/parallel.h"

namespace halftone {
namespace {

// Slots of scratch, one per concurrent range of rows: more threads than this do not help one
// operator.
constexpr std::int64_t kMaxRanges = 16;
// About 1 ns an output element: 25 us.
constexpr std::int64_t kGrainElements = 1 << 15;

// The axes that are interpolated: [first, last).
struct Span {
  std::size_t first = 0;
  std::size_t last = 0;
};

Span ResizedAxes(const std::vector<AxisTaps>& taps) {
  Span span{taps.size(), 0};
  for (std::size_t axis = 0; axis < taps.size(); ++axis) {
    if (!taps[axis].IsIdentity()) {
      span.first = std::min(span.first, axis);
      span.last = axis + 1;
    }
  }
  return span;
}

}  // namespace

bool SeparableResize::Fits(const std::vector<AxisTaps>& taps) {
  const Span span = ResizedAxes(taps);
  return span.first < span.last && span.last - span.first <= 2;
}

SeparableResize::FloatTaps SeparableResize::FloatTapsOf(const AxisTaps& taps) {
  return {taps.width, taps.index, std::vector<float>(taps.weight.begin(), taps.weight.end())};
}

SeparableResize::SeparableResize(const std::vector<AxisTaps>& taps, DType dtype)
    : dtype_(dtype),
      widen_(HalfLoopFor(dtype, DType::kFloat32)),
      narrow_(HalfLoopFor(DType::kFloat32, dtype)) {
  const Span span = ResizedAxes(taps);
  // One resized axis is the horizontal one of an image of one row.
  const bool flat = span.last - span.first == 1;
  vertical_ = {1, {0}, {1.0F}};
  if (!flat) {
    vertical_ = FloatTapsOf(taps[span.first]);
    source_height_ = taps[span.first].source_extent;
  }
  horizontal_ = FloatTapsOf(taps[span.last - 1]);
  source_width_ = taps[span.last - 1].source_extent;
  for (std::size_t axis = 0; axis < span.first; ++axis) {
    outer_ *= taps[axis].source_extent;
  }
  for (std::size_t axis = span.last; axis < taps.size(); ++axis) {
    inner_ *= taps[axis].source_extent;
  }
}

// Per range: a blended row, and for halves a widened source row and a float output row.
std::size_t SeparableResize::scratch_bytes() const {
  const auto columns = static_cast<std::int64_t>(horizontal_.index.size()) / horizontal_.width;
  return static_cast<std::size_t>(kMaxRanges * (2 * source_width_ + columns) * inner_) *
         sizeof(float);
}

void SeparableResize::Run(const void* source, void* target, std::byte* scratch) const noexcept {
  const auto rows = static_cast<std::int64_t>(vertical_.index.size()) / vertical_.width;
  const auto columns = static_cast<std::int64_t>(horizontal_.index.size()) / horizontal_.width;
  const std::int64_t items = outer_ * rows;
  const std::int64_t ranges =
      std::clamp<std::int64_t>(items * columns * inner_ / kGrainElements, 1,
                               std::min(kMaxRanges, std::max<std::int64_t>(items, 1)));
  const std::int64_t slot = (2 * source_width_ + columns) * inner_;
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
  const auto rows = static_cast<std::int64_t>(vertical_.index.size()) / vertical_.width;
  const auto row_elements =
      static_cast<std::int64_t>(horizontal_.index.size()) / horizontal_.width * inner_;
  const std::int64_t source_row = source_width_ * inner_;
  float* blended = scratch;
  float* widened = blended + source_row;
  float* narrow_from = widened + source_row;
  BlendRows(item % rows, source + item / rows * source_height_ * source_row * element, blended,
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
  const std::int64_t count = source_width_ * inner_;
  const auto row_bytes = count * static_cast<std::int64_t>(SizeOf(dtype_));
  for (int k = 0; k < vertical_.width; ++k) {
    const auto tap = static_cast<std::size_t>(row * vertical_.width + k);
    const std::byte* from = plane + vertical_.index[tap] * row_bytes;
    const auto* values = reinterpret_cast<const float*>(from);
    if (widen_ != nullptr) {
      widen_(from, widened, count);
      values = widened;
    }
    const float weight = vertical_.weight[tap];
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
  const std::int64_t* index = horizontal_.index.data();
  const float* weight = horizontal_.weight.data();
  const auto columns = static_cast<std::int64_t>(horizontal_.index.size()) / horizontal_.width;
  if (inner_ == 1 && horizontal_.width == 2) {
    for (std::int64_t o = 0; o < columns; ++o) {
      target[o] =
          weight[2 * o] * blended[index[2 * o]] + weight[2 * o + 1] * blended[index[2 * o + 1]];
    }
    return;
  }
  for (std::int64_t o = 0; o < columns; ++o) {
    float* to = target + o * inner_;
    for (int k = 0; k < horizontal_.width; ++k) {
      const float* from = blended + index[o * horizontal_.width + k] * inner_;
      const float w = weight[o * horizontal_.width + k];
      for (std::int64_t i = 0; i < inner_; ++i) {
        to[i] = k == 0 ? w * from[i] : to[i] + w * from[i];
      }
    }
  }
}

}  // namespace halftone
