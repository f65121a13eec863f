// Reading of a model file, and checks of its format, opset and operators.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

namespace onnx {
class GraphProto;
class ModelProto;
}  // namespace onnx

namespace halftone {

class ModelFunctions;

// Returns `model`, or model.onnx in it if it is a folder. Error kIo: there is no such file.
std::filesystem::path ModelFile(const std::filesystem::path& model);

// Parses `file`. Errors: kIo if it cannot be read or is no regular file; kModel if it is empty, cut
// short, not ONNX, or without a graph; kUnsupported beyond 2 GiB.
std::shared_ptr<onnx::ModelProto> LoadModel(const std::filesystem::path& file);

// Returns the opset of the domain ai.onnx that the model declares. A model that declares none, and
// has nodes of other domains only, has kNewestOpset. Errors: kModel if none is declared otherwise;
// kUnsupported if halftone does not read the opset.
std::int64_t OpsetOf(const onnx::ModelProto& model);

// True for "" and "ai.onnx", which are the same domain.
bool IsDefaultDomain(std::string_view domain);

// Throws Error kUnsupported if `graph` has operators that halftone does not have and that are no
// functions of the model. The message names the first one with its node, and counts all. Subgraphs
// are checked when they are imported.
void RefuseMissingOperators(const onnx::GraphProto& graph, std::int64_t opset,
                            const ModelFunctions& functions);

}  // namespace halftone
