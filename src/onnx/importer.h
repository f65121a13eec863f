// Import of a model in one walk over its nodes in topological order.
#pragma once

#include <filesystem>
#include <unordered_map>

#include "src/onnx/reader.h"

namespace onnx {
class ModelProto;
class TensorProto;
}  // namespace onnx

namespace halftone {

// Cache of initializers, by their place in the model.
using InitializerTensors = std::unordered_map<const onnx::TensorProto*, Tensor>;

// Resolves names, rewrites old forms, infers types, folds and chooses branches of If node by node,
// because shapes often depend on constants that nodes compute from shapes. `folder` holds external
// data. Fills everything of ImportResult but the producer. `initializers` is read and filled; null:
// all are read.
ImportResult ImportGraph(const onnx::ModelProto& model, const std::filesystem::path& folder,
                         const ImportOptions& options, InitializerTensors* initializers = nullptr);

}  // namespace halftone
