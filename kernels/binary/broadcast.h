// Iteration over operands that are broadcast against each other (the multidirectional rule of
// ONNX). It goes by runs along the innermost axis, so that no element costs a division.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "src/ir/shape.h"

namespace halftone {

inline constexpr std::size_t kMaxBroadcastRank = 16;
inline constexpr std::size_t kMaxBroadcastOperands = 3;

// Iteration space after merging neighbouring axes along which every operand advances evenly. On the
// innermost axis each operand advances by 1 or 0. Strides count elements.
struct BroadcastPlan {
  using Strides = std::array<std::int64_t, kMaxBroadcastOperands>;

  std::size_t rank = 0;  // at least 1
  std::array<std::int64_t, kMaxBroadcastRank> extent{};
  std::array<Strides, kMaxBroadcastRank> stride{};
  std::int64_t count = 0;

  [[nodiscard]] const Strides& inner_stride() const { return stride[rank - 1]; }
};

// `operands` must be contiguous and broadcast to `output`. Error kUnsupported if more than
// kMaxBroadcastRank axes are left after merging.
BroadcastPlan PlanBroadcast(const Shape& output, std::initializer_list<const Shape*> operands);

// Calls visit(position, offsets, count) for runs along the innermost axis that cover the output
// elements [begin, end): `position` indexes the output, `offsets` the operands.
template <typename Visit>
void ForEachRun(const BroadcastPlan& plan, std::int64_t begin, std::int64_t end,
                const Visit& visit) {
  if (begin >= end) {  // an extent may be 0
    return;
  }
  const std::size_t inner = plan.rank - 1;
  // Not cleared: clearing is a `rep stos`, which waits for streamed stores (streamed_store.h).
  std::array<std::int64_t, kMaxBroadcastRank> index;  // [0, rank) is set below
  BroadcastPlan::Strides offset{};
  std::int64_t rest = begin;
  for (std::size_t axis = plan.rank; axis-- > 0;) {
    index[axis] = rest % plan.extent[axis];
    rest /= plan.extent[axis];
    for (std::size_t k = 0; k < kMaxBroadcastOperands; ++k) {
      offset[k] += index[axis] * plan.stride[axis][k];
    }
  }
  std::int64_t position = begin;
  while (position < end) {
    const std::int64_t left = plan.extent[inner] - index[inner];
    const std::int64_t run = left < end - position ? left : end - position;
    visit(position, offset, run);
    position += run;
    // Advances to the next row: the innermost index returns to 0, the outer ones count up.
    for (std::size_t k = 0; k < kMaxBroadcastOperands; ++k) {
      offset[k] -= index[inner] * plan.stride[inner][k];
    }
    index[inner] = 0;
    for (std::size_t axis = inner; axis-- > 0;) {
      const bool carries = ++index[axis] == plan.extent[axis];
      const std::int64_t step = carries ? 1 - plan.extent[axis] : 1;
      for (std::size_t k = 0; k < kMaxBroadcastOperands; ++k) {
        offset[k] += step * plan.stride[axis][k];
      }
      if (!carries) {
        break;
      }
      index[axis] = 0;
    }
  }
}

}  // namespace halftone
