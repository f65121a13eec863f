// A network after import: values, nodes in topological order, and the origins of each node.
//
// A Graph is a value whose copies share the constants. All shapes and dtypes are concrete. A value
// is addressed by its index. Passes never renumber values; a value that is not used any more stays
// in the list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/base/hash.h"
#include "src/ir/attributes.h"
#include "src/ir/fusion.h"
#include "src/ir/impl_mode.h"
#include "src/ir/op_table.h"
#include "src/ir/tensor.h"

namespace halftone {

using ValueId = int;
inline constexpr ValueId kNoValue = -1;  // an optional input that is left out
using NodeId = int;
inline constexpr NodeId kNoNode = -1;

struct Value {
  std::string name;
  TensorType type;                 // type in the model; precision plans do not change it
  std::optional<Tensor> constant;  // an initializer or a folded result; empty: not constant
  // For a value that a fusion adds: the value of the network whose elements it holds, reordered or
  // scaled. It has the dtype that the plan gives to that value.
  ValueId stands_for = kNoValue;
};

// A node of the ONNX model.
struct Origin {
  std::string name;
  std::string type;    // ONNX type, such as "BatchNormalization"; empty: src/ir/other_names.h
  std::string output;  // name of its first output; empty for nodes that the importer adds

  friend bool operator==(const Origin&, const Origin&) = default;
};

struct Node {
  OpKind op = OpKind::kIdentity;
  std::string name;  // origins[0].name; files and reports address the node by it
  // ONNX nodes that became this node, the main operator first. Never empty. A configuration file
  // that names one of them means this node.
  std::vector<Origin> origins;
  Attributes attributes;        // attributes of ONNX
  std::vector<ValueId> inputs;  // kNoValue for an optional input that is left out
  std::vector<ValueId> outputs;
  // Number of results for which shapes are planned; set by the importer for an operator of
  // src/ir/run_time_extent.h with operands that are not constant.
  std::optional<std::int64_t> planned_count;
  // Set by lowering (src/exec/fuse_by_plan.h): nodes of the network that this step computes, the
  // main one first, and their common implementation mode.
  std::vector<NodeId> parts;
  ImplMode impl_mode = ImplMode::kDefault;
  Fusion fusion;
  // Number, from 1, of the fused loop to which the node belongs
  // (src/passes/fuse/chain_elementwise.h); 0: none.
  std::int64_t chain = 0;
};

struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<Node> nodes;  // in topological order
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  // Nodes of the model that are not in the graph, because they were folded to constants, have no
  // effect, or are unused. A configuration file may still name them.
  std::vector<Origin> removed;
  // Names of passes (AllPasses()) that lowering leaves out (--fusion_switch_file).
  std::set<std::string, std::less<>> fusions_off;

  // Adds the origins of the node to `removed`.
  void NoteRemoved(const Node& node) {
    removed.insert(removed.end(), node.origins.begin(), node.origins.end());
  }

  [[nodiscard]] const Value& value(ValueId id) const {
    return values[static_cast<std::size_t>(id)];
  }

  [[nodiscard]] Value& value(ValueId id) { return values[static_cast<std::size_t>(id)]; }

  [[nodiscard]] const Node& node(NodeId id) const { return nodes[static_cast<std::size_t>(id)]; }

  ValueId AddValue(Value value);
};

// Returns the producer of each value; kNoNode for graph inputs, constants and unused values.
std::vector<NodeId> ProducersOf(const Graph& graph);

// Returns the nodes that read each value, in the order of the nodes, each once. Graph outputs do
// not count as readers.
std::vector<std::vector<NodeId>> ConsumersOf(const Graph& graph);

// Sorts graph.nodes topologically; nodes that are in a topological order stay as they are. Error
// kModel, which names a node of the cycle, if there is one.
void SortTopologically(Graph& graph);

// Returns the hash of everything that determines results: operators, attributes, facts of fusions,
// types, constants, edges, disabled fusions, and the names of nodes, by which configuration files
// address them.
Hash128 HashOf(const Graph& graph);

// Returns the node for messages: "node 'conv1' (Conv)".
std::string Describe(const Node& node);

}  // namespace halftone
