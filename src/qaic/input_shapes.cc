#include "src/qaic/input_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

[[noreturn]] void ThrowUsage(std::string_view message) {
  throw Error(ErrorKind::kUsage, message);
}

std::string Suggestion(std::string_view word, const std::vector<std::string>& names) {
  const auto close = ClosestNames(word, names);
  if (!close.empty()) {
    return fmt::format("; did you mean '{}'?", close.front());
  }
  return names.empty() ? "; it has none" : fmt::format("; it has {}", Join(names, ", "));
}

void CheckNames(std::span<const ModelInput> inputs, const QaicCompileOptions& options) {
  std::vector<std::string> names;
  std::vector<std::string> symbols;
  for (const ModelInput& input : inputs) {
    names.push_back(input.name);
    for (const std::string& symbol : input.symbols) {
      if (!symbol.empty() && std::ranges::find(symbols, symbol) == symbols.end()) {
        symbols.push_back(symbol);
      }
    }
  }
  for (const QaicModelInput& given : options.model_inputs) {
    if (std::ranges::find(names, given.name) == names.end()) {
      ThrowUsage(fmt::format("-model-input: the model has no input '{}'{}", given.name,
                             Suggestion(given.name, names)));
    }
  }
  for (const auto& [symbol, extent] : options.symbols) {
    if (std::ranges::find(symbols, symbol) == symbols.end()) {
      ThrowUsage(
          fmt::format("-onnx-define-symbol={},{}: no input of the model has the symbol '{}'{}",
                      symbol, extent, symbol, Suggestion(symbol, symbols)));
    }
  }
}

// The extents of an input; kFreeDimension where nothing decides one.
std::vector<std::int64_t> ExtentsOf(const ModelInput& input, const QaicCompileOptions& options) {
  std::vector<std::int64_t> dims = input.dims;
  const auto given = std::ranges::find(options.model_inputs, input.name, &QaicModelInput::name);
  if (given != options.model_inputs.end()) {
    if (given->shape.size() != dims.size()) {
      ThrowUsage(fmt::format("-model-input: input '{}' has {} dimensions, found {}", input.name,
                             dims.size(), given->shape.size()));
    }
    return given->shape;  // the import compares with fixed extents
  }
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto symbol = options.symbols.find(input.symbols[i]);
    if (dims[i] == kFreeDimension && symbol != options.symbols.end()) {
      dims[i] = symbol->second;
    }
  }
  if (options.batch_size && !dims.empty()) {
    if (dims[0] != kFreeDimension && dims[0] != *options.batch_size) {
      ThrowUsage(
          fmt::format("-batchsize={}: input '{}' has the fixed batch {}; export the model with a "
                      "free batch, or "
                      "leave -batchsize out",
                      *options.batch_size, input.name, dims[0]));
    }
    dims[0] = *options.batch_size;
  }
  return dims;
}

}  // namespace

std::string InputShapeText(std::span<const ModelInput> inputs, const QaicCompileOptions& options) {
  CheckNames(inputs, options);
  std::string text;
  for (const ModelInput& input : inputs) {
    const std::vector<std::int64_t> dims = ExtentsOf(input, options);
    const auto free = std::ranges::find(dims, kFreeDimension);
    if (free != dims.end()) {
      const auto axis = static_cast<std::size_t>(free - dims.begin());
      const std::string& symbol = input.symbols[axis];
      ThrowUsage(fmt::format("input '{}' leaves dimension {} free; give {}", input.name, axis,
                             symbol.empty()
                                 ? fmt::format("-model-input={},float,[...]{}", input.name,
                                               axis == 0 ? " or -batchsize" : "")
                                 : fmt::format("-onnx-define-symbol={},<extent>", symbol)));
    }
    if (dims == input.dims || dims.empty()) {
      continue;
    }
    if (input.name.find(';') != std::string::npos) {
      ThrowUsage(
          fmt::format("input '{}': its name has a semicolon, which shapes are separated by; "
                      "rename it",
                      input.name));
    }
    text += fmt::format("{}{}:{}", text.empty() ? "" : ";", input.name, fmt::join(dims, ","));
  }
  return text;
}

}  // namespace halftone
