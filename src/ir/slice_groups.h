// Groups of equal elements, or of equal slices along an axis, for the shape rule and the kernel of
// Unique: the shape of the result depends on the number of groups.
#pragma once

#include <cstdint>

#include "src/ir/attributes.h"
#include "src/ir/tensor.h"

namespace halftone {

// Slices of data with shape [outer, length, inner]. Slice i has the elements [o, i, k] of all o, k.
struct SliceSet {
  DType dtype = DType::kFloat32;
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
  // true: groups are in the order of their values; false: in the order of their first slices.
  bool sorted = true;
};

// A group of equal slices: `count` entries of `order` in GroupSlices(), from index `begin` on.
struct SliceGroup {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

// Returns the slices of `x` by the attributes `axis` and `sorted`. Without `axis`, each element is
// a slice. Error kModel: `axis` is out of range.
SliceSet SliceSetOf(const Attributes& attributes, const TensorType& x);

// Returns the number of groups and writes them to `groups`. Writes the indices of the slices to
// `order`, sorted by value; equal slices keep their order. Both arrays have room for `length`
// entries. Two slices compare as their first elements that differ. NaN equals NaN and is greater
// than every number; -0 equals 0. Allocates nothing.
std::int64_t GroupSlices(const SliceSet& set, const void* data, std::int64_t* order,
                         SliceGroup* groups) noexcept;

}  // namespace halftone
