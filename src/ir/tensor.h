// Access to elements of tensors as numbers, and conversion between number formats.
#pragma once

#include <cstdint>
#include <vector>

#include "halftone/tensor.h"
#include "src/ir/dtype.h"
#include "src/ir/half.h"
#include "src/ir/numeric_format.h"
#include "src/ir/shape.h"

namespace halftone {

// Element `index` of `data` as a number. DoubleAt() rounds 64-bit integers beyond 2^53. IntegerAt()
// truncates floating numbers as StoreDouble().
double DoubleAt(DType dtype, const void* data, std::int64_t index);
std::int64_t IntegerAt(DType dtype, const void* data, std::int64_t index);

// Stores `value` as element `index`, rounded once to the element type. Integers: truncated toward
// zero and saturated, NaN becomes 0. bool: true unless the value is 0.
void StoreDouble(DType dtype, void* data, std::int64_t index, double value);

// Return all elements of `tensor` as DoubleAt() and IntegerAt() do.
std::vector<std::int64_t> IntegersOf(const Tensor& tensor);
std::vector<double> DoublesOf(const Tensor& tensor);

// Returns `tensor` with every element converted to the dtype of the format (as Convert() to a
// dtype), and then rounded to the format. Returns `tensor` itself if the format is its dtype. Error
// kInternal: the format has a scale.
Tensor Convert(const Tensor& tensor, NumericFormat format);

}  // namespace halftone
