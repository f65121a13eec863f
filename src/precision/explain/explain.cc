#include "src/precision/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/base/names_hint.h"
#include "src/base/text.h"
#include "src/ir/ir_type.h"
#include "src/precision/resolve/modes.h"

namespace halftone {
namespace {

constexpr std::string_view kOpType = "OpType::";

constexpr ExplainFormat kFormats[] = {
    {"table", ExplainTable, DiffTable, true},
    {"json", ExplainJson, DiffJson, true},
    {"csv", ExplainCsv, DiffCsv, false},
};

std::vector<std::optional<NumericFormat>> PresentFormats(
    const std::vector<ValueId>& ids, const std::vector<NumericFormat>& formats) {
  std::vector<std::optional<NumericFormat>> present;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    present.push_back(ids[i] == kNoValue ? std::nullopt : std::optional(formats[i]));
  }
  return present;
}

std::vector<std::string> PartsOf(const Node& node) {
  std::vector<std::string> parts;
  for (const Origin& origin : node.origins) {
    if (origin.name != node.name) {
      parts.push_back(origin.name);
    }
  }
  return parts;
}

void AddChanges(const Graph& graph, bool is_input, const std::vector<DType>& dtypes,
                std::vector<BoundaryChange>& changes) {
  const std::vector<ValueId>& ids = is_input ? graph.inputs : graph.outputs;
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    const Value& value = graph.value(ids[i]);
    if (dtypes[i] != value.type.dtype) {
      changes.push_back({is_input, value.name, value.type.dtype, dtypes[i]});
    }
  }
}

const BoundaryChange* FindChange(const Explanation& explanation, const BoundaryChange& like) {
  const auto found = std::find_if(
      explanation.boundary.begin(), explanation.boundary.end(), [&](const BoundaryChange& change) {
        return change.is_input == like.is_input && change.name == like.name;
      });
  return found == explanation.boundary.end() ? nullptr : &*found;
}

}  // namespace

Explanation Explain(const Graph& graph, const PrecisionOptions& options, const TargetSpec& target,
                    const ResolveSettings& settings) {
  ResolutionTrace trace;
  const PrecisionPlan plan = ResolvePrecision(graph, options, target, settings, &trace);
  Explanation explanation{.target = target.name,
                          .mode = std::string(EffectiveMode(options, target).label()),
                          .plan_digest = plan.Digest(),
                          .boundary = {},
                          .clips_weights = plan.clip_weights,
                          .overflow = plan.overflow,
                          .nodes = {},
                          .notes = {},
                          .warnings = plan.warnings};
  AddChanges(graph, true, plan.graph_inputs, explanation.boundary);
  AddChanges(graph, false, plan.graph_outputs, explanation.boundary);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const NodePrecision& precision = plan.nodes[n];
    explanation.nodes.push_back({.node = node.name,
                                 .parts = PartsOf(node),
                                 .onnx_type = std::string(InfoOf(node.op).name),
                                 .ir_type = std::string(IrTypeOf(graph, node)),
                                 .engine = precision.engine,
                                 .inputs = PresentFormats(node.inputs, precision.inputs),
                                 .outputs = PresentFormats(node.outputs, precision.outputs),
                                 .compute = precision.compute_format(),
                                 .impl_mode = precision.impl_mode,
                                 .reason = precision.reason,
                                 .trace = std::move(trace.nodes[n])});
  }
  return explanation;
}

void KeepOnlyNode(Explanation& explanation, std::string_view node) {
  const bool by_type = node.starts_with(kOpType);
  const std::string_view wanted = by_type ? node.substr(kOpType.size()) : node;
  std::vector<std::string> names;
  std::vector<std::string> ir_types;
  for (const NodeExplanation& row : explanation.nodes) {
    names.push_back(row.node);
    ir_types.push_back(row.ir_type);
    const auto& parts = row.parts;
    if (!by_type && std::find(parts.begin(), parts.end(), wanted) != parts.end()) {
      explanation.notes.push_back(fmt::format("'{}' is part of '{}'", wanted, row.node));
      const std::string whole = row.node;
      KeepOnlyNode(explanation, whole);
      return;
    }
  }
  const std::vector<std::string>& known = by_type ? ir_types : names;
  if (std::ranges::find(known, wanted) == known.end()) {
    throw Error(ErrorKind::kUsage, NoSuchNode(node, std::move(names), std::move(ir_types)));
  }
  std::erase_if(explanation.nodes, [&](const NodeExplanation& row) {
    return (by_type ? row.ir_type : row.node) != wanted;
  });
}

std::string NoSuchNode(std::string_view node, std::vector<std::string> names,
                       std::vector<std::string> ir_types) {
  const bool by_type = node.starts_with(kOpType);
  const std::string_view wanted = by_type ? node.substr(kOpType.size()) : node;
  for (std::vector<std::string>* each : {&names, &ir_types}) {
    std::ranges::sort(*each);
    each->erase(std::unique(each->begin(), each->end()), each->end());
  }
  std::string hint;
  if (!by_type && std::ranges::binary_search(ir_types, wanted)) {
    hint = fmt::format("; it is an IR type: --node={}{}", kOpType, wanted);
  } else if (by_type) {
    hint = NamesHint(wanted, ir_types);
  } else {
    constexpr std::size_t kMostNames = 8;
    std::vector<std::string> near;
    for (const std::string& name : names) {
      if (name.starts_with(fmt::format("{}/", wanted)) && near.size() < kMostNames) {
        near.push_back(name);
      }
    }
    hint = near.empty() ? NamesHint(wanted, names) : fmt::format("; close: {}", Join(near, ", "));
  }
  return fmt::format(
      "--node={}: the graph has no such {} (nodes that were folded away are not listed){}", node,
      by_type ? "IR type" : "node", hint);
}

std::vector<std::string> Remarks(const Explanation& explanation) {
  std::vector<std::string> remarks;
  for (const BoundaryChange& change : explanation.boundary) {
    remarks.push_back(fmt::format("{} '{}': {} -> {} ({})", change.is_input ? "input" : "output",
                                  change.name, NameOf(change.original), NameOf(change.dtype),
                                  change.is_input ? "--input_fp16_nodes" : "--output_type"));
  }
  if (!explanation.clips_weights) {
    remarks.emplace_back("weights beyond the float16 range become infinity (--is_weight_clip=0)");
  }
  remarks.insert(remarks.end(), explanation.notes.begin(), explanation.notes.end());
  return remarks;
}

std::vector<BoundaryDifference> BoundaryDifferences(const Explanation& a, const Explanation& b) {
  std::vector<BoundaryDifference> differences;
  for (const BoundaryChange& left : a.boundary) {
    const BoundaryChange* right = FindChange(b, left);
    const DType other = right == nullptr ? left.original : right->dtype;
    if (left.dtype != other) {
      differences.push_back({left.is_input, left.name, left.dtype, other});
    }
  }
  for (const BoundaryChange& right : b.boundary) {
    if (FindChange(a, right) == nullptr) {
      differences.push_back({right.is_input, right.name, right.original, right.dtype});
    }
  }
  return differences;
}

std::vector<NodeDifference> Differences(const Explanation& a, const Explanation& b) {
  Check(a.nodes.size() == b.nodes.size(), "explanations of different graphs");
  std::vector<NodeDifference> differences;
  for (std::size_t n = 0; n < a.nodes.size(); ++n) {
    const NodeExplanation& left = a.nodes[n];
    const NodeExplanation& right = b.nodes[n];
    if (left.engine != right.engine || left.inputs != right.inputs ||
        left.outputs != right.outputs || left.impl_mode != right.impl_mode) {
      differences.push_back({&left, &right});
    }
  }
  return differences;
}

std::span<const ExplainFormat> AllExplainFormats() {
  return kFormats;
}

const ExplainFormat& ExplainFormatNamed(std::string_view name) {
  std::vector<std::string> names;
  for (const ExplainFormat& format : kFormats) {
    if (format.name == name) {
      return format;
    }
    names.emplace_back(format.name);
  }
  throw Error(ErrorKind::kUsage, fmt::format("--format has the value '{}', which is none of: {}",
                                             name, Join(names, ", ")));
}

std::string ShortNames(const std::vector<std::optional<NumericFormat>>& formats,
                       std::size_t written_out) {
  std::vector<std::string> names;
  names.reserve(formats.size());
  for (const auto& format : formats) {
    names.emplace_back(format ? ShortNameOf(*format) : "-");
  }
  if (names.size() > written_out &&
      std::all_of(names.begin(), names.end(), [&](const auto& name) { return name == names[0]; })) {
    return fmt::format("{} x{}", names[0], names.size());
  }
  return Join(names, ",");
}

std::vector<std::string> RefusedTexts(const NodeTrace& trace) {
  constexpr std::size_t kWrittenOut = 4;
  std::vector<RefusedColumn> columns = trace.columns;
  // Columns of integers are left out where columns of floats were refused: they could never have
  // been chosen.
  if (std::any_of(columns.begin(), columns.end(),
                  [](const auto& column) { return column.tunable; })) {
    std::erase_if(columns, [](const auto& column) { return !column.tunable; });
  }
  std::vector<std::string> parts;
  for (auto first = columns.begin(); first != columns.end();) {
    const auto last = std::find_if(first, columns.end(),
                                   [&](const auto& column) { return column.why != first->why; });
    std::vector<std::string> dtypes;
    for (auto column = first; column != last && dtypes.size() < kWrittenOut; ++column) {
      dtypes.push_back(column->dtypes);
    }
    const auto count = static_cast<std::size_t>(last - first);
    const std::string more =
        count > kWrittenOut ? fmt::format(" and {} more", count - kWrittenOut) : "";
    parts.push_back(fmt::format("{}{}: {}", Join(dtypes, " "), more, first->why));
    first = last;
  }
  return parts;
}

std::string RefusedText(const NodeTrace& trace) {
  return Join(RefusedTexts(trace), "; ");
}

}  // namespace halftone
