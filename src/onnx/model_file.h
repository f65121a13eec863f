// Model file around the graph: reading, format and opset checks.
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

// `model` itself, or model.onnx in it when it is a folder. Error kIo when there is none.
std::filesystem::path ModelFile(const std::filesystem::path& model);

// Parses `file`. Error kIo: not readable. kModel: empty, cut short, not ONNX, without a graph.
std::shared_ptr<onnx::ModelProto> LoadModel(const std::filesystem::path& file);

// The version of the ai.onnx domain. Error kModel when none is declared, kUnsupported when it is
// older or newer than what halftone reads.
std::int64_t OpsetOf(const onnx::ModelProto& model);

// "" and "ai.onnx" are the same domain.
bool IsDefaultDomain(std::string_view domain);

// Error kUnsupported when `graph` has operators that halftone does not have and that are no
// functions of the model: names the first with its node, and counts them all. Subgraphs are checked
// when they are imported.
void RefuseMissingOperators(const onnx::GraphProto& graph, std::int64_t opset,
                            const ModelFunctions& functions);

}  // namespace halftone
