// Tracer: runs parts of the network on a sample during import, because shapes and branches may
// depend on values that are not constant.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// A value that the import treats as constant, with its tensor on the sample.
struct TracedValue {
  std::string name;
  Tensor tensor;
};

// Returns a sample: a tensor for each input of the graph, in their order.
using SampleSource = std::function<std::vector<Tensor>(const Graph& graph)>;

// Runs nodes one by one, each at most once, and only nodes on which a requested value depends.
// Holds the results of all these nodes in memory.
class Tracer {
 public:
  explicit Tracer(SampleSource sample) : sample_(std::move(sample)) {}

  // Returns the value on the sample, computed in the types of the graph. The reference stays valid.
  // `graph` must be the same in all calls, except that it may have grown. Errors are those of the
  // sample source and of the kernels.
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
