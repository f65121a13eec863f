// Upgrades: rewrite operators of older opsets, and operators that others can express, as operators
// of src/ir/op_rows.h.
#pragma once

#include <string_view>

#include "src/onnx/file_node.h"

namespace halftone {

// True if the importer knows the operator of ai.onnx: it is in op_rows.h, or is rewritten.
bool IsKnownOperator(std::string_view type);

// Applies the upgrades for node.type at node.opset, in the order of their table. Helper nodes and
// constants are added to `builder`. Errors kUnsupported, kModel: the node has no newer equivalent.
void Upgrade(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
