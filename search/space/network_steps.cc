#include "search/space/network_steps.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "src/exec/fuse_by_plan.h"
#include "src/precision/precision_plan.h"

namespace halftone {
namespace {

std::size_t Index(int id) {
  return static_cast<std::size_t>(id);
}

}  // namespace

NetworkSteps StepsOf(const Graph& graph, const SharedFusions& fusions) {
  PrecisionPlan plan = ReferencePlan(graph);
  plan.fusions = fusions;
  const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
  // Fused nodes that have parts in common are one step, at the position of the last of them.
  std::vector<NodeId> last(graph.nodes.size(), kNoNode);  // by node: the last fused one it is in
  for (NodeId f = 0; f < std::ssize(fused.graph.nodes); ++f) {
    for (const NodeId part : fused.graph.node(f).parts) {
      last[Index(part)] = f;
    }
  }
  NetworkSteps steps;
  steps.step_of.assign(graph.nodes.size(), kNoNode);
  const auto add = [&](std::vector<NodeId> nodes, const Node& node, NodeId main) {
    std::ranges::sort(nodes);
    for (const NodeId id : nodes) {
      steps.step_of[Index(id)] = static_cast<NodeId>(steps.nodes.size());
    }
    steps.nodes.push_back(std::move(nodes));
    steps.main.push_back(main);
    steps.fused.push_back(node);
  };
  for (NodeId f = 0; f < std::ssize(fused.graph.nodes); ++f) {
    std::vector<NodeId> nodes;
    for (const NodeId part : fused.graph.node(f).parts) {
      if (last[Index(part)] == f) {
        nodes.push_back(part);
      }
    }
    if (!nodes.empty()) {
      add(std::move(nodes), fused.graph.node(f), fused.graph.node(f).parts.front());
    }
  }
  for (NodeId n = 0; n < std::ssize(graph.nodes); ++n) {  // what lowering found dead
    if (last[Index(n)] == kNoNode) {
      add({n}, graph.node(n), n);
    }
  }
  return steps;
}

Graph StepGraph(const Graph& graph, const NetworkSteps& steps) {
  Graph result;
  result.name = graph.name;
  result.values = graph.values;
  result.inputs = graph.inputs;
  result.outputs = graph.outputs;
  const std::vector<NodeId> producers = ProducersOf(graph);
  std::set<ValueId> outside(graph.outputs.begin(), graph.outputs.end());
  const auto made_by = [&](ValueId id) {
    const NodeId producer = producers[Index(id)];
    return producer == kNoNode ? kNoNode : steps.step_of[Index(producer)];
  };
  for (NodeId n = 0; n < std::ssize(graph.nodes); ++n) {
    for (const ValueId id : graph.node(n).inputs) {
      if (id != kNoValue && made_by(id) != steps.step_of[Index(n)]) {
        outside.insert(id);
      }
    }
  }
  for (std::size_t s = 0; s < steps.nodes.size(); ++s) {
    Node step{.name = graph.node(steps.main[s]).name};
    for (const NodeId n : steps.nodes[s]) {
      for (const ValueId id : graph.node(n).inputs) {
        const bool from_outside = id != kNoValue && made_by(id) != static_cast<NodeId>(s);
        if (from_outside && std::ranges::find(step.inputs, id) == step.inputs.end()) {
          step.inputs.push_back(id);
        }
      }
      for (const ValueId id : graph.node(n).outputs) {
        if (id != kNoValue && outside.contains(id)) {
          step.outputs.push_back(id);
        }
      }
    }
    result.nodes.push_back(std::move(step));
  }
  return result;
}

Subgraph Expanded(const Graph& graph, const NetworkSteps& steps, const Subgraph& of_steps) {
  Subgraph part = of_steps;
  part.nodes.clear();
  for (const NodeId step : of_steps.nodes) {
    const std::vector<NodeId>& nodes = steps.nodes[Index(step)];
    part.nodes.insert(part.nodes.end(), nodes.begin(), nodes.end());
  }
  std::ranges::sort(part.nodes);
  part.graph.nodes.clear();
  for (const NodeId id : part.nodes) {
    part.graph.nodes.push_back(graph.node(id));
  }
  part.graph.fusions_off = graph.fusions_off;
  return part;
}

}  // namespace halftone
