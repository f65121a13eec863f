#include "src/export/polygraphy_script.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "src/export/script_files.h"
#include "src/export/tensorrt_arguments.h"

namespace halftone {
namespace {

// The line of the script that the layers stand behind.
constexpr std::string_view kTypes = "TYPES = {\n";

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
  ExportedText file;
  std::string layers;
  for (const PlannedNode& node : types.others) {
    if (!node.compute.is_dtype()) {
      file.losses.push_back(
          LossOf(TensorRtLayerOf(node), node.compute, "float32",
                 "operators in a format of float32 tensors, which stand in float32"));
    }
    layers +=
        fmt::format("    {}: \"{}\",\n", PythonText(TensorRtLayerOf(node)), TypeOf(node.compute));
  }
  file.text = ScriptText("add_constraints");
  file.text.insert(file.text.find(kTypes) + kTypes.size(), layers);
  file.flags = fmt::format("{}{}{}", types.half ? "--fp16" : "",
                           types.half && types.brain ? " " : "", types.brain ? "--bf16" : "");
  return file;
}

}  // namespace halftone
