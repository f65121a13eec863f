// Reader of a TensorProto: raw or typed data, in the message or in an external file.
#pragma once

#include <filesystem>
#include <string>

#include "src/ir/tensor.h"

namespace onnx {
class TensorProto;
}  // namespace onnx

namespace halftone {

// Returns the error sentence about an element type that halftone does not have. `type`: a number of
// TensorProto.DataType.
std::string UnsupportedElements(int type);

// Returns the type of the tensor without reading its data. Errors: kUnsupported for an element type
// that halftone does not have; kModel for a missing type or an illegal shape.
TensorType TypeOf(const onnx::TensorProto& proto);

// Returns the tensor. `folder`: folder of the model; external data must be inside it. Errors as
// TypeOf(); kModel if the data do not match the type, or a location leaves the folder (an absolute
// path, "..", or a symbolic link); kUnsupported for segments; kIo for an external file that cannot
// be read.
Tensor TensorOf(const onnx::TensorProto& proto, const std::filesystem::path& folder);

}  // namespace halftone
