// Legal calls of every operator on small tensors, for graphs that contain all operators.
#pragma once

#include "src/base/rng.h"
#include "tests/support/graph_builder.h"

namespace halftone::testing {

// Appends calls to a graph. Values that later calls read stay between 0 and about 4, so that no
// result exceeds float16 unexpectedly.
class SampleGraph {
 public:
  explicit SampleGraph(std::uint64_t seed);

  // Adds a call of `op` on random earlier values.
  void AddCall(OpKind op);
  // The graph, with all results of all nodes as outputs.
  Graph Finish();

 private:
  // A random value to read: float32 2x4x6x6.
  ValueId Image();
  ValueId Floats(Shape shape, double low, double high);
  ValueId Scalar(float value);
  ValueId Bytes(Shape shape);    // uint8
  ValueId Weights(Shape shape);  // int8, -127 to 127
  ValueId Byte(std::uint8_t value);
  ValueId Integers(const std::vector<std::int64_t>& values);
  // Positions in [0, below).
  ValueId Index(Shape shape, std::uint64_t below);
  void AddRecurrent(OpKind op);
  void Add(OpKind op, std::vector<ValueId> inputs, Attributes attributes = {}, int outputs = 1,
           const Fusion& fusion = {});

  GraphBuilder builder_;
  Rng rng_;
  std::vector<ValueId> images_;
  std::vector<ValueId> flags_;  // bool 2x4x6x6
  ValueId batch_ = kNoValue;    // float32 1x4x6x6
  ValueId matrix_ = kNoValue;   // float32 5x6
  std::vector<ValueId> results_;
  int count_ = 0;
};

}  // namespace halftone::testing
