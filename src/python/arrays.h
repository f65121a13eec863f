// NumPy arrays as tensors, and back.
#pragma once

#include <pybind11/numpy.h>

#include <optional>
#include <string>

#include "halftone/tensor.h"

namespace halftone {

// The dtype of an array in the byte order of any machine; empty: none that a network has.
std::optional<DType> DTypeOf(const pybind11::dtype& dtype);

// dtype of ArrayOf(): bfloat16, which NumPy lacks, is float32.
pybind11::dtype NumpyType(DType dtype);

// The elements of the array, copied once: any strides and byte order. `what` names it. Error
// kUsage: a dtype that no network has (objects, complex numbers, texts).
Tensor TensorOf(const pybind11::array& array, const std::string& what);

// The elements, without a copy: the array keeps the bytes alive. Of bfloat16 a copy in float32.
pybind11::array ArrayOf(Tensor tensor);

}  // namespace halftone
