#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.h"
#include "src/precision/explain/explain.h"

namespace halftone {
namespace {

using TableRow = std::vector<std::string>;

// Columns on the screen: bytes that continue a UTF-8 character take none.
std::size_t WidthOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// All rows have as many cells as the first; the last cell of a row is not padded. Cells hold names
// of the model: they are shown Printable().
std::string FormatRows(std::vector<TableRow> rows) {
  for (TableRow& row : rows) {
    std::ranges::transform(row, row.begin(), Printable);
  }
  std::vector<std::size_t> widths(rows.at(0).size());
  for (const TableRow& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], WidthOf(row[c]));
    }
  }
  std::string text;
  for (const TableRow& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += row[c] + std::string(widths[c] - WidthOf(row[c]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

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

std::string ExplainTable(const Explanation& explanation) {
  std::vector<TableRow> rows = {
      {"node", "type", "engine", "inputs", "outputs", "implementation", "reason", "refused"}};
  for (const NodeExplanation& node : explanation.nodes) {
    rows.push_back({node.node, node.ir_type, std::string(NameOf(node.engine)),
                    ShortNames(node.inputs), ShortNames(node.outputs),
                    std::string(NameOf(node.impl_mode)), node.reason, RefusedText(node.trace)});
  }
  return FormatRows(rows) + CountsLine(explanation) + RemarkLines(explanation) +
         WarningLines(explanation, "");
}

std::string DiffTable(const Explanation& a, const Explanation& b) {
  std::string text;
  const std::vector<NodeDifference> differences = Differences(a, b);
  if (!differences.empty()) {
    std::vector<TableRow> rows = {{"node", "type", "A", "B", "why A", "why B"}};
    for (const NodeDifference& difference : differences) {
      rows.push_back({difference.a->node, difference.a->ir_type, PlanText(*difference.a),
                      PlanText(*difference.b), difference.a->reason, difference.b->reason});
    }
    text = FormatRows(rows);
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
