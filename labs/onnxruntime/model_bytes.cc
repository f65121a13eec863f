#include "labs/onnxruntime/model_bytes.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "src/base/error.h"

namespace halftone {

onnx::ModelProto ParseModelBytes(std::string_view model) {
  onnx::ModelProto proto;
  if (!proto.ParseFromArray(model.data(), static_cast<int>(model.size())) || !proto.has_graph()) {
    throw Error(ErrorKind::kModel,
                fmt::format("expected an ONNX model, {} bytes do not parse as one", model.size()));
  }
  return proto;
}

}  // namespace halftone
