// Builder of generated networks, node by node: types follow from the operators' shape rules.
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

  // Continues a graph.
  explicit NetworkBuilder(Graph graph) : graph_(std::move(graph)), rng_(1) {}

  ValueId Input(const std::string& name, TensorType type);

  ValueId Constant(const std::string& name, Tensor tensor);

  ValueId Number(double value, DType dtype = DType::kFloat32);

  // Normal numbers of this standard deviation, in float32.
  ValueId Random(const std::string& name, Shape shape, double deviation);

  // Adds a node and returns its one result; without a name it is "node" and a number.
  ValueId Add(OpKind op, std::vector<ValueId> inputs, Attributes attributes = {},
              std::string name = {});

  ValueId Turn(ValueId x, std::vector<std::int64_t> perm, std::string name = {});

  ValueId Reshape(ValueId x, const std::vector<std::int64_t>& extents, std::string name = {});

  [[nodiscard]] const Shape& ShapeOf(ValueId value) const { return graph_.value(value).type.shape; }

  // The finished graph; call once.
  Graph Finish(std::vector<ValueId> outputs);

 private:
  Graph graph_;
  Rng rng_;
};

// {"axis": -1}
Attributes AlongLastAxis();

}  // namespace halftone
