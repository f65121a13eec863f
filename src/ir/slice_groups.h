// Groups of equal elements, or of equal slices along an axis, for Unique. Shape rule and kernel
// share them, because the shape of the result depends on them.
#pragma once

#include <cstdint>

#include "src/ir/attributes.h"
#include "src/ir/tensor.h"

namespace halftone {

// Slice i is the elements [o, i, k] of data [outer, length, inner], for all o and k.
struct SliceSet {
  DType dtype = DType::kFloat32;
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
  bool sorted = true;  // groups stand in the order of their values, else of their first slices
};

// Equal slices: `count` of them from place `begin` of the order.
struct SliceGroup {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

// Slices by the attributes `axis` (without it, each element is a slice) and `sorted`.
SliceSet SliceSetOf(const Attributes& attributes, const TensorType& x);

// The number of groups. Writes the slices in the order of their values, equal ones in their order,
// to `order`, and the groups to `groups`; both have room for `length`. Slices compare by their
// first elements that differ; NaN equals NaN and is greater than every number, -0 equals 0.
// Allocates nothing.
std::int64_t GroupSlices(const SliceSet& set, const void* data, std::int64_t* order,
                         SliceGroup* groups) noexcept;

}  // namespace halftone
