// A node of the file on its way into the graph, and helpers of the upgrades that rewrite it.
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
  std::string name;        // unique
  std::string other_name;  // name in the file where it differs and files may use it
  Attributes attributes;
  std::vector<ValueId> inputs;
  // Number of outputs that are used; those behind are dropped. An upgrade that cannot make them
  // throws.
  std::size_t output_count = 1;
  // Values, by index, of outputs behind the first that an upgrade knows without computing: they
  // become constants and are no outputs of the node any more.
  std::vector<Tensor> constant_outputs;
  // Outputs of the file's node behind the first that helper nodes make, by index (0 is not used);
  // the remaining node has one output then.
  std::vector<ValueId> made_outputs;
};

[[noreturn]] void ThrowUnsupported(std::string message);

// Error kUnsupported when an upgrade would add a constant of more than 2^28 elements.
void RequireMakeable(std::int64_t elements);

// Input `index`; kNoValue when the node has no such input.
ValueId InputOr(const FileNode& node, std::size_t index);
void SetInput(FileNode& node, std::size_t index, ValueId id);

// The type of input 0. Error kModel when there is none.
const TensorType& InputType(const FileNode& node, const GraphBuilder& builder);

// Turns attribute `name`, a list of integers, into the constant input `index` when it is there.
void IntsToInput(FileNode& node, GraphBuilder& builder, std::string_view name, std::size_t index);
// Turns attribute `name`, a float, into a scalar input of the dtype of input 0.
void FloatToInput(FileNode& node, GraphBuilder& builder, std::string_view name, std::size_t index);
// Drops an optional input that is a constant without elements: it counts as left out.
void DropEmptyInput(FileNode& node, const GraphBuilder& builder, std::size_t index);

// Error kUnsupported when outputs behind the first are used; `others` names them.
void RequireOneOutput(const FileNode& node, std::string_view others);

// A node between those of the file that stems from `node`; `number` tells several apart.
Node HelperNode(const FileNode& node, GraphBuilder& builder, OpKind op, int number);

}  // namespace halftone
