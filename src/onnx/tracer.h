// Tracer: values of one run of the network during import, for shapes and branches that depend on
// values that are not constant.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// A value that the graph takes for constant, and its tensor on the sample.
struct TracedValue {
  std::string name;
  Tensor tensor;
};

// Source of a sample: a tensor for each input that the graph has so far.
using SampleSource = std::function<std::vector<Tensor>(const Graph& graph)>;

// Runs nodes one by one, each at most once, and only those that a value depends on. Keeps every
// result: memory of all activations of that part of the network.
class Tracer {
 public:
  explicit Tracer(SampleSource sample) : sample_(std::move(sample)) {}

  // The value on the sample, in the types of the graph (no precision plan). `graph` grows between
  // calls and is otherwise the same. Error: what the sample source, SelectKernel() and prepare()
  // throw. The reference stays valid.
  const Tensor& ValueOf(const Graph& graph, ValueId id);

 private:
  void ReadSample(const Graph& graph);
  void LearnProducers(const Graph& graph);
  void Run(const Graph& graph, std::size_t node);

  SampleSource sample_;
  bool has_sample_ = false;
  std::unordered_map<ValueId, Tensor> values_;
  std::unordered_map<ValueId, std::size_t> producers_;  // index into Graph::nodes
  std::size_t learned_ = 0;                             // nodes whose outputs are in producers_
};

}  // namespace halftone
