#include "src/export/mindspore_plan.h"

#include <fmt/format.h>

#include "src/base/error.h"

namespace halftone {

ExportedText WriteMindSporePlan(const Graph& network, const PrecisionPlan& plan) {
  ExportedText file{.text = "[execution_plan]\n"};
  LeftOut unnamed;
  LeftOut signs;
  LeftOut formats;
  for (const FileNode& node : NodesOfFile(network, plan)) {
    if (!IsTunable(node.compute.dtype())) {
      continue;
    }
    if (node.compute.is_scaled()) {
      throw Error(
          ErrorKind::kUnsupported,
          fmt::format("node '{}' is in {} in the plan, which an execution plan of MindSpore "
                      "Lite cannot say; write --to=onnx-qdq",
                      node.name, ShownNameOf(node.compute)));
    }
    if (node.name.empty()) {
      unnamed.Add(node.output);
    } else if (node.name.find_first_of("=\n;#[") != std::string::npos) {
      signs.Add(node.name);
    } else if (node.compute != DType::kFloat16 && node.compute != DType::kFloat32) {
      formats.Add(node.name);
      file.text += fmt::format("{}=data_type:float32\n", node.name);
    } else {
      file.text += fmt::format("{}=data_type:{}\n", node.name, NameOf(node.compute));
    }
  }
  unnamed.AddNote("operators without a name, by their results", file.notes);
  signs.AddNote("operators whose names have signs of INI files", file.notes);
  formats.AddNote("operators in neither float16 nor float32, which stand in float32", file.notes);
  return file;
}

}  // namespace halftone
