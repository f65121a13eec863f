// Sequences of tensors: they exist during import only. A sequence is a list of values whose length
// and positions are constants, or those of the sample; nodes that make, change or read one leave
// only tensors behind.
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/onnx/attribute.h"
#include "src/onnx/file_node.h"
#include "src/onnx/graph_importer.h"

namespace halftone {
namespace {

using Values = std::vector<ValueId>;

Tensor ScalarInteger(std::int64_t value) {
  Tensor tensor(DType::kInt64, Shape{});
  tensor.mutable_values<std::int64_t>()[0] = value;
  return tensor;
}

void CheckInputs(const onnx::NodeProto& proto, int least, int most) {
  bool complete = proto.input_size() >= least && proto.input_size() <= most;
  for (int i = 0; i < std::min(least, proto.input_size()); ++i) {
    complete = complete && !proto.input(i).empty();
  }
  if (!complete) {
    const std::string expected =
        least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
    throw Error(ErrorKind::kModel,
                fmt::format("expected {} inputs, got {}", expected, proto.input_size()));
  }
}

// The lengths that attribute-like operand `split` of SplitToSequence gives an axis of `extent`.
std::vector<std::int64_t> PartsOf(const Tensor& split, std::int64_t extent) {
  std::vector<std::int64_t> parts = IntegersOf(split);
  if (split.type().shape.rank() > 0) {
    return parts;
  }
  const std::int64_t length = parts.at(0);
  if (length < 1) {
    throw Error(ErrorKind::kModel,
                fmt::format("input 'split': expected a length of at least 1, got {}", length));
  }
  parts.clear();
  RequireMakeable(extent / length);
  for (std::int64_t begin = 0; begin < extent; begin += length) {
    parts.push_back(std::min(length, extent - begin));
  }
  return parts;
}

}  // namespace

bool IsSequenceOperator(std::string_view type) {
  constexpr std::string_view kTypes[] = {
      "ConcatFromSequence", "SequenceAt",     "SequenceConstruct", "SequenceEmpty",
      "SequenceErase",      "SequenceInsert", "SequenceLength",    "SplitToSequence"};
  return std::ranges::count(kTypes, type) > 0;
}

ValueId GraphImporter::NewSequence(Values values) {
  const auto length = static_cast<double>(values.size());
  Spend({.operations = length, .bytes = length * sizeof(ValueId)});
  sequences_.push_back(std::move(values));
  return kNoValue - static_cast<ValueId>(sequences_.size());
}

void GraphImporter::RequireTensor(ValueId id, std::string_view what) {
  if (IsSequence(id)) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: expected a tensor, got a sequence; make a tensor of it with "
                            "ConcatFromSequence or SequenceAt",
                            what));
  }
}

const Values& GraphImporter::SequenceOf(const onnx::NodeProto& proto, const Scope& scope) const {
  const ValueId id = scope.Find(proto.input(0));
  if (!IsSequence(id)) {
    throw Error(ErrorKind::kModel,
                fmt::format("input 0 ('{}'): expected a sequence, got a tensor", proto.input(0)));
  }
  return sequences_[static_cast<std::size_t>(kNoValue - id - 1)];
}

ValueId GraphImporter::TensorInput(const onnx::NodeProto& proto, int index, const Scope& scope) {
  const ValueId id = scope.Find(proto.input(index));
  RequireTensor(id, fmt::format("input {} ('{}')", index, proto.input(index)));
  return id;
}

std::int64_t GraphImporter::PositionOf(const onnx::NodeProto& proto, int index, std::int64_t length,
                                       std::int64_t absent, const Scope& scope) {
  if (index >= proto.input_size() || proto.input(index).empty()) {
    return absent;
  }
  const Tensor& tensor =
      builder_.ConstantOf(TensorInput(proto, index, scope), "the position in the sequence");
  if (tensor.ElementCount() != 1) {
    throw Error(ErrorKind::kModel, fmt::format("input {}: expected one position, got {}", index,
                                               tensor.type().ToString()));
  }
  const std::int64_t stated = IntegersOf(tensor).at(0);
  const std::int64_t position = stated < 0 ? stated + length : stated;
  if (position < 0 || position > absent) {
    throw Error(ErrorKind::kModel, fmt::format("input {}: position {} is outside a sequence of {}",
                                               index, stated, length));
  }
  return position;
}

Values GraphImporter::SplitParts(const onnx::NodeProto& proto, const std::string& name,
                                 const Scope& scope) {
  CheckInputs(proto, 1, 2);
  const ValueId x = TensorInput(proto, 0, scope);
  const Attributes attributes = AttributesOf(proto, folder_);
  const Shape shape = builder_.graph.value(x).type.shape;
  Attributes axis;
  axis.Set("axis", std::int64_t{NormalizeAxis(attributes.Int("axis", 0), shape.rank())});
  const std::int64_t extent = shape[static_cast<int>(axis.Int("axis", 0))];
  const bool stated = proto.input_size() > 1 && !proto.input(1).empty();
  CountWritten(stated ? 0 : extent);
  std::vector<std::int64_t> parts(stated ? 0 : static_cast<std::size_t>(extent), 1);
  if (stated) {
    parts = PartsOf(builder_.ConstantOf(TensorInput(proto, 1, scope), "input 'split'"), extent);
  }
  CountWritten(stated ? static_cast<std::int64_t>(parts.size()) : 0);
  Values values;
  if (!stated && attributes.Int("keepdims", 1) == 0) {
    for (std::int64_t i = 0; i < extent; ++i) {
      const ValueId index =
          builder_.AddHelperConstant(ScalarInteger(i), fmt::format("{}/{}/index", name, i));
      values.push_back(
          AddHelper(OpKind::kGather, fmt::format("{}/{}", name, i), proto, {x, index}, axis));
    }
    return values;
  }
  if (parts.empty()) {
    return {};
  }
  const auto count = static_cast<std::int64_t>(parts.size());
  const ValueId lengths =
      builder_.AddHelperConstant(Tensor::From<std::int64_t>({count}, parts), name + "/split");
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) {
    names.push_back(builder_.value_names.Make(fmt::format("{}:{}", name, i)));
  }
  return builder_.AddNode({.op = OpKind::kSplit,
                           .name = name,
                           .origins = OriginsOf(proto, name, names[0]),
                           .attributes = axis,
                           .inputs = {x, lengths},
                           .outputs = {}},
                          names);
}

ValueId GraphImporter::JoinedSequence(const onnx::NodeProto& proto, const std::string& name,
                                      const Scope& scope) {
  CheckInputs(proto, 1, 1);
  const Values values = SequenceOf(proto, scope);
  if (values.empty()) {
    throw Error(ErrorKind::kUnsupported, "the sequence is empty: there is nothing to join");
  }
  const Attributes attributes = AttributesOf(proto, folder_);
  if (!attributes.Has("axis")) {
    throw Error(ErrorKind::kModel, "attribute 'axis' is missing");
  }
  const std::int64_t axis = attributes.Int("axis", 0);
  if (attributes.Int("new_axis", 0) != 0) {
    return Stack(values, axis, name + "/stack", proto);
  }
  Attributes joined;
  joined.Set("axis", axis);
  return AddHelper(OpKind::kConcat, name + "/join", proto, values, std::move(joined));
}

// Makes a sequence; the rest of the operators read one.
ValueId GraphImporter::MadeSequence(const onnx::NodeProto& proto, const std::string& name,
                                    const Scope& scope) {
  const std::string& type = proto.op_type();
  if (type == "SplitToSequence") {
    return NewSequence(SplitParts(proto, name, scope));
  }
  Values values;
  if (type == "SequenceEmpty") {
    CheckInputs(proto, 0, 0);
  } else if (type == "SequenceConstruct") {
    for (int i = 0; i < proto.input_size(); ++i) {
      values.push_back(TensorInput(proto, i, scope));
    }
  } else if (type == "SequenceInsert") {
    CheckInputs(proto, 2, 3);
    values = SequenceOf(proto, scope);
    const auto length = static_cast<std::int64_t>(values.size());
    const std::int64_t at = PositionOf(proto, 2, length, length, scope);
    values.insert(values.begin() + at, TensorInput(proto, 1, scope));
  } else {  // SequenceErase
    CheckInputs(proto, 1, 2);
    values = SequenceOf(proto, scope);
    const auto length = static_cast<std::int64_t>(values.size());
    const std::int64_t at = PositionOf(proto, 1, length, length - 1, scope);
    if (at < 0) {
      throw Error(ErrorKind::kModel, "the sequence is empty: there is nothing to erase");
    }
    values.erase(values.begin() + at);
  }
  return NewSequence(std::move(values));
}

void GraphImporter::ImportSequence(const onnx::NodeProto& proto, const std::string& name,
                                   Scope& scope) {
  if (proto.output_size() != 1) {
    throw Error(ErrorKind::kModel, fmt::format("expected 1 output, got {}", proto.output_size()));
  }
  const std::string& type = proto.op_type();
  if (type == "ConcatFromSequence") {
    NameOutput(proto, 0, name, JoinedSequence(proto, name, scope), scope);
  } else if (type == "SequenceAt") {
    CheckInputs(proto, 2, 2);
    const Values& values = SequenceOf(proto, scope);
    const auto length = static_cast<std::int64_t>(values.size());
    const std::int64_t at = PositionOf(proto, 1, length, length - 1, scope);
    NameOutput(proto, 0, name, values[static_cast<std::size_t>(at)], scope);
  } else if (type == "SequenceLength") {
    CheckInputs(proto, 1, 1);
    const auto length = static_cast<std::int64_t>(SequenceOf(proto, scope).size());
    scope.ids[proto.output(0)] =
        builder_.AddConstant(ScalarInteger(length), ValueName(proto.output(0), scope));
    NoteRemoved(proto, name);
  } else {
    scope.ids[proto.output(0)] = MadeSequence(proto, name, scope);
    NoteRemoved(proto, name);
  }
}

}  // namespace halftone
