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

// Converts a constant to the nearest values of the format. With `clip`, finite elements beyond the
// float16 range become +-65504, and `clipped` (its count and largest) says how many; without, they
// become infinite.
Tensor ConvertWeight(const Tensor& tensor, NumericFormat format, bool clip, ClippedWeight& clipped);

// "node 'fc' reads weight 'w' in float16: 3 of its elements are beyond 65504 and were clipped, ..."
std::string Describe(const ClippedWeight& clipped);

}  // namespace halftone
