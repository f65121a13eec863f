#include "bench/chain_networks.h"

#include <fmt/format.h>

#include <utility>

namespace halftone {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kSizes[] = {64 * kKiB,       256 * kKiB,       1024 * kKiB,
                                   4 * 1024 * kKiB, 16 * 1024 * kKiB, 64 * 1024 * kKiB};
constexpr std::int64_t kChannels = 64;

class Network {
 public:
  Network(DType dtype, std::int64_t bytes)
      : type_{dtype,
              Shape{bytes / static_cast<std::int64_t>(SizeOf(dtype)) / kChannels, kChannels}} {}

  ValueId Input(const char* name) {
    const ValueId id = graph_.AddValue({.name = name, .type = type_, .constant = {}});
    graph_.inputs.push_back(id);
    return id;
  }

  // `value` in each element.
  ValueId Constant(const char* name, double value, Shape shape) {
    Tensor tensor(type_.dtype, std::move(shape));
    for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
      StoreDouble(tensor.dtype(), tensor.mutable_data(), i, value);
    }
    const TensorType type = tensor.type();
    return graph_.AddValue({.name = name, .type = type, .constant = std::move(tensor)});
  }

  ValueId Add(OpKind op, std::vector<ValueId> inputs) {
    Node node{
        .op = op, .name = fmt::format("node{}", graph_.nodes.size()), .inputs = std::move(inputs)};
    node.origins = {{node.name, std::string(InfoOf(op).name), node.name}};
    node.outputs = {graph_.AddValue({.name = node.name + ".y", .type = type_, .constant = {}})};
    graph_.nodes.push_back(node);
    return node.outputs[0];
  }

  Graph Finish(ValueId output) {
    graph_.outputs = {output};
    return std::move(graph_);
  }

 private:
  TensorType type_;
  Graph graph_;
};

// x a + b by channels.
Graph ScaleAndShift(DType dtype, std::int64_t bytes) {
  Network net(dtype, bytes);
  const ValueId scaled =
      net.Add(OpKind::kMul, {net.Input("x"), net.Constant("a", 0.5, {kChannels})});
  return net.Finish(net.Add(OpKind::kAdd, {scaled, net.Constant("b", 0.25, {kChannels})}));
}

// max(x a + z, 0) - 1, then its magnitude.
Graph FiveSteps(DType dtype, std::int64_t bytes) {
  Network net(dtype, bytes);
  ValueId y = net.Add(OpKind::kMul, {net.Input("x"), net.Constant("a", 0.5, {})});
  y = net.Add(OpKind::kAdd, {y, net.Input("z")});
  y = net.Add(OpKind::kRelu, {y});
  y = net.Add(OpKind::kSub, {y, net.Constant("one", 1, {})});
  return net.Finish(net.Add(OpKind::kAbs, {y}));
}

// tanh(x) sigmoid(z), the gate of recurrent and convolutional networks: two branches that meet.
Graph Gate(DType dtype, std::int64_t bytes) {
  Network net(dtype, bytes);
  const ValueId value = net.Add(OpKind::kTanh, {net.Input("x")});
  const ValueId gate = net.Add(OpKind::kSigmoid, {net.Input("z")});
  return net.Finish(net.Add(OpKind::kMul, {value, gate}));
}

struct Form {
  const char* name;
  Graph (*make)(DType dtype, std::int64_t bytes);
};

constexpr Form kForms[] = {{"2 steps", ScaleAndShift}, {"5 steps", FiveSteps}, {"gate", Gate}};

}  // namespace

std::vector<GeneratedNetwork> ChainNetworks() {
  std::vector<GeneratedNetwork> networks;
  for (const Form& form : kForms) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      for (const std::int64_t bytes : kSizes) {
        networks.push_back({fmt::format("{}, {} KiB, {}", form.name, bytes / kKiB, NameOf(dtype)),
                            form.make(dtype, bytes)});
      }
    }
  }
  return networks;
}

}  // namespace halftone
