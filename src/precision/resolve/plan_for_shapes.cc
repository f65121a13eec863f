#include "src/precision/resolve/plan_for_shapes.h"

#include <algorithm>
#include <unordered_map>

namespace halftone {
namespace {

// True if a decision for `a` serves `b`: the same operator with the same operands present.
bool IsAlike(const Node& a, const Node& b) {
  return a.op == b.op && a.outputs.size() == b.outputs.size() &&
         std::ranges::equal(
             a.inputs, b.inputs, {}, [](ValueId id) { return id == kNoValue; },
             [](ValueId id) { return id == kNoValue; });
}

class NodesByName {
 public:
  explicit NodesByName(const Graph& graph) : graph_(graph) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      index_.emplace(graph.nodes[i].name, i);
    }
  }

  // The index of the node that `node` is here; -1: none.
  [[nodiscard]] NodeId Find(const Node& node) const {
    const auto found = index_.find(node.name);
    return found != index_.end() && IsAlike(graph_.nodes[found->second], node)
               ? static_cast<NodeId>(found->second)
               : kNoNode;
  }

 private:
  const Graph& graph_;
  std::unordered_map<std::string_view, std::size_t> index_;
};

}  // namespace

PrecisionPlan PlanForShapes(const Graph& from, const PrecisionPlan& plan, const Graph& to,
                            PrecisionPlan resolved) {
  const NodesByName decided(from);
  resolved.quantization = plan.quantization;
  for (std::size_t i = 0; i < to.nodes.size(); ++i) {
    const NodeId same = decided.Find(to.nodes[i]);
    if (same != kNoNode) {
      resolved.nodes[i] = plan.node(same);
    }
  }
  return resolved;
}

std::vector<std::string> NodesOnlyIn(const Graph& to, const Graph& from) {
  const NodesByName decided(from);
  std::vector<std::string> names;
  for (const Node& node : to.nodes) {
    if (decided.Find(node) == kNoNode) {
      names.push_back(node.name);
    }
  }
  return names;
}

}  // namespace halftone
