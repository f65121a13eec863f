// The one walk over the nodes of a model in topological order.
#pragma once

#include <filesystem>

#include "src/onnx/reader.h"

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace halftone {

// Shapes often depend on constants that nodes compute from shapes, so resolving names, rewriting
// old forms, inferring types, folding and choosing the branch of an If happen node by node.
// `folder` is where external data lie. Everything of ImportResult but the producer.
ImportResult ImportGraph(const onnx::ModelProto& model, const std::filesystem::path& folder,
                         const ImportOptions& options);

}  // namespace halftone
