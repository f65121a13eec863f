#include "src/export/polygraphy_script.h"

#include <fmt/format.h>

#include <optional>

#include "src/base/error.h"
#include "src/export/script_files.h"
#include "src/export/tensorrt_arguments.h"
#include "src/quantization/files/json_place.h"

namespace halftone {
namespace {

// The line of the script behind which the layers stand.
constexpr std::string_view kTypes = "TYPES = {\n";

// A text of Python: escapes of JSON are those of Python while characters beyond ASCII stay as they
// are. Empty: bytes that are no UTF-8.
std::optional<std::string> PythonText(const std::string& text) {
  try {
    return JsonText(text);
  } catch (const Error&) {
    return std::nullopt;
  }
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
    if (node.shares_name) {
      file.losses.push_back(SharedLayerLoss(node, types.usual));
      continue;
    }
    if (const auto name = PythonText(TensorRtLayerOf(node))) {
      layers += fmt::format("    {}: \"{}\",\n", *name, TypeOf(node.compute));
    } else {
      file.losses.push_back(LossOf(TensorRtLayerOf(node), node.compute,
                                   std::string(NameOf(types.usual)),
                                   "layers whose names are not UTF-8, which Python cannot read"));
    }
  }
  file.text = ScriptText("add_constraints");
  file.text.insert(file.text.find(kTypes) + kTypes.size(), layers);
  file.flags = fmt::format("{}{}{}", types.half ? "--fp16" : "",
                           types.half && types.brain ? " " : "", types.brain ? "--bf16" : "");
  return file;
}

}  // namespace halftone
