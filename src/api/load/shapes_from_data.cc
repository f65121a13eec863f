#include "src/api/load/shapes_from_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "src/accuracy/stored_tensor.h"
#include "src/base/text.h"

namespace halftone {
namespace {

struct InputFile {
  std::filesystem::path path;
  bool stacked = true;
};

std::optional<InputFile> FileOf(const std::vector<ModelInput>& model_inputs, std::size_t index,
                                std::string_view inputs) {
  namespace fs = std::filesystem;
  const fs::path root(inputs);
  const std::string file_name = fmt::format("input_{}.pb", index);
  std::error_code error;
  if (fs::is_directory(root, error)) {
    if (fs::exists(root / "test_data_set_0" / file_name, error)) {
      return InputFile{root / "test_data_set_0" / file_name, false};
    }
    if (fs::exists(root / file_name, error)) {
      return InputFile{root / file_name, !root.filename().string().starts_with("test_data_set_")};
    }
    return std::nullopt;
  }
  for (const std::string_view part : Split(inputs, ';')) {
    const std::string prefix = model_inputs[index].name + ":";
    if (part.starts_with(prefix)) {
      return InputFile{fs::path(part.substr(prefix.size()))};
    }
  }
  if (model_inputs.size() == 1 && fs::exists(root, error)) {
    return InputFile{root};
  }
  return std::nullopt;
}

struct FoundShape {
  Shape shape;
  bool stacked = true;
};

std::optional<FoundShape> ShapeInFile(const std::vector<ModelInput>& model_inputs,
                                      std::size_t index, std::string_view inputs) {
  if (inputs.empty()) {
    return std::nullopt;
  }
  const auto file = FileOf(model_inputs, index, inputs);
  std::error_code error;
  if (!file || !std::filesystem::is_regular_file(file->path, error)) {
    return std::nullopt;
  }
  return FoundShape{StoredTensor(file->path).type().shape, file->stacked};
}

std::optional<FoundShape> ShapeIn(const SampleArrays& arrays, const std::string& input) {
  for (const NamedArray& array : arrays.inputs) {
    if (array.name == input || array.name.empty()) {
      return FoundShape{array.tensor.shape()};
    }
  }
  return std::nullopt;
}

}  // namespace

InputShapes ShapesFromData(const std::vector<ModelInput>& model_inputs,
                           const ModelOptions& options) {
  InputShapes shapes;
  for (std::size_t i = 0; i < model_inputs.size(); ++i) {
    std::vector<std::int64_t> dims = model_inputs[i].dims;
    if (std::find(dims.begin(), dims.end(), kFreeDimension) == dims.end()) {
      continue;
    }
    const auto found = options.arrays != nullptr ? ShapeIn(*options.arrays, model_inputs[i].name)
                                                 : ShapeInFile(model_inputs, i, options.inputs);
    if (!found) {
      continue;
    }
    const auto& [shape, stacked] = *found;
    const int more = shape.rank() - static_cast<int>(dims.size());
    const bool has_new_axis = more == 1 && stacked;
    if (more != 0 && !has_new_axis) {
      continue;
    }
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      if (dims[axis] == kFreeDimension) {
        dims[axis] = axis == 0 && stacked && !has_new_axis
                         ? 1
                         : shape[static_cast<int>(axis) + (has_new_axis ? 1 : 0)];
      }
    }
    shapes.emplace(model_inputs[i].name, std::move(dims));
  }
  return shapes;
}

}  // namespace halftone
