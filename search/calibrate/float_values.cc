#include "search/calibrate/float_values.h"

#include <algorithm>
#include <set>

#include "search/probe/activation_cache.h"
#include "search/space/subgraph.h"

namespace halftone {
namespace {

// Values that nodes make in float32, and other values that these nodes read, such as the condition
// of a Where.
std::vector<ValueId> MadeValues(const Graph& graph) {
  const auto is_float = [&](ValueId id) {
    return id != kNoValue && graph.value(id).type.dtype == DType::kFloat32;
  };
  std::set<ValueId> read;
  for (const Node& node : graph.nodes) {
    if (std::ranges::any_of(node.outputs, is_float)) {
      read.insert(node.inputs.begin(), node.inputs.end());
    }
  }
  std::vector<ValueId> made;
  for (const Node& node : graph.nodes) {
    for (const ValueId id : node.outputs) {
      if (is_float(id) || (id != kNoValue && read.contains(id))) {
        made.push_back(id);
      }
    }
  }
  return made;
}

// The nodes with the first result of the last as the only output.
Graph Alone(const Graph& graph, std::span<const NodeId> nodes) {
  Graph part = PartOf(graph, nodes).graph;
  part.outputs = {part.nodes.back().outputs.at(0)};
  return part;
}

Executable CompileAll(const Graph& graph, CompileOptions compile) {
  compile.fuse = false;
  return Compile(graph, ReferencePlan(graph), compile);
}

}  // namespace

FloatValues::FloatValues(const Graph& graph, const CompileOptions& compile, const ThreadPool& pool)
    : graph_(graph),
      pool_(pool),
      made_(MadeValues(graph)),
      whole_(WholeOf(graph, made_).graph),
      executable_(CompileAll(whole_, compile)) {}

std::map<ValueId, Tensor> FloatValues::On(const Sample& sample) const {
  const std::vector<Tensor> inputs = executable_.ConvertInputs(sample.inputs);
  const std::vector<Tensor> made = RunOnce(executable_, inputs, pool_);
  std::map<ValueId, Tensor> values;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    values.emplace(graph_.inputs[i], inputs[i]);
  }
  for (std::size_t i = 0; i < made.size(); ++i) {
    values.emplace(made_[i], made[i]);
  }
  return values;
}

LoneNodes::LoneNodes(const Graph& graph, std::span<const NodeId> nodes, const PrecisionPlan& plan,
                     const CompileOptions& compile)
    : part_(Alone(graph, nodes)),
      executable_(Compile(
          part_, PlanOf({.graph = part_, .nodes = {nodes.begin(), nodes.end()}}, plan), compile)) {}

Tensor LoneNodes::Run(const std::map<ValueId, Tensor>& values, const ThreadPool& pool) const {
  std::vector<Tensor> inputs;
  for (const ValueId id : part_.inputs) {
    inputs.push_back(values.at(id));
  }
  return RunOnce(executable_, inputs, pool)[0];
}

}  // namespace halftone
