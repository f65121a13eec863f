// The one walk over the nodes of a model in topological order.
#pragma once

#include <filesystem>
#include <unordered_map>

#include "src/onnx/reader.h"

namespace onnx {
class ModelProto;
class TensorProto;
}  // namespace onnx

namespace halftone {

// Initializers that were read, by where the model has them.
using InitializerTensors = std::unordered_map<const onnx::TensorProto*, Tensor>;

// Shapes often depend on constants that nodes compute from shapes, so resolving names, rewriting
// old forms, inferring types, folding and choosing the branch of an If happen node by node.
// `folder` is where external data lie. Everything of ImportResult but the producer. Initializers
// are taken from `initializers`, and put there when they were read; null: all are read.
ImportResult ImportGraph(const onnx::ModelProto& model, const std::filesystem::path& folder,
                         const ImportOptions& options, InitializerTensors* initializers = nullptr);

}  // namespace halftone
