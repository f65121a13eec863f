// Helper nodes and operands for rewriting one node of the file as several.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/onnx/file_node.h"

namespace halftone {

// Adds helper nodes for `node` and reads its operands. Refers to both arguments.
class NodeParts {
 public:
  NodeParts(FileNode& node, GraphBuilder& builder) : node_(node), builder_(builder) {}

  // Operand `index`; Error kModel when it is left out.
  [[nodiscard]] ValueId Input(std::size_t index) const;

  // kNoValue when it is left out.
  [[nodiscard]] ValueId Optional(std::size_t index) const { return InputOr(node_, index); }

  [[nodiscard]] const TensorType& TypeOf(ValueId id) const { return builder_.graph.value(id).type; }

  // A helper node with one result.
  ValueId Add(OpKind op, std::vector<ValueId> inputs, Attributes attributes = {});
  // x + other; `x` when `other` is left out.
  ValueId AddTo(ValueId x, ValueId other);
  ValueId CastTo(ValueId x, DType dtype);

  ValueId Integers(const std::vector<std::int64_t>& values);
  ValueId Scalar(DType dtype, double value);
  ValueId Constant(Tensor tensor);

  // Reads an attribute and removes it.
  [[nodiscard]] std::int64_t TakeInt(std::string_view name, std::int64_t fallback);
  [[nodiscard]] float TakeFloat(std::string_view name, float fallback);
  [[nodiscard]] std::string TakeText(std::string_view name, std::string_view fallback);

  // Turns the node into this operator on these operands, with the attributes that were not taken.
  void Become(std::string_view type, std::vector<ValueId> inputs);

 private:
  FileNode& node_;
  GraphBuilder& builder_;
  int count_ = 0;
};

}  // namespace halftone
