// Reader of tensors whose data are in a file beside the model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "src/ir/tensor.h"

namespace onnx {
class TensorProto;
}  // namespace onnx

namespace halftone {

// Returns a tensor of `type` with the data that `proto` locates in a file inside `folder`.
// Location, offset and length are checked against the folder and the opened file. Errors kModel,
// kIo.
//
// Data of 64 KiB or more at an offset that is a multiple of 64 bytes are mapped: the tensor refers
// to the bytes of the file (src/base/opened_file.h), so that the system can reclaim their memory.
// Other data, and bools, are copied.
Tensor ExternalTensor(const onnx::TensorProto& proto, const std::filesystem::path& folder,
                      TensorType type);

// Throws Error kModel unless `found` equals `expected`, the size of a tensor of `type`. `unit`:
// "bytes" or "elements", for the message.
void CheckDataSize(std::int64_t expected, std::int64_t found, const TensorType& type,
                   std::string_view unit);

}  // namespace halftone
