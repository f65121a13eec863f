// Files with one serialized TensorProto (.pb), as in the test data sets of ONNX models.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "src/ir/tensor.h"

namespace halftone {

// Reads such a file. Errors: kIo if it cannot be read; kModel if it is empty or no TensorProto, or
// its data do not match its type; kUnsupported for an element type that halftone does not have, and
// beyond 2 GiB.
Tensor ReadTensorProto(const std::filesystem::path& file);

// Location of the elements of a tensor in its file: contiguous and little-endian.
struct TensorPlace {
  TensorType type;
  std::int64_t offset = 0;  // bytes
};

// Reads the fields of the file without the elements. Empty if only ReadTensorProto() can tell:
// elements in typed fields or in another file, or no such file. Errors: kIo if it cannot be read;
// kModel for an illegal shape.
std::optional<TensorPlace> LocateTensorProto(const std::filesystem::path& file);

// Writes `tensor`; replaces the file in one step. Error kIo.
void WriteTensorProto(const std::filesystem::path& file, const Tensor& tensor,
                      std::string_view name);

}  // namespace halftone
