#include "src/onnx/tracer.h"

#include <set>

#include "src/base/error.h"
#include "src/passes/fold/fold_constants.h"

namespace halftone {

void Tracer::ReadSample(const Graph& graph) {
  if (has_sample_) {
    return;
  }
  const std::vector<Tensor> sample = sample_(graph);
  Check(sample.size() == graph.inputs.size(), "a sample has another number of inputs");
  for (std::size_t i = 0; i < sample.size(); ++i) {
    values_.emplace(graph.inputs[i], sample[i]);
  }
  has_sample_ = true;
}

void Tracer::LearnProducers(const Graph& graph) {
  for (; learned_ < graph.nodes.size(); ++learned_) {
    for (const ValueId output : graph.nodes[learned_].outputs) {
      producers_[output] = learned_;
    }
  }
}

void Tracer::Run(const Graph& graph, std::size_t index) {
  const Node& node = graph.nodes[index];
  KernelQuery query = QueryOf(graph, node);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] != kNoValue && query.constants[i] == nullptr) {
      query.constants[i] = &values_.at(node.inputs[i]);
    }
  }
  std::vector<Tensor> results =
      WithContext([&] { return Describe(node); }, [&] { return Evaluate(query); });
  for (std::size_t i = 0; i < results.size(); ++i) {
    values_.emplace(node.outputs[i], std::move(results[i]));
  }
}

const Tensor& Tracer::ValueOf(const Graph& graph, ValueId id) {
  ReadSample(graph);
  LearnProducers(graph);
  const auto is_known = [&](ValueId value) {
    return value == kNoValue || graph.value(value).constant || values_.count(value) > 0;
  };
  // Nodes stand in topological order, so that ascending indices are an order to run them in.
  std::set<std::size_t> needed;
  std::vector<ValueId> open = {id};
  while (!open.empty()) {
    const ValueId value = open.back();
    open.pop_back();
    if (is_known(value)) {
      continue;
    }
    const std::size_t producer = producers_.at(value);
    if (needed.insert(producer).second) {
      const std::vector<ValueId>& inputs = graph.nodes[producer].inputs;
      open.insert(open.end(), inputs.begin(), inputs.end());
    }
  }
  for (const std::size_t node : needed) {
    Run(graph, node);
  }
  const auto& constant = graph.value(id).constant;
  return constant ? *constant : values_.at(id);
}

}  // namespace halftone
