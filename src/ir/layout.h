// Layouts of tensors with 1 or 2 spatial axes: channels first, [N, C, W] or [N, C, H, W], and
// channels last, [N, W, C] or [N, H, W, C]. Tensors of a graph are channels first. A compiled step
// may have operands and results that are channels last; their shapes are in that order then.
// Weights of a convolution keep their layout.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "src/ir/shape.h"

namespace halftone {

// Layout of a compiled step, for its kernel.
struct StepLayout {
  // True if operands and results are channels last and the kernel depends on that. False for
  // element-wise operators, and for operators with attributes that name their axes.
  bool channels_last = false;
  // Number of groups of a Transpose that shuffles channels; 0: the Transpose has a permutation. A
  // shuffle views the channels as [groups, channels / groups] and exchanges these two axes
  // (src/exec/shuffle_channels.h).
  std::int64_t shuffle_groups = 0;

  friend bool operator==(const StepLayout&, const StepLayout&) = default;
};

// True if tensors of this rank have the two layouts.
inline bool HasChannelsLast(int rank) {
  return rank == 3 || rank == 4;
}

// Axis of [N, C, H, W] that is axis `i` of [N, H, W, C]; PlaceOfAxis() is the inverse.
inline int AxisAtPlace(int rank, int i) {
  return i == 0 ? 0 : (i + 1 == rank ? 1 : i + 1);
}

inline int PlaceOfAxis(int rank, int axis) {
  return axis == 0 ? 0 : (axis == 1 ? rank - 1 : axis - 1);
}

// Reorders a shape [N, C, H, W] to [N, H, W, C]; ChannelsFirstOf() is the inverse.
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

// Returns the index in [N, C, H, W] of the element with index `i` in [N, H, W, C]. `channels_last`:
// the shape [N, H, W, C].
inline std::int64_t ChannelsFirstElement(const Shape& channels_last, std::int64_t i) {
  const int rank = channels_last.rank();
  const std::int64_t channels = channels_last[rank - 1];
  const std::int64_t pixels = channels_last.ElementCount(1, rank - 1);
  const std::int64_t image = i / (pixels * channels);
  return (image * channels + i % channels) * pixels + i / channels % pixels;
}

}  // namespace halftone
