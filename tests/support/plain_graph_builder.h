// Small graphs of tensors with one element, and targets, for tests of the resolver.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"
#include "src/target/target_spec.h"

namespace halftone::testing {

// Adds values and nodes in order; a node's single output value has the node's name and ":0".
class PlainGraphBuilder {
 public:
  ValueId Input(const std::string& name, DType dtype = DType::kFloat32) {
    const ValueId id = Dangling(name, dtype);
    graph_.inputs.push_back(id);
    return id;
  }

  ValueId Constant(const std::string& name, DType dtype = DType::kFloat32) {
    return graph_.AddValue({name, {dtype, Shape{1}}, Tensor(dtype, Shape{1})});
  }

  // Neither graph input nor constant nor produced: "no producer at all".
  ValueId Dangling(const std::string& name, DType dtype = DType::kFloat32) {
    return graph_.AddValue({name, {dtype, Shape{1}}, std::nullopt});
  }

  ValueId Node(OpKind op, const std::string& name, std::vector<ValueId> inputs,
               DType output = DType::kFloat32, std::vector<Origin> fused = {}) {
    const ValueId result = Dangling(name + ":0", output);
    std::vector<Origin> origins = {{name, std::string(InfoOf(op).name)}};
    origins.insert(origins.end(), fused.begin(), fused.end());
    graph_.nodes.push_back({.op = op,
                            .name = name,
                            .origins = std::move(origins),
                            .attributes = {},
                            .inputs = std::move(inputs),
                            .outputs = {result}});
    return result;
  }

  Graph Finish(std::vector<ValueId> outputs) {
    graph_.outputs = std::move(outputs);
    return std::move(graph_);
  }

 private:
  Graph graph_;
};

// One column per dtype, the same dtype in every tensor.
inline LibraryOp Homogeneous(std::size_t inputs, const std::vector<DType>& dtypes,
                             MixPolicy policy = MixPolicy::kGray, bool cube = false) {
  LibraryOp op;
  op.inputs.assign(inputs, dtypes);
  op.outputs = {dtypes};
  op.policy = policy;
  op.cube = cube;
  return op;
}

// A target with BFloat16 and the given library.
inline TargetSpec MakeTarget(std::map<std::string, LibraryOp, std::less<>> ai_core) {
  TargetSpec target;
  target.name = "test";
  target.has_bfloat16 = true;
  target.ai_core = std::move(ai_core);
  return target;
}

// "F16" -> float16; the short names of the specification's tables.
inline DType TableDType(std::string_view name) {
  return name == "F16" ? DType::kFloat16 : name == "BF16" ? DType::kBFloat16 : DType::kFloat32;
}

}  // namespace halftone::testing
