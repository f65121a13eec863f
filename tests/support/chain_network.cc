#include "tests/support/chain_network.h"

#include <string>
#include <utility>

#include "tests/support/without_fusions.h"

namespace halftone::testing {

Graph ChainNetwork(int pairs) {
  const TensorType activation{DType::kFloat32, Shape{1, 8}};
  const TensorType weight{DType::kFloat32, Shape{8, 8}};
  Graph graph;
  graph.name = "chain";
  ValueId last = graph.AddValue({"x", activation, {}});
  graph.inputs = {last};
  const auto append = [&](OpKind op, const std::string& name, const std::string& type,
                          std::vector<ValueId> inputs) {
    const ValueId output = graph.AddValue({name + "_out", activation, {}});
    Node node;
    node.op = op;
    node.name = name;
    node.origins = {{name, type}};
    node.inputs = std::move(inputs);
    node.outputs = {output};
    graph.nodes.push_back(node);
    last = output;
  };
  for (int i = 0; i < pairs; ++i) {
    const std::string number = std::to_string(i);
    Tensor values(weight);
    for (int j = 0; j < 64; ++j) {
      StoreDouble(DType::kFloat32, values.mutable_data(), j, j % 9 == 0 ? 1.0 : 0.01 * (j % 5));
    }
    const ValueId weights = graph.AddValue({"w" + number, weight, values});
    append(OpKind::kMatMul, "mm" + number, "MatMul", {last, weights});
    if (i % 3 == 2) {
      append(OpKind::kSoftmax, "act" + number, "Softmax", {last});
    } else {
      append(OpKind::kRelu, "act" + number, "Relu", {last});
    }
  }
  graph.outputs = {last};
  return WithoutFusions(std::move(graph));
}

TargetSpec ChainTarget() {
  const std::vector<DType> columns = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
  const std::vector<ImplMode> modes = {ImplMode::kHighPerformance, ImplMode::kHighPrecision};
  const auto op = [&](std::size_t inputs, MixPolicy policy) {
    LibraryOp library_op;
    library_op.inputs.assign(inputs, columns);
    library_op.outputs.assign(1, columns);
    library_op.policy = policy;
    return library_op;
  };
  TargetSpec target;
  target.name = "chain";
  target.has_bfloat16 = true;
  target.ai_core["MatMulV2"] = op(2, MixPolicy::kWhite);
  target.ai_core["MatMulV2"].cube = true;
  target.ai_core["Relu"] = op(1, MixPolicy::kGray);
  target.ai_core["SoftmaxV2"] = op(1, MixPolicy::kBlack);
  for (const char* type : {"MatMulV2", "SoftmaxV2"}) {
    for (const DType dtype : columns) {
      target.ai_core[type].impl_modes[dtype] = modes;
    }
  }
  return target;
}

}  // namespace halftone::testing
