// If, Loop and Scan: the branch that is taken, the iterations that happen.
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/onnx/attribute.h"
#include "src/onnx/graph_importer.h"

namespace halftone {
namespace {

// Nodes that bodies may become: beyond it a network is too long to measure, and the file hostile.
constexpr std::int64_t kMostNodes = 1'000'000;

const onnx::GraphProto& BodyOf(const onnx::NodeProto& proto, std::string_view attribute_name) {
  for (const auto& attribute : proto.attribute()) {
    if (attribute.name() == attribute_name && attribute.has_g()) {
      return attribute.g();
    }
  }
  throw Error(ErrorKind::kModel, fmt::format("attribute '{}' is missing", attribute_name));
}

void CheckCounts(std::string_view what, std::size_t expected, std::size_t got) {
  if (expected != got) {
    throw Error(ErrorKind::kModel, fmt::format("expected {} {}, got {}", expected, what, got));
  }
}

void CheckLength(std::int64_t iterations, const onnx::GraphProto& body) {
  if (iterations > kMostNodes / std::max(1, body.node_size())) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{} or more iterations of {} nodes: expected at most {} nodes in all, "
                            "as each iteration is written out",
                            iterations, body.node_size(), kMostNodes));
  }
}

Tensor ScalarBool(bool value) {
  Tensor tensor(DType::kBool, Shape{});
  tensor.mutable_values<bool>()[0] = value;
  return tensor;
}

Tensor ScalarInteger(std::int64_t value) {
  Tensor tensor(DType::kInt64, Shape{});
  tensor.mutable_values<std::int64_t>()[0] = value;
  return tensor;
}

Tensor OneInteger(std::int64_t value) {
  return ScalarInteger(value).Reshaped({1});
}

std::int64_t OneOf(const Tensor& tensor, DType dtype, std::string_view what) {
  if (tensor.dtype() != dtype || tensor.ElementCount() != 1) {
    throw Error(ErrorKind::kModel, fmt::format("expected one {} as the {}, got {}", NameOf(dtype),
                                               what, tensor.type().ToString()));
  }
  return IntegersOf(tensor).at(0);
}

// Attribute `name` of Scan: one number for each of `count` operands, 0 where it is left out.
std::vector<std::int64_t> PerOperand(const Attributes& attributes, std::string_view name,
                                     std::size_t count) {
  std::vector<std::int64_t> values = attributes.Ints(name);
  if (values.empty()) {
    values.assign(count, 0);
  }
  CheckCounts(fmt::format("numbers in attribute '{}'", name), count, values.size());
  return values;
}

}  // namespace

std::vector<ValueId> GraphImporter::ImportBody(const onnx::GraphProto& body, Scope& scope,
                                               std::string_view what) {
  ImportNodes(body, scope);
  std::vector<ValueId> results;
  for (const auto& output : body.output()) {
    results.push_back(scope.Find(output.name()));
    if (results.back() == kNoValue) {
      throw Error(ErrorKind::kModel,
                  fmt::format("output '{}' of the {} is made by no node", output.name(), what));
    }
  }
  return results;
}

void GraphImporter::NameOutputs(const onnx::NodeProto& proto, const std::string& name,
                                const std::vector<ValueId>& results, Scope& scope) {
  for (int i = 0; i < proto.output_size(); ++i) {
    if (proto.output(i).empty()) {
      continue;
    }
    // An Identity carries the name over; a pass removes it.
    Node copy{.op = OpKind::kIdentity,
              .name = i == 0 ? name : builder_.node_names.Make(fmt::format("{}/{}", name, i)),
              .origins = {},
              .attributes = {},
              .inputs = {results[static_cast<std::size_t>(i)]},
              .outputs = {}};
    const std::string output = ValueName(proto.output(i), scope);
    copy.origins = {{copy.name, proto.op_type(), output}};
    scope.ids[proto.output(i)] = builder_.AddNode(std::move(copy), {output}).at(0);
  }
}

ValueId GraphImporter::AddHelper(OpKind op, const std::string& name, const onnx::NodeProto& proto,
                                 std::vector<ValueId> inputs, Attributes attributes) {
  Node node{.op = op,
            .name = builder_.node_names.Make(name),
            .origins = {},
            .attributes = std::move(attributes),
            .inputs = std::move(inputs),
            .outputs = {}};
  node.origins = {{node.name, proto.op_type()}};
  return builder_.AddHelperNode(std::move(node));
}

ValueId GraphImporter::Stack(const std::vector<ValueId>& values, std::int64_t axis,
                             const std::string& name, const onnx::NodeProto& proto) {
  const ValueId axes = builder_.AddHelperConstant(OneInteger(axis), name + "/axes");
  std::vector<ValueId> parts;
  for (const ValueId value : values) {
    parts.push_back(AddHelper(OpKind::kUnsqueeze, name + "/part", proto, {value, axes}));
  }
  Attributes attributes;
  attributes.Set("axis", axis);
  return AddHelper(OpKind::kConcat, name, proto, std::move(parts), std::move(attributes));
}

ValueId GraphImporter::EmptyStack(ValueId like, std::int64_t axis, const std::string& name) {
  const TensorType& type = builder_.graph.value(like).type;
  std::vector<std::int64_t> dims = type.shape.dims();
  const auto rank = static_cast<std::int64_t>(dims.size()) + 1;
  dims.insert(dims.begin() + NormalizeAxis(axis, static_cast<int>(rank)), 0);
  return builder_.AddHelperConstant(Tensor(type.dtype, Shape(std::move(dims))), name);
}

void GraphImporter::ImportIf(const onnx::NodeProto& proto, const std::string& name, Scope& scope) {
  const std::vector<ValueId> inputs = InputsOfNode(proto, scope);
  CheckCounts("inputs", 1, inputs.size());
  const bool taken =
      OneOf(builder_.ConstantOf(inputs[0], "the condition"), DType::kBool, "condition") != 0;
  const std::string_view wanted = taken ? "then_branch" : "else_branch";
  const onnx::GraphProto& branch = BodyOf(proto, wanted);
  CheckCounts(fmt::format("outputs of the {}", wanted),
              static_cast<std::size_t>(proto.output_size()),
              static_cast<std::size_t>(branch.output_size()));
  Scope inner{.ids = {}, .outer = &scope, .prefix = name + "/"};
  AddInitializers(branch, inner);
  NameOutputs(proto, name, ImportBody(branch, inner, wanted), scope);
}

void GraphImporter::ImportLoop(const onnx::NodeProto& proto, const std::string& name,
                               Scope& scope) {
  const onnx::GraphProto& body = BodyOf(proto, "body");
  const auto operand = [&](int i) {
    return i < proto.input_size() && !proto.input(i).empty() ? scope.Find(proto.input(i))
                                                             : kNoValue;
  };
  const auto carried_count = static_cast<std::size_t>(std::max(0, proto.input_size() - 2));
  CheckCounts("inputs of the body", carried_count + 2, static_cast<std::size_t>(body.input_size()));
  if (static_cast<std::size_t>(body.output_size()) < carried_count + 1) {
    throw Error(ErrorKind::kModel, fmt::format("expected at least {} outputs of the body, got {}",
                                               carried_count + 1, body.output_size()));
  }
  const std::size_t scan_count = static_cast<std::size_t>(body.output_size()) - carried_count - 1;
  if (static_cast<std::size_t>(proto.output_size()) > carried_count + scan_count) {
    throw Error(ErrorKind::kModel, fmt::format("expected at most {} outputs, got {}",
                                               carried_count + scan_count, proto.output_size()));
  }
  const ValueId limit = operand(0);
  const std::int64_t most = limit == kNoValue ? std::numeric_limits<std::int64_t>::max()
                                              : OneOf(builder_.ConstantOf(limit, "the trip count"),
                                                      DType::kInt64, "trip count");
  const ValueId first_condition = operand(1);
  const bool watches = first_condition != kNoValue;  // else the body's condition is ignored
  bool goes_on = !watches || OneOf(builder_.ConstantOf(first_condition, "the condition"),
                                   DType::kBool, "condition") != 0;
  std::vector<ValueId> carried;
  for (std::size_t i = 0; i < carried_count; ++i) {
    carried.push_back(operand(static_cast<int>(i) + 2));
    if (carried.back() == kNoValue) {
      throw Error(ErrorKind::kModel, fmt::format("input {} is left out but not optional", i + 2));
    }
  }
  Scope shared{.ids = {}, .outer = &scope, .prefix = name + "/"};
  AddInitializers(body, shared);
  std::vector<std::vector<ValueId>> scanned(scan_count);
  std::vector<ValueId> like;  // one iteration that does not happen, for the types of what it scans
  const auto iterate = [&](std::int64_t i) {
    Scope inner{.ids = {}, .outer = &shared, .prefix = fmt::format("{}/{}/", name, i)};
    inner.ids[body.input(0).name()] =
        builder_.AddHelperConstant(ScalarInteger(i), inner.prefix + body.input(0).name());
    inner.ids[body.input(1).name()] =
        builder_.AddHelperConstant(ScalarBool(true), inner.prefix + body.input(1).name());
    for (std::size_t k = 0; k < carried_count; ++k) {
      inner.ids[body.input(static_cast<int>(k) + 2).name()] = carried[k];
    }
    return ImportBody(body, inner, "body");
  };
  for (std::int64_t i = 0; i < most && goes_on; ++i) {
    CheckLength(i + 1, body);
    const std::vector<ValueId> results =
        WithContext([&] { return fmt::format("iteration {}", i); }, [&] { return iterate(i); });
    carried.assign(results.begin() + 1,
                   results.begin() + 1 + static_cast<std::ptrdiff_t>(carried_count));
    for (std::size_t k = 0; k < scan_count; ++k) {
      scanned[k].push_back(results[1 + carried_count + k]);
    }
    goes_on = !watches || OneOf(builder_.ConstantOf(results[0], "the condition"), DType::kBool,
                                "condition") != 0;
  }
  if (scan_count > 0 && scanned[0].empty()) {
    like = iterate(0);
  }
  std::vector<ValueId> results = carried;
  for (std::size_t k = 0; k < scan_count; ++k) {
    const std::string stacked = fmt::format("{}/scan{}", name, k);
    results.push_back(scanned[k].empty() ? EmptyStack(like[1 + carried_count + k], 0, stacked)
                                         : Stack(scanned[k], 0, stacked, proto));
  }
  NameOutputs(proto, name, results, scope);
}

void GraphImporter::ImportScan(const onnx::NodeProto& proto, const std::string& name,
                               Scope& scope) {
  if (opset_ < 9) {
    throw Error(ErrorKind::kUnsupported,
                "the form with a batch axis (opset 8) is not supported: convert the model");
  }
  const onnx::GraphProto& body = BodyOf(proto, "body");
  const Attributes attributes = AttributesOf(proto, folder_);
  const std::vector<ValueId> inputs = InputsOfNode(proto, scope);
  const std::int64_t stated = attributes.Int("num_scan_inputs", 0);
  if (stated < 1 || stated > static_cast<std::int64_t>(inputs.size())) {
    throw Error(ErrorKind::kModel,
                fmt::format("attribute 'num_scan_inputs': expected 1 to {}, got {}", inputs.size(),
                            stated));
  }
  const auto scan_inputs = static_cast<std::size_t>(stated);
  const std::size_t states = inputs.size() - scan_inputs;
  CheckCounts("inputs of the body", inputs.size(), static_cast<std::size_t>(body.input_size()));
  CheckCounts("outputs", static_cast<std::size_t>(body.output_size()),
              static_cast<std::size_t>(proto.output_size()));
  if (static_cast<std::size_t>(body.output_size()) < states) {
    throw Error(ErrorKind::kModel, fmt::format("expected at least {} outputs of the body, got {}",
                                               states, body.output_size()));
  }
  const std::size_t scan_outputs = static_cast<std::size_t>(body.output_size()) - states;
  const auto in_axes = PerOperand(attributes, "scan_input_axes", scan_inputs);
  const auto in_backwards = PerOperand(attributes, "scan_input_directions", scan_inputs);
  const auto out_axes = PerOperand(attributes, "scan_output_axes", scan_outputs);
  const auto out_backwards = PerOperand(attributes, "scan_output_directions", scan_outputs);
  std::int64_t length = -1;
  for (std::size_t k = 0; k < scan_inputs; ++k) {
    const Shape& shape = builder_.graph.value(inputs[states + k]).type.shape;
    const std::int64_t extent = shape[NormalizeAxis(in_axes[k], shape.rank())];
    if (length >= 0 && extent != length) {
      throw Error(ErrorKind::kModel,
                  fmt::format("scanned inputs differ in length: {} and {}", length, extent));
    }
    length = extent;
  }
  CheckLength(length, body);
  Scope shared{.ids = {}, .outer = &scope, .prefix = name + "/"};
  AddInitializers(body, shared);
  std::vector<ValueId> state(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(states));
  std::vector<std::vector<ValueId>> scanned(scan_outputs);
  for (std::int64_t i = 0; i < length; ++i) {
    Scope inner{.ids = {}, .outer = &shared, .prefix = fmt::format("{}/{}/", name, i)};
    for (std::size_t k = 0; k < states; ++k) {
      inner.ids[body.input(static_cast<int>(k)).name()] = state[k];
    }
    for (std::size_t k = 0; k < scan_inputs; ++k) {
      Attributes axis;
      axis.Set("axis", in_axes[k]);
      const ValueId index = builder_.AddHelperConstant(
          ScalarInteger(in_backwards[k] != 0 ? length - 1 - i : i), inner.prefix + "index");
      inner.ids[body.input(static_cast<int>(states + k)).name()] =
          AddHelper(OpKind::kGather, inner.prefix + "slice", proto, {inputs[states + k], index},
                    std::move(axis));
    }
    const std::vector<ValueId> results =
        WithContext([&] { return fmt::format("iteration {}", i); },
                    [&] { return ImportBody(body, inner, "body"); });
    state.assign(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(states));
    for (std::size_t k = 0; k < scan_outputs; ++k) {
      scanned[k].push_back(results[states + k]);
    }
  }
  if (length == 0 && scan_outputs > 0) {
    throw Error(ErrorKind::kUnsupported, "scanned inputs without elements are not supported");
  }
  std::vector<ValueId> results = state;
  for (std::size_t k = 0; k < scan_outputs; ++k) {
    if (out_backwards[k] != 0) {
      std::reverse(scanned[k].begin(), scanned[k].end());
    }
    results.push_back(Stack(scanned[k], out_axes[k], fmt::format("{}/scan{}", name, k), proto));
  }
  NameOutputs(proto, name, results, scope);
}

}  // namespace halftone
