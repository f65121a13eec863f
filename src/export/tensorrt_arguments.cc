#include "src/export/tensorrt_arguments.h"

#include <fmt/format.h>

#include <map>

#include "src/base/error.h"

namespace halftone {
namespace {

// Linux, MAX_ARG_STRLEN: with its end.
constexpr std::size_t kMostArgumentBytes = 128U << 10U;

std::string_view WordOf(NumericFormat format) {
  return format == DType::kFloat16 ? "fp16" : format == DType::kBFloat16 ? "bf16" : "fp32";
}

std::string LayerOf(const FileNode& node) {
  return node.name.empty() ? "node_of_" + node.output : node.name;
}

}  // namespace

ExportedText WriteTensorRtArguments(const std::string& model, const Graph& network,
                                    const PrecisionPlan& plan) {
  std::map<NumericFormat, int> counts;
  std::vector<FileNode> nodes;
  for (FileNode& node : NodesOfFile(network, plan)) {
    if (node.compute.is_scaled()) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("node '{}' is in {} in the plan, which arguments of trtexec cannot "
                              "say with its scales; write --to=onnx-qdq:flavour=tensorrt",
                              node.name, ShownNameOf(node.compute)));
    }
    if (IsTunable(node.compute.dtype())) {
      ++counts[node.compute];
      nodes.push_back(std::move(node));
    }
  }
  const int half = counts[DType::kFloat16];
  const int brain = counts[DType::kBFloat16];
  if (half + brain == 0) {
    throw Error(ErrorKind::kUnsupported,
                "the plan has no operator in 16 bits: trtexec needs no arguments for it");
  }
  const NumericFormat usual = half >= brain ? DType::kFloat16 : DType::kBFloat16;
  ExportedText file;
  std::string precisions;
  std::string types;
  for (const FileNode& node : nodes) {
    if (node.compute == usual) {
      continue;
    }
    if (!node.compute.is_dtype()) {
      file.losses.push_back(LossOf(node.name, node.compute, "float32",
                                   "operators in a format of float32 tensors, which stand in "
                                   "fp32"));
    }
    const std::string layer = LayerOf(node);
    if (layer.find_first_of(",*") != std::string::npos) {
      file.losses.push_back(
          LossOf(layer, node.compute, std::string(NameOf(usual)),
                 "layers whose names have ',' or '*', which trtexec cannot read"));
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
      "# trtexec $(grep -v '^#' FILE)\n--onnx={}\n{}{}--precisionConstraints=obey\n--noTF32\n",
      model, half > 0 ? "--fp16\n" : "", brain > 0 ? "--bf16\n" : "");
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
