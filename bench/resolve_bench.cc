// Resolution of precision options on graphs of growing size: it must stay linear in the nodes,
// because searches resolve every candidate. The graph is a sequence of residual blocks with matrix
// operators, gray operators that follow them and black ones; its names are as long as those of real
// models.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/benches.h"
#include "src/api/halftone.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

Graph ResidualChain(std::int64_t node_count) {
  Graph graph;
  const TensorType type{DType::kFloat32, Shape{1, 8, 4, 4}};
  const auto add_value = [&](std::string name, std::optional<Tensor> constant = std::nullopt) {
    Value value;
    value.name = std::move(name);
    value.type = constant ? constant->type() : type;
    value.constant = std::move(constant);
    return graph.AddValue(std::move(value));
  };
  const ValueId input = add_value("input");
  const ValueId weight = add_value("weight", Tensor(DType::kFloat32, Shape{8, 8, 1, 1}));
  graph.inputs = {input};
  ValueId last = input;
  ValueId skip = input;
  constexpr OpKind kBlock[] = {OpKind::kConv, OpKind::kRelu,    OpKind::kConv, OpKind::kAdd,
                               OpKind::kRelu, OpKind::kSoftmax, OpKind::kMul};
  for (std::int64_t n = 0; n < node_count; ++n) {
    const OpKind op = kBlock[static_cast<std::size_t>(n) % std::size(kBlock)];
    const std::string name = fmt::format("/encoder/layer.{}/attention/self/{}", n, InfoOf(op).name);
    std::vector<ValueId> inputs = {last};
    if (op == OpKind::kConv) {
      inputs.push_back(weight);
    } else if (op == OpKind::kAdd || op == OpKind::kMul) {
      inputs.push_back(skip);
    }
    skip = last;
    last = add_value(name + "_output_0");
    graph.nodes.push_back({.op = op,
                           .name = name,
                           .origins = {{name, std::string(InfoOf(op).name)}},
                           .attributes = {},
                           .inputs = std::move(inputs),
                           .outputs = {last}});
  }
  graph.outputs = {last};
  return graph;
}

void Resolve(benchmark::State& state, const std::string& mode, bool with_files) {
  const Graph graph = ResidualChain(state.range(0));
  const TargetSpec target = LoadTarget("host");
  PrecisionOptions options;
  options.precision_mode = mode;
  if (with_files) {
    for (std::size_t n = 0; n < graph.nodes.size(); n += 3) {
      options.keep_dtype.push_back(graph.nodes[n].name);
      options.impl_mode_by_node[graph.nodes[n].name] = ImplMode::kHighPrecision;
    }
    options.op_precision_given = true;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(ResolvePrecision(graph, options, target));
  }
  state.SetComplexityN(state.range(0));
}

void Sizes(benchmark::internal::Benchmark* bench) {
  bench->Arg(1250)->Arg(2500)->Arg(5000)->Arg(10000)->Arg(20000);
  bench->Complexity(benchmark::oN)->Unit(benchmark::kMillisecond);
}

}  // namespace

void RegisterResolveBenches() {
  for (const char* mode : {"force_fp16", "allow_mix_precision", "must_keep_origin_dtype"}) {
    for (const bool with_files : {false, true}) {
      Sizes(benchmark::RegisterBenchmark(
          fmt::format("resolve/{}{}", mode, with_files ? "+files" : "").c_str(), Resolve, mode,
          with_files));
    }
  }
}

}  // namespace halftone
