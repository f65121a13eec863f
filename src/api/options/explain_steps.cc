#include "src/api/options/explain_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "src/base/csv.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/base/text_table.h"
#include "src/exec/fuse_by_plan.h"
#include "src/exec/other_modes.h"
#include "src/ir/ir_type.h"
#include "src/precision/explain/explain.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

using nlohmann::ordered_json;

std::vector<std::string> NamesOf(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const NodeId id : nodes) {
    names.push_back(graph.node(id).name);
  }
  return names;
}

std::string ShortNames(const std::vector<ValueId>& ids, const std::vector<NumericFormat>& formats) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    names.emplace_back(ids[i] == kNoValue ? "-" : ShortNameOf(formats[i]));
  }
  return Join(names, ",");
}

// The nodes of FusedNetwork::kept_apart that no other fusion joined after all, each entry once.
std::vector<NodesApart> StillApart(const Graph& network, const FusedNetwork& fused) {
  std::vector<NodesApart> apart;
  for (const KeptApart& kept : fused.kept_apart) {
    const std::set<NodeId> nodes(kept.nodes.begin(), kept.nodes.end());
    const bool joined = std::ranges::any_of(fused.graph.nodes, [&](const Node& node) {
      return std::ranges::all_of(
          nodes, [&](NodeId id) { return std::ranges::find(node.parts, id) != node.parts.end(); });
    });
    NodesApart entry{.fusion = std::string(kept.pass),
                     .nodes = NamesOf(network, kept.nodes),
                     .reason = kept.reason};
    if (!joined && std::ranges::find(apart, entry) == apart.end()) {
      apart.push_back(std::move(entry));
    }
  }
  return apart;
}

std::string StepsTable(const ExplainedSteps& explained, const ExplainLayout& layout) {
  TextTable table{.header = {"step", "runs as", "nodes", "dtypes", "implementation"}, .rows = {}};
  std::size_t nodes = 0;
  for (const ExplainedStep& step : explained.steps) {
    nodes += step.nodes.size();
    table.rows.push_back({Shown(step.name), step.op,
                          step.nodes.size() == 1 ? "" : Printable(Join(step.nodes, ", ")),
                          step.dtypes, step.implementation});
  }
  std::string text = FormatRows(std::move(table), layout, "step");
  text += fmt::format("{} run as {}\n", Counted(static_cast<std::int64_t>(nodes), "node"),
                      Counted(std::ssize(explained.steps), "step"));
  for (const NodesApart& apart : explained.apart) {
    AddLine(text,
            fmt::format("apart: {} ({}): {}", Join(apart.nodes, ", "), apart.fusion, apart.reason));
  }
  for (const NodeOfOtherMode& other : explained.other_modes) {
    AddLine(text, fmt::format("mode: {} runs in {} as part of step {}; its own is {}", other.node,
                              other.runs, other.step, other.planned));
  }
  return text;
}

std::string StepsJson(const ExplainedSteps& explained) {
  ordered_json steps = ordered_json::array();
  for (const ExplainedStep& step : explained.steps) {
    steps.push_back({{"step", step.name},
                     {"op", step.op},
                     {"nodes", step.nodes},
                     {"dtypes", step.dtypes},
                     {"implementation", step.implementation}});
  }
  ordered_json apart = ordered_json::array();
  for (const NodesApart& entry : explained.apart) {
    apart.push_back({{"nodes", entry.nodes}, {"fusion", entry.fusion}, {"reason", entry.reason}});
  }
  ordered_json modes = ordered_json::array();
  for (const NodeOfOtherMode& other : explained.other_modes) {
    modes.push_back({{"node", other.node},
                     {"implementation", other.planned},
                     {"runs_in", other.runs},
                     {"step", other.step}});
  }
  const ordered_json document = {
      {"steps", std::move(steps)}, {"apart", std::move(apart)}, {"other_modes", std::move(modes)}};
  return PrintableJson(document.dump(2, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

std::string StepsCsv(const ExplainedSteps& explained) {
  std::string text = CsvLine({"step", "op", "nodes", "dtypes", "implementation"});
  for (const ExplainedStep& step : explained.steps) {
    text += CsvLine({step.name, step.op, Join(step.nodes, " "), step.dtypes, step.implementation});
  }
  return text;
}

}  // namespace

ExplainedSteps StepsOfPlan(const Model& model, const TargetSpec& target,
                           const PrecisionOptions& options, const ResolveSettings& settings) {
  const Graph& network = model.graph;
  SharedConstants constants;
  const PrecisionPlan plan = ResolvePrecision(network, options, target, settings);
  const FusedNetwork fused = FuseByPlan(network, plan, &constants);
  ExplainedSteps explained;
  explained.warnings = plan.warnings;
  for (std::size_t n = 0; n < fused.graph.nodes.size(); ++n) {
    const Node& node = fused.graph.nodes[n];
    const NodePrecision& precision = fused.plan.nodes[n];
    explained.steps.push_back(
        {.name = node.name,
         .op = std::string(InfoOf(node.op).name),
         .nodes = NamesOf(network, node.parts),
         .dtypes = fmt::format("{} -> {}", ShortNames(node.inputs, precision.inputs),
                               ShortNames(node.outputs, precision.outputs)),
         .implementation = std::string(NameOf(precision.impl_mode))});
  }
  explained.apart = StillApart(network, fused);
  for (const OtherMode& other : OtherModes(plan, fused)) {
    explained.other_modes.push_back({.node = network.node(other.node).name,
                                     .planned = std::string(NameOf(other.planned)),
                                     .runs = std::string(NameOf(other.runs)),
                                     .step = fused.graph.nodes[other.step].name});
  }
  return explained;
}

std::string OtherModesNote(const std::vector<NodeOfOtherMode>& nodes) {
  if (nodes.empty()) {
    return "";
  }
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(nodes.size(), kNamed); ++i) {
    named.push_back(fmt::format("{} in {}", Shown(nodes[i].node), nodes[i].runs));
  }
  return fmt::format(
      "{} in another implementation mode than the plan gives, as {} of fused steps: {}{}; --steps "
      "shows all",
      nodes.size() == 1 ? "1 node runs" : fmt::format("{} nodes run", nodes.size()),
      nodes.size() == 1 ? "a part" : "parts", Join(named, ", "),
      nodes.size() > kNamed ? ", ..." : "");
}

void KeepStepsOf(const Graph& graph, std::string_view node, ExplainedSteps& explained) {
  constexpr std::string_view kOpType = "OpType::";
  const bool by_type = node.starts_with(kOpType);
  const std::string_view wanted = by_type ? node.substr(kOpType.size()) : node;
  std::set<std::string> names;
  std::vector<std::string> all;
  std::vector<std::string> ir_types;
  for (const Node& each : graph.nodes) {
    all.push_back(each.name);
    ir_types.emplace_back(IrTypeOf(graph, each));
    if ((by_type ? ir_types.back() : each.name) == wanted) {
      names.insert(each.name);
    }
  }
  if (names.empty()) {
    throw Error(ErrorKind::kUsage, NoSuchNode(node, std::move(all), std::move(ir_types)));
  }
  const auto without = [&](const auto& entry) {
    return std::ranges::none_of(entry.nodes,
                                [&](const std::string& name) { return names.contains(name); });
  };
  std::erase_if(explained.steps, without);
  std::erase_if(explained.apart, without);
  std::erase_if(explained.other_modes,
                [&](const NodeOfOtherMode& other) { return !names.contains(other.node); });
}

std::string FormatSteps(const ExplainedSteps& explained, std::string_view format,
                        const ExplainLayout& layout) {
  return format == "json"  ? StepsJson(explained)
         : format == "csv" ? StepsCsv(explained)
                           : StepsTable(explained, layout);
}

}  // namespace halftone
