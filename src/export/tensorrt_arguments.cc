#include "src/export/tensorrt_arguments.h"

#include <fmt/format.h>

#include <map>

#include "src/base/error.h"
#include "src/base/printable.h"

namespace halftone {
namespace {

// Linux, MAX_ARG_STRLEN: with its end.
constexpr std::size_t kMostArgumentBytes = 128U << 10U;

std::string_view WordOf(NumericFormat format) {
  return format == DType::kFloat16 ? "fp16" : format == DType::kBFloat16 ? "bf16" : "fp32";
}

}  // namespace

std::string TensorRtLayerOf(const PlannedNode& node) {
  return node.name.empty() ? "node_of_" + node.output : node.name;
}

Loss SharedLayerLoss(const PlannedNode& node, NumericFormat usual) {
  return LossOf(node.name, node.compute, std::string(NameOf(usual)),
                "layers whose names several operators of the model have, which TensorRT numbers "
                "by itself; give each operator a name of its own");
}

TensorRtTypes TensorRtTypesOf(const Graph& network, const PrecisionPlan& plan,
                              std::string_view file) {
  std::map<NumericFormat, int> counts;
  TensorRtTypes types;
  for (PlannedNode& node : NodesOfFile(network, plan)) {
    if (node.compute.has_scale()) {
      throw Error(
          ErrorKind::kUnsupported,
          fmt::format("node '{}' is in {} in the plan, which {} cannot say with its scales; "
                      "write --to=onnx-qdq:flavour=tensorrt",
                      node.name, ShownNameOf(node.compute), file));
    }
    if (IsTunable(node.compute.dtype())) {
      ++counts[node.compute];
      types.others.push_back(std::move(node));
    }
  }
  types.half = counts[DType::kFloat16] > 0;
  types.brain = counts[DType::kBFloat16] > 0;
  if (!types.half && !types.brain) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("the plan has no operator in 16 bits, and nothing for {} to say", file));
  }
  types.usual =
      counts[DType::kFloat16] >= counts[DType::kBFloat16] ? DType::kFloat16 : DType::kBFloat16;
  std::erase_if(types.others, [&](const PlannedNode& node) { return node.compute == types.usual; });
  return types;
}

ExportedText WriteTensorRtArguments(const std::string& model, const Graph& network,
                                    const PrecisionPlan& plan) {
  const TensorRtTypes all = TensorRtTypesOf(network, plan, "arguments of trtexec");
  if (model.find_first_of("\r\n") != std::string::npos) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("the path of the model has a line break, '{}', and arguments of trtexec "
                    "stand in a line each; rename it",
                    Printable(model)));
  }
  ExportedText file;
  std::string precisions;
  std::string types;
  for (const PlannedNode& node : all.others) {
    if (!node.compute.is_dtype()) {
      file.losses.push_back(LossOf(TensorRtLayerOf(node), node.compute, "float32",
                                   "operators in a format of float32 tensors, which stand in "
                                   "fp32"));
    }
    const std::string layer = TensorRtLayerOf(node);
    if (node.shares_name) {
      file.losses.push_back(SharedLayerLoss(node, all.usual));
      continue;
    }
    if (layer.find_first_of(",*\r\n") != std::string::npos) {
      file.losses.push_back(
          LossOf(layer, node.compute, std::string(NameOf(all.usual)),
                 "layers whose names have ',', '*' or a line break, which trtexec cannot read"));
      continue;
    }
    const std::string_view word = WordOf(node.compute);
    precisions += fmt::format("{}{}:{}", precisions.empty() ? "" : ",", layer, word);
    types += fmt::format("{}{}:{}", types.empty() ? "" : ",", layer, word);
    for (std::size_t i = 1; i < node.outputs; ++i) {
      types += fmt::format("+{}", word);
    }
  }
  file.text = fmt::format(
      "# TensorRT 8.6 to 10.x; 11 takes types from the model alone: --to=onnx-mixed\n"
      "# grep -v '^#' FILE | {{ mapfile -t words; trtexec \"${{words[@]}}\"; "
      "}}\n--onnx={}\n{}{}--precisionConstraints=obey\n--noTF32\n",
      model, all.half ? "--fp16\n" : "", all.brain ? "--bf16\n" : "");
  for (const auto& [option, list] :
       {std::pair("--layerPrecisions=", precisions), std::pair("--layerOutputTypes=", types)}) {
    if (list.empty()) {
      continue;
    }
    const std::string argument = option + list;
    if (argument.size() >= kMostArgumentBytes) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("{} would have {} bytes, and Linux takes {} in one argument; write "
                              "--to=onnx-mixed",
                              option, argument.size(), kMostArgumentBytes));
    }
    file.text += argument + "\n";
  }
  return file;
}

}  // namespace halftone
