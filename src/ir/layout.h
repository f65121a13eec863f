// The two layouts of tensors with 1 or 2 spatial axes. A graph has [N, C, W] and [N, C, H, W] only;
// a compiled step whose layout has channels_last has [N, W, C] and [N, H, W, C] for its operands
// and results (weights of a convolution stay as they are), and its types say so.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "src/ir/shape.h"

namespace halftone {

// Layout of a compiled step, as its kernel has to know it.
struct StepLayout {
  // Set only where the order of axes matters: not for element-wise operators, nor for those that
  // name their axes.
  bool channels_last = false;
  // Transpose: the number of groups, where it exchanges [groups, channels / groups] of
  // [N, C, H, W] or [N, H, W, C] (src/exec/shuffle_channels.h); 0: it has a permutation.
  std::int64_t shuffle_groups = 0;

  friend bool operator==(const StepLayout&, const StepLayout&) = default;
};

// True if tensors of this rank have the two layouts.
inline bool HasChannelsLast(int rank) {
  return rank == 3 || rank == 4;
}

// The axis of [N, C, H, W] at position `i` of [N, H, W, C]; PlaceOfAxis() is the inverse.
inline int AxisAtPlace(int rank, int i) {
  return i == 0 ? 0 : (i + 1 == rank ? 1 : i + 1);
}

inline int PlaceOfAxis(int rank, int axis) {
  return axis == 0 ? 0 : (axis == 1 ? rank - 1 : axis - 1);
}

// The shape [N, H, W, C] of [N, C, H, W]; ChannelsFirstOf() is the inverse.
inline Shape ChannelsLastOf(const Shape& shape) {
  std::vector<std::int64_t> dims;
  dims.reserve(static_cast<std::size_t>(shape.rank()));
  for (int i = 0; i < shape.rank(); ++i) {
    dims.push_back(shape[AxisAtPlace(shape.rank(), i)]);
  }
  return Shape(std::move(dims));
}

inline Shape ChannelsFirstOf(const Shape& shape) {
  std::vector<std::int64_t> dims;
  dims.reserve(static_cast<std::size_t>(shape.rank()));
  for (int axis = 0; axis < shape.rank(); ++axis) {
    dims.push_back(shape[PlaceOfAxis(shape.rank(), axis)]);
  }
  return Shape(std::move(dims));
}

// The index in [N, C, H, W] of element `i` of the same tensor as [N, H, W, C].
inline std::int64_t ChannelsFirstElement(const Shape& channels_last, std::int64_t i) {
  const int rank = channels_last.rank();
  const std::int64_t channels = channels_last[rank - 1];
  const std::int64_t pixels = channels_last.ElementCount(1, rank - 1);
  const std::int64_t image = i / (pixels * channels);
  return (image * channels + i % channels) * pixels + i / channels % pixels;
}

}  // namespace halftone
