// Operators whose extents depend on data, as nodes that run: the number of their results is that of
// the sample, their values are computed in each run.
#include <fmt/format.h>

#include "src/base/error.h"
#include "src/ir/shape_rules.h"
#include "src/onnx/graph_builder.h"
#include "src/passes/fold/fold_constants.h"

namespace halftone {
namespace {

Tensor Integer(Shape shape, std::int64_t value) {
  Tensor tensor(DType::kInt64, std::move(shape));
  tensor.mutable_values<std::int64_t>()[0] = value;
  return tensor;
}

}  // namespace

void GraphBuilder::PlanCount(Node& node) {
  KernelQuery query = QueryOf(graph, node);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] != kNoValue && query.constants[i] == nullptr) {
      query.constants[i] = &tracer->ValueOf(graph, node.inputs[i]);
    }
  }
  const TensorType type = InfoOf(node.op)
                              .shape_rule({.attributes = node.attributes,
                                           .inputs = query.inputs,
                                           .constants = query.constants,
                                           .output_count = 1})
                              .at(0);
  const std::int64_t count = type.shape[node.op == OpKind::kNonZero ? 1 : 0];
  node.planned_count = count;
  traced.push_back({node.name + "/count", Integer({}, count)});
}

ValueId GraphBuilder::AddPart(const Node& of, OpKind op, std::string_view part,
                              std::vector<ValueId> inputs) {
  Node node{.op = op,
            .name = node_names.Make(fmt::format("{}/{}", of.name, part)),
            .origins = {},
            .attributes = {},
            .inputs = std::move(inputs),
            .outputs = {}};
  node.origins = {{node.name, std::string(InfoOf(op).name)}};
  node.origins.insert(node.origins.end(), of.origins.begin(), of.origins.end());
  return AddHelperNode(std::move(node));
}

bool GraphBuilder::IsRunTimeCompress(const Node& node) const {
  return node.op == OpKind::kCompress && tracer && !graph.value(node.inputs.at(1)).constant;
}

Node GraphBuilder::GatherForCompress(Node node) {
  const Shape condition = graph.value(node.inputs[1]).type.shape;
  const Shape x = graph.value(node.inputs[0]).type.shape;
  const bool flat = !node.attributes.Has("axis");
  const std::int64_t extent =
      flat ? x.ElementCount() : x[NormalizeAxis(node.attributes.Int("axis", 0), x.rank())];
  if (condition.rank() != 1 || condition[0] > extent) {
    throw Error(ErrorKind::kModel,
                fmt::format("input 'condition': expected one axis of at most {}, got {}", extent,
                            condition.ToString()));
  }
  const ValueId found = AddPart(node, OpKind::kNonZero, "nonzero", {node.inputs[1]});
  const std::int64_t count = graph.value(found).type.shape[1];
  const ValueId shape = AddHelperConstant(Integer({1}, count), node.name + "/shape");
  const ValueId indices = AddPart(node, OpKind::kReshape, "indices", {found, shape});
  if (flat) {
    const ValueId all = AddHelperConstant(Integer({1}, x.ElementCount()), node.name + "/all");
    node.inputs[0] = AddPart(node, OpKind::kReshape, "flat", {node.inputs[0], all});
    node.attributes.Set("axis", std::int64_t{0});
  }
  node.op = OpKind::kGather;
  node.inputs[1] = indices;
  return node;
}

}  // namespace halftone
