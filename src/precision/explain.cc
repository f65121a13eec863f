#include "src/precision/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/ir/ir_type.h"
#include "src/precision/keep_dtype.h"
#include "src/precision/modes.h"

namespace halftone {
namespace {

constexpr std::size_t kColumns = 7;
using TableRow = std::array<std::string, kColumns>;

std::vector<std::optional<DType>> PresentDTypes(const std::vector<ValueId>& ids,
                                                const std::vector<DType>& dtypes) {
  std::vector<std::optional<DType>> present;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    present.push_back(ids[i] == kNoValue ? std::nullopt : std::optional(dtypes[i]));
  }
  return present;
}

// "f16,f16,f32", "-" for an operand that is left out, "f16 x10" for a long list of one dtype.
std::string ShortNames(const std::vector<std::optional<DType>>& dtypes) {
  constexpr std::size_t kWrittenOut = 4;
  std::vector<std::string> names;
  for (const auto& dtype : dtypes) {
    names.emplace_back(dtype ? ShortNameOf(*dtype) : "-");
  }
  if (names.size() > kWrittenOut &&
      std::all_of(names.begin(), names.end(), [&](const auto& name) { return name == names[0]; })) {
    return fmt::format("{} x{}", names[0], names.size());
  }
  return Join(names, ",");
}

// Columns on the screen: bytes that continue a UTF-8 character take none.
std::size_t WidthOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string FormatRows(const std::vector<TableRow>& rows) {
  std::array<std::size_t, kColumns> widths{};
  for (const TableRow& row : rows) {
    for (std::size_t c = 0; c < kColumns; ++c) {
      widths[c] = std::max(widths[c], WidthOf(row[c]));
    }
  }
  std::string text;
  for (const TableRow& row : rows) {
    for (std::size_t c = 0; c + 1 < kColumns; ++c) {
      text += row[c] + std::string(widths[c] - WidthOf(row[c]) + 2, ' ');
    }
    text += row.back() + "\n";
  }
  return text;
}

std::string CountsLine(const Explanation& explanation) {
  std::vector<std::string> counts;
  for (const DTypeRow& row : kDTypes) {
    const auto count =
        std::count_if(explanation.nodes.begin(), explanation.nodes.end(),
                      [&](const NodeExplanation& node) { return node.compute == row.dtype; });
    if (count > 0) {
      counts.push_back(fmt::format("{} {}", count, row.name));
    }
  }
  const auto on_ai_cpu =
      std::count_if(explanation.nodes.begin(), explanation.nodes.end(),
                    [](const NodeExplanation& node) { return node.engine == Engine::kAiCpu; });
  const auto kept =
      std::count_if(explanation.nodes.begin(), explanation.nodes.end(),
                    [](const NodeExplanation& node) { return !node.kept_by.empty(); });
  return fmt::format("{}: {} node{}{}{}{}{}\n", explanation.mode, explanation.nodes.size(),
                     explanation.nodes.size() == 1 ? "" : "s", counts.empty() ? "" : ": ",
                     Join(counts, ", "),
                     on_ai_cpu > 0 ? fmt::format("; {} on AiCpu", on_ai_cpu) : "",
                     kept > 0 ? fmt::format("; {} kept by keep_dtype", kept) : "");
}

}  // namespace

Explanation Explain(const Graph& graph, const PrecisionOptions& options, const TargetSpec& target,
                    const PrecisionPlan& plan) {
  Check(plan.nodes.size() == graph.nodes.size(), "the plan is of another graph");
  const PrecisionMode& mode = EffectiveMode(options, target);
  const KeepMatches kept =
      MatchKeepLines(graph, mode.keeps_origin ? std::vector<std::string>{} : options.keep_dtype);
  Explanation explanation{
      .mode = std::string(mode.label()), .nodes = {}, .warnings = plan.warnings};
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const NodePrecision& precision = plan.nodes[n];
    explanation.nodes.push_back({.node = node.name,
                                 .ir_type = std::string(IrTypeOf(graph, node)),
                                 .engine = precision.engine,
                                 .inputs = PresentDTypes(node.inputs, precision.inputs),
                                 .outputs = PresentDTypes(node.outputs, precision.outputs),
                                 .compute = precision.compute_dtype(),
                                 .impl_mode = precision.impl_mode,
                                 .kept_by = kept.line_of_node[n],
                                 .reason = precision.reason});
  }
  return explanation;
}

std::string FormatExplanation(const Explanation& explanation) {
  std::vector<TableRow> rows = {
      {"node", "type", "engine", "inputs", "outputs", "implementation", "reason"}};
  for (const NodeExplanation& node : explanation.nodes) {
    rows.push_back({node.node, node.ir_type, std::string(NameOf(node.engine)),
                    ShortNames(node.inputs), ShortNames(node.outputs),
                    std::string(NameOf(node.impl_mode)), node.reason});
  }
  std::string text = FormatRows(rows) + CountsLine(explanation);
  for (const std::string& warning : explanation.warnings) {
    text += "warning: " + warning + "\n";
  }
  return text;
}

}  // namespace halftone
