// Scaling of a network's time with its batch and its depth: consecutive 3x3 convolutions with Relu,
// one thread. Google Benchmark fits the order and prints its coefficient and residual.
#include <benchmark/benchmark.h>

#include <string>

#include "bench/benches.h"
#include "kernels/parallel.h"
#include "src/base/rng.h"
#include "src/exec/executable.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

constexpr std::int64_t kChannels = 64;
constexpr std::int64_t kSize = 28;

Tensor RandomFloats(Shape shape, Rng& rng) {
  Tensor tensor(DType::kFloat32, std::move(shape));
  for (float& value : tensor.mutable_values<float>()) {
    value = static_cast<float>(rng.Uniform(-0.05, 0.05));
  }
  return tensor;
}

ValueId AddNode(Graph& graph, OpKind op, const std::string& name, std::vector<ValueId> inputs,
                const TensorType& type) {
  Node node{.op = op, .name = name, .origins = {{name, std::string(InfoOf(op).name)}}};
  node.inputs = std::move(inputs);
  if (op == OpKind::kConv) {
    node.attributes.Set("pads", std::vector<std::int64_t>(4, 1));
  }
  node.outputs = {graph.AddValue({.name = name, .type = type})};
  graph.nodes.push_back(std::move(node));
  return graph.nodes.back().outputs[0];
}

Graph Chain(std::int64_t batch, std::int64_t depth) {
  Rng rng(1);
  const TensorType type{DType::kFloat32, {batch, kChannels, kSize, kSize}};
  Graph graph;
  ValueId x = graph.AddValue({.name = "x", .type = type});
  graph.inputs = {x};
  for (std::int64_t i = 0; i < depth; ++i) {
    const std::string layer = std::to_string(i);
    Tensor weights = RandomFloats({kChannels, kChannels, 3, 3}, rng);
    const TensorType weights_type = weights.type();
    const ValueId w =
        graph.AddValue({.name = "w" + layer, .type = weights_type, .constant = std::move(weights)});
    x = AddNode(graph, OpKind::kConv, "conv" + layer, {x, w}, type);
    x = AddNode(graph, OpKind::kRelu, "relu" + layer, {x}, type);
  }
  graph.outputs = {x};
  return graph;
}

void RunChain(benchmark::State& state, std::int64_t batch, std::int64_t depth) {
  const Graph graph = Chain(batch, depth);
  const Executable executable = Compile(graph, ReferencePlan(graph));
  Rng rng(2);
  const Tensor input = RandomFloats(graph.value(graph.inputs[0]).type.shape, rng);
  Workspace workspace = executable.NewWorkspace();
  std::vector<Tensor> outputs = executable.NewOutputs();
  const ThreadPool pool(1);
  for (auto _ : state) {
    pool.Run([&] { executable.Run(workspace, {&input, 1}, outputs); });
  }
  state.SetComplexityN(state.range(0));
}

}  // namespace

void RegisterScalingBenches() {
  constexpr std::int64_t kMost = 32;
  const auto register_chain = [](const char* name, void (*run)(benchmark::State&)) {
    benchmark::RegisterBenchmark(name, run)
        ->RangeMultiplier(2)
        ->Range(1, kMost)
        ->Unit(benchmark::kMicrosecond)
        ->Complexity(benchmark::oN);
  };
  register_chain("scaling/batch",
                 [](benchmark::State& state) { RunChain(state, state.range(0), 4); });
  register_chain("scaling/depth",
                 [](benchmark::State& state) { RunChain(state, 1, state.range(0)); });
}

}  // namespace halftone
