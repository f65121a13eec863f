#include "src/ir/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/base/error.h"

namespace halftone {

std::int64_t Shape::ElementCount() const {
  return ElementCount(0, rank());
}

std::int64_t Shape::ElementCount(int first, int last) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 59;        // bytes can be counted too
  constexpr std::int64_t kMostExtent = std::int64_t{1} << 40;  // sums of extents cannot overflow
  std::int64_t count = 1;
  bool overflow = false;
  bool zero = false;
  for (int axis = first; axis < last; ++axis) {
    const std::int64_t extent = (*this)[axis];
    if (extent < 0) {
      throw Error(ErrorKind::kModel, fmt::format("shape {} has a negative extent", ToString()));
    }
    if (extent > kMostExtent) {
      throw Error(ErrorKind::kModel,
                  fmt::format("shape {} has an extent of more than 2^40", ToString()));
    }
    zero = zero || extent == 0;
    overflow = overflow ||
               __builtin_mul_overflow(count, std::max<std::int64_t>(extent, 1), &count) ||
               count > kMost;
  }
  if (overflow && !zero) {
    throw Error(ErrorKind::kModel, fmt::format("shape {} has more than 2^59 elements", ToString()));
  }
  return zero ? 0 : count;
}

std::string Shape::ToString() const {
  return dims_.empty() ? "scalar" : fmt::format("{}", fmt::join(dims_, "x"));
}

std::vector<std::int64_t> StridesOf(const Shape& shape) {
  std::vector<std::int64_t> strides(static_cast<std::size_t>(shape.rank()), 1);
  for (int axis = shape.rank() - 2; axis >= 0; --axis) {
    strides[static_cast<std::size_t>(axis)] =
        strides[static_cast<std::size_t>(axis) + 1] * shape[axis + 1];
  }
  return strides;
}

int NormalizeAxis(std::int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("axis {} is outside [-{}, {}) of a tensor of rank {}", axis, rank, rank, rank));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Shape BroadcastShapes(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  std::vector<std::int64_t> dims(static_cast<std::size_t>(rank), 1);
  for (int i = 0; i < rank; ++i) {
    const int axis_a = i - (rank - a.rank());
    const int axis_b = i - (rank - b.rank());
    const std::int64_t extent_a = axis_a < 0 ? 1 : a[axis_a];
    const std::int64_t extent_b = axis_b < 0 ? 1 : b[axis_b];
    if (extent_a != extent_b && extent_a != 1 && extent_b != 1) {
      throw Error(ErrorKind::kModel, fmt::format("shapes {} and {} cannot be broadcast together",
                                                 a.ToString(), b.ToString()));
    }
    dims[static_cast<std::size_t>(i)] = extent_a == 1 ? extent_b : extent_a;
  }
  return Shape(std::move(dims));
}

}  // namespace halftone
