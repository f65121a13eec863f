#include "src/precision/precision_plan.h"

#include <algorithm>

namespace halftone {
namespace {

void HashDTypes(Hasher& hasher, const std::vector<DType>& dtypes) {
  hasher.Add(static_cast<std::int64_t>(dtypes.size()));
  for (const DType dtype : dtypes) {
    hasher.Add(NameOf(dtype));
  }
}

std::vector<DType> ReferenceDTypes(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<DType> dtypes;
  for (const ValueId id : ids) {
    // An absent operand repeats the first one, as in every plan.
    const DType original = id != kNoValue   ? graph.value(id).type.dtype
                           : dtypes.empty() ? DType::kFloat32
                                            : dtypes.front();
    dtypes.push_back(IsTunable(original) ? DType::kFloat32 : original);
  }
  return dtypes;
}

}  // namespace

DType NodePrecision::compute_dtype() const {
  for (const auto* dtypes : {&inputs, &outputs}) {
    const auto found = std::find_if(dtypes->begin(), dtypes->end(), IsTunable);
    if (found != dtypes->end()) {
      return *found;
    }
  }
  return outputs.empty() ? DType::kFloat32 : outputs.front();
}

Hash128 PrecisionPlan::Digest() const {
  Hasher hasher;
  hasher.Add(static_cast<std::int64_t>(nodes.size()));
  for (const NodePrecision& node : nodes) {
    hasher.Add(NameOf(node.engine)).Add(NameOf(node.impl_mode));
    HashDTypes(hasher, node.inputs);
    HashDTypes(hasher, node.outputs);
  }
  // What is not said leaves the digest alone: the same plan keeps its key when a field is new.
  if (!graph_inputs.empty()) {
    hasher.Add("graph_inputs");
    HashDTypes(hasher, graph_inputs);
  }
  if (!graph_outputs.empty()) {
    hasher.Add("graph_outputs");
    HashDTypes(hasher, graph_outputs);
  }
  if (!clip_weights) {
    hasher.Add("weights are not clipped");
  }
  if (overflow != OverflowArithmetic::kInfNan) {
    hasher.Add(NameOf(overflow));
  }
  return hasher.Finish();
}

PrecisionPlan ReferencePlan(const Graph& graph) {
  PrecisionPlan plan;
  for (const Node& node : graph.nodes) {
    plan.nodes.push_back({.engine = Engine::kAiCore,
                          .inputs = ReferenceDTypes(graph, node.inputs),
                          .outputs = ReferenceDTypes(graph, node.outputs),
                          .impl_mode = ImplMode::kHighPrecision,
                          .reason = "reference: float32"});
  }
  return plan;
}

}  // namespace halftone
