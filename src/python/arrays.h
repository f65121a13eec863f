// Conversion between NumPy arrays and tensors.
#pragma once

#include <pybind11/numpy.h>

#include <optional>
#include <string>

#include "halftone/tensor.h"

namespace halftone {

// DType of a NumPy dtype of any byte order; empty: no tensor has such elements.
std::optional<DType> DTypeOf(const pybind11::dtype& dtype);

// NumPy dtype of the array that ArrayOf() makes. NumPy lacks bfloat16, which becomes float32.
pybind11::dtype NumpyType(DType dtype);

// Copies an array of any strides and byte order into a tensor. `what` names the array in messages.
// Error kUsage for elements that no tensor has (objects, complex numbers, texts).
Tensor TensorOf(const pybind11::array& array, const std::string& what);

// Makes an array that owns the memory of the tensor, without a copy. For bfloat16, makes a copy in
// float32.
pybind11::array ArrayOf(Tensor tensor);

}  // namespace halftone
