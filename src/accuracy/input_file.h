// Tensors of input data: conversion to the input's dtype, and what is refused.
#pragma once

#include <cstdint>
#include <filesystem>

#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

// The whole tensor of a .npy or .pb file. Errors as StoredTensor.
Tensor ReadTensorFile(const std::filesystem::path& path);

// Error kModel when no value of `from` could be taken for the input, whatever it is: before any is
// read.
void CheckConvertible(const Value& input, const std::filesystem::path& path, DType from);

// A tensor of the file in the dtype of the input. Converted are float16 and double to float32 (what
// numpy writes by default), and integers and bools among each other when every value fits. Anything
// else would change values silently and is refused (kModel).
Tensor ConvertedFor(const Value& input, const std::filesystem::path& path, const Tensor& tensor);

// Error kModel naming file, sample and element when a float of a sample is NaN or infinite: against
// a reference of NaN no metric says anything, and what overflows later could not be told from what
// was so. `sample` is its number in the file.
void CheckFinite(const Value& input, const std::filesystem::path& path, std::int64_t sample,
                 const Tensor& tensor);

}  // namespace halftone
