// Tensors in files that hold one serialized TensorProto, as the test data sets of ONNX models do.
//
// Pure functions of their arguments; the protobuf classes stay inside tensor_proto.cc.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "src/ir/tensor.h"

namespace halftone {

// Error kIo when the file cannot be read; kModel when it is empty, no TensorProto, or its data do
// not match its dims; kUnsupported for an element type that halftone does not have.
Tensor ReadTensorProto(const std::filesystem::path& file);

// Where the elements of a tensor lie in its file, little-endian and one behind the other.
struct TensorPlace {
  TensorType type;
  std::int64_t offset = 0;  // bytes
};

// Reads what stands around the elements. Empty where ReadTensorProto() has to read all: elements in
// typed fields or in another file, and whatever it refuses. Error kIo.
std::optional<TensorPlace> LocateTensorProto(const std::filesystem::path& file);

// Replaces the file in one step. Error kIo.
void WriteTensorProto(const std::filesystem::path& file, const Tensor& tensor,
                      std::string_view name);

}  // namespace halftone
