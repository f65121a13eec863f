// Rules of shapes: strides, axes, broadcasting.
#pragma once

#include <cstdint>
#include <vector>

#include "halftone/tensor.h"

namespace halftone {

// Row-major strides in elements.
std::vector<std::int64_t> StridesOf(const Shape& shape);

// `axis` counted from the front; negative counts from the back. Error kModel outside [-rank, rank).
int NormalizeAxis(std::int64_t axis, int rank);

// The common shape by the multidirectional broadcasting rule of ONNX. Error kModel when there is
// none.
Shape BroadcastShapes(const Shape& a, const Shape& b);

}  // namespace halftone
