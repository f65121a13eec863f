#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/base/text.h"
#include "src/base/text_table.h"
#include "src/precision/explain/explain.h"

namespace halftone {
namespace {

std::string CountsLine(const Explanation& explanation) {
  std::vector<std::string> counts;
  const auto& nodes = explanation.nodes;
  const auto count_if = [&](const auto& condition) {
    return std::count_if(nodes.begin(), nodes.end(), condition);
  };
  for (const FormatRow& row : kNumberFormats) {
    const auto count =
        count_if([&](const NodeExplanation& node) { return NameOf(node.compute) == row.name; });
    if (count > 0) {
      counts.push_back(fmt::format("{} {}", count, row.name));
    }
  }
  const auto on_ai_cpu =
      count_if([](const NodeExplanation& node) { return node.engine == Engine::kAiCpu; });
  const auto kept = count_if([](const NodeExplanation& node) {
    return !node.trace.kept_by.empty() && node.trace.custom_by.empty();
  });
  const auto custom =
      count_if([](const NodeExplanation& node) { return !node.trace.custom_by.empty(); });
  std::string text =
      fmt::format("{} on {}: {} node{}{}{}", explanation.mode, explanation.target, nodes.size(),
                  nodes.size() == 1 ? "" : "s", counts.empty() ? "" : ": ", Join(counts, ", "));
  text += on_ai_cpu > 0 ? fmt::format("; {} on AiCpu", on_ai_cpu) : "";
  text += kept > 0 ? fmt::format("; {} kept by keep_dtype", kept) : "";
  text += custom > 0 ? fmt::format("; {} given by customize_dtypes", custom) : "";
  return Printable(text) + "\n";
}

std::string RemarkLines(const Explanation& explanation) {
  std::string text;
  for (const std::string& remark : Remarks(explanation)) {
    AddLine(text, remark);
  }
  return text;
}

// "AiCore f16,f16 -> f32 high_precision"
std::string PlanText(const NodeExplanation& node) {
  return fmt::format(
      "{} {} -> {}{}", NameOf(node.engine), ShortNames(node.inputs), ShortNames(node.outputs),
      node.impl_mode == ImplMode::kDefault ? "" : fmt::format(" {}", NameOf(node.impl_mode)));
}

// "f16,f16 -> f32", "AiCpu s64 -> s64", "f16 -> f16, high_performance"
std::string DtypesText(const NodeExplanation& node) {
  return fmt::format(
      "{}{} -> {}{}", node.engine == Engine::kAiCore ? "" : fmt::format("{} ", NameOf(node.engine)),
      ShortNames(node.inputs), ShortNames(node.outputs),
      node.impl_mode == ImplMode::kDefault ? "" : fmt::format(", {}", NameOf(node.impl_mode)));
}

std::string NodesTable(const Explanation& explanation, const ExplainLayout& layout) {
  TextTable table{.header = {"node", "type", "dtypes", "reason"}, .rows = {}};
  if (layout.refused) {
    table.header.emplace_back("refused");
  }
  for (const NodeExplanation& node : explanation.nodes) {
    table.rows.push_back({node.node, node.ir_type, DtypesText(node), node.reason});
    if (layout.refused) {
      table.rows.back().push_back(RefusedText(node.trace));
    }
  }
  return FormatRows(std::move(table), layout, "node");
}

// All that is known of one node, a line each.
std::string NodeText(const NodeExplanation& node, const ExplainLayout& layout) {
  TextTable table{.header = {"node", node.node},
                  .rows = {{"type", node.ir_type},
                           {"engine", std::string(NameOf(node.engine))},
                           {"dtypes", fmt::format("{} -> {}", ShortNames(node.inputs),
                                                  ShortNames(node.outputs))},
                           {"implementation", std::string(NameOf(node.impl_mode))},
                           {"reason", node.reason}}};
  std::string_view name = "refused";
  for (const std::string& refused : RefusedTexts(node.trace)) {
    table.rows.push_back({std::string(name), refused});
    name = "";
  }
  return AlignedTable(table, layout.columns);
}

std::string_view ClipText(const Explanation& explanation) {
  return explanation.clips_weights ? "clipped" : "infinity";
}

std::string WarningLines(const Explanation& explanation, std::string_view prefix) {
  std::string text;
  for (const std::string& warning : explanation.warnings) {
    AddLine(text, fmt::format("{}warning: {}", prefix, warning));
  }
  return text;
}

}  // namespace

std::string FormatRows(TextTable table, const ExplainLayout& layout, std::string_view noun) {
  const std::size_t all = table.rows.size();
  if (layout.most_rows > 0 && all > layout.most_rows) {
    table.rows.resize(layout.most_rows);
  }
  std::string text = AlignedTable(table, layout.columns);
  if (const std::size_t hidden = all - table.rows.size(); hidden > 0) {
    text += fmt::format("... {} more: --verbose and --format=csv show all, --node=NAME one\n",
                        Counted(static_cast<std::int64_t>(hidden), noun));
  }
  return text;
}

std::string ExplainTable(const Explanation& explanation, const ExplainLayout& layout) {
  const std::string nodes = explanation.nodes.size() == 1
                                ? NodeText(explanation.nodes.front(), layout)
                                : NodesTable(explanation, layout);
  return nodes + CountsLine(explanation) + RemarkLines(explanation) + WarningLines(explanation, "");
}

std::string DiffTable(const Explanation& a, const Explanation& b, const ExplainLayout& layout) {
  std::string text;
  const std::vector<NodeDifference> differences = Differences(a, b);
  if (!differences.empty()) {
    TextTable table{.header = {"node", "type", "A", "B", "why A", "why B"}, .rows = {}};
    for (const NodeDifference& difference : differences) {
      table.rows.push_back({difference.a->node, difference.a->ir_type, PlanText(*difference.a),
                            PlanText(*difference.b), difference.a->reason, difference.b->reason});
    }
    text = FormatRows(std::move(table), layout, "node");
  }
  for (const BoundaryDifference& boundary : BoundaryDifferences(a, b)) {
    AddLine(text, fmt::format("{} '{}': {} | {}", boundary.is_input ? "input" : "output",
                              boundary.name, NameOf(boundary.a), NameOf(boundary.b)));
  }
  if (a.clips_weights != b.clips_weights) {
    text += fmt::format("weights beyond the float16 range: {} | {}\n", ClipText(a), ClipText(b));
  }
  if (a.overflow != b.overflow) {
    text += fmt::format("float16 results that overflow: {} | {}\n", NameOf(a.overflow),
                        NameOf(b.overflow));
  }
  text += fmt::format("{} of {} nodes differ\nA: {}B: {}", differences.size(), a.nodes.size(),
                      CountsLine(a), CountsLine(b));
  return text + WarningLines(a, "A: ") + WarningLines(b, "B: ");
}

}  // namespace halftone
