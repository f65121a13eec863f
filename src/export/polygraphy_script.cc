#include "src/export/polygraphy_script.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "src/export/tensorrt_arguments.h"

namespace halftone {
namespace {

constexpr std::string_view kBegin =
    R"(# TensorRT 8.6 to 10.x; 11 takes types from the model alone: --to=onnx-mixed
import sys

import tensorrt as trt

# Names of layers that differ from the most frequent type.
TYPES = {
)";

constexpr std::string_view kEnd = R"(}


def postprocess(network):
    named = {"float32": trt.float32, "float16": trt.float16, "bfloat16": getattr(trt, "bfloat16", None)}
    floats = [dtype for dtype in named.values() if dtype is not None]
    missing = set(TYPES)
    for layer in network:
        dtype = named.get(TYPES.get(layer.name))
        if dtype is None:
            continue
        missing.discard(layer.name)
        layer.precision = dtype
        for i in range(layer.num_outputs):
            if layer.get_output(i).dtype in floats:
                layer.set_output_type(i, dtype)
    for name in sorted(missing):
        print(f"no layer {name!r} that can be {TYPES[name]}", file=sys.stderr)
)";

// A text of Python. Escapes of JSON are those of Python while characters beyond ASCII stay as they
// are; bytes that are no UTF-8 become U+FFFD.
std::string PythonText(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string_view TypeOf(NumericFormat format) {
  return format.is_dtype() ? NameOf(format) : NameOf(DType::kFloat32);
}

}  // namespace

ExportedText WritePolygraphyScript(const Graph& network, const PrecisionPlan& plan) {
  const TensorRtTypes types = TensorRtTypesOf(network, plan, "a script of Polygraphy");
  ExportedText file{.text = std::string(kBegin)};
  for (const PlannedNode& node : types.others) {
    if (!node.compute.is_dtype()) {
      file.losses.push_back(
          LossOf(node.name, node.compute, "float32",
                 "operators in a format of float32 tensors, which stand in float32"));
    }
    file.text +=
        fmt::format("    {}: \"{}\",\n", PythonText(TensorRtLayerOf(node)), TypeOf(node.compute));
  }
  file.text += kEnd;
  file.flags = fmt::format("{}{}{}", types.half ? "--fp16" : "",
                           types.half && types.brain ? " " : "", types.brain ? "--bf16" : "");
  return file;
}

}  // namespace halftone
