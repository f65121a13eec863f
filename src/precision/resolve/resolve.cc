#include "src/precision/resolve/resolve.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/ir/ir_type.h"
#include "src/ir/other_names.h"
#include "src/precision/files/config_lines.h"
#include "src/precision/files/customize_dtypes.h"
#include "src/precision/files/keep_dtype.h"
#include "src/precision/files/mixlist.h"
#include "src/precision/joined_nodes.h"
#include "src/precision/resolve/amct_rule.h"
#include "src/precision/resolve/check_options.h"
#include "src/precision/resolve/engine_phase.h"
#include "src/precision/resolve/graph_boundary.h"
#include "src/precision/resolve/modes.h"
#include "src/precision/resolve/node_formats.h"
#include "src/precision/resolve/resolve_node.h"

namespace halftone {
namespace {

// Warns if a name of the file belongs to several of its nodes: the line means all of them.
void WarnOfSharedNames(std::string_view option, const Graph& graph,
                       const std::vector<std::string>& names, std::vector<std::string>& warnings) {
  constexpr std::size_t kListed = 10;
  for (const SharedName& shared : SharedNames(graph, names)) {
    std::vector<std::string> nodes;
    for (std::size_t i = 0; i < std::min(kListed, shared.nodes.size()); ++i) {
      nodes.push_back(QuotedLine(shared.nodes[i]));
    }
    warnings.push_back(
        fmt::format("{}: {} nodes of the model are called {}, and the line means them all: {}{}",
                    option, shared.nodes.size(), QuotedLine(shared.name), Join(nodes, ", "),
                    shared.nodes.size() > kListed ? ", ..." : ""));
  }
}

std::vector<std::string> NamesIn(const std::vector<CustomDTypes>& entries) {
  std::vector<std::string> names;
  for (const CustomDTypes& entry : entries) {
    if (!entry.is_type) {
      names.push_back(entry.target);
    }
  }
  return names;
}

std::vector<std::string> NamesIn(const std::map<std::string, ImplMode>& modes) {
  std::vector<std::string> names;
  names.reserve(modes.size());
  for (const auto& [name, mode] : modes) {
    names.push_back(name);
  }
  return names;
}

// The keep_dtype line of each node, or none where the mode ignores the file.
std::vector<std::string> KeptLines(const Graph& graph, const PrecisionOptions& options,
                                   const PrecisionMode& mode, const ResolveSettings& settings,
                                   std::vector<std::string>& warnings) {
  if (options.keep_dtype.empty() || mode.keeps_origin) {
    if (!options.keep_dtype.empty()) {
      warnings.push_back(fmt::format("keep_dtype is ignored: {} keeps every dtype", mode.label()));
    }
    return std::vector<std::string>(graph.nodes.size());
  }
  KeepMatches matches = MatchKeepLines(graph, options.keep_dtype);
  if (!matches.unknown_names.empty()) {
    std::string message = UnknownNames("keep_dtype", graph, matches.unknown_names);
    if (!settings.unknown_names_are_warnings) {
      throw Error(ErrorKind::kUsage, std::move(message));
    }
    warnings.push_back(std::move(message));
  }
  WarnOfSharedNames("keep_dtype", graph, options.keep_dtype, warnings);
  for (const std::string& name : matches.removed_names) {
    warnings.push_back(fmt::format("keep_dtype line {} has no effect: the node was {}",
                                   QuotedLine(name), kWhyRemoved));
  }
  for (const std::string& line : matches.unmatched_types) {
    warnings.push_back(fmt::format("keep_dtype line {} matches no node", QuotedLine(line)));
  }
  return std::move(matches.line_of_node);
}

// The customize_dtypes entry of each node, or none where it has no effect.
std::vector<const CustomDTypes*> CustomEntries(const Graph& graph, const PrecisionOptions& options,
                                               const PrecisionMode& mode,
                                               const ResolveSettings& settings,
                                               std::vector<std::string>& warnings) {
  if (mode.keeps_origin && IsTraining(options) && !options.customize_dtypes.empty()) {
    warnings.push_back(
        fmt::format("customize_dtypes is ignored: in training {} keeps every dtype", mode.label()));
    return std::vector<const CustomDTypes*>(graph.nodes.size(), nullptr);
  }
  CustomMatches matches = MatchCustomDTypes(graph, options.customize_dtypes);
  if (!matches.unknown_names.empty()) {
    std::string message = UnknownNames("customize_dtypes", graph, matches.unknown_names);
    if (!settings.unknown_names_are_warnings) {
      throw Error(ErrorKind::kUsage, std::move(message));
    }
    warnings.push_back(std::move(message));
  }
  WarnOfSharedNames("customize_dtypes", graph, NamesIn(options.customize_dtypes), warnings);
  for (const std::string& name : matches.absorbed_names) {
    warnings.push_back(fmt::format(
        "customize_dtypes line of {} has no effect: the node was fused into another one, {}",
        QuotedLine(name), kWhyRemoved));
  }
  for (const std::string& type : matches.unmatched_types) {
    warnings.push_back(
        fmt::format("customize_dtypes line of {} matches no node", QuotedLine("OpType::" + type)));
  }
  for (const CustomDTypes*& entry : matches.of_node) {
    if (entry != nullptr && entry->inputs.empty() && entry->outputs.empty()) {
      const std::string line =
          fmt::format("customize_dtypes line of {} gives no dtype, so it decides nothing",
                      QuotedLine((entry->is_type ? "OpType::" : "") + entry->target));
      if (std::find(warnings.begin(), warnings.end(), line) == warnings.end()) {
        warnings.push_back(line);
      }
      entry = nullptr;
    }
  }
  return std::move(matches.of_node);
}

// A joined node is kept if one of its parts is: the line of a part is that of all.
void KeepWhole(const Graph& graph, const TargetSpec& target, const std::vector<NodeId>& joined,
               std::vector<std::string>& kept, std::vector<std::string>& warnings) {
  const std::vector<std::string> lines = kept;
  std::vector<std::string> widened;
  for (std::size_t n = 0; n < joined.size(); ++n) {
    std::string& of_main = kept[static_cast<std::size_t>(joined[n])];
    if (!lines[n].empty() && of_main.empty()) {
      of_main = lines[n];
      widened.push_back(fmt::format("{} keeps {} too", QuotedLine(lines[n]),
                                    QuotedLine(graph.node(joined[n]).name)));
    }
  }
  for (std::size_t n = 0; n < joined.size(); ++n) {
    kept[n] = kept[n].empty() ? kept[static_cast<std::size_t>(joined[n])] : kept[n];
  }
  constexpr std::size_t kListed = 10;
  if (!widened.empty()) {
    const bool more = widened.size() > kListed;
    widened.resize(std::min(kListed, widened.size()));
    warnings.push_back(
        fmt::format("keep_dtype: {} joins nodes before it gives types, so that line {}{}",
                    target.name, Join(widened, ", "), more ? ", ..." : ""));
  }
}

// The types of a part: those of the value that its main node makes.
CustomDTypes TypesOfMain(const NodePrecision& main) {
  const DType dtype = main.outputs.at(0).dtype();
  return {.target = {}, .is_type = false, .inputs = {dtype}, .outputs = {dtype}};
}

bool HasTypes(const LibraryOp* op, const CustomDTypes& types) {
  for (std::size_t c = 0; op != nullptr && c < op->column_count(); ++c) {
    if (op->inputs.at(0)[c] == types.inputs[0] && op->outputs.at(0)[c] == types.outputs[0]) {
      return true;
    }
  }
  return false;
}

void RequireQuantization(const Node& node, const PrecisionOptions& options) {
  if (!options.quantization) {
    throw Error(ErrorKind::kUsage,
                fmt::format("node '{}' computes in {}, which needs the scales of its tensors, but "
                            "there is no quantisation: give --quantization, or calibration samples",
                            node.name, options.node_formats.at(node.name)));
  }
}

// They come from the knowledge base, where a plan of this very network was stored.
void CheckNodeFormats(const Graph& graph, const PrecisionOptions& options) {
  for (const auto& [name, format] : options.node_formats) {
    if (std::ranges::find(graph.nodes, name, &Node::name) == graph.nodes.end()) {
      throw Error(ErrorKind::kUsage, fmt::format("the configuration gives node '{}' the format {}, "
                                                 "but the network has no such node",
                                                 name, format));
    }
  }
}

// Lines of the files by node.
struct NodeLines {
  std::vector<NodeId> joined;               // main node of a joined one; else the node itself
  std::vector<std::string> kept;            // of keep_dtype; empty: none
  std::vector<const CustomDTypes*> custom;  // of customize_dtypes; null: none
};

// Facts that the precision of every node depends on.
struct Resolution {
  const Graph& graph;
  const PrecisionOptions& options;
  const TargetSpec& target;
  const CheckedOptions& checked;
  const MixPolicies& policies;
  const NodeLines& lines;
};

// Resolves the nodes in order: a Cast reads the dtype that the node before it makes.
class NodesResolver {
 public:
  // `plan` has the types of the inputs and outputs of the graph; its nodes are added.
  NodesResolver(const Resolution& given, PrecisionPlan& plan, ResolutionTrace* trace)
      : given_(given), plan_(plan), trace_(trace), values_(OriginalValues(given.graph)) {
    for (std::size_t i = 0; i < plan.graph_inputs.size(); ++i) {
      values_.dtypes[static_cast<std::size_t>(given.graph.inputs[i])] = plan.graph_inputs[i];
    }
    if (trace != nullptr) {
      trace->nodes.assign(given.graph.nodes.size(), {});
    }
    plan.nodes.reserve(given.graph.nodes.size());
  }

  void Run() {
    for (std::size_t n = 0; n < given_.graph.nodes.size(); ++n) {
      const Node& node = given_.graph.nodes[n];
      const NodePrecision& precision = Resolve(n);
      for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i] != kNoValue) {
          values_.dtypes[static_cast<std::size_t>(node.outputs[i])] = precision.outputs[i].dtype();
        }
      }
    }
  }

 private:
  const NodePrecision& Resolve(std::size_t n) {
    NodeToResolve task = TaskOf(n);
    const std::optional<CustomDTypes> of_main = TypesOfPart(n, task.op);
    if (of_main) {
      WarnOfPart(n, task);
      task.custom = &*of_main;
    }
    NodePrecision& precision = plan_.nodes.emplace_back(
        ResolveNode(task, given_.checked.requests, values_, plan_.warnings, TraceOf(n)));
    if (of_main) {
      const auto main = static_cast<std::size_t>(given_.lines.joined[n]);
      precision.reason = fmt::format("part of {} on {}: {}", Shown(MainOf(n).name),
                                     given_.target.name, NameOf(plan_.nodes[main].outputs.at(0)));
    }
    GiveFormat(task.node, precision);
    return precision;
  }

  [[nodiscard]] NodeToResolve TaskOf(std::size_t n) const {
    const Node& node = given_.graph.nodes[n];
    const std::string_view ir_type = IrTypeOf(given_.graph, node);
    const auto found = given_.target.ai_core.find(ir_type);
    const LibraryOp* op = found == given_.target.ai_core.end() ? nullptr : &found->second;
    return {.graph = given_.graph,
            .node = node,
            .ir_type = ir_type,
            .mode = *given_.checked.mode,
            .target = given_.target,
            .policies = given_.policies,
            .op = op,
            .policy = op == nullptr ? MixPolicy::kGray : given_.policies.Of(ir_type, op->policy),
            .kept_by = given_.lines.kept[n],
            .custom = given_.lines.custom[n]};
  }

  [[nodiscard]] const Node& MainOf(std::size_t n) const {
    return given_.graph.node(given_.lines.joined[n]);
  }

  // The types that the target gives a part of a joined node; empty: it is none, or its library
  // does not have them.
  [[nodiscard]] std::optional<CustomDTypes> TypesOfPart(std::size_t n, const LibraryOp* op) const {
    const auto main = static_cast<std::size_t>(given_.lines.joined[n]);
    if (main == n || plan_.nodes[main].engine != Engine::kAiCore) {
      return std::nullopt;
    }
    CustomDTypes types = TypesOfMain(plan_.nodes[main]);
    return HasTypes(op, types) ? std::optional(std::move(types)) : std::nullopt;
  }

  // Lines of the user that a part does not follow.
  void WarnOfPart(std::size_t n, const NodeToResolve& task) {
    if (task.custom != nullptr && !task.custom->is_type) {
      plan_.warnings.push_back(
          fmt::format("customize_dtypes line of {} has no effect: {} joins it with {}",
                      QuotedLine(task.node.name), task.target.name, QuotedLine(MainOf(n).name)));
    }
    if (task.policy != task.op->policy && !mixlist_said_) {
      mixlist_said_ = true;
      plan_.warnings.push_back(fmt::format(
          "modify_mixlist: the list of {} decides no node that {} joins with "
          "another, as {} with {}",
          task.ir_type, task.target.name, QuotedLine(task.node.name), QuotedLine(MainOf(n).name)));
    }
  }

  [[nodiscard]] NodeTrace* TraceOf(std::size_t n) const {
    if (trace_ == nullptr) {
      return nullptr;
    }
    const CustomDTypes* custom = given_.lines.custom[n];
    NodeTrace& trace = trace_->nodes[n];
    trace.kept_by = given_.lines.kept[n];
    trace.custom_by = custom == nullptr ? "" : custom->target;
    return &trace;
  }

  // The format that the configuration gives a node in place of what its library has.
  void GiveFormat(const Node& node, NodePrecision& precision) {
    const auto format = given_.options.node_formats.find(node.name);
    if (format == given_.options.node_formats.end()) {
      return;
    }
    ApplyFormat(given_.graph, node, format->second, precision);
    const bool uses_scales = UsesScales(precision);
    if (uses_scales) {
      RequireQuantization(node, given_.options);
    }
    if (uses_scales || precision.reads_dynamic()) {
      precision.reason = fmt::format("--quantization: {}", ShownFormat(format->second));
    }
    if (TakesScales(precision, given_.options.quantization)) {
      plan_.quantization = given_.options.quantization;
    }
  }

  Resolution given_;
  PrecisionPlan& plan_;
  ResolutionTrace* trace_ = nullptr;
  ResolvedValues values_;
  bool mixlist_said_ = false;
};

}  // namespace

PrecisionPlan ResolvePrecision(const Graph& graph, const PrecisionOptions& options,
                               const TargetSpec& target, const ResolveSettings& settings,
                               ResolutionTrace* trace) {
  PrecisionPlan plan;
  // Option values and what excludes what, then the files, then the graph.
  const CheckedOptions checked = CheckOptionValues(options, target, plan.warnings);
  const PrecisionMode& mode = *checked.mode;
  if (options.modify_mixlist) {
    RequireMixedMode(mode);
  }
  const MixPolicies policies(options.modify_mixlist, target, plan.warnings);
  plan.clip_weights = checked.clip_weights;
  plan.record_overflow = checked.record_overflow;
  plan.overflow = target.overflow;
  plan.fusions = target.fusions;
  NodeLines lines{.joined = JoinedWith(graph, target),
                  .kept = KeptLines(graph, options, mode, settings, plan.warnings),
                  .custom = {}};
  KeepWhole(graph, target, lines.joined, lines.kept, plan.warnings);
  lines.custom = CustomEntries(graph, options, mode, settings, plan.warnings);
  const auto unmatched = UnmatchedImplModeNames(graph, options, target);
  plan.warnings.insert(plan.warnings.end(), unmatched.begin(), unmatched.end());
  CheckNodeFormats(graph, options);
  if (target.has_amct) {
    RequireCalibration(graph, options, mode);
  }
  WarnOfSharedNames("op_precision_mode", graph, NamesIn(options.impl_mode_by_node), plan.warnings);
  plan.graph_inputs = GraphInputDTypes(graph, options);
  plan.graph_outputs = GraphOutputDTypes(graph, options, plan.warnings);
  NodesResolver({graph, options, target, checked, policies, lines}, plan, trace).Run();
  return plan;
}

}  // namespace halftone
