// A network after import: values, nodes in topological order, and the origins of each node.
//
// A Graph is a regular value. Shapes and dtypes are concrete. Values are addressed by index and are
// never renumbered by a pass; a value that nothing uses any more simply stays without users.
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
  TensorType type;  // the original type, as the model has it: precision plans do not change it
  std::optional<Tensor> constant;  // an initializer or a folded result
  // For a value that a fusion adds: the value of the network whose elements it holds, reordered or
  // scaled; it has the dtype that the plan gives that value.
  ValueId stands_for = kNoValue;
};

// An ONNX node that the author of the model wrote.
struct Origin {
  std::string name;
  std::string type;    // ONNX type, for example "BatchNormalization"
  std::string output;  // its first output; empty for nodes that the importer adds

  friend bool operator==(const Origin&, const Origin&) = default;
};

struct Node {
  OpKind op = OpKind::kIdentity;
  std::string name;  // origins[0].name: the node is addressed by it in files and reports
  // ONNX nodes that became this node, the main operator first. Never empty; a configuration file
  // that names any of them means this node.
  std::vector<Origin> origins;
  Attributes attributes;        // what ONNX says
  std::vector<ValueId> inputs;  // kNoValue where an optional input is left out
  std::vector<ValueId> outputs;
  // Written by the importer for an operator of src/ir/run_time_extent.h whose operands a run
  // computes: the number of results that the shape is planned for.
  std::optional<std::int64_t> planned_count;
  // Written by lowering (src/exec/fuse_by_plan.h): the nodes of the network that this one computes,
  // the main one first, and their common implementation mode.
  std::vector<NodeId> parts;
  ImplMode impl_mode = ImplMode::kDefault;
  Fusion fusion;
  // Number of its fused loop (src/passes/fuse/chain_elementwise.h); 0: none.
  std::int64_t chain = 0;
};

struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<Node> nodes;  // in topological order
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  // Nodes of the model that are not in the graph: folded to constants, without effect, or unused. A
  // configuration file may still name them.
  std::vector<Origin> removed;
  // Fusions that lowering leaves out (--fusion_switch_file): pass names of AllPasses().
  std::set<std::string, std::less<>> fusions_off;

  // Adds the node's names to `removed`.
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

// The producer of each value; kNoNode for graph inputs and constants.
std::vector<NodeId> ProducersOf(const Graph& graph);

// The consumers of each value, in order, once per node; graph outputs are not counted.
std::vector<std::vector<NodeId>> ConsumersOf(const Graph& graph);

// Sorts graph.nodes topologically; stable. Error kModel naming a node of a cycle.
void SortTopologically(Graph& graph);

// The hash of everything that determines results: operators, attributes, what fusions added, types,
// constants, edges, node names (configuration files address nodes by name).
Hash128 HashOf(const Graph& graph);

// "node 'conv1' (Conv)": how messages name a node.
std::string Describe(const Node& node);

}  // namespace halftone
