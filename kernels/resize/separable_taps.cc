#include "kernels/resize/separable_taps.h"

#include <algorithm>
#include <cstddef>

namespace halftone {
namespace {

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

SeparableTaps::Axis InFloat32(const AxisTaps& taps) {
  return {taps.width, taps.index, std::vector<float>(taps.weight.begin(), taps.weight.end())};
}

}  // namespace

bool SeparableTaps::Fits(const std::vector<AxisTaps>& taps) {
  const Span span = ResizedAxes(taps);
  return span.first < span.last && span.last - span.first <= 2;
}

SeparableTaps::SeparableTaps(const std::vector<AxisTaps>& taps) {
  const Span span = ResizedAxes(taps);
  // One resized axis is the horizontal one of an image of one row.
  if (span.last - span.first > 1) {
    vertical = InFloat32(taps[span.first]);
    source_height = taps[span.first].source_extent;
  }
  horizontal = InFloat32(taps[span.last - 1]);
  source_width = taps[span.last - 1].source_extent;
  for (std::size_t axis = 0; axis < span.first; ++axis) {
    outer *= taps[axis].source_extent;
  }
  for (std::size_t axis = span.last; axis < taps.size(); ++axis) {
    inner *= taps[axis].source_extent;
  }
}

}  // namespace halftone
