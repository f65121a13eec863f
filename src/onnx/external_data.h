// Tensors whose data lie in a file beside the model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "src/ir/tensor.h"

namespace onnx {
class TensorProto;
}  // namespace onnx

namespace halftone {

// The tensor of `type` whose data `proto` says to lie in a file inside `folder`: location, offset
// and length are checked against the folder and the file that was opened.
//
// Large data that the file holds at a multiple of 64 bytes are not read but mapped: the tensor's
// bytes are those of the file (src/base/opened_file.h), and 2 GB of weights cost no memory that the
// system cannot take back. Smaller and unaligned data, and bools, are copied.
// Error kModel, kIo.
Tensor ExternalTensor(const onnx::TensorProto& proto, const std::filesystem::path& folder,
                      TensorType type);

// Error kModel unless as many bytes or elements (`unit`) are there as `type` has.
void CheckDataSize(std::int64_t expected, std::int64_t found, const TensorType& type,
                   std::string_view unit);

}  // namespace halftone
