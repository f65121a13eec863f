// Inputs of a model as its file declares them, with free dimensions: for callers that choose shapes
// from data before the import.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/ir/dtype.h"

namespace onnx {
class GraphProto;
}  // namespace onnx

namespace halftone {

inline constexpr std::int64_t kFreeDimension = -1;

// The name of a dimension; all dimensions of this name have the same extent. Empty for "?", "-1",
// "*" and "None", by which exporters mark an unknown extent.
std::string SymbolOf(const std::string& dim_param);

struct ModelInput {
  std::string name;
  std::vector<std::int64_t> dims;  // kFreeDimension where the model leaves it open
  // Parallel to dims: the name of a free dimension; empty: it has none, or is not free.
  std::vector<std::string> symbols = {};
  std::optional<DType> dtype = {};  // empty: none that halftone has
};

// The inputs that are no initializers, in the order of the file. Error kIo/kModel as ImportOnnx.
std::vector<ModelInput> ReadModelInputs(const std::filesystem::path& model);
std::vector<ModelInput> ModelInputsOf(const onnx::GraphProto& graph);

}  // namespace halftone
