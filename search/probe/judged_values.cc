#include "search/probe/judged_values.h"

#include <cstddef>
#include <set>

#include "src/accuracy/discrete_outputs.h"

namespace halftone {

std::vector<ValueId> JudgedValues(const Graph& graph) {
  std::vector<ValueId> judged = graph.outputs;
  if (!AllOutputsDiscrete(graph)) {
    return judged;
  }
  const std::vector<NodeId> producers = ProducersOf(graph);
  std::set<ValueId> seen(judged.begin(), judged.end());
  std::set<ValueId> deciding;
  std::vector<ValueId> open = judged;
  while (!open.empty()) {
    const NodeId producer = producers[static_cast<std::size_t>(open.back())];
    open.pop_back();
    if (producer == kNoNode) {
      continue;
    }
    for (const ValueId input : graph.node(producer).inputs) {
      if (input == kNoValue || graph.value(input).constant || !seen.insert(input).second) {
        continue;
      }
      if (IsFloating(graph.value(input).type.dtype)) {
        deciding.insert(input);
      } else {
        open.push_back(input);
      }
    }
  }
  judged.insert(judged.end(), deciding.begin(), deciding.end());
  return judged;
}

}  // namespace halftone
