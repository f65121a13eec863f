#include "src/precision/joined_nodes.h"

#include <algorithm>
#include <set>

#include "src/ir/ir_type.h"

namespace halftone {
namespace {

std::size_t Index(int id) {
  return static_cast<std::size_t>(id);
}

bool ReadsConstantsBesideItsFirst(const Graph& graph, const Node& node) {
  return !node.inputs.empty() &&
         std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                     [&](ValueId id) { return id == kNoValue || graph.value(id).constant; });
}

// False for the Cloud AI compiler, which joins nodes only after they have one precision.
bool JoinsBeforeTypes(const TargetSpec& target) {
  return !target.family.starts_with("cloud_ai");
}

}  // namespace

std::vector<NodeId> JoinedWith(const Graph& graph, const TargetSpec& target) {
  std::vector<NodeId> main(graph.nodes.size());
  for (std::size_t n = 0; n < main.size(); ++n) {
    main[n] = static_cast<NodeId>(n);
  }
  if (target.fusions == nullptr || !JoinsBeforeTypes(target)) {
    return main;
  }
  const std::vector<NodeId> producers = ProducersOf(graph);
  const auto consumers = ConsumersOf(graph);
  const std::set<ValueId> outputs(graph.outputs.begin(), graph.outputs.end());
  for (std::size_t n = 0; n < main.size(); ++n) {  // producers stand first
    const Node& node = graph.nodes[n];
    const ValueId between = node.inputs.empty() ? kNoValue : node.inputs.front();
    const NodeId before = between == kNoValue ? kNoNode : producers[Index(between)];
    if (before == kNoNode || outputs.contains(between) || consumers[Index(between)].size() != 1 ||
        !ReadsConstantsBesideItsFirst(graph, node)) {
      continue;
    }
    const Node& first = graph.node(main[Index(before)]);
    const bool joined = std::ranges::any_of(*target.fusions, [&](const TargetFusion& fusion) {
      return fusion.main.contains(IrTypeOf(graph, first)) &&
             fusion.others.contains(IrTypeOf(graph, node));
    });
    if (joined && ReadsConstantsBesideItsFirst(graph, first)) {
      main[n] = main[Index(before)];
    }
  }
  return main;
}

}  // namespace halftone
