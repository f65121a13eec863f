#include "src/precision/precision_plan.h"

#include <algorithm>
#include <set>

namespace halftone {
namespace {

// A dtype and its format have the same name, so that earlier digests stay valid.
template <typename Format>
void HashFormats(Hasher& hasher, const std::vector<Format>& formats) {
  hasher.Add(static_cast<std::int64_t>(formats.size()));
  for (const Format format : formats) {
    hasher.Add(NameOf(format));
  }
}

void HashTypes(Hasher& hasher, const std::set<std::string, std::less<>>& types) {
  hasher.Add(static_cast<std::int64_t>(types.size()));
  for (const std::string& type : types) {
    hasher.Add(type);
  }
}

std::vector<NumericFormat> ReferenceFormats(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<NumericFormat> formats;
  for (const ValueId id : ids) {
    // An absent operand repeats the first one, as in every plan.
    const NumericFormat original = id != kNoValue    ? graph.value(id).type.dtype
                                   : formats.empty() ? NumericFormat()
                                                     : formats.front();
    formats.push_back(IsTunable(original.dtype()) ? NumericFormat() : original);
  }
  return formats;
}

}  // namespace

NumericFormat NodePrecision::compute_format() const {
  for (const auto* formats : {&inputs, &outputs}) {
    const auto found = std::ranges::find_if(*formats, IsTunable, &NumericFormat::dtype);
    if (found != formats->end()) {
      return *found;
    }
  }
  return outputs.empty() ? NumericFormat() : outputs.front();
}

Hash128 PrecisionPlan::Digest() const {
  Hasher hasher;
  hasher.Add(static_cast<std::int64_t>(nodes.size()));
  for (const NodePrecision& node : nodes) {
    hasher.Add(NameOf(node.engine)).Add(NameOf(node.impl_mode));
    HashFormats(hasher, node.inputs);
    HashFormats(hasher, node.outputs);
  }
  // Fields at their defaults are not hashed, so that a plan keeps its digest when a field is new.
  if (!graph_inputs.empty()) {
    hasher.Add("graph_inputs");
    HashFormats(hasher, graph_inputs);
  }
  if (!graph_outputs.empty()) {
    hasher.Add("graph_outputs");
    HashFormats(hasher, graph_outputs);
  }
  if (!clip_weights) {
    hasher.Add("weights are not clipped");
  }
  if (overflow != OverflowArithmetic::kInfNan) {
    hasher.Add(NameOf(overflow));
  }
  if (fusions) {
    hasher.Add("fusions").Add(static_cast<std::int64_t>(fusions->size()));
    for (const TargetFusion& fusion : *fusions) {
      hasher.Add(fusion.pass);
      HashTypes(hasher, fusion.main);
      HashTypes(hasher, fusion.others);
    }
  }
  if (quantization) {
    hasher.Add("quantization").Add(quantization.digest());
  }
  return hasher.Finish();
}

PrecisionPlan ReferencePlan(const Graph& graph) {
  PrecisionPlan plan;
  for (const Node& node : graph.nodes) {
    plan.nodes.push_back({.engine = Engine::kAiCore,
                          .inputs = ReferenceFormats(graph, node.inputs),
                          .outputs = ReferenceFormats(graph, node.outputs),
                          .impl_mode = ImplMode::kHighPrecision,
                          .reason = "reference: float32"});
  }
  return plan;
}

}  // namespace halftone
