#include "src/onnx/model_inputs.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <unordered_set>

#include "src/base/error.h"
#include "src/onnx/model_file.h"

namespace halftone {

std::string SymbolOf(const std::string& dim_param) {
  const bool is_name = std::ranges::any_of(dim_param, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;  // of UTF-8
  });
  return is_name && dim_param != "None" ? dim_param : "";
}

std::vector<ModelInput> ReadModelInputs(const std::filesystem::path& model) {
  const std::filesystem::path file = ModelFile(model);
  const auto proto = WithContext([&] { return fmt::format("reading '{}'", file.string()); },
                                 [&] { return LoadModel(file); });
  return ModelInputsOf(proto->graph());
}

std::vector<ModelInput> ModelInputsOf(const onnx::GraphProto& graph) {
  std::unordered_set<std::string> initializers;
  for (const auto& initializer : graph.initializer()) {
    initializers.insert(initializer.name());
  }
  std::vector<ModelInput> inputs;
  for (const auto& input : graph.input()) {
    if (initializers.contains(input.name())) {
      continue;
    }
    ModelInput result{.name = input.name(), .dims = {}};
    for (const auto& dim : input.type().tensor_type().shape().dim()) {
      const bool fixed = dim.has_dim_value() && dim.dim_value() > 0;
      result.dims.push_back(fixed ? dim.dim_value() : kFreeDimension);
      result.symbols.push_back(fixed ? "" : SymbolOf(dim.dim_param()));
    }
    result.dtype = DTypeFromOnnx(input.type().tensor_type().elem_type());
    inputs.push_back(std::move(result));
  }
  return inputs;
}

}  // namespace halftone
