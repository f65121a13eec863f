// Inputs of a model as its file declares them, with free dimensions. Callers choose shapes from
// data before the import.
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

// Returns the name of a free dimension; all dimensions with one name have the same extent. Empty
// for texts by which exporters mark an unknown extent: "?", "-1", "*" and "None".
std::string SymbolOf(const std::string& dim_param);

struct ModelInput {
  std::string name;
  std::vector<std::int64_t> dims;  // extents; kFreeDimension: the model leaves the extent free
  // SymbolOf() of each free dimension; empty for a fixed one.
  std::vector<std::string> symbols = {};
  std::optional<DType> dtype = {};  // empty: a type that halftone does not have
};

// Return the inputs without initializers, in the order of the file. ReadModelInputs() reads the
// file; errors as LoadModel() (src/onnx/model_file.h).
std::vector<ModelInput> ReadModelInputs(const std::filesystem::path& model);
std::vector<ModelInput> ModelInputsOf(const onnx::GraphProto& graph);

}  // namespace halftone
