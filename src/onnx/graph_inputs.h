// Concrete types of the inputs of a graph.
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
  std::vector<GraphInput> inputs;  // inputs that are no initializers, in the order of the file
  std::vector<std::string> notes;  // free dimensions that took the default
};

// Error kUsage when options.input_shapes does not fit the model.
GraphInputs InputsOf(const onnx::GraphProto& graph, const ImportOptions& options);

}  // namespace halftone
