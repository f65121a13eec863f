// Helper for upgrades that rewrite one node of the file as several.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/onnx/file_node.h"

namespace halftone {

// Reads the operands of a node and adds helper nodes before it. Refers to both arguments.
class NodeParts {
 public:
  NodeParts(FileNode& node, GraphBuilder& builder) : node_(node), builder_(builder) {}

  // Returns operand `index`. Error kModel: it is left out.
  [[nodiscard]] ValueId Input(std::size_t index) const;

  // Returns operand `index`; kNoValue: it is left out.
  [[nodiscard]] ValueId Optional(std::size_t index) const { return InputOr(node_, index); }

  [[nodiscard]] const TensorType& TypeOf(ValueId id) const { return builder_.graph.value(id).type; }

  // Adds a helper node and returns its only result.
  ValueId Add(OpKind op, std::vector<ValueId> inputs, Attributes attributes = {});
  // Returns x + other; `x` if `other` is kNoValue.
  ValueId AddTo(ValueId x, ValueId other);
  ValueId CastTo(ValueId x, DType dtype);

  ValueId Integers(const std::vector<std::int64_t>& values);
  ValueId Scalar(DType dtype, double value);
  ValueId Constant(Tensor tensor);

  // Return an attribute, or the fallback if it is absent, and remove it from the node.
  [[nodiscard]] std::int64_t TakeInt(std::string_view name, std::int64_t fallback);
  [[nodiscard]] float TakeFloat(std::string_view name, float fallback);
  [[nodiscard]] std::string TakeText(std::string_view name, std::string_view fallback);

  // Makes the node this operator on these operands. Attributes that were not taken stay.
  void Become(std::string_view type, std::vector<ValueId> inputs);

 private:
  FileNode& node_;
  GraphBuilder& builder_;
  int count_ = 0;
};

}  // namespace halftone
