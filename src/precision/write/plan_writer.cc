#include "src/precision/write/plan_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/precision/joined_nodes.h"
#include "src/precision/resolve/modes.h"
#include "src/precision/resolve/node_formats.h"
#include "src/precision/resolve/resolve.h"
#include "src/precision/write/dtype_lines.h"
#include "src/precision/write/impl_mode_lines.h"

namespace halftone {
namespace {

// Every value in the dtype that the plan gives it.
ResolvedValues ValuesOf(const Graph& graph, const PrecisionPlan& plan) {
  ResolvedValues values = OriginalValues(graph);
  for (std::size_t i = 0; i < plan.graph_inputs.size(); ++i) {
    values.dtypes[static_cast<std::size_t>(graph.inputs[i])] = plan.graph_inputs[i];
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (std::size_t i = 0; i < graph.nodes[n].outputs.size(); ++i) {
      if (graph.nodes[n].outputs[i] != kNoValue) {
        values.dtypes[static_cast<std::size_t>(graph.nodes[n].outputs[i])] =
            plan.nodes[n].outputs[i].dtype();
      }
    }
  }
  return values;
}

std::string_view OutputTypeName(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return "FP16";
    case DType::kUInt8:
      return "UINT8";
    case DType::kInt8:
      return "INT8";
    default:
      return "FP32";
  }
}

// --output_type: one item for each output that changes its type. All outputs that can change in one
// type are one word.
std::string OutputTypeText(const Graph& graph, const PrecisionPlan& plan) {
  const std::vector<NodeId> producers = ProducersOf(graph);
  std::vector<std::string> items;
  bool one_type = true;
  std::optional<DType> type;
  for (std::size_t i = 0; i < plan.graph_outputs.size(); ++i) {
    const Value& value = graph.value(graph.outputs[i]);
    const DType wanted = plan.graph_outputs[i];
    if (IsTunable(value.type.dtype)) {
      one_type = one_type && (!type || *type == wanted);
      type = wanted;
    } else {
      one_type = one_type && wanted == value.type.dtype;
    }
    const NodeId producer = producers[static_cast<std::size_t>(graph.outputs[i])];
    if (wanted == value.type.dtype || producer == kNoNode) {
      continue;
    }
    const Node& node = graph.node(producer);
    const auto output = std::find(node.outputs.begin(), node.outputs.end(), graph.outputs[i]);
    items.push_back(
        fmt::format("{}:{}:{}", node.name, output - node.outputs.begin(), OutputTypeName(wanted)));
  }
  if (one_type && type) {
    return std::string(OutputTypeName(*type));
  }
  return Join(items, ";");
}

// The options that say nothing of single nodes.
PrecisionOptions BoundaryOptions(const Graph& graph, const PrecisionPlan& plan) {
  PrecisionOptions options;
  for (std::size_t i = 0; i < plan.graph_inputs.size(); ++i) {
    if (plan.graph_inputs[i] == DType::kFloat16) {
      options.input_fp16_nodes.push_back(graph.value(graph.inputs[i]).name);
    }
  }
  options.output_type = OutputTypeText(graph, plan);
  options.is_weight_clip = plan.clip_weights ? "" : "0";
  options.status_check = plan.record_overflow ? "1" : "";
  return options;
}

std::size_t SizeOf(const PrecisionOptions& boundary) {
  return (boundary.input_fp16_nodes.empty() ? 0 : 1 + boundary.input_fp16_nodes.size()) +
         (boundary.output_type.empty() ? 0U : 1U) + (boundary.is_weight_clip.empty() ? 0U : 1U) +
         (boundary.status_check.empty() ? 0U : 1U);
}

[[noreturn]] void ThrowObstacle(std::string_view what, const std::string& node,
                                const TargetSpec& target) {
  throw Error(ErrorKind::kUnsupported,
              fmt::format("no option set for {} gives node '{}' the {} of the plan: they are not "
                          "in the operator's library, or no file format can name the node",
                          target.name, node, what));
}

// Throws unless the options resolve to the plan.
void CheckResolves(const PrecisionOptions& options, const Graph& graph, const PrecisionPlan& plan,
                   const TargetSpec& target, const std::vector<NodeId>& joined) {
  const PrecisionPlan again = ResolvePrecision(graph, options, target);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (again.nodes[n] == plan.nodes[n]) {
      continue;
    }
    if (joined[n] == static_cast<NodeId>(n)) {
      ThrowObstacle("dtypes", graph.nodes[n].name, target);
    }
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("no option set for {} gives node '{}' a precision of its own: {} "
                    "joins it with '{}' before it gives types",
                    target.name, graph.nodes[n].name, target.name, graph.node(joined[n]).name));
  }
  if (!(again == plan)) {
    throw Error(ErrorKind::kUnsupported, "no option set gives the inputs and outputs of the plan");
  }
}

}  // namespace

WrittenConfiguration ConfigurationFor(const Graph& graph, const PrecisionPlan& with_formats,
                                      const TargetSpec& target,
                                      std::span<const std::string> modes) {
  Check(with_formats.nodes.size() == graph.nodes.size(), "the plan is of another graph");
  const PrecisionPlan plan = InDTypes(with_formats);
  if (plan.overflow != target.overflow) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the plan is for overflow arithmetic '{}', {} has '{}'",
                            NameOf(plan.overflow), target.name, NameOf(target.overflow)));
  }
  const ResolvedValues values = ValuesOf(graph, plan);
  const std::vector<NodeAddress> addresses = AddressesOf(graph);
  const std::vector<NodeId> joined = JoinedWith(graph, target);
  const DTypeLinesQuery query{graph, plan, target, values, addresses, joined};
  std::string obstacle;
  const auto impl_modes = FewestImplModeLines(graph, plan, target, addresses, obstacle);
  if (!impl_modes) {
    ThrowObstacle("implementation mode", obstacle, target);
  }
  std::optional<DTypeLines> best;
  const PrecisionMode* best_mode = nullptr;
  for (const PrecisionMode& mode : AllPrecisionModes()) {
    const bool asked_for = modes.empty() || std::ranges::find(modes, mode.name) != modes.end();
    if (!asked_for || !mode.IsOptionOf(target)) {
      continue;
    }
    auto lines = FewestDTypeLines(query, mode, obstacle);
    if (lines && (!best || lines->size < best->size)) {
      best = std::move(lines);
      best_mode = &mode;
    }
  }
  if (!best) {
    ThrowObstacle("dtypes", obstacle, target);
  }
  const PrecisionOptions boundary = BoundaryOptions(graph, plan);
  WrittenConfiguration written{.options = impl_modes->options,
                               .size = 1 + best->size + impl_modes->size + SizeOf(boundary),
                               .notes = std::move(best->notes)};
  PrecisionOptions& options = written.options;
  options.precision_mode = best_mode->name;
  options.keep_dtype = std::move(best->keep);
  options.customize_dtypes = std::move(best->custom);
  options.modify_mixlist = std::move(best->mixlist);
  options.input_fp16_nodes = boundary.input_fp16_nodes;
  options.output_type = boundary.output_type;
  options.is_weight_clip = boundary.is_weight_clip;
  options.status_check = boundary.status_check;
  options.node_formats = NodeFormatsOf(graph, with_formats);
  options.quantization = with_formats.quantization;
  written.size += options.node_formats.size();
  CheckResolves(options, graph, with_formats, target, joined);
  return written;
}

}  // namespace halftone
