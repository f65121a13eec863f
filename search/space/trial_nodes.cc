#include "search/space/trial_nodes.h"

#include "search/space/tunable_node.h"

namespace halftone {

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
