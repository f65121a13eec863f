// Rewrites operators of older opsets, and operators that are another one in disguise, to the forms
// that src/ir/op_kind.h stands for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/onnx/graph_builder.h"

namespace halftone {

// A node of the file with its operands resolved, on its way into the graph.
struct FileNode {
  std::string type;  // ONNX type; upgrades may change it
  std::int64_t opset = 0;
  std::string name;  // unique
  Attributes attributes;
  std::vector<ValueId> inputs;
  // Outputs that are used; those behind are dropped. An upgrade that cannot make them refuses.
  std::size_t output_count = 1;
};

// Whether the importer knows the operator: one of op_table.cc, or one that is rewritten.
bool IsKnownOperator(std::string_view type);

// Applies the upgrades for node.type at node.opset, in table order. Helper nodes and constants go
// to `builder`. Error kUnsupported/kModel for old forms that have no newer equivalent.
void Upgrade(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
