// Makes small graphs for tests: names, shapes by the operators' own rules, one call per node.
//
// Input(), Constant() and Add() return the value that they add; Finish() takes the outputs.
#pragma once

#include <string>
#include <vector>

#include "src/ir/graph.h"

namespace halftone::testing {

class GraphBuilder {
 public:
  ValueId Input(std::string name, Shape shape, DType dtype = DType::kFloat32);
  ValueId Constant(std::string name, Tensor tensor);
  // Constant of int64, for shapes and axes.
  ValueId Integers(std::string name, const std::vector<std::int64_t>& values);
  // Returns the first output; further outputs have the next ids.
  ValueId Add(OpKind op, std::string name, std::vector<ValueId> inputs, Attributes attributes = {},
              int outputs = 1, const Fusion& fusion = {});
  // Takes the graph out of the builder.
  Graph Finish(std::vector<ValueId> outputs);

 private:
  Graph graph_;
};

}  // namespace halftone::testing
