// Rules of shapes: strides, axes, broadcasting.
#pragma once

#include <cstdint>
#include <vector>

#include "halftone/tensor.h"

namespace halftone {

// Returns the row-major strides, in elements.
std::vector<std::int64_t> StridesOf(const Shape& shape);

// Returns the axis as an index in [0, rank); a negative axis counts from the end. Error kModel: the
// axis is not in [-rank, rank).
int NormalizeAxis(std::int64_t axis, int rank);

// Returns the common shape by the multidirectional broadcasting rule of ONNX. Error kModel: there
// is none.
Shape BroadcastShapes(const Shape& a, const Shape& b);

}  // namespace halftone
