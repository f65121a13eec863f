#include "search/trial_nodes.h"

#include "search/low_dtype.h"
#include "search/tunable_node.h"

namespace halftone {

void FillNodeNames(const Graph& graph, const PrecisionPlan& plan, Trial& trial) {
  trial.low_precision_nodes.clear();
  trial.kept_nodes.clear();
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const DType dtype = plan.nodes[i].compute_dtype();
    if (IsLow(dtype)) {
      trial.low_precision_nodes.push_back(graph.nodes[i].name);
    } else if (dtype == DType::kFloat32 && IsTunableComputation(graph, graph.nodes[i])) {
      trial.kept_nodes.push_back(graph.nodes[i].name);
    }
  }
}

}  // namespace halftone
