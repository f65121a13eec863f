// Conversion and checks of input tensors that come from files.
#pragma once

#include <cstdint>
#include <filesystem>

#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

// The whole tensor of a .npy or .pb file. Errors as StoredTensor.
Tensor ReadTensorFile(const std::filesystem::path& path);

// Error kModel: dtype `from` cannot be converted to that of the input, whatever the values. Needs
// only the header of the file.
void CheckConvertible(const Value& input, const std::filesystem::path& path, DType from);

// `tensor` in the dtype of the input. float16 and float64 are converted to float32 (NumPy writes
// float64 by default), integers and bools to each other if every value fits. Error kModel for any
// other conversion, because it would change values silently.
Tensor ConvertedFor(const Value& input, const std::filesystem::path& path, const Tensor& tensor);

// Error kModel naming file, sample and element: a float of the sample is NaN or infinite. With such
// an input, the float32 reference may have NaN, and an overflow in a plan could not be recognised.
// `sample` is the index of the sample in the file.
void CheckFinite(const Value& input, const std::filesystem::path& path, std::int64_t sample,
                 const Tensor& tensor);

}  // namespace halftone
