// Import of a parsed model into a Graph.
#pragma once

#include <filesystem>
#include <unordered_map>

#include "src/onnx/reader.h"

namespace onnx {
class ModelProto;
class TensorProto;
}  // namespace onnx

namespace halftone {

// Cache of initializers by their addresses in the parsed model.
using InitializerTensors = std::unordered_map<const onnx::TensorProto*, Tensor>;

// Imports the nodes in topological order. For each node, it resolves names, upgrades the operator,
// infers types and folds, because shapes often depend on constants that nodes compute from shapes.
//
// `folder`: folder of the model, for external data. `initializers`: cache that is read and filled;
// null: there is none. The result lacks the producer. Errors as ImportOnnx().
ImportResult ImportGraph(const onnx::ModelProto& model, const std::filesystem::path& folder,
                         const ImportOptions& options, InitializerTensors* initializers = nullptr);

}  // namespace halftone
