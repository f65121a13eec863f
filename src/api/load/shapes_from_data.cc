#include "src/api/load/shapes_from_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <utility>

#include "src/accuracy/data_extents.h"
#include "src/accuracy/input_paths.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

using Extents = std::vector<std::int64_t>;

bool HasFree(const Extents& dims) {
  return std::ranges::find(dims, kFreeDimension) != dims.end();
}

// Extents of named dimensions that the other inputs have.
std::map<std::string, std::int64_t> BoundNames(const std::vector<ModelInput>& inputs,
                                               const std::vector<Extents>& dims) {
  std::map<std::string, std::int64_t> bound;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<std::string>& symbols = inputs[i].symbols;
    for (std::size_t axis = 0; axis < std::min(symbols.size(), dims[i].size()); ++axis) {
      if (!symbols[axis].empty() && dims[i][axis] != kFreeDimension) {
        bound.emplace(symbols[axis], dims[i][axis]);
      }
    }
  }
  return bound;
}

// A shape that a file of `elements` fits: its free axes are equal where there are two and that is
// possible, else the first of them is the longest.
Extents Fitting(Extents dims, std::int64_t elements) {
  std::int64_t rest = elements;
  for (const std::int64_t extent : dims) {
    rest = extent > 0 && rest % extent == 0 ? rest / extent : rest;
  }
  const auto free = std::ranges::count(dims, kFreeDimension);
  const auto side = std::llround(std::sqrt(static_cast<double>(rest)));
  const bool square = free == 2 && side * side == rest;
  std::int64_t next = std::max<std::int64_t>(square ? side : rest, 1);
  for (std::int64_t& extent : dims) {
    if (extent == kFreeDimension) {
      extent = next;
      next = square ? next : 1;
    }
  }
  return dims;
}

std::string Declared(const ModelInput& input) {
  std::vector<std::string> extents;
  for (std::size_t axis = 0; axis < input.dims.size(); ++axis) {
    extents.push_back(input.dims[axis] != kFreeDimension ? fmt::format("{}", input.dims[axis])
                      : input.symbols[axis].empty()      ? "?"
                                                         : input.symbols[axis]);
  }
  return Join(extents, ",");
}

// The free axes of an input in a raw file.
Extents WithoutHeader(const ModelInput& input, Extents dims, const std::filesystem::path& file,
                      const std::map<std::string, std::int64_t>& bound) {
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    const auto known = bound.find(input.symbols[axis]);
    if (dims[axis] == kFreeDimension && known != bound.end()) {
      dims[axis] = known->second;
    }
  }
  if (!dims.empty() && dims.front() == kFreeDimension) {
    dims.front() = 1;
  }
  if (!HasFree(dims)) {
    return dims;
  }
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  const std::int64_t element = input.dtype ? static_cast<std::int64_t>(SizeOf(*input.dtype)) : 1;
  const Extents example = Fitting(dims, error ? 1 : static_cast<std::int64_t>(bytes) / element);
  throw Error(
      ErrorKind::kUsage,
      fmt::format("E10001: '{}' has no header, and the model leaves the shape {} of input '{}' "
                  "open: give that of one sample, for example --input_shape=\"{}:{}\"",
                  file.string(), Declared(input), input.name, input.name, fmt::join(example, ",")));
}

}  // namespace

bool InputsAreImages(const std::string& inputs) {
  return !inputs.empty() && KindOf(inputs) == FileKind::kImages;
}

ShapesInData ShapesFromData(const std::vector<ModelInput>& model_inputs, const InputShapes& given,
                            const ModelOptions& options) {
  std::vector<ModelInput> asked = model_inputs;
  for (ModelInput& input : asked) {
    if (const auto known = given.find(input.name);
        known != given.end() && known->second.size() == input.dims.size()) {
      input.dims = known->second;
    }
  }
  const bool needs =
      std::ranges::any_of(asked, [](const ModelInput& input) { return HasFree(input.dims); });
  if (!needs) {
    return {};
  }
  DatasetOptions data{.inputs = options.inputs, .labels = {}};
  data.image = options.image;
  data.state = options.state;
  data.arrays = options.arrays;
  data.max_memory = options.max_memory;
  DataExtents found = ExtentsInData(asked, data);
  const auto bound = BoundNames(asked, found.dims);
  for (const auto& [input, file] : found.without_header) {
    found.dims[input] = WithoutHeader(asked[input], found.dims[input], file, bound);
  }
  ShapesInData shapes{.shapes = {}, .notes = std::move(found.notes)};
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (HasFree(asked[i].dims) && !HasFree(found.dims[i])) {
      shapes.shapes.emplace(asked[i].name, std::move(found.dims[i]));
    }
  }
  return shapes;
}

}  // namespace halftone
