// Raises a model to opset 13, the first whose DequantizeLinear has a scale per channel.
#pragma once

#include <cstdint>

#include "src/ir/graph.h"

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace halftone {

inline constexpr std::int64_t kQdqOpset = 13;

// Rewrites the nodes whose definition changed since the opset of the model, and raises the version
// of the format where initializers still had to be inputs. Does nothing to a model of opset 13 or
// newer. `network` is the graph of the model, which has the shapes. Error kUnsupported, for a model
// below opset 13: an opset below 7; a body of If, Loop or Scan; an operator without a row here.
void RaiseOpset(onnx::ModelProto& model, const Graph& network);

}  // namespace halftone
