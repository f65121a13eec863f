// Runs small graphs with the reference kernels, by folding: a graph with constant inputs folds to
// its outputs.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "src/base/rng.h"
#include "src/ir/graph.h"
#include "src/passes/fold/fold_constants.h"

namespace halftone::testing {

inline Tensor RandomTensor(TensorType type, Rng& rng, double low = -1, double high = 1) {
  Tensor tensor(std::move(type));
  for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
    StoreDouble(tensor.dtype(), tensor.mutable_data(), i, rng.Uniform(low, high));
  }
  return tensor;
}

struct Evaluation {
  std::vector<Tensor> outputs;
  std::string missing;  // the first node without a kernel; empty: none
};

inline Evaluation Evaluate(Graph graph, const std::vector<Tensor>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    graph.value(graph.inputs[i]).constant = inputs[i];
  }
  FoldConstants(graph);
  if (!graph.nodes.empty()) {
    return {.outputs = {}, .missing = Describe(graph.nodes[0])};
  }
  Evaluation evaluation;
  for (const ValueId id : graph.outputs) {
    evaluation.outputs.push_back(graph.value(id).constant.value());
  }
  return evaluation;
}

inline std::vector<Tensor> RandomInputs(const Graph& graph, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs) {
    inputs.push_back(RandomTensor(graph.value(id).type, rng));
  }
  return inputs;
}

// The largest |a - b| over the largest |a|.
inline double RelativeDistance(const Tensor& a, const Tensor& b) {
  const std::vector<double> left = DoublesOf(a);
  const std::vector<double> right = DoublesOf(b);
  double distance = 0;
  double largest = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    distance = std::max(distance, std::abs(left[i] - right.at(i)));
    largest = std::max(largest, std::abs(left[i]));
  }
  return largest == 0 ? distance : distance / largest;
}

}  // namespace halftone::testing
