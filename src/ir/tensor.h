// Elements of tensors as numbers, and conversion between formats.
#pragma once

#include <cstdint>
#include <vector>

#include "halftone/tensor.h"
#include "src/ir/dtype.h"
#include "src/ir/half.h"
#include "src/ir/numeric_format.h"
#include "src/ir/shape.h"

namespace halftone {

// Element `index` as double. 64-bit integers beyond 2^53 are rounded; use IntegerAt for those.
double DoubleAt(DType dtype, const void* data, std::int64_t index);
std::int64_t IntegerAt(DType dtype, const void* data, std::int64_t index);

// Stores `value` with one rounding to the element type (integers: truncated toward zero and
// saturated, NaN as 0; bool: whether it is not zero).
void StoreDouble(DType dtype, void* data, std::int64_t index, double value);

// All elements of `tensor`, converted; IntegersOf() for shapes and axes.
std::vector<std::int64_t> IntegersOf(const Tensor& tensor);
std::vector<double> DoublesOf(const Tensor& tensor);

// Converts every element to the dtype of the format and then to the format, each rounded to nearest
// even. Returns `tensor` itself if it has the dtype of a format that is_dtype().
Tensor Convert(const Tensor& tensor, NumericFormat format);

}  // namespace halftone
