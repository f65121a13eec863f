#include "src/onnx/graph_builder.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/ir/run_time_extent.h"
#include "src/ir/shape_rules.h"
#include "src/onnx/attribute.h"
#include "src/passes/fold/fold_constants.h"

namespace halftone {
namespace {

// Dtypes that the letters of OpInfo::inputs admit in a model ("T" and "A": see CheckOperands).
bool LetterAdmits(char letter, DType dtype) {
  switch (letter) {
    case 'I':
      return dtype == DType::kInt32 || dtype == DType::kInt64;
    case 'L':
      return dtype == DType::kInt64;
    case 'B':
      return dtype == DType::kBool;
    case 'F':
      return IsFloating(dtype);
    case 'S':
      return dtype == DType::kInt32;
    case 'Q':
      return kQuantizedDTypes.Has(dtype) || dtype == DType::kInt32;
    default:
      return true;
  }
}

std::string_view LetterMeaning(char letter) {
  switch (letter) {
    case 'I':
      return "int32 or int64";
    case 'L':
      return "int64";
    case 'B':
      return "bool";
    case 'S':
      return "int32";
    case 'Q':
      return "int8, uint8, int16, uint16 or int32";
    default:
      return "a floating type";
  }
}

// The number of inputs against the signature.
void CheckInputCount(const OpInfo& info, const std::vector<ValueId>& inputs) {
  const auto signature = ParseSignature(info.inputs);
  std::size_t least = 0;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    least = signature[i].optional ? least : i + 1;
  }
  const bool open = signature.back().repeated;
  if (inputs.size() < least || (!open && inputs.size() > signature.size())) {
    const std::string expected = open ? fmt::format("{} or more", least)
                                 : least == signature.size()
                                     ? fmt::format("{}", least)
                                     : fmt::format("{} to {}", least, signature.size());
    throw Error(ErrorKind::kModel,
                fmt::format("expected {} inputs, got {}", expected, inputs.size()));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == kNoValue && !signature[std::min(i, signature.size() - 1)].optional) {
      throw Error(ErrorKind::kModel, fmt::format("input {} is left out but not optional", i));
    }
  }
}

// The dtypes of inputs: each as its letter says, all "T" and "Y" alike (the exponent of Pow is
// free).
void CheckOperands(const OpInfo& info, const KernelQuery& query) {
  const TensorType* first = nullptr;
  for (std::size_t i = 0; i < query.inputs.size(); ++i) {
    const TensorType* type = query.inputs[i];
    const char letter = SignatureItemAt(info.inputs, i)->letter;
    if (type == nullptr) {
      continue;
    }
    if (!LetterAdmits(letter, type->dtype)) {
      throw Error(ErrorKind::kModel, fmt::format("input {}: expected {}, got {}", i,
                                                 LetterMeaning(letter), type->ToString()));
    }
    if (letter != 'T' && letter != 'Y') {
      continue;
    }
    first = first == nullptr ? type : first;
    if (type->dtype != first->dtype && info.kind != OpKind::kPow) {
      throw Error(ErrorKind::kModel, fmt::format("input {}: expected {} as before it, got {}", i,
                                                 NameOf(first->dtype), type->ToString()));
    }
  }
}

// Kernels read operands marked "F" as float32, whatever floating type the model has for them.
void WidenFloat32Operands(Node& node, GraphBuilder& builder) {
  const std::string_view signature = InfoOf(node.op).inputs;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const auto item = SignatureItemAt(signature, i);
    if (!item || item->letter != 'F' || node.inputs[i] == kNoValue) {
      continue;
    }
    const Value& value = builder.graph.value(node.inputs[i]);
    if (!IsFloating(value.type.dtype) || value.type.dtype == DType::kFloat32) {
      continue;
    }
    Node cast{.op = OpKind::kCast,
              .name = builder.node_names.Make(fmt::format("{}/{}", node.name, i)),
              .origins = {},
              .attributes = {},
              .inputs = {node.inputs[i]},
              .outputs = {}};
    cast.attributes.Set("to", std::int64_t{RowOf(DType::kFloat32).onnx_type});
    cast.origins = {{cast.name, "Cast"}};
    cast.origins.insert(cast.origins.end(), node.origins.begin(), node.origins.end());
    node.inputs[i] = builder.AddHelperNode(std::move(cast));
  }
}

}  // namespace

bool UniqueNames::Reserve(std::string_view name) {
  return taken_.emplace(std::string(name), 1).second;
}

std::string UniqueNames::Make(std::string_view wanted) {
  if (Reserve(wanted)) {
    return std::string(wanted);
  }
  while (true) {
    const int suffix = ++taken_[std::string(wanted)];
    std::string name = fmt::format("{}_{}", wanted, suffix);
    if (Reserve(name)) {
      return name;
    }
  }
}

void GraphBuilder::RequireFits(const TensorType& type, std::int64_t bytes) const {
  if (max_bytes > 0 && bytes > max_bytes) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{} needs {} of memory with what stands before it, --max_memory allows "
                            "{}: raise it, or make the input smaller",
                            type.ToString(), FormatBytes(static_cast<double>(bytes)),
                            FormatBytes(static_cast<double>(max_bytes))));
  }
}

void GraphBuilder::Reserve(const TensorType& type) {
  initializer_bytes_ += type.size_bytes();
  RequireFits(type, initializer_bytes_);
}

ValueId GraphBuilder::AddConstant(Tensor tensor, std::string name) {
  TensorType type = tensor.type();
  return graph.AddValue(
      {.name = std::move(name), .type = std::move(type), .constant = std::move(tensor)});
}

ValueId GraphBuilder::AddHelperConstant(Tensor tensor, std::string_view name) {
  return AddConstant(std::move(tensor), value_names.Make(name));
}

ValueId GraphBuilder::Traced(ValueId id) {
  const auto [entry, is_new] = traced_ids_.try_emplace(id, kNoValue);
  if (is_new) {
    const std::string name = graph.value(id).name;
    const Tensor& tensor = tracer->ValueOf(graph, id);
    traced.push_back({name, tensor});
    entry->second = AddHelperConstant(tensor, name + "/traced");
  }
  return entry->second;
}

// An operand whose values a shape depends on becomes what it is on the sample.
std::vector<TensorType> GraphBuilder::InferTypes(Node& node, int output_count) {
  while (true) {
    const KernelQuery query = QueryOf(graph, node);
    try {
      return InfoOf(node.op).shape_rule({.attributes = node.attributes,
                                         .inputs = query.inputs,
                                         .constants = query.constants,
                                         .output_count = output_count,
                                         .planned_count = node.planned_count});
    } catch (const RunTimeOperand& operand) {
      RequireFolded(node.inputs[operand.input()], "an operand that a shape depends on");
      if (!tracer || query.Constant(operand.input()) != nullptr) {
        throw;
      }
      if (HasRunTimeExtent(node.op)) {
        PlanCount(node);
        continue;
      }
      node.inputs[operand.input()] = Traced(node.inputs[operand.input()]);
    }
  }
}

std::vector<ValueId> GraphBuilder::AddNode(Node node,
                                           const std::vector<std::string>& output_names) {
  const OpInfo& info = InfoOf(node.op);
  CheckInputCount(info, node.inputs);
  WidenFloat32Operands(node, *this);
  CheckOperands(info, QueryOf(graph, node));
  CheckAttributes(node.op, node.attributes);
  if (IsRunTimeCompress(node)) {
    return AddNode(GatherForCompress(std::move(node)), output_names);
  }
  const std::vector<TensorType> types = InferTypes(node, static_cast<int>(output_names.size()));
  Check(types.size() == output_names.size(), "a shape rule gave a wrong number of outputs");
  KernelQuery query = QueryOf(graph, node);
  for (const TensorType& type : types) {
    static_cast<void>(type.shape.ElementCount());  // throws when it overflows
    RequireFits(type, type.size_bytes());
    query.outputs.push_back(&type);
  }
  // Dequantised values stay for src/passes/fuse/fuse_quantized.h: folded, they would lose their
  // integers. The passes fold the rest.
  auto results =
      node.op == OpKind::kDequantizeLinear ? std::nullopt : EvaluateConstant(query, budget);
  const std::string unfolded = results ? "" : WhyUnfolded(node, query);
  for (std::size_t i = 0; i < types.size(); ++i) {
    node.outputs.push_back(
        results ? AddConstant(std::move((*results)[i]), output_names[i])
                : graph.AddValue({.name = output_names[i], .type = types[i], .constant = {}}));
    if (!unfolded.empty()) {
      unfolded_.emplace(node.outputs.back(), unfolded);
    }
  }
  std::vector<ValueId> outputs = node.outputs;
  if (results) {
    graph.NoteRemoved(node);
  } else {
    graph.nodes.push_back(std::move(node));
  }
  return outputs;
}

std::string GraphBuilder::WhyUnfolded(const Node& node, const KernelQuery& query) const {
  if (IsConstantCall(query)) {
    const LoadCost cost = CostOfFolding(query);
    return budget.Affords(cost) ? ""  // no kernel, or kept for a pass
                                : fmt::format("{}, which {}", Describe(node), budget.Refusal(cost));
  }
  std::string reason;
  for (const ValueId input : node.inputs) {
    const auto found = unfolded_.find(input);
    if (found != unfolded_.end()) {
      reason = found->second;
    } else if (input != kNoValue && !graph.value(input).constant) {
      return "";
    }
  }
  return reason;
}

void GraphBuilder::RequireFolded(ValueId id, std::string_view what) const {
  const auto found = unfolded_.find(id);
  if (found != unfolded_.end()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{} ('{}') is made by {}: make its operands smaller, or compute it "
                            "outside of the model",
                            what, graph.value(id).name, found->second));
  }
}

ValueId GraphBuilder::AddHelperNode(Node node) {
  const std::string output = value_names.Make(node.name + ":0");
  return AddNode(std::move(node), {output}).at(0);
}

const Tensor& GraphBuilder::ConstantOf(ValueId id, std::string_view what) {
  if (const auto& constant = graph.value(id).constant) {
    return *constant;
  }
  RequireFolded(id, what);
  if (!tracer) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{} is computed at run time ('{}'): give a sample with --inputs, which "
                            "says what it is",
                            what, graph.value(id).name));
  }
  return *graph.value(Traced(id)).constant;
}

}  // namespace halftone
