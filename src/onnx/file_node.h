// A node of the model file during import, and helpers of the upgrades that rewrite it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/onnx/graph_builder.h"

namespace halftone {

// A node of the model file with resolved operands. It becomes a Node after all upgrades.
struct FileNode {
  std::string type;  // ONNX type; upgrades may change it
  std::int64_t opset = 0;
  std::string name;        // unique in the graph
  std::string other_name;  // src/ir/other_names.h; empty: none
  Attributes attributes;
  std::vector<ValueId> inputs;
  // Number of outputs up to the last one that is used. An upgrade that cannot make them throws
  // Error kUnsupported.
  std::size_t output_count = 1;
  // Outputs behind the first that an upgrade knows without computing: entry i is output i + 1. They
  // become constants, and are no outputs of the node any more.
  std::vector<Tensor> constant_outputs;
  // Outputs that helper nodes make: entry i is output i; entry 0 is not used. The node itself then
  // has one output.
  std::vector<ValueId> made_outputs;
};

// Throws Error kUnsupported.
[[noreturn]] void ThrowUnsupported(std::string_view message);

// Throws Error kUnsupported if `elements`, the size of a constant to add, is more than 2^28.
void RequireMakeable(std::int64_t elements);

// Returns input `index`; kNoValue: the node has no such input.
ValueId InputOr(const FileNode& node, std::size_t index);
void SetInput(FileNode& node, std::size_t index, ValueId id);

// Returns the type of input 0. Error kModel: there is no input.
const TensorType& InputType(const FileNode& node, const GraphBuilder& builder);

// If the node has the attribute `name`, a list of integers, replaces it by the constant input
// `index`.
void IntsToInput(FileNode& node, GraphBuilder& builder, std::string_view name, std::size_t index);
// If the node has the attribute `name`, a float, replaces it by the constant scalar input `index`,
// with the dtype of input 0.
void FloatToInput(FileNode& node, GraphBuilder& builder, std::string_view name, std::size_t index);
// Leaves out the optional input `index` if it has no elements, which means the same.
void DropEmptyInput(FileNode& node, const GraphBuilder& builder, std::size_t index);

// Throws Error kUnsupported if outputs behind the first are used. `others` names them in the
// message.
void RequireOneOutput(const FileNode& node, std::string_view others);

// Returns a helper node that an upgrade of `node` may add before it: without operands, named
// "<node>/<number>", with the names of `node` among its origins.
Node HelperNode(const FileNode& node, GraphBuilder& builder, OpKind op, int number);

}  // namespace halftone
