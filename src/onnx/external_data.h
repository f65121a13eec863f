// Tensors with data in a file beside the model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "src/ir/tensor.h"

namespace onnx {
class TensorProto;
}  // namespace onnx

namespace halftone {

// The tensor of `type` whose data lie, by `proto`, in a file inside `folder`: location, offset and
// length are checked against the folder and the opened file.
//
// Large data at a multiple of 64 bytes are mapped, not read: the tensor's bytes are those of the
// file (src/base/opened_file.h), so that 2 GB of weights take no memory that the system cannot
// reclaim. Smaller and unaligned data, and bools, are copied. Error kModel, kIo.
Tensor ExternalTensor(const onnx::TensorProto& proto, const std::filesystem::path& folder,
                      TensorType type);

// Error kModel unless `found` equals `expected`, the bytes or elements (`unit`) of `type`.
void CheckDataSize(std::int64_t expected, std::int64_t found, const TensorType& type,
                   std::string_view unit);

}  // namespace halftone
