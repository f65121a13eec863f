#include "src/passes/rewrite/remove_identities.h"

#include <algorithm>

namespace halftone {
namespace {

bool MovesNoAxis(const Node& node, int rank) {
  const std::vector<std::int64_t> order = node.attributes.Ints("perm");
  return rank < 2 || (!order.empty() && std::is_sorted(order.begin(), order.end()));
}

bool IsIdentity(const Graph& graph, const Node& node) {
  if (node.outputs.size() != 1 || node.inputs.empty() || node.inputs[0] == kNoValue) {
    return false;
  }
  const TensorType& input = graph.value(node.inputs[0]).type;
  if (input != graph.value(node.outputs[0]).type) {
    return false;
  }
  switch (node.op) {
    case OpKind::kIdentity:
    case OpKind::kCast:
    case OpKind::kReshape:
    case OpKind::kFlatten:
    case OpKind::kSqueeze:
    case OpKind::kUnsqueeze:
    case OpKind::kExpand:
      return true;
    case OpKind::kTranspose:
      return MovesNoAxis(node, input.shape.rank());
    case OpKind::kConcat:
      return node.inputs.size() == 1;
    default:
      return false;
  }
}

}  // namespace

void RemoveIdentities(Graph& graph) {
  // The value that replaces each value, or itself. A chain of replacements has two steps at most,
  // since the value that replaces another was resolved already and can be renamed to a graph output
  // once.
  std::vector<ValueId> stands_for(graph.values.size());
  for (std::size_t v = 0; v < stands_for.size(); ++v) {
    stands_for[v] = static_cast<ValueId>(v);
  }
  const auto resolve = [&](std::vector<ValueId>& ids) {
    for (ValueId& id : ids) {
      while (id != kNoValue && stands_for[static_cast<std::size_t>(id)] != id) {
        id = stands_for[static_cast<std::size_t>(id)];
      }
    }
  };
  std::vector<bool> is_output(graph.values.size(), false);
  for (const ValueId id : graph.outputs) {
    is_output[static_cast<std::size_t>(id)] = true;
  }
  const std::vector<NodeId> producers = ProducersOf(graph);
  std::vector<bool> removed(graph.nodes.size(), false);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    Node& node = graph.nodes[n];
    resolve(node.inputs);
    if (!IsIdentity(graph, node)) {
      continue;
    }
    const auto from = static_cast<std::size_t>(node.inputs[0]);
    const auto to = static_cast<std::size_t>(node.outputs[0]);
    if (!is_output[to]) {
      stands_for[to] = node.inputs[0];
    } else if (producers[from] != kNoNode && !is_output[from]) {
      // The name of a graph output stays: its producer writes it directly. Readers of `from` that
      // were visited already are corrected below.
      auto& outputs = graph.nodes[static_cast<std::size_t>(producers[from])].outputs;
      std::replace(outputs.begin(), outputs.end(), node.inputs[0], node.outputs[0]);
      stands_for[from] = node.outputs[0];
    } else {
      continue;
    }
    removed[n] = true;
  }
  std::vector<Node> kept;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (removed[n]) {
      graph.NoteRemoved(graph.nodes[n]);
      continue;
    }
    resolve(graph.nodes[n].inputs);
    kept.push_back(std::move(graph.nodes[n]));
  }
  graph.nodes = std::move(kept);
}

}  // namespace halftone
