// Rewrites operators of older opsets, and operators that equal others, to the forms that
// src/ir/op_rows.h lists.
#pragma once

#include <string_view>

#include "src/onnx/file_node.h"

namespace halftone {

// True if the importer knows the operator: one of op_rows.h, or one that is rewritten.
bool IsKnownOperator(std::string_view type);

// Applies the upgrades for node.type at node.opset, in table order. Helper nodes and constants go
// to `builder`. Error kUnsupported/kModel for old forms that have no newer equivalent.
void Upgrade(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
