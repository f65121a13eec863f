// IR types, by which Ascend configuration files and op libraries address an operator, from ONNX
// types; and the names that Cloud AI files use (ONNX types, first outputs).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// ---- Ascend: IR types ---------------------------------------------------------------------------

// The IR type of a node; depends on attributes and ranks (a Conv may be Conv2D, DepthwiseConv2D or
// Conv3D, a MatMul may be MatMulV2 or BatchMatMulV2). Types without a row keep the ONNX name.
std::string_view IrTypeOf(const Graph& graph, const Node& node);

// The IR type of an ONNX type without a node (fused away, or not run by halftone): the row without
// condition.
std::string_view IrTypeOfName(std::string_view onnx_type);

// Every IR type an operator may have.
std::vector<std::string_view> IrTypesOf(OpKind kind);

// The index of the IR input for operand `operand` of the ONNX node; empty where the IR has an
// attribute instead. Equal to `operand` unless the table says otherwise.
std::optional<std::size_t> IrInputOf(std::string_view ir_type, std::size_t operand);

// ---- Cloud AI: kinds and first outputs ----------------------------------------------------------

// The ONNX type of the main operator of a node, as the author of the model wrote it.
std::string_view OnnxKindOf(const Node& node);

// The name of the first output of the main operator, as the author of the model wrote it.
std::string_view FirstOutputName(const Graph& graph, const Node& node);

// The first output names of every ONNX node that became this one, the main operator first.
std::vector<std::string_view> FirstOutputNames(const Graph& graph, const Node& node);

}  // namespace halftone
