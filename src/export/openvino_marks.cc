#include "src/export/openvino_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/base/error.h"
#include "src/base/printable.h"
#include "src/export/script_files.h"
#include "src/quantization/files/json_place.h"

namespace halftone {
OpenVinoMarks OpenVinoMarksOf(const Graph& network, const PrecisionPlan& plan) {
  const std::vector<PlannedNode> nodes = NodesOfFile(network, plan);
  std::map<NumericFormat, int> counts;
  for (const PlannedNode& node : nodes) {
    if (node.compute.has_scale()) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("node '{}' is in {} in the plan, which marks of OpenVINO cannot say; "
                              "write --to=onnx-qdq, which it reads",
                              node.name, ShownNameOf(node.compute)));
    }
    ++counts[node.compute];
  }
  const int half = counts[DType::kFloat16];
  const int brain = counts[DType::kBFloat16];
  if (half + brain == 0) {
    throw Error(ErrorKind::kUnsupported,
                "the plan has no operator in 16 bits: OpenVINO runs it with the hint f32 alone");
  }
  OpenVinoMarks marks{.hint = half >= brain ? DType::kFloat16 : DType::kBFloat16};
  for (const PlannedNode& node : nodes) {
    marks.all.insert(node.output);
    if (!IsTunable(node.compute.dtype()) || node.compute == marks.hint) {
      continue;
    }
    marks.float32.push_back(node.output);
    if (node.compute != DType::kFloat32) {
      marks.losses.push_back(LossOf(
          node.name.empty() ? node.output : node.name, node.compute, "float32",
          fmt::format("operators in neither float32 nor {}, the one hint, which stand in float32",
                      NameOf(marks.hint))));
    }
  }
  for (const ValueId input : network.inputs) {
    marks.all.insert(network.value(input).name);
  }
  for (const Node& node : network.nodes) {
    for (const ValueId output : node.outputs) {
      if (output != kNoValue) {
        marks.all.insert(network.value(output).name);
      }
    }
  }
  return marks;
}

std::string HintOf(const OpenVinoMarks& marks) {
  return std::string(ShortNameOf(marks.hint));
}

ExportedText WriteOpenVinoMarks(const Graph& network, const PrecisionPlan& plan) {
  OpenVinoMarks marks = OpenVinoMarksOf(network, plan);
  for (const std::string& name : marks.all) {
    static_cast<void>(JsonText(name));  // an Error for names that JSON cannot hold
  }
  const nlohmann::ordered_json data = {
      {"hint", HintOf(marks)}, {"fp32_tensors", marks.float32}, {"all_tensors", marks.all}};
  return {.text = PrintableJson(data.dump(1)) + "\n",
          .beside = {{"mark_openvino.py", ScriptText("mark_openvino")}},
          .losses = std::move(marks.losses),
          .flags = HintOf(marks)};
}

}  // namespace halftone
