// Parser of models that are passed to the peer as bytes.
#pragma once

#include <string_view>

namespace onnx {
class ModelProto;
}

namespace halftone {

// Error kModel: not an ONNX model.
onnx::ModelProto ParseModelBytes(std::string_view model);

}  // namespace halftone
