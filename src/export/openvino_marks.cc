#include "src/export/openvino_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/base/error.h"

namespace halftone {
namespace {

// The same walk as PatchOpenVinoIr() (src/export/openvino_ir.h).
constexpr std::string_view kScript = R"(# mark_openvino.py MARKS.json NET.xml|NET.onnx MARKED.xml
# Marks operators of a network that stay in float32 where a hint of 16 bits lowers the others.
import json
import sys

import openvino as ov


def names_of(node):
    return set().union(*(output.get_names() for output in node.outputs()))


def main(marks_file, network_file, marked_file):
    with open(marks_file, encoding="utf-8") as file:
        marks = json.load(file)
    model = ov.Core().read_model(network_file)
    makers = {name: node for node in model.get_ordered_ops() for name in names_of(node)}
    tensors = set(marks["all_tensors"])
    missing = [name for name in marks["fp32_tensors"] if name not in makers]
    waiting = [makers[name] for name in marks["fp32_tensors"] if name in makers]
    marked = set()
    while waiting:
        node = waiting.pop()
        if node.get_friendly_name() in marked or node.get_type_name() == "Parameter":
            continue
        marked.add(node.get_friendly_name())
        node.get_rt_info()["precise_0"] = ""
        for value in node.input_values():
            before = value.get_node()
            if not names_of(before) & tensors:
                waiting.append(before)
    ov.save_model(model, marked_file, compress_to_fp16=False)
    for name in missing:
        print(f"no operator makes {name!r}", file=sys.stderr)


main(*sys.argv[1:])
)";

}  // namespace

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
  const nlohmann::ordered_json data = {
      {"hint", HintOf(marks)}, {"fp32_tensors", marks.float32}, {"all_tensors", marks.all}};
  return {.text = data.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n",
          .beside = {{"mark_openvino.py", std::string(kScript)}},
          .losses = std::move(marks.losses),
          .flags = HintOf(marks)};
}

}  // namespace halftone
