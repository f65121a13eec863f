// If, Loop and Scan: imports the branch taken and the iterations run. Functions of the model.
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <limits>

#include "src/base/error.h"
#include "src/onnx/attribute.h"
#include "src/onnx/graph_importer.h"

namespace halftone {
namespace {

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

// A Loop with its counts checked.
struct LoopForm {
  const onnx::GraphProto& body;
  std::size_t carried;
  std::size_t scanned;

  explicit LoopForm(const onnx::NodeProto& proto)
      : body(BodyOf(proto, "body")),
        carried(static_cast<std::size_t>(std::max(0, proto.input_size() - 2))),
        scanned(0) {
    CheckCounts("inputs of the body", carried + 2, static_cast<std::size_t>(body.input_size()));
    const auto outputs = static_cast<std::size_t>(body.output_size());
    if (outputs < carried + 1) {
      throw Error(ErrorKind::kModel, fmt::format("expected at least {} outputs of the body, got {}",
                                                 carried + 1, outputs));
    }
    scanned = outputs - carried - 1;
    if (static_cast<std::size_t>(proto.output_size()) > carried + scanned) {
      throw Error(ErrorKind::kModel, fmt::format("expected at most {} outputs, got {}",
                                                 carried + scanned, proto.output_size()));
    }
  }
};

// A Scan of `inputs` operands likewise.
struct ScanForm {
  const onnx::GraphProto& body;
  std::size_t scanned;  // operands that are cut into slices
  std::size_t states;
  std::size_t stacked;  // results that are made of slices
  std::vector<std::int64_t> in_axes;
  std::vector<std::int64_t> in_backwards;
  std::vector<std::int64_t> out_axes;
  std::vector<std::int64_t> out_backwards;

  ScanForm(const onnx::NodeProto& proto, const Attributes& attributes, std::size_t inputs)
      : body(BodyOf(proto, "body")),
        scanned(ScannedOf(attributes, inputs)),
        states(inputs - scanned),
        stacked(0) {
    CheckCounts("inputs of the body", inputs, static_cast<std::size_t>(body.input_size()));
    const auto outputs = static_cast<std::size_t>(body.output_size());
    CheckCounts("outputs", outputs, static_cast<std::size_t>(proto.output_size()));
    if (outputs < states) {
      throw Error(ErrorKind::kModel,
                  fmt::format("expected at least {} outputs of the body, got {}", states, outputs));
    }
    stacked = outputs - states;
    in_axes = PerOperand(attributes, "scan_input_axes", scanned);
    in_backwards = PerOperand(attributes, "scan_input_directions", scanned);
    out_axes = PerOperand(attributes, "scan_output_axes", stacked);
    out_backwards = PerOperand(attributes, "scan_output_directions", stacked);
  }

  static std::size_t ScannedOf(const Attributes& attributes, std::size_t inputs) {
    const std::int64_t stated = attributes.Int("num_scan_inputs", 0);
    if (stated < 1 || stated > static_cast<std::int64_t>(inputs)) {
      throw Error(
          ErrorKind::kModel,
          fmt::format("attribute 'num_scan_inputs': expected 1 to {}, got {}", inputs, stated));
    }
    return static_cast<std::size_t>(stated);
  }
};

// Appends each of values[first, ...) to the list of its place.
void Append(const std::vector<ValueId>& values, std::size_t first,
            std::vector<std::vector<ValueId>>& lists) {
  for (std::size_t k = 0; k < lists.size(); ++k) {
    lists[k].push_back(values[first + k]);
  }
}

std::vector<ValueId> Range(const std::vector<ValueId>& values, std::size_t first,
                           std::size_t count) {
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
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

void GraphImporter::NameOutput(const onnx::NodeProto& proto, int index, const std::string& name,
                               ValueId value, Scope& scope) {
  if (IsSequence(value)) {
    scope.ids[proto.output(index)] = value;
    return;
  }
  // A pass removes it.
  Node copy{.op = OpKind::kIdentity,
            .name = index == 0 ? name : builder_.node_names.Make(name),
            .origins = {},
            .attributes = {},
            .inputs = {value},
            .outputs = {}};
  const std::string output = ValueName(proto.output(index), scope);
  if (index == 0) {
    copy.origins = OriginsOf(proto, copy.name, output);
  } else {
    copy.origins = {{copy.name, proto.op_type(), output}};
  }
  scope.ids[proto.output(index)] = builder_.AddNode(std::move(copy), {output}).at(0);
}

void GraphImporter::NameOutputs(const onnx::NodeProto& proto, const std::string& name,
                                const std::vector<ValueId>& results, Scope& scope) {
  for (int i = 0; i < proto.output_size(); ++i) {
    if (!proto.output(i).empty()) {
      NameOutput(proto, i, i == 0 ? name : fmt::format("{}/{}", name, i),
                 results[static_cast<std::size_t>(i)], scope);
    }
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
  parts.reserve(values.size());
  for (const ValueId value : values) {
    RequireTensor(value, "a value that is stacked");
    parts.push_back(AddHelper(OpKind::kUnsqueeze, name + "/part", proto, {value, axes}));
  }
  Attributes attributes;
  attributes.Set("axis", axis);
  return AddHelper(OpKind::kConcat, name, proto, std::move(parts), std::move(attributes));
}

ValueId GraphImporter::EmptyStack(ValueId like, std::int64_t axis, const std::string& name) {
  RequireTensor(like, "a value that is stacked");
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
  for (const auto& attribute : proto.attribute()) {
    if (attribute.has_g() && attribute.name() != wanted) {
      NoteNotRun(attribute.g(), name + "/");
    }
  }
  CheckCounts(fmt::format("outputs of the {}", wanted),
              static_cast<std::size_t>(proto.output_size()),
              static_cast<std::size_t>(branch.output_size()));
  Scope inner{.ids = {}, .outer = &scope, .prefix = name + "/"};
  AddInitializers(branch, inner);
  NameOutputs(proto, name, ImportBody(branch, inner, wanted), scope);
}

void GraphImporter::ImportLoop(const onnx::NodeProto& proto, const std::string& name,
                               Scope& scope) {
  const LoopForm form(proto);
  const auto operand = [&](int i) {
    return i < proto.input_size() && !proto.input(i).empty() ? scope.Find(proto.input(i))
                                                             : kNoValue;
  };
  const auto is_true = [&](ValueId id) {
    RequireTensor(id, "the condition");
    return OneOf(builder_.ConstantOf(id, "the condition"), DType::kBool, "condition") != 0;
  };
  std::vector<ValueId> carried;
  for (int i = 2; i < proto.input_size(); ++i) {
    carried.push_back(operand(i));
    if (carried.back() == kNoValue) {
      throw Error(ErrorKind::kModel, fmt::format("input {} is left out but not optional", i));
    }
  }
  RequireTensor(operand(0), "the trip count");
  const std::int64_t most =
      operand(0) == kNoValue
          ? std::numeric_limits<std::int64_t>::max()
          : OneOf(builder_.ConstantOf(operand(0), "the trip count"), DType::kInt64, "trip count");
  const bool watches = operand(1) != kNoValue;  // else the body's condition is ignored
  Scope shared{.ids = {}, .outer = &scope, .prefix = name + "/"};
  AddInitializers(form.body, shared);
  const BodyCost cost = CostOf(form.body);
  const ValueId goes_on = builder_.AddHelperConstant(ScalarBool(true), name + "/condition");
  const auto iterate = [&](std::int64_t i) {
    std::vector<ValueId> inputs = {
        builder_.AddHelperConstant(ScalarInteger(i), fmt::format("{}/{}/iteration", name, i)),
        goes_on};
    inputs.insert(inputs.end(), carried.begin(), carried.end());
    return Iterate(form.body, cost, i, inputs, shared);
  };
  std::vector<std::vector<ValueId>> scanned(form.scanned);
  bool running = !watches || is_true(operand(1));
  if (const auto goes_on_always = watches ? KnownCondition(form.body, shared) : true;
      running && goes_on_always.has_value()) {
    RequireAffordable(*goes_on_always ? most : std::min<std::int64_t>(most, 1), cost,
                      shared.prefix);
  }
  std::int64_t count = 0;
  for (; running && count < most; ++count) {
    const std::vector<ValueId> results = iterate(count);
    carried = Range(results, 1, form.carried);
    Append(results, 1 + form.carried, scanned);
    running = !watches || is_true(results[0]);
  }
  if (count == 0) {
    NoteNotRun(form.body, shared.prefix);
  }
  std::vector<ValueId> results = carried;
  // A loop without iterations imports one that nothing reads, for the types of the scanned values.
  const std::vector<ValueId> like =
      count == 0 && form.scanned > 0 ? iterate(0) : std::vector<ValueId>();
  for (std::size_t k = 0; k < form.scanned; ++k) {
    const std::string stacked = fmt::format("{}/scan{}", name, k);
    results.push_back(count == 0 ? EmptyStack(like[1 + form.carried + k], 0, stacked)
                                 : Stack(scanned[k], 0, stacked, proto));
  }
  NameOutputs(proto, name, results, scope);
}

std::int64_t GraphImporter::ScanLength(const std::vector<ValueId>& scanned,
                                       const std::vector<std::int64_t>& axes) const {
  std::int64_t length = -1;
  for (std::size_t k = 0; k < scanned.size(); ++k) {
    const Shape& shape = builder_.graph.value(scanned[k]).type.shape;
    const std::int64_t extent = shape[NormalizeAxis(axes[k], shape.rank())];
    if (length >= 0 && extent != length) {
      throw Error(ErrorKind::kModel,
                  fmt::format("scanned inputs differ in length: {} and {}", length, extent));
    }
    length = extent;
  }
  return length;
}

void GraphImporter::ImportScan(const onnx::NodeProto& proto, const std::string& name,
                               Scope& scope) {
  if (opset_ < 9) {
    throw Error(ErrorKind::kUnsupported,
                "the variant with a batch axis (opset 8) is not supported: convert the model");
  }
  const std::vector<ValueId> inputs = InputsOfNode(proto, scope);
  const ScanForm form(proto, AttributesOf(proto, folder_), inputs.size());
  const std::vector<ValueId> whole = Range(inputs, form.states, form.scanned);
  const std::int64_t length = ScanLength(whole, form.in_axes);
  if (length == 0 && form.stacked > 0) {
    throw Error(ErrorKind::kUnsupported, "scanned inputs without elements are not supported");
  }
  if (length == 0) {
    NoteNotRun(form.body, name + "/");
  }
  Scope shared{.ids = {}, .outer = &scope, .prefix = name + "/"};
  AddInitializers(form.body, shared);
  const BodyCost cost = CostOf(form.body);
  RequireAffordable(length, cost, shared.prefix);
  std::vector<ValueId> states = Range(inputs, 0, form.states);
  std::vector<std::vector<ValueId>> stacked(form.stacked);
  for (std::int64_t i = 0; i < length; ++i) {
    std::vector<ValueId> of_body = states;
    for (std::size_t k = 0; k < form.scanned; ++k) {
      Attributes axis;
      axis.Set("axis", form.in_axes[k]);
      const std::int64_t at = form.in_backwards[k] != 0 ? length - 1 - i : i;
      const ValueId index =
          builder_.AddHelperConstant(ScalarInteger(at), fmt::format("{}/{}/index", name, i));
      of_body.push_back(AddHelper(OpKind::kGather, fmt::format("{}/{}/slice", name, i), proto,
                                  {whole[k], index}, std::move(axis)));
    }
    const std::vector<ValueId> results = Iterate(form.body, cost, i, of_body, shared);
    states = Range(results, 0, form.states);
    Append(results, form.states, stacked);
  }
  std::vector<ValueId> results = states;
  for (std::size_t k = 0; k < form.stacked; ++k) {
    if (form.out_backwards[k] != 0) {
      std::reverse(stacked[k].begin(), stacked[k].end());
    }
    results.push_back(
        Stack(stacked[k], form.out_axes[k], fmt::format("{}/scan{}", name, k), proto));
  }
  NameOutputs(proto, name, results, scope);
}

}  // namespace halftone
