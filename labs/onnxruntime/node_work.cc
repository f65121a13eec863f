#include "labs/onnxruntime/node_work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/ir/op_table.h"

namespace halftone {
namespace {

double Elements(const Graph& graph, ValueId id) {
  return id == kNoValue ? 0 : static_cast<double>(graph.value(id).type.shape.ElementCount());
}

// Products that make one element of the result.
double ProductsPerElement(const Graph& graph, const Node& node) {
  const bool linear = node.op == OpKind::kQLinearConv || node.op == OpKind::kQLinearMatMul;
  const bool integer = node.op == OpKind::kConvInteger || node.op == OpKind::kMatMulInteger ||
                       node.op == OpKind::kDynamicMatMul;
  if (!InfoOf(node.op).Is(kCube) && !linear && !integer) {
    return 0;
  }
  const Shape& x = graph.value(node.inputs[0]).type.shape;
  const Shape& w = graph.value(node.inputs[linear ? 3 : 1]).type.shape;
  if (node.op == OpKind::kConv || node.op == OpKind::kQLinearConv ||
      node.op == OpKind::kConvInteger) {
    return static_cast<double>(w.ElementCount(1, w.rank()));
  }
  const bool transposed = node.op == OpKind::kGemm && node.attributes.Int("transA", 0) != 0;
  return static_cast<double>(transposed ? x[0] : x[x.rank() - 1]);
}

}  // namespace

NodeWork WorkOf(const Graph& graph, const Node& node) {
  NodeWork work;
  for (const auto* values : {&node.inputs, &node.outputs}) {
    for (const ValueId id : *values) {
      if (id != kNoValue) {
        work.bytes += static_cast<double>(graph.value(id).type.size_bytes());
      }
    }
  }
  work.multiply_adds = Elements(graph, node.outputs[0]) * ProductsPerElement(graph, node);
  return work;
}

std::string ShapesOf(const Graph& graph, const Node& node) {
  std::string text;
  for (const ValueId id : node.inputs) {
    if (id != kNoValue && graph.value(id).type.shape.rank() > 0) {
      text += fmt::format("{}{}", text.empty() ? "" : ", ",
                          fmt::join(graph.value(id).type.shape.dims(), "x"));
    }
  }
  return text;
}

}  // namespace halftone
