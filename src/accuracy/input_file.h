// Input tensors from files: conversion to the input's dtype, and checks.
#pragma once

#include <cstdint>
#include <filesystem>

#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

// The whole tensor of a .npy or .pb file. Errors as StoredTensor.
Tensor ReadTensorFile(const std::filesystem::path& path);

// Error kModel when no value of dtype `from` can be converted for the input; called before values
// are read.
void CheckConvertible(const Value& input, const std::filesystem::path& path, DType from);

// `tensor` in the dtype of the input. float16 and double are converted to float32 (NumPy writes
// double by default), integers and bools to each other when every value fits. Error kModel for
// anything else, which would change values silently.
Tensor ConvertedFor(const Value& input, const std::filesystem::path& path, const Tensor& tensor);

// Error kModel naming file, sample and element when a float of a sample is NaN or infinite: no
// metric has a meaning against a reference of NaN, and a later overflow could not be told from such
// an input. `sample` is its index in the file.
void CheckFinite(const Value& input, const std::filesystem::path& path, std::int64_t sample,
                 const Tensor& tensor);

}  // namespace halftone
