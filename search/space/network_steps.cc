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

// By value: the step that makes it, or kNoNode.
std::vector<NodeId> MakersOf(const Graph& graph, const NetworkSteps& steps) {
  std::vector<NodeId> makers = ProducersOf(graph);
  for (NodeId& maker : makers) {
    maker = maker == kNoNode ? kNoNode : steps.step_of[Index(maker)];
  }
  return makers;
}

// Values that are read outside the step that makes them, or are outputs.
std::set<ValueId> ReadOutside(const Graph& graph, const NetworkSteps& steps,
                              const std::vector<NodeId>& makers) {
  std::set<ValueId> outside(graph.outputs.begin(), graph.outputs.end());
  for (NodeId n = 0; n < std::ssize(graph.nodes); ++n) {
    for (const ValueId id : graph.node(n).inputs) {
      if (id != kNoValue && makers[Index(id)] != steps.step_of[Index(n)]) {
        outside.insert(id);
      }
    }
  }
  return outside;
}

// The step as a node, which reads what other steps make and makes what is in `outside`.
Node StepNode(const Graph& graph, const NetworkSteps& steps, NodeId step,
              const std::vector<NodeId>& makers, const std::set<ValueId>& outside) {
  Node node{.name = graph.node(steps.main[Index(step)]).name};
  for (const NodeId n : steps.nodes[Index(step)]) {
    for (const ValueId id : graph.node(n).inputs) {
      const bool from_outside = id != kNoValue && makers[Index(id)] != step;
      if (from_outside && std::ranges::find(node.inputs, id) == node.inputs.end()) {
        node.inputs.push_back(id);
      }
    }
    for (const ValueId id : graph.node(n).outputs) {
      if (id != kNoValue && outside.contains(id)) {
        node.outputs.push_back(id);
      }
    }
  }
  return node;
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
  const std::vector<NodeId> makers = MakersOf(graph, steps);
  const std::set<ValueId> outside = ReadOutside(graph, steps, makers);
  for (NodeId step = 0; step < std::ssize(steps.nodes); ++step) {
    result.nodes.push_back(StepNode(graph, steps, step, makers, outside));
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
