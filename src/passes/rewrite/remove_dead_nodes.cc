#include "src/passes/rewrite/remove_dead_nodes.h"

#include <algorithm>

namespace halftone {
namespace {

// Removes nodes that no output needs. Returns, for each value, whether a remaining node reads or
// makes it.
std::vector<bool> RemoveUnreadNodes(Graph& graph) {
  std::vector<bool> needed(graph.values.size(), false);
  const auto is_needed = [&](ValueId id) {
    return id != kNoValue && needed[static_cast<std::size_t>(id)];
  };
  const auto need = [&](const std::vector<ValueId>& ids) {
    for (const ValueId id : ids) {
      if (id != kNoValue) {
        needed[static_cast<std::size_t>(id)] = true;
      }
    }
  };
  need(graph.outputs);
  std::vector<Node> kept;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (std::any_of(node->outputs.begin(), node->outputs.end(), is_needed)) {
      need(node->inputs);
      kept.push_back(std::move(*node));
    } else {
      graph.NoteRemoved(*node);
    }
  }
  std::reverse(kept.begin(), kept.end());
  graph.nodes = std::move(kept);
  return needed;
}

void ReleaseConstants(Graph& graph, const std::vector<bool>& needed) {
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    if (!needed[v]) {
      graph.values[v].constant.reset();
    }
  }
}

}  // namespace

void RemoveDeadNodes(Graph& graph) {
  std::vector<bool> needed = RemoveUnreadNodes(graph);
  for (std::size_t v = graph.values.size(); v-- > 0;) {  // what one stands for was there before it
    const ValueId source = graph.values[v].stands_for;
    if (needed[v] && graph.values[v].constant && source != kNoValue) {
      needed[static_cast<std::size_t>(source)] = true;
    }
  }
  ReleaseConstants(graph, needed);
}

}  // namespace halftone
