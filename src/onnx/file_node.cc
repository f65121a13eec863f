#include "src/onnx/file_node.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/ir/other_names.h"

namespace halftone {

void ThrowUnsupported(std::string_view message) {
  throw Error(ErrorKind::kUnsupported, message);
}

void RequireMakeable(std::int64_t elements) {
  constexpr std::int64_t kMostElements = std::int64_t{1} << 28;
  if (elements > kMostElements) {
    ThrowUnsupported(
        fmt::format("the node needs a constant of {} elements, at most {} are made up: compute it "
                    "outside of the model",
                    elements, kMostElements));
  }
}

ValueId InputOr(const FileNode& node, std::size_t index) {
  return index < node.inputs.size() ? node.inputs[index] : kNoValue;
}

void SetInput(FileNode& node, std::size_t index, ValueId id) {
  if (node.inputs.size() <= index) {
    node.inputs.resize(index + 1, kNoValue);
  }
  node.inputs[index] = id;
}

const TensorType& InputType(const FileNode& node, const GraphBuilder& builder) {
  if (InputOr(node, 0) == kNoValue) {
    throw Error(ErrorKind::kModel, "expected an input, got none");
  }
  return builder.graph.value(node.inputs[0]).type;
}

void IntsToInput(FileNode& node, GraphBuilder& builder, std::string_view name, std::size_t index) {
  if (!node.attributes.Has(name)) {
    return;
  }
  const std::vector<std::int64_t> values = node.attributes.Ints(name);
  node.attributes.Erase(name);
  SetInput(node, index,
           builder.AddHelperConstant(
               Tensor::From<std::int64_t>({static_cast<std::int64_t>(values.size())}, values),
               fmt::format("{}/{}", node.name, name)));
}

void FloatToInput(FileNode& node, GraphBuilder& builder, std::string_view name, std::size_t index) {
  if (!node.attributes.Has(name)) {
    return;
  }
  const float value = node.attributes.Float(name, 0);
  node.attributes.Erase(name);
  Tensor scalar(InputType(node, builder).dtype, Shape{});
  StoreDouble(scalar.dtype(), scalar.mutable_data(), 0, value);
  SetInput(node, index,
           builder.AddHelperConstant(std::move(scalar), fmt::format("{}/{}", node.name, name)));
}

void DropEmptyInput(FileNode& node, const GraphBuilder& builder, std::size_t index) {
  const ValueId id = InputOr(node, index);
  if (id != kNoValue && builder.graph.value(id).type.shape.ElementCount() == 0) {
    node.inputs[index] = kNoValue;
  }
}

void RequireOneOutput(const FileNode& node, std::string_view others) {
  if (node.output_count > 1) {
    ThrowUnsupported(
        fmt::format("the outputs behind the first ({}) are used, but not supported", others));
  }
}

Node HelperNode(const FileNode& node, GraphBuilder& builder, OpKind op, int number) {
  Node helper;
  helper.op = op;
  helper.name = builder.node_names.Make(fmt::format("{}/{}", node.name, number));
  // Both names, so that a configuration file that pins the node of the model pins every part of it.
  helper.origins = {{helper.name, node.type}, {node.name, node.type}};
  if (!node.other_name.empty()) {
    helper.origins.push_back(OtherName(node.other_name));
  }
  return helper;
}

}  // namespace halftone
