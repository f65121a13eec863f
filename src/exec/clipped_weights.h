// Weights beyond the range of float16.
#pragma once

#include <cstdint>
#include <string>

#include "src/ir/numeric_format.h"
#include "src/ir/tensor.h"

namespace halftone {

// One constant operand of one node that was clipped to the float16 range.
struct ClippedWeight {
  std::string node;
  std::string tensor;
  std::int64_t count = 0;  // elements
  double largest = 0;      // the largest magnitude before clipping
};

// Converts a constant to the nearest values of `format`. With `clip`, a finite element that would
// round to an infinity of float16 (from 65520 on) becomes 65504 of the same sign. The number of
// these elements is added to `clipped.count`, and `clipped.largest` is raised to their largest
// magnitude. Without `clip` they become infinite.
Tensor ConvertWeight(const Tensor& tensor, NumericFormat format, bool clip, ClippedWeight& clipped);

// "node 'fc' reads weight 'w' in float16: 3 of its elements were clipped to 65504, the largest is
// 70000; keep the node in float32, or ..."
std::string Describe(const ClippedWeight& clipped);

}  // namespace halftone
