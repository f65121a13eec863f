// Inputs of a graph with concrete types.
#pragma once

#include <string>
#include <vector>

#include "src/ir/tensor.h"
#include "src/onnx/reader.h"

namespace onnx {
class GraphProto;
}  // namespace onnx

namespace halftone {

struct GraphInput {
  std::string name;
  TensorType type;
};

struct GraphInputs {
  std::vector<GraphInput> inputs;  // without initializers, in the order of the file
  std::vector<std::string> notes;  // sentences about free dimensions that took the default
};

// Returns the inputs with the extents of options.input_shapes. Errors: kUsage if these do not fit
// the model, or an input has no shape; kModel and kUnsupported for inputs that are no tensors of
// known types.
GraphInputs InputsOf(const onnx::GraphProto& graph, const ImportOptions& options);

}  // namespace halftone
