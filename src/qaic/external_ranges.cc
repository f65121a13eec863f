#include "src/qaic/external_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/ir/ir_type.h"
#include "src/precision/resolve/node_formats.h"
#include "src/qaic/integer_precision.h"
#include "src/qaic/quantized_kinds.h"

namespace halftone {
namespace {

constexpr std::size_t kMostNames = 5;  // that a message quotes
constexpr int kBitsOfFloat16 = 16;

std::string Listed(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kMostNames, names.size()); ++i) {
    shown.push_back(fmt::format("'{}'", names[i]));
  }
  return Join(shown, ", ") + (names.size() > kMostNames ? ", ..." : "");
}

class Matcher {
 public:
  Matcher(const Graph& graph, const RangeTable& table) : graph_(graph), table_(table) {}

  ExternalRanges Match() {
    for (std::size_t v = 0; v < graph_.values.size(); ++v) {
      const Value& value = graph_.values[v];
      const auto entry = table_.entries.find(value.name);
      if (entry != table_.entries.end() && IsTunable(value.type.dtype)) {
        Add(static_cast<ValueId>(v), value, entry->second);
      }
    }
    for (const Node& node : graph_.nodes) {
      AddFloat(std::string(FirstOutputName(graph_, node)));
    }
    ranges_.notes = table_.notes;
    return std::move(ranges_);
  }

 private:
  void Add(ValueId id, const Value& value, const TableEntry& entry) {
    const auto weights = value.constant ? WeightScalesOf(entry) : std::nullopt;
    if (weights) {
      ranges_.scales.weights.emplace(value.name, *weights);
    }
    if (const auto scale = ActivationScaleOf(entry)) {
      ranges_.scales.activations.emplace(value.name, *scale);
    } else if (entry.range) {
      ranges_.profiles.emplace(
          id, GlowHistogram{
                  static_cast<float>(entry.range->low), static_cast<float>(entry.range->high), {}});
    }
  }

  void AddFloat(const std::string& output) {
    const auto entry = table_.entries.find(output);
    if (entry != table_.entries.end() && entry->second.grid == TableEntry::Grid::kFloat) {
      (entry->second.bits == kBitsOfFloat16 ? ranges_.fp16_outputs : ranges_.fp32_outputs)
          .push_back(output);
    }
  }

  const Graph& graph_;
  const RangeTable& table_;
  ExternalRanges ranges_;
};

// Whether every computed tensor of the node has a scale or a range. Results that reuse the
// parameters of their operand need none.
bool IsRanged(const Graph& graph, const Node& node, const ExternalRanges& ranges,
              const FusedActivations& fused, std::set<ValueId>& reused) {
  const OpInfo& info = InfoOf(node.op);
  const auto is_said = [&](ValueId id) {
    return graph.value(id).constant || ranges.profiles.contains(id) || reused.contains(id) ||
           ranges.scales.activations.contains(graph.value(id).name);
  };
  const auto has = [&](ValueId id) {
    const ValueId behind = fused.ResultBehind(id);
    return is_said(id) || (behind != kNoValue && is_said(behind));
  };
  const auto all = [&](std::string_view signature, const std::vector<ValueId>& ids) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] != kNoValue && FollowsModes(signature, i, graph.value(ids[i]).type.dtype) &&
          !has(ids[i])) {
        return false;
      }
    }
    return true;
  };
  if (!all(info.inputs, node.inputs)) {
    return false;
  }
  if (QuantizedRuleOf(OnnxKindOf(node)) == QuantizedRule::kSameParameters) {
    reused.insert(node.outputs.begin(), node.outputs.end());
    return true;
  }
  return all(info.outputs, node.outputs);
}

}  // namespace

ExternalRanges MatchExternal(const Graph& graph, const RangeTable& table, std::string_view where) {
  ExternalRanges ranges = Matcher(graph, table).Match();
  if (ranges.scales.activations.empty() && ranges.profiles.empty() && ranges.fp16_outputs.empty() &&
      ranges.fp32_outputs.empty()) {
    std::vector<std::string> names;
    for (const auto& [name, entry] : table.entries) {
      names.push_back(name);
    }
    throw Error(
        ErrorKind::kUsage,
        fmt::format("-external-quantization={}: no entry means a tensor of the network, the "
                    "first ones: {}; it belongs to another model",
                    where, Listed(names)));
  }
  return ranges;
}

void KeepUnranged(const Graph& graph, const ExternalRanges& ranges, NodeChoices& choices) {
  std::vector<std::string> kept;
  std::set<ValueId> reused;
  const FusedActivations fused(graph, choices);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    NodeChoice& choice = choices.nodes[n];
    if (IsQuantized(choice.precision) && !IsRanged(graph, graph.nodes[n], ranges, fused, reused)) {
      choice = {QaicPrecision::kOriginal, "no range in the table of -external-quantization"};
      kept.emplace_back(FirstOutputName(graph, graph.nodes[n]));
    }
  }
  if (!kept.empty()) {
    choices.warnings.push_back(fmt::format(
        "-external-quantization has no range for tensors of {}, which keep their precision: {}",
        Counted(static_cast<std::int64_t>(kept.size()), "node"), Listed(kept)));
  }
}

NodeChoices ScaledNodes(const Graph& graph, const NodeChoices& choices,
                        const ValueProfiles& profiles, const GivenScales& given) {
  NodeChoices scaled = ChooseNodes(graph, {.quantizes = true, .integers = choices.integers});
  ExternalRanges ranges;
  ranges.scales = given;
  ranges.profiles = profiles;
  KeepUnranged(graph, ranges, scaled);
  for (std::size_t n = 0; n < choices.nodes.size(); ++n) {
    if (IsQuantized(choices.nodes[n].precision)) {
      scaled.nodes[n].precision = choices.nodes[n].precision;
    }
  }
  scaled.warnings.clear();
  return scaled;
}

}  // namespace halftone
