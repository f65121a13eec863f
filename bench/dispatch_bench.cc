// Overhead of a node beside its arithmetic: 1000 consecutive nodes on tensors of one element. The
// counter ns_per_node is the time of a run divided by the number of nodes, kernels included;
// docs/internals/kernels.md promises less than 150.
#include <benchmark/benchmark.h>

#include <string>

#include "bench/benches.h"
#include "kernels/parallel.h"
#include "src/exec/executable.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

constexpr std::int64_t kNodes = 1000;

Graph Chain(OpKind op) {
  const TensorType type{DType::kFloat32, {1, 1}};
  Graph graph;
  ValueId x = graph.AddValue({.name = "x", .type = type});
  graph.inputs = {x};
  for (std::int64_t i = 0; i < kNodes; ++i) {
    const std::string name = "node" + std::to_string(i);
    Node node{.op = op, .name = name, .origins = {{name, std::string(InfoOf(op).name)}}};
    node.inputs = op == OpKind::kAdd ? std::vector{x, graph.inputs[0]} : std::vector{x};
    node.outputs = {graph.AddValue({.name = name, .type = type})};
    x = node.outputs[0];
    graph.nodes.push_back(std::move(node));
  }
  graph.outputs = {x};
  return graph;
}

void RunChain(benchmark::State& state, OpKind op) {
  const Graph graph = Chain(op);
  const Executable executable = Compile(graph, ReferencePlan(graph));
  const Tensor input(DType::kFloat32, {1, 1});
  Workspace workspace = executable.NewWorkspace();
  std::vector<Tensor> outputs = executable.NewOutputs();
  const ThreadPool pool(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    pool.Run([&] { executable.Run(workspace, {&input, 1}, outputs); });
  }
  state.counters["per_node"] =
      benchmark::Counter(static_cast<double>(kNodes) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

}  // namespace

void RegisterDispatchBenches() {
  for (const OpKind op : {OpKind::kNeg, OpKind::kRelu, OpKind::kAdd, OpKind::kSoftmax}) {
    benchmark::RegisterBenchmark(("dispatch/" + std::string(InfoOf(op).name)).c_str(),
                                 [op](benchmark::State& state) { RunChain(state, op); })
        ->ArgName("threads")
        ->Arg(1)
        ->Arg(2)
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace halftone
