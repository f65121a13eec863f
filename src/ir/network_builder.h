// Builder of generated networks: adds nodes one by one, with types by the shape rules.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/base/rng.h"
#include "src/ir/graph.h"

namespace halftone {

class NetworkBuilder {
 public:
  explicit NetworkBuilder(std::uint64_t seed = 1) : rng_(seed) {}

  // Continues `graph`.
  explicit NetworkBuilder(Graph graph) : graph_(std::move(graph)), rng_(1) {}

  ValueId Input(const std::string& name, TensorType type);

  ValueId Constant(const std::string& name, Tensor tensor);

  ValueId Number(double value, DType dtype = DType::kFloat32);

  // A float32 constant with normal random numbers of mean 0 and this standard deviation.
  ValueId Random(const std::string& name, Shape shape, double deviation);

  // Adds a node and returns its first result. Without `name`, the node is called "node" and its
  // index. Errors as the shape rule.
  ValueId Add(OpKind op, std::vector<ValueId> inputs, Attributes attributes = {},
              std::string name = {});

  ValueId Turn(ValueId x, std::vector<std::int64_t> perm, std::string name = {});

  ValueId Reshape(ValueId x, const std::vector<std::int64_t>& extents, std::string name = {});

  [[nodiscard]] const Shape& ShapeOf(ValueId value) const { return graph_.value(value).type.shape; }

  // Returns the finished graph. Call it once, as the last function.
  Graph Finish(std::vector<ValueId> outputs);

 private:
  Graph graph_;
  Rng rng_;
};

// Attributes with axis = -1 only.
Attributes AlongLastAxis();

}  // namespace halftone
