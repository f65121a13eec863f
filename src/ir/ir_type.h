// Names of operators in files of other tools: IR types in configuration files and op libraries of
// Ascend; ONNX types and first outputs in files of Cloud AI.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// ---- Ascend: IR types ---------------------------------------------------------------------------

// Returns the IR type of a node. It depends on attributes and ranks: a Conv may be Conv2D,
// DepthwiseConv2D or Conv3D. An ONNX type without a row in the table is its own IR type.
std::string_view IrTypeOf(const Graph& graph, const Node& node);

// Returns the IR type of an ONNX type if there is no node to look at, because it was fused or
// halftone does not run it: the type of the row without a condition.
std::string_view IrTypeOfName(std::string_view onnx_type);

// Returns all IR types that an operator may have.
std::vector<std::string_view> IrTypesOf(OpKind kind);

// Returns the index of the IR input that is operand `operand` of the ONNX node: the same index
// unless the table says otherwise. Empty: the operand is an attribute in the IR.
std::optional<std::size_t> IrInputOf(std::string_view ir_type, std::size_t operand);

// ---- Cloud AI: kinds and first outputs ----------------------------------------------------------

// Returns the ONNX type of the main operator of a node, as in the model.
std::string_view OnnxKindOf(const Node& node);

// Returns the name of the first output of the main operator, as in the model.
std::string_view FirstOutputName(const Graph& graph, const Node& node);

// Returns the name of the first output of each ONNX node that became this node, the main operator
// first. Never empty.
std::vector<std::string_view> FirstOutputNames(const Graph& graph, const Node& node);

}  // namespace halftone
