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
// newer. `network` is the graph of the model, which has the shapes. Error kUnsupported: an opset
// below 7; an operator without a row in raise_opset.cc, such as If, Loop and Scan; a Softmax or a
// Resize that opset 13 cannot express.
void RaiseOpset(onnx::ModelProto& model, const Graph& network);

}  // namespace halftone
