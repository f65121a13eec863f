#include "src/qaic/node_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/kernel_table.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/ir/ir_type.h"
#include "src/precision/resolve/node_formats.h"
#include "src/qaic/quantized_kinds.h"

namespace halftone {
namespace {

constexpr std::string_view kFp16List = "FP16NodeInstanceNames";
constexpr std::string_view kFp32List = "FP32NodeInstanceNames";
constexpr std::size_t kMostNames = 5;  // that a message quotes

std::string Listed(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kMostNames, names.size()); ++i) {
    shown.push_back(fmt::format("'{}'", names[i]));
  }
  if (names.size() > kMostNames) {
    shown.push_back(fmt::format("and {} more", names.size() - kMostNames));
  }
  return Join(shown, ", ");
}

// Nodes by the names that the lists may use.
class OutputNames {
 public:
  explicit OutputNames(const Graph& graph) : graph_(graph) {
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      for (const std::string_view name : FirstOutputNames(graph, graph.nodes[n])) {
        first_.emplace(name, static_cast<NodeId>(n));
      }
    }
    for (const Origin& origin : graph.removed) {
      removed_.insert(origin.output);
    }
  }

  // kNoNode and no error: the node computes nothing here.
  [[nodiscard]] NodeId Find(const std::string& name, std::string_view list) const {
    if (const auto found = first_.find(name); found != first_.end()) {
      return found->second;
    }
    if (removed_.contains(name)) {
      return kNoNode;
    }
    throw Error(ErrorKind::kUsage, fmt::format("{}: '{}' {}", list, name, WhatElse(name)));
  }

 private:
  [[nodiscard]] std::string WhatElse(const std::string& name) const {
    for (const Node& node : graph_.nodes) {
      for (std::size_t o = 1; o < node.outputs.size(); ++o) {
        if (node.outputs[o] != kNoValue && graph_.value(node.outputs[o]).name == name) {
          return fmt::format("is output {} of {}; nodes are named by their first output: '{}'",
                             o + 1, Describe(node), FirstOutputName(graph_, node));
        }
      }
    }
    for (const Node& node : graph_.nodes) {
      if (node.name == name) {
        return fmt::format("is the name of a node; nodes are named by their first output: '{}'",
                           FirstOutputName(graph_, node));
      }
    }
    for (const ValueId input : graph_.inputs) {
      if (graph_.value(input).name == name) {
        return "is an input of the network; expected the first output of a node";
      }
    }
    std::vector<std::string> names;
    for (const auto& [first, node] : first_) {
      names.push_back(first);
    }
    const auto close = ClosestNames(name, names);
    return fmt::format("is the first output of no node of the network{}",
                       close.empty() ? "" : fmt::format("; did you mean {}?", Listed(close)));
  }

  const Graph& graph_;
  std::map<std::string, NodeId, std::less<>> first_;
  std::set<std::string, std::less<>> removed_;
};

void CheckBothLists(const NodeChoiceRequest& request) {
  const std::set<std::string> fp32(request.fp32_outputs.begin(), request.fp32_outputs.end());
  for (const std::string& name : request.fp16_outputs) {
    if (fp32.contains(name)) {
      throw Error(ErrorKind::kUsage, fmt::format("'{}' is in {} and in {}; leave it in one of them",
                                                 name, kFp16List, kFp32List));
    }
  }
}

void CheckKinds(const Graph& graph, const std::vector<std::string>& kinds, std::string_view option,
                std::vector<std::string>& warnings) {
  std::set<std::string, std::less<>> of_network;
  for (const Node& node : graph.nodes) {
    of_network.emplace(OnnxKindOf(node));
  }
  std::set<std::string, std::less<>> removed;
  for (const Origin& origin : graph.removed) {
    removed.insert(origin.type);
  }
  for (const std::string& kind : kinds) {
    if (of_network.contains(kind)) {
      continue;
    }
    if (FindOp(kind) == nullptr && !removed.contains(kind)) {
      std::vector<std::string> names(of_network.begin(), of_network.end());
      for (const OpInfo& op : AllOps()) {
        names.emplace_back(op.name);
      }
      const auto close = ClosestNames(kind, names);
      throw Error(ErrorKind::kUsage,
                  fmt::format("-{}: '{}' is no ONNX kind{}", option, kind,
                              close.empty() ? "" : fmt::format("; did you mean '{}'?", close[0])));
    }
    warnings.push_back(fmt::format("-{}: the network has no node of kind {}", option, kind));
  }
}

bool Has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The BatchNormalization that alone reads the result of a convolution; kNoNode: there is none.
NodeId BatchNormBehind(const Graph& graph, const Node& node,
                       const std::vector<std::vector<NodeId>>& consumers) {
  if (node.op != OpKind::kConv && node.op != OpKind::kConvTranspose) {
    return kNoNode;
  }
  const auto& readers = consumers[static_cast<std::size_t>(node.outputs[0])];
  if (readers.size() != 1 || graph.node(readers[0]).op != OpKind::kBatchNormalization) {
    return kNoNode;
  }
  return readers[0];
}

void WarnOfPairs(const Graph& graph, NodeChoices& choices) {
  const auto consumers = ConsumersOf(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const NodeId batch_norm = BatchNormBehind(graph, graph.nodes[n], consumers);
    if (batch_norm == kNoNode) {
      continue;
    }
    const NodeChoice& conv = choices.nodes[n];
    const NodeChoice& norm = choices.nodes[static_cast<std::size_t>(batch_norm)];
    if (conv.precision == norm.precision) {
      continue;
    }
    choices.warnings.push_back(fmt::format(
        "'{}' (Conv) is {} and its BatchNormalization '{}' is {}, so they cannot be fused; select "
        "both together",
        FirstOutputName(graph, graph.nodes[n]), NameOf(conv.precision),
        FirstOutputName(graph, graph.node(batch_norm)), NameOf(norm.precision)));
  }
}

// The rules in their order; the first that matches wins.
NodeChoice ChoiceOf(const Graph& graph, const Node& node, const NodeChoiceRequest& request,
                    bool in_fp32, bool in_fp16) {
  const std::string_view kind = OnnxKindOf(node);
  if (in_fp32) {
    return {QaicPrecision::kFloat32, fmt::format("in {}", kFp32List)};
  }
  if (in_fp16) {
    return {QaicPrecision::kFloat16, fmt::format("in {}", kFp16List)};
  }
  if (Has(request.kept_kinds, kind)) {
    return {QaicPrecision::kOriginal,
            fmt::format("-keep-original-precision-for-nodes has {}", kind)};
  }
  if (Has(request.fp16_kinds, kind)) {
    return {QaicPrecision::kFloat16, fmt::format("-execute-nodes-in-fp16 has {}", kind)};
  }
  if (request.to_fp16) {
    return {QaicPrecision::kFloat16, "-convert-to-fp16"};
  }
  const std::string_view output = FirstOutputName(graph, node);
  if (Has(request.external_fp16, output)) {
    return {QaicPrecision::kFloat16, "float16 in the table of -external-quantization"};
  }
  if (Has(request.external_fp32, output)) {
    return {QaicPrecision::kFloat32, "float32 in the table of -external-quantization"};
  }
  if (request.quantizes) {
    return QuantizedRuleOf(kind) == QuantizedRule::kNone
               ? NodeChoice{QaicPrecision::kOriginal, fmt::format("{} is not quantized", kind)}
               : NodeChoice{request.integers, "quantized"};
  }
  return {QaicPrecision::kOriginal, "no option names it"};
}

}  // namespace

bool HasChosenType(const Graph& graph, const Node& node) {
  const OpInfo& info = InfoOf(node.op);
  const auto follows = [&](std::string_view signature, const std::vector<ValueId>& ids) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] != kNoValue && FollowsModes(signature, i, graph.value(ids[i]).type.dtype)) {
        return true;
      }
    }
    return false;
  };
  return follows(info.inputs, node.inputs) || follows(info.outputs, node.outputs);
}

NodeChoices ChooseNodes(const Graph& graph, const NodeChoiceRequest& request) {
  CheckBothLists(request);
  NodeChoices choices;
  choices.integers = request.integers;
  CheckKinds(graph, request.kept_kinds, "keep-original-precision-for-nodes", choices.warnings);
  CheckKinds(graph, request.fp16_kinds, "execute-nodes-in-fp16", choices.warnings);
  const OutputNames names(graph);
  std::vector<std::string> gone;
  std::vector<std::string> without_floats;
  const auto select = [&](const std::vector<std::string>& outputs, std::string_view list) {
    std::set<NodeId> selected;
    for (const std::string& output : outputs) {
      const NodeId node = names.Find(output, list);
      if (node == kNoNode) {
        gone.push_back(output);
      } else if (!HasChosenType(graph, graph.node(node))) {
        without_floats.push_back(output);
      } else {
        selected.insert(node);
      }
    }
    return selected;
  };
  const std::set<NodeId> fp32 = select(request.fp32_outputs, kFp32List);
  const std::set<NodeId> fp16 = select(request.fp16_outputs, kFp16List);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto id = static_cast<NodeId>(n);
    const Node& node = graph.nodes[n];
    choices.nodes.push_back(
        HasChosenType(graph, node)
            ? ChoiceOf(graph, node, request, fp32.contains(id), fp16.contains(id))
            : NodeChoice{QaicPrecision::kOriginal, "no floating tensor"});
  }
  if (!gone.empty()) {
    choices.warnings.push_back(fmt::format(
        "the node precision file names what computes nothing here (constants, copies, unused "
        "nodes): {}",
        Listed(gone)));
  }
  if (!without_floats.empty()) {
    choices.warnings.push_back(fmt::format(
        "the node precision file names nodes without a floating tensor, whose types stay: {}",
        Listed(without_floats)));
  }
  WarnOfPairs(graph, choices);
  return choices;
}

void RequireFloat16Kernels(const Graph& graph, const NodeChoices& choices) {
  std::vector<std::string> without;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (choices.nodes[n].precision == QaicPrecision::kFloat16 &&
        !KernelDTypes(node.op, DetectIsa()).Has(DType::kFloat16)) {
      without.push_back(fmt::format("{} ({})", FirstOutputName(graph, node), OnnxKindOf(node)));
    }
  }
  if (!without.empty()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("profiling runs FP16 nodes in float16, and there is no such kernel for "
                            "{}; take them out of the FP16 lists",
                            Listed(without)));
  }
}

}  // namespace halftone
