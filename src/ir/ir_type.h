// ONNX type to IR type: the name by which Ascend configuration files address an operator.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// The IR type of a node; depends on attributes and ranks (a Conv may be Conv2D, DepthwiseConv2D or
// Conv3D, a MatMul may be MatMulV2 or BatchMatMulV2). Types without a row keep the ONNX name.
std::string_view IrTypeOf(const Graph& graph, const Node& node);

// The IR type of an ONNX type without looking at a node (what was fused away): the row without
// condition.
std::string_view IrTypeOfName(std::string_view onnx_type);

// Every IR type an operator may have.
std::vector<std::string_view> IrTypesOf(OpKind kind);

}  // namespace halftone
