#include "src/ir/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "src/base/error.h"

namespace halftone {
namespace {

void HashValue(Hasher& hasher, std::int64_t value) {
  hasher.Add(value);
}

void HashValue(Hasher& hasher, float value) {
  hasher.Add(static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(value)));
}

void HashValue(Hasher& hasher, const std::string& value) {
  hasher.Add(value);
}

void HashValue(Hasher& hasher, const Tensor& value) {
  hasher.Add(value.type().ToString()).AddBytes(value.bytes());
}

template <typename Item>
void HashValue(Hasher& hasher, const std::vector<Item>& items) {
  hasher.Add(static_cast<std::int64_t>(items.size()));
  for (const Item& item : items) {
    HashValue(hasher, item);
  }
}

void HashAttribute(Hasher& hasher, const Attribute& attribute) {
  hasher.Add(static_cast<std::int64_t>(attribute.index()));
  std::visit([&](const auto& value) { HashValue(hasher, value); }, attribute);
}

// The attributes and all other facts of a node, each under a name of its own.
Attributes FactsOf(const Node& node) {
  Attributes facts = WithFacts(node.attributes, node.fusion, {});
  if (node.planned_count) {
    facts.Set("planned_count", *node.planned_count);
  }
  if (node.chain != 0) {
    facts.Set("chain", node.chain);
  }
  return facts;
}

void HashIds(Hasher& hasher, const std::vector<ValueId>& ids) {
  hasher.Add(static_cast<std::int64_t>(ids.size()));
  for (const ValueId id : ids) {
    hasher.Add(static_cast<std::int64_t>(id));
  }
}

}  // namespace

ValueId Graph::AddValue(Value value) {
  values.push_back(std::move(value));
  return static_cast<ValueId>(values.size()) - 1;
}

std::vector<NodeId> ProducersOf(const Graph& graph) {
  std::vector<NodeId> producers(graph.values.size(), kNoNode);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const ValueId output : graph.nodes[n].outputs) {
      if (output != kNoValue) {
        producers[static_cast<std::size_t>(output)] = static_cast<NodeId>(n);
      }
    }
  }
  return producers;
}

std::vector<std::vector<NodeId>> ConsumersOf(const Graph& graph) {
  std::vector<std::vector<NodeId>> consumers(graph.values.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const ValueId input : graph.nodes[n].inputs) {
      if (input == kNoValue) {
        continue;
      }
      auto& list = consumers[static_cast<std::size_t>(input)];
      if (list.empty() || list.back() != static_cast<NodeId>(n)) {
        list.push_back(static_cast<NodeId>(n));
      }
    }
  }
  return consumers;
}

void SortTopologically(Graph& graph) {
  const std::vector<NodeId> producers = ProducersOf(graph);
  const auto consumers = ConsumersOf(graph);
  std::vector<int> waiting(graph.nodes.size(), 0);  // distinct values still to be produced
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    if (producers[v] != kNoNode) {
      for (const NodeId reader : consumers[v]) {
        ++waiting[static_cast<std::size_t>(reader)];
      }
    }
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (waiting[n] == 0) {
      ready.push(static_cast<NodeId>(n));
    }
  }
  const auto make = [&](ValueId value) {
    for (const NodeId reader : consumers[static_cast<std::size_t>(value)]) {
      if (--waiting[static_cast<std::size_t>(reader)] == 0) {
        ready.push(reader);
      }
    }
  };
  std::vector<Node> sorted;
  sorted.reserve(graph.nodes.size());
  while (!ready.empty()) {
    const auto next = static_cast<std::size_t>(ready.top());
    ready.pop();
    for (const ValueId output : graph.nodes[next].outputs) {
      if (output != kNoValue) {
        make(output);
      }
    }
    sorted.push_back(graph.nodes[next]);
  }
  if (sorted.size() != graph.nodes.size()) {
    const auto stuck =
        std::find_if(waiting.begin(), waiting.end(), [](int count) { return count > 0; });
    throw Error(
        ErrorKind::kModel,
        fmt::format("the graph has a cycle through {}",
                    Describe(graph.nodes[static_cast<std::size_t>(stuck - waiting.begin())])));
  }
  graph.nodes = std::move(sorted);
}

Hash128 HashOf(const Graph& graph) {
  Hasher hasher;
  HashIds(hasher, graph.inputs);
  HashIds(hasher, graph.outputs);
  for (const Value& value : graph.values) {
    hasher.Add(value.type.ToString());
    hasher.Add(static_cast<std::int64_t>(value.constant.has_value()));
    if (value.constant) {
      hasher.AddBytes(value.constant->bytes());
    }
  }
  for (const Node& node : graph.nodes) {
    hasher.Add(InfoOf(node.op).name).Add(node.name);
    HashIds(hasher, node.inputs);
    HashIds(hasher, node.outputs);
    for (const Origin& origin : node.origins) {
      hasher.Add(origin.name).Add(origin.type);
    }
    const Attributes facts = FactsOf(node);
    for (const auto& [name, attribute] : facts.values()) {
      hasher.Add(name);
      HashAttribute(hasher, attribute);
    }
  }
  for (const std::string& fusion : graph.fusions_off) {
    hasher.Add("without").Add(fusion);
  }
  return hasher.Finish();
}

std::string Describe(const Node& node) {
  return fmt::format("node '{}' ({})", node.name, InfoOf(node.op).name);
}

}  // namespace halftone
