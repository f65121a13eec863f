#include "search/space/subgraph.h"

#include <algorithm>
#include <set>
#include <utility>

namespace halftone {
namespace {

std::size_t Index(int id) {
  return static_cast<std::size_t>(id);
}

Subgraph Selected(const Graph& graph, const std::set<NodeId>& selected) {
  Subgraph part;
  part.nodes.assign(selected.begin(), selected.end());
  part.graph.name = graph.name;
  part.graph.fusions_off = graph.fusions_off;
  part.graph.values = graph.values;
  std::set<ValueId> made;
  std::set<ValueId> read;
  for (const NodeId id : part.nodes) {
    part.graph.nodes.push_back(graph.node(id));
    for (const ValueId output : graph.node(id).outputs) {
      made.insert(output);
    }
    for (const ValueId input : graph.node(id).inputs) {
      if (input != kNoValue && !graph.value(input).constant) {
        read.insert(input);
      }
    }
  }
  for (const ValueId id : read) {
    if (!made.contains(id)) {
      part.graph.inputs.push_back(id);
    }
  }
  return part;
}

// Nodes in [begin, end) that depend on `origins`, which are left out, or on `touched` values.
Subgraph Downstream(const Graph& graph, const std::set<NodeId>& origins, std::vector<bool> touched,
                    NodeId begin, NodeId end) {
  std::set<NodeId> behind;
  for (NodeId id = begin; id < end; ++id) {
    const Node& node = graph.node(id);
    bool depends = origins.contains(id);
    for (const ValueId input : node.inputs) {
      depends = depends || (input != kNoValue && touched[Index(input)]);
    }
    if (!depends) {
      continue;
    }
    for (const ValueId output : node.outputs) {
      if (output != kNoValue) {
        touched[Index(output)] = true;
      }
    }
    if (!origins.contains(id)) {
      behind.insert(id);
    }
  }
  Subgraph part = Selected(graph, behind);
  std::set<ValueId> made;
  for (const Node& node : part.graph.nodes) {
    made.insert(node.outputs.begin(), node.outputs.end());
  }
  std::set<ValueId> read;
  for (NodeId id = end; Index(id) < graph.nodes.size(); ++id) {
    read.insert(graph.node(id).inputs.begin(), graph.node(id).inputs.end());
  }
  for (const ValueId id : made) {
    if (id != kNoValue && read.contains(id)) {
      part.graph.outputs.push_back(id);
    }
  }
  for (const ValueId output : graph.outputs) {
    if (made.contains(output) && !read.contains(output)) {
      part.graph.outputs.push_back(output);
    }
  }
  return part;
}

std::vector<DType> InFloat32(const Graph& graph, const std::vector<ValueId>& values) {
  std::vector<DType> dtypes;
  for (const ValueId id : values) {
    const DType dtype = graph.value(id).type.dtype;
    dtypes.push_back(IsTunable(dtype) ? DType::kFloat32 : dtype);
  }
  return dtypes;
}

}  // namespace

Subgraph PartOf(const Graph& graph, std::span<const NodeId> nodes) {
  Subgraph part = Selected(graph, {nodes.begin(), nodes.end()});
  for (const Node& node : part.graph.nodes) {
    for (const ValueId output : node.outputs) {
      if (output != kNoValue) {
        part.graph.outputs.push_back(output);
      }
    }
  }
  return part;
}

Subgraph BehindOf(const Graph& graph, std::span<const NodeId> nodes) {
  return BehindOf(graph, nodes, static_cast<NodeId>(graph.nodes.size()));
}

Subgraph BehindOf(const Graph& graph, std::span<const NodeId> nodes, NodeId end) {
  return Downstream(graph, {nodes.begin(), nodes.end()}, std::vector<bool>(graph.values.size()), 0,
                    end);
}

Subgraph DownstreamOf(const Graph& graph, std::span<const ValueId> values, NodeId begin) {
  std::vector<bool> touched(graph.values.size());
  for (const ValueId id : values) {
    touched[Index(id)] = true;
  }
  return Downstream(graph, {}, std::move(touched), begin, static_cast<NodeId>(graph.nodes.size()));
}

Subgraph WholeOf(const Graph& graph, std::span<const ValueId> outputs) {
  Subgraph whole{.graph = graph, .nodes = {}};
  for (NodeId id = 0; Index(id) < graph.nodes.size(); ++id) {
    whole.nodes.push_back(id);
  }
  whole.graph.outputs.assign(outputs.begin(), outputs.end());
  return whole;
}

Subgraph BetweenOf(const Graph& graph, std::span<const ValueId> from, std::span<const ValueId> to) {
  const std::set<ValueId> there(from.begin(), from.end());
  std::set<ValueId> wanted(to.begin(), to.end());
  std::set<NodeId> between;
  for (NodeId id = static_cast<NodeId>(graph.nodes.size()) - 1; id >= 0; --id) {
    const Node& node = graph.node(id);
    const bool makes =
        std::ranges::any_of(node.outputs, [&](ValueId output) { return wanted.contains(output); });
    if (!makes) {
      continue;
    }
    between.insert(id);
    for (const ValueId input : node.inputs) {
      if (input != kNoValue && !graph.value(input).constant && !there.contains(input)) {
        wanted.insert(input);
      }
    }
  }
  Subgraph part = Selected(graph, between);
  part.graph.outputs.assign(to.begin(), to.end());
  return part;
}

PrecisionPlan PlanOf(const Subgraph& part, const PrecisionPlan& whole) {
  PrecisionPlan plan;
  plan.overflow = whole.overflow;
  plan.fusions = whole.fusions;
  plan.clip_weights = whole.clip_weights;
  plan.quantization = whole.quantization;
  for (const NodeId id : part.nodes) {
    plan.nodes.push_back(whole.node(id));
  }
  plan.graph_inputs = InFloat32(part.graph, part.graph.inputs);
  plan.graph_outputs = InFloat32(part.graph, part.graph.outputs);
  return plan;
}

}  // namespace halftone
