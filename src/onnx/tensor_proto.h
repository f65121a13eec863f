// Files of one serialized TensorProto, as in the test data sets of ONNX models.
//
// Pure functions of their arguments; the protobuf classes stay inside tensor_proto.cc.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "src/ir/tensor.h"

namespace halftone {

// Reads such a file. Error kIo when it cannot be read; kModel when it is empty, no TensorProto, or
// its data do not match its dims; kUnsupported for an element type that halftone does not have.
Tensor ReadTensorProto(const std::filesystem::path& file);

// Place of a tensor's elements in its file, little-endian and contiguous.
struct TensorPlace {
  TensorType type;
  std::int64_t offset = 0;  // bytes
};

// Reads the header of the file. Empty where ReadTensorProto() has to read all: elements in typed
// fields or in another file, and whatever it refuses. Error kIo.
std::optional<TensorPlace> LocateTensorProto(const std::filesystem::path& file);

// Writes `tensor`; replaces the file in one step. Error kIo.
void WriteTensorProto(const std::filesystem::path& file, const Tensor& tensor,
                      std::string_view name);

}  // namespace halftone
