// ONNX files, their shapes and the switches of fusions.
#include <fmt/format.h>

#include <cstring>

#include "src/onnx/reader.h"
#include "src/onnx/tensor_proto.h"
#include "src/passes/fusion_switches.h"
#include "src/passes/passes.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

namespace halftone::testing {
namespace {

void SwitchFile(std::string_view bytes) {
  const auto parse = [](std::string_view text) { return ParseFusionSwitches(text, "f.json"); };
  ReadsBack(bytes, parse, [](const auto& off) { return FormatFusionSwitches(off); });
}

void InputShape(std::string_view bytes) {
  const auto write = [](const auto& shapes) {
    std::string text;
    for (const auto& [name, dims] : shapes) {
      text += fmt::format("{}:{};", name, fmt::join(dims, ","));
    }
    return text;
  };
  ReadsBack(
      bytes, [](std::string_view text) { return ParseInputShapes(text); }, write);
}

// Protobuf, names, shapes, upgrades, folding of constants, passes.
void OnnxModel(std::string_view bytes) {
  const MemoryFile file(bytes);
  ValueOrError([&] {
    ImportResult model = ImportOnnx(file.path());
    Optimize(model.graph);
    return true;
  });
}

// Test data of models: one TensorProto a file. Where its elements are found without reading them,
// they are those that reading the whole file finds.
void TensorProto(std::string_view bytes) {
  const MemoryFile file(bytes);
  const auto tensor = ValueOrError([&] { return ReadTensorProto(file.path()); });
  const auto place = ValueOrError([&] { return LocateTensorProto(file.path()); });
  if (place && *place) {
    const auto& [type, offset] = **place;
    Require(tensor.has_value() && tensor->type() == type, "a tensor is where there is none");
    Require(type.dtype == DType::kBool || tensor->size_bytes() == 0 ||
                std::memcmp(tensor->data(), bytes.data() + offset, tensor->size_bytes()) == 0,
            "the elements are somewhere else");
  }
}

const FuzzedParsers kOnnxParsers = {
    {"fusion_switches", SwitchFile},  // --fusion_switch_file
    {"input_shape", InputShape},      // --input_shape
    {"onnx_model", OnnxModel},
    {"tensor_proto", TensorProto},
};

}  // namespace
}  // namespace halftone::testing
