#include "search/space/tunable_node.h"

#include "src/ir/op_table.h"

namespace halftone {
namespace {

bool AnyTunable(const Graph& graph, const std::vector<ValueId>& ids, std::string_view signature) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto item = SignatureItemAt(signature, i);
    const bool follows_mode = item && (item->letter == 'T' || item->letter == 'Y');
    if (follows_mode && ids[i] != kNoValue && IsTunable(graph.value(ids[i]).type.dtype)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool HasTunableOperand(const Graph& graph, const Node& node) {
  const OpInfo& info = InfoOf(node.op);
  return AnyTunable(graph, node.inputs, info.inputs) ||
         AnyTunable(graph, node.outputs, info.outputs);
}

bool IsTunableComputation(const Graph& graph, const Node& node) {
  const OpInfo& info = InfoOf(node.op);
  return !info.Is(kMovesData) && !info.Is(kIsView) && HasTunableOperand(graph, node);
}

void FillNodeNames(const Graph& graph, const PrecisionPlan& plan, Trial& trial) {
  trial.low_precision_nodes.clear();
  trial.kept_nodes.clear();
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const NumericFormat format = plan.nodes[i].compute_format();
    if (IsReduced(format)) {
      trial.low_precision_nodes.push_back(graph.nodes[i].name);
    } else if (format == DType::kFloat32 && IsTunableComputation(graph, graph.nodes[i])) {
      trial.kept_nodes.push_back(graph.nodes[i].name);
    }
  }
}

}  // namespace halftone
