// The last steps of writing a rewritten model: checks, what is left over, data of other files.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace onnx {
class GraphProto;
class ModelProto;
}  // namespace onnx

namespace halftone {

// A node of the file may read a tensor that an integer operator folds into itself, such as the
// shape of a result that BatchNormalization is folded into. Error kUnsupported names it.
void CheckReads(const onnx::GraphProto& graph);

// Removes initializers that nothing reads and types of tensors that nothing makes; initializers
// are constants, so that none of them stays an input.
void DropUnused(onnx::GraphProto& graph);

// Takes data out of files in `folder`, which lie beside the old model and not beside the new one.
void TakeExternalData(onnx::GraphProto& graph, const std::filesystem::path& folder);

// The bytes of the file. Error kUnsupported: more than protobuf holds, 2 GiB.
std::string Serialised(const onnx::ModelProto& model);

}  // namespace halftone
