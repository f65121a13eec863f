// Reader of TensorProto: raw or typed data, in the message or in an external file.
#pragma once

#include <filesystem>
#include <string>

#include "src/ir/tensor.h"

namespace onnx {
class TensorProto;
}  // namespace onnx

namespace halftone {

// The sentence on an element type, a number of TensorProto.DataType, that halftone does not have.
std::string UnsupportedElements(int type);

// The type of the tensor, without reading data. Error kUnsupported/kModel as TensorOf() for the
// type.
TensorType TypeOf(const onnx::TensorProto& proto);

// `folder` is the folder of the model: external data must lie inside it (a location that is
// absolute, climbs out by "..", or leads out through a symbolic link is Error kModel).
// Error kModel when the data do not match dims and type, kUnsupported for an element type that
// halftone does not have, kIo when an external file is missing.
Tensor TensorOf(const onnx::TensorProto& proto, const std::filesystem::path& folder);

}  // namespace halftone
