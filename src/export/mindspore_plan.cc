#include "src/export/mindspore_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {

ExportedText WriteMindSporePlan(const Graph& network, const PrecisionPlan& plan) {
  ExportedText file{.text = "[execution_plan]\n"};
  const std::vector<PlannedNode> nodes = NodesOfFile(network, plan);
  for (const PlannedNode& node : nodes) {
    if (!IsTunable(node.compute.dtype())) {
      continue;
    }
    if (node.compute.has_scale()) {
      throw Error(
          ErrorKind::kUnsupported,
          fmt::format("node '{}' is in {} in the plan, which an execution plan of MindSpore "
                      "Lite cannot say; write --to=onnx-qdq",
                      node.name, ShownNameOf(node.compute)));
    }
    if (node.name.empty()) {
      file.losses.push_back(
          LossOf(node.output, node.compute, "", "operators without a name, by their results"));
    } else if (node.shares_name) {
      file.losses.push_back(LossOf(node.name, node.compute, "",
                                   "operators whose names several operators of the model have"));
    } else if (node.name.find_first_of("=\r\n;#[") != std::string::npos ||
               Trim(node.name) != node.name) {
      file.losses.push_back(
          LossOf(node.name, node.compute, "", "operators whose names have signs of INI files"));
    } else if (node.compute != DType::kFloat16 && node.compute != DType::kFloat32) {
      file.losses.push_back(
          LossOf(node.name, node.compute, "float32",
                 "operators in neither float16 nor float32, which stand in float32"));
      file.text += fmt::format("{}=data_type:float32\n", node.name);
    } else {
      file.text += fmt::format("{}=data_type:{}\n", node.name, NameOf(node.compute));
    }
  }
  if (std::ranges::none_of(
          nodes, [](const PlannedNode& node) { return node.compute == DType::kFloat16; })) {
    throw Error(ErrorKind::kUnsupported,
                "the plan has no operator in float16, the one 16-bit type of MindSpore Lite");
  }
  return file;
}

}  // namespace halftone
