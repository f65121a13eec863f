// Nodes, operands, and what is given and taken at run time.
#include <algorithm>
#include <iterator>
#include <optional>

#include "tests/fuzz/mutate_network.h"

namespace halftone::testing {
namespace {

constexpr OpKind kUnary[] = {
    OpKind::kRelu,      OpKind::kSigmoid,   OpKind::kTanh,        OpKind::kGelu,
    OpKind::kHardSwish, OpKind::kLeakyRelu, OpKind::kHardSigmoid, OpKind::kNeg,
    OpKind::kIdentity,  OpKind::kSwish,     OpKind::kMish,        OpKind::kExp,
    OpKind::kSqrt,      OpKind::kSoftmax,   OpKind::kFloor,       OpKind::kErf,
    OpKind::kTranspose, OpKind::kFlatten,   OpKind::kCast,        OpKind::kReciprocal,
    OpKind::kAbs,       OpKind::kClip,      OpKind::kReduceMean};

constexpr OpKind kBinary[] = {OpKind::kAdd, OpKind::kAdd,   OpKind::kMul,    OpKind::kMul,
                              OpKind::kSub, OpKind::kDiv,   OpKind::kMax,    OpKind::kMin,
                              OpKind::kPow, OpKind::kPRelu, OpKind::kMatMul, OpKind::kConcat};

std::string NewName(const Graph& graph) {
  return "m" + std::to_string(graph.values.size()) + "_" + std::to_string(graph.nodes.size());
}

// A node by index; empty graphs have none.
std::optional<std::size_t> AnyNode(const Graph& graph, Rng& rng) {
  return graph.nodes.empty() ? std::nullopt : std::optional(rng.Below(graph.nodes.size()));
}

// What node `before` may read.
std::vector<ValueId> ValuesBefore(const Graph& graph, std::size_t before) {
  std::vector<ValueId> ids = StoredValues(graph);
  for (std::size_t n = 0; n < before; ++n) {
    for (const ValueId id : graph.nodes[n].outputs) {
      if (id != kNoValue) {
        ids.push_back(id);
      }
    }
  }
  return ids;
}

// One of `ids`, of the type `like` where there is one and chance does not want otherwise.
ValueId AnyLike(const Graph& graph, const std::vector<ValueId>& ids, const TensorType& like,
                Rng& rng) {
  std::vector<ValueId> same;
  std::copy_if(ids.begin(), ids.end(), std::back_inserter(same), [&](ValueId id) {
    const TensorType& type = graph.value(id).type;
    return type.dtype == like.dtype && type.shape == like.shape;
  });
  const auto& from = !same.empty() && rng.Below(5) != 0 ? same : ids;
  return from[rng.Below(from.size())];
}

bool ReadOther(Network& network, Rng& rng) {
  Graph& graph = network.graph;
  const auto n = AnyNode(graph, rng);
  if (!n || graph.nodes[*n].inputs.empty()) {
    return false;
  }
  Node& node = graph.nodes[*n];
  ValueId& input = node.inputs[rng.Below(node.inputs.size())];
  const std::vector<ValueId> ids = ValuesBefore(graph, *n);
  if (input == kNoValue || ids.empty()) {
    return false;
  }
  input = AnyLike(graph, ids, graph.value(input).type, rng);
  return true;
}

bool TieOperands(Network& network, Rng& rng) {
  const auto n = AnyNode(network.graph, rng);
  if (!n || network.graph.nodes[*n].inputs.size() < 2) {
    return false;
  }
  auto& inputs = network.graph.nodes[*n].inputs;
  const ValueId from = inputs[rng.Below(inputs.size())];
  inputs[rng.Below(inputs.size())] = from;
  return from != kNoValue;
}

bool LeaveOutOperand(Network& network, Rng& rng) {
  const auto n = AnyNode(network.graph, rng);
  if (!n || network.graph.nodes[*n].inputs.size() < 2) {
    return false;
  }
  auto& inputs = network.graph.nodes[*n].inputs;
  if (rng.Below(2) == 0) {
    inputs.pop_back();
  } else {
    inputs[1 + rng.Below(inputs.size() - 1)] = kNoValue;
  }
  return true;
}

// An optional operand that the sample does without, or one more of any number.
bool AddOperand(Network& network, Rng& rng) {
  Graph& graph = network.graph;
  const auto n = AnyNode(graph, rng);
  if (!n || graph.nodes[*n].inputs.empty() || graph.nodes[*n].inputs[0] == kNoValue) {
    return false;
  }
  Node& node = graph.nodes[*n];
  const auto item = SignatureItemAt(InfoOf(node.op).inputs, node.inputs.size());
  if (!item) {
    return false;
  }
  const SignatureDTypes dtypes{.t = graph.value(node.inputs[0]).type.dtype};
  TensorType like{dtypes.Of(item->letter), graph.value(node.inputs[0]).type.shape};
  if (rng.Below(3) == 0) {
    node.inputs.push_back(kNoValue);
  }
  if (rng.Below(2) == 0) {
    node.inputs.push_back(AnyLike(graph, ValuesBefore(graph, *n), like, rng));
    return true;
  }
  std::vector<std::int64_t> dims = like.shape.dims();
  if (rng.Below(2) == 0) {
    dims.assign(rng.Below(2), static_cast<std::int64_t>(1 + rng.Below(6)));
  }
  like.shape = Shape(dims);
  Tensor tensor = TameTensor(like, rng);
  const std::string name = NewName(graph);
  node.inputs.push_back(graph.AddValue({.name = name, .type = like, .constant = tensor}));
  return true;
}

bool ChangeOutputCount(Network& network, Rng& rng) {
  Graph& graph = network.graph;
  const auto n = AnyNode(graph, rng);
  if (!n) {
    return false;
  }
  const auto item =
      SignatureItemAt(InfoOf(graph.nodes[*n].op).outputs, graph.nodes[*n].outputs.size());
  if (!item) {
    return false;
  }
  const ValueId id = graph.AddValue({.name = NewName(graph), .type = {}, .constant = {}});
  graph.nodes[*n].outputs.push_back(id);
  if (rng.Below(2) == 0) {
    graph.outputs.push_back(id);
  }
  return true;
}

// A constant becomes known in the run only: indices, counts, bounds, weights.
bool GiveAtRunTime(Network& network, Rng& rng) {
  Graph& graph = network.graph;
  std::vector<ValueId> constants;
  for (const Node& node : graph.nodes) {
    std::copy_if(node.inputs.begin(), node.inputs.end(), std::back_inserter(constants),
                 [&](ValueId id) { return id != kNoValue && graph.value(id).constant; });
  }
  if (constants.empty()) {
    return false;
  }
  const ValueId id = constants[rng.Below(constants.size())];
  network.samples[id] = *graph.value(id).constant;
  graph.value(id).constant.reset();
  graph.inputs.push_back(id);
  return true;
}

bool MakeConstant(Network& network, Rng& rng) {
  Graph& graph = network.graph;
  if (graph.inputs.empty()) {
    return false;
  }
  const std::size_t at = rng.Below(graph.inputs.size());
  const ValueId id = graph.inputs[at];
  graph.value(id).constant = network.samples.at(id);
  network.samples.erase(id);
  graph.inputs.erase(graph.inputs.begin() + static_cast<std::ptrdiff_t>(at));
  return true;
}

// `node`, whose input 0 is a result of an earlier node or any other value, takes its place for
// those that read it from node `at` on.
void InsertNode(Graph& graph, std::size_t at, Node node, bool also_output) {
  const ValueId from = node.inputs[0];
  const ValueId to =
      graph.AddValue({.name = NewName(graph), .type = graph.value(from).type, .constant = {}});
  node.name = graph.value(to).name + "_node";
  node.origins = {{node.name, std::string(InfoOf(node.op).name)}};
  node.outputs = {to};
  for (std::size_t n = at; n < graph.nodes.size(); ++n) {
    std::replace(graph.nodes[n].inputs.begin(), graph.nodes[n].inputs.end(), from, to);
  }
  if (also_output) {
    std::replace(graph.outputs.begin(), graph.outputs.end(), from, to);
  }
  graph.nodes.insert(graph.nodes.begin() + static_cast<std::ptrdiff_t>(at), std::move(node));
}

// A value that node `at` - 1 makes, or any before it.
ValueId AnyValueBefore(const Graph& graph, std::size_t at, Rng& rng) {
  if (at > 0 && rng.Below(4) != 0 && !graph.nodes[at - 1].outputs.empty() &&
      graph.nodes[at - 1].outputs[0] != kNoValue) {
    return graph.nodes[at - 1].outputs[0];
  }
  const std::vector<ValueId> ids = ValuesBefore(graph, at);
  return ids.empty() ? kNoValue : ids[rng.Below(ids.size())];
}

bool InsertUnary(Network& network, Rng& rng) {
  Graph& graph = network.graph;
  const std::size_t at = rng.Below(graph.nodes.size() + 1);
  const ValueId from = AnyValueBefore(graph, at, rng);
  if (from == kNoValue) {
    return false;
  }
  Node node{.op = kUnary[rng.Below(std::size(kUnary))],
            .name = {},
            .origins = {},
            .attributes = {},
            .inputs = {from},
            .outputs = {}};
  if (node.op == OpKind::kCast) {
    const DType to = rng.Below(2) == 0 ? kDTypes[rng.Below(4)].dtype
                                       : kDTypes[rng.Below(std::size(kDTypes))].dtype;
    node.attributes.Set("to", std::int64_t{RowOf(to).onnx_type});
  }
  InsertNode(graph, at, std::move(node), rng.Below(2) == 0);
  return true;
}

// Another operand like `type`: a value that is there, a new constant, per channel, or one element.
ValueId OtherOperand(Network& network, std::size_t at, const TensorType& type, Rng& rng) {
  Graph& graph = network.graph;
  if (rng.Below(2) == 0) {
    return AnyLike(graph, ValuesBefore(graph, at), type, rng);
  }
  std::vector<std::int64_t> dims = type.shape.dims();
  switch (rng.Below(4)) {
    case 0:
      dims.clear();
      break;
    case 1:
      for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        dims[axis] = axis == 1 ? dims[axis] : 1;
      }
      break;
    case 2:
      dims.erase(dims.begin(), dims.empty() ? dims.end() : dims.end() - 1);
      break;
    default:
      break;
  }
  Tensor tensor = TameTensor({type.dtype, Shape(dims)}, rng);
  const TensorType made = tensor.type();
  return graph.AddValue({.name = NewName(graph), .type = made, .constant = std::move(tensor)});
}

bool InsertBinary(Network& network, Rng& rng) {
  Graph& graph = network.graph;
  const std::size_t at = rng.Below(graph.nodes.size() + 1);
  const ValueId from = AnyValueBefore(graph, at, rng);
  if (from == kNoValue || graph.value(from).type.shape.ElementCount() > kMostNetworkElements) {
    return false;
  }
  const TensorType type = graph.value(from).type;
  Node node{.op = kBinary[rng.Below(std::size(kBinary))],
            .name = {},
            .origins = {},
            .attributes = {},
            .inputs = {from, OtherOperand(network, at, type, rng)},
            .outputs = {}};
  if (node.op == OpKind::kConcat) {
    node.attributes.Set("axis", static_cast<std::int64_t>(rng.Below(3)));
  }
  const bool turned = rng.Below(4) == 0;
  InsertNode(graph, at, std::move(node), rng.Below(2) == 0);
  if (turned) {
    std::swap(graph.nodes[at].inputs[0], graph.nodes[at].inputs[1]);
  }
  return true;
}

bool RepeatNode(Network& network, Rng& rng) {
  Graph& graph = network.graph;
  const auto n = AnyNode(graph, rng);
  if (!n) {
    return false;
  }
  Node copy = graph.nodes[*n];
  copy.name = NewName(graph) + "_copy";
  copy.origins = {{copy.name, std::string(InfoOf(copy.op).name)}};
  for (ValueId& id : copy.outputs) {
    const TensorType type = id == kNoValue ? TensorType() : graph.value(id).type;
    id = graph.AddValue({.name = NewName(graph), .type = type, .constant = {}});
    if (rng.Below(2) == 0) {
      graph.outputs.push_back(id);
    }
  }
  graph.nodes.insert(graph.nodes.begin() + static_cast<std::ptrdiff_t>(*n) + 1, std::move(copy));
  return true;
}

// A result becomes an output of the network, or an output none.
bool ChangeOutputs(Network& network, Rng& rng) {
  Graph& graph = network.graph;
  const auto n = AnyNode(graph, rng);
  if (!n || graph.nodes[*n].outputs.empty()) {
    return false;
  }
  const ValueId id = graph.nodes[*n].outputs[rng.Below(graph.nodes[*n].outputs.size())];
  const auto found = std::find(graph.outputs.begin(), graph.outputs.end(), id);
  if (id == kNoValue) {
    return false;
  }
  if (found == graph.outputs.end()) {
    graph.outputs.push_back(id);
  } else if (graph.outputs.size() > 1) {
    graph.outputs.erase(found);
  }
  return true;
}

constexpr Mutator kMutators[] = {
    {"read_other", 3, ReadOther},
    {"tie_operands", 1, TieOperands},
    {"leave_out_operand", 1, LeaveOutOperand},
    {"add_operand", 2, AddOperand},
    {"change_output_count", 1, ChangeOutputCount},
    {"give_at_run_time", 8, GiveAtRunTime},
    {"make_constant", 1, MakeConstant},
    {"insert_unary", 4, InsertUnary},
    {"insert_binary", 4, InsertBinary},
    {"repeat_node", 1, RepeatNode},
    {"change_outputs", 2, ChangeOutputs},
};

}  // namespace

std::span<const Mutator> WiringMutators() {
  return kMutators;
}

}  // namespace halftone::testing
