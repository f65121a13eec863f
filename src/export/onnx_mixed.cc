#include "src/export/onnx_mixed.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "src/base/error.h"
#include "src/export/finish_model.h"
#include "src/export/model_parts.h"
#include "src/export/node_types.h"
#include "src/export/source_file.h"
#include "src/export/typed_operators.h"
#include "src/export/typed_tensors.h"
#include "src/onnx/graph_order.h"
#include "src/onnx/model_file.h"

namespace halftone {
namespace {

// The first opsets whose Cast makes the type.
constexpr std::int64_t kCastToFloat16 = 6;
constexpr std::int64_t kCastToBFloat16 = 13;

// Operators whose result has the type of their operand, that the importer removes.
constexpr std::string_view kCopying[] = {"Concat",  "Dropout", "Expand",    "Flatten",  "Identity",
                                         "Reshape", "Squeeze", "Transpose", "Unsqueeze"};

bool ReadsShapeAlone(const onnx::NodeProto& node) {
  return node.op_type() == "Shape" || node.op_type() == "Size";
}

// Rewrites the nodes of a model, in their order.
class MixedWriter {
 public:
  MixedWriter(onnx::ModelProto& model, const Graph& network, const PrecisionPlan& plan)
      : file_(*model.mutable_graph()),
        opset_(OpsetOf(model)),
        network_(network),
        plan_(plan),
        types_(file_, network, plan, opset_),
        tensors_(file_, made_) {}

  MixedModel Write() {
    CheckPlan();
    IndexNetwork();
    TypeInterface();
    for (int i = 0; i < file_.node_size(); ++i) {
      WriteNode(i);
    }
    RemoveConstantNodes();
    tensors_.NameConstants();
    file_.mutable_node()->Swap(made_.mutable_node());
    TypeValues();
    DropUnused(file_);
    result_.opset = opset_;
    result_.casts = tensors_.casts();
    result_.losses = types_.Losses();
    result_.notes = NotesOf(result_.losses);
    AddNotes();
    return std::move(result_);
  }

 private:
  void IndexNetwork() {
    for (const auto& output : file_.output()) {
      read_.insert(output.name());
    }
    for (const auto& node : file_.node()) {
      for (std::string& name : NamesReadBy(node)) {
        read_.insert(std::move(name));
      }
    }
    const std::set<std::string> constants = SourceFile(file_, network_).constants;
    for (std::size_t v = 0; v < network_.values.size(); ++v) {
      const Value& value = network_.values[v];
      values_.emplace(value.name, static_cast<ValueId>(v));
      if (value.constant && value.type.dtype == DType::kFloat32 && constants.contains(value.name)) {
        constants_.insert(value.name);
        tensors_.SetConstant(value.name, *value.constant);
      }
    }
  }

  void CheckPlan() {
    std::set<DType> low;
    const auto check = [&](const Node& node, NumericFormat format) {
      if (format.is_scaled()) {
        throw Error(ErrorKind::kUnsupported,
                    fmt::format("{} is in {} in the plan, which has no type of ONNX tensors; write "
                                "it with --to=onnx-qdq",
                                Describe(node), ShownNameOf(format)));
      }
      low.insert(format.dtype());
    };
    for (std::size_t n = 0; n < network_.nodes.size(); ++n) {
      for (const NumericFormat format : plan_.nodes[n].inputs) {
        check(network_.nodes[n], format);
      }
      for (const NumericFormat format : plan_.nodes[n].outputs) {
        check(network_.nodes[n], format);
      }
    }
    for (const auto& [dtype, since] : {std::pair(DType::kFloat16, kCastToFloat16),
                                       std::pair(DType::kBFloat16, kCastToBFloat16)}) {
      if (low.contains(dtype) && opset_ < since) {
        throw Error(ErrorKind::kUnsupported,
                    fmt::format("the plan has {}, the model is of opset {}, and Cast makes it from "
                                "opset {} on; convert the model to that",
                                NameOf(dtype), opset_, since));
      }
    }
  }

  // Inputs and outputs keep their types unless the plan changes them.
  void TypeInterface() {
    std::set<std::string> constants;
    for (const auto& initializer : file_.initializer()) {
      constants.insert(initializer.name());
    }
    for (auto& input : *file_.mutable_input()) {
      if (!constants.contains(input.name())) {
        const DType dtype = InterfaceType(network_.inputs, plan_.graph_inputs, input.name());
        SetType(input, dtype);
        tensors_.AddInput(input.name(), dtype);
      }
    }
    for (auto& output : *file_.mutable_output()) {
      const DType dtype = InterfaceType(network_.outputs, plan_.graph_outputs, output.name());
      SetType(output, dtype);
      tensors_.Fix(output.name(), dtype);
    }
    for (const auto& node : file_.node()) {
      if (HasBody(node)) {
        FixValuesOfBody(node);
      }
    }
  }

  // Values that only the bodies of a node read stay float32.
  void FixValuesOfBody(const onnx::NodeProto& node) {
    const std::set<std::string> own(node.input().begin(), node.input().end());
    for (const std::string& name : NamesReadBy(node)) {
      if (!own.contains(name)) {
        tensors_.Fix(name, DType::kFloat32);
      }
    }
  }

  [[nodiscard]] DType InterfaceType(const std::vector<ValueId>& ids,
                                    const std::vector<DType>& planned,
                                    const std::string& name) const {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (network_.value(ids[i]).name == name && i < planned.size() && IsLow(planned[i])) {
        return planned[i];
      }
    }
    return DType::kFloat32;
  }

  static void SetType(onnx::ValueInfoProto& value, DType dtype) {
    if (IsLow(dtype) && value.type().tensor_type().elem_type() == onnx::TensorProto::FLOAT) {
      value.mutable_type()->mutable_tensor_type()->set_elem_type(RowOf(dtype).onnx_type);
    }
  }

  void WriteNode(int index) {
    onnx::NodeProto proto = file_.node(index);
    const NodeType formats = types_.Of(proto);
    if (!formats.planned && Copies(proto)) {
      WriteCopy(std::move(proto));
      return;
    }
    const std::optional<DType> type = formats.type;
    result_.low_operators += type ? 1 : 0;
    for (int i = 0; i < proto.input_size(); ++i) {
      std::string& name = *proto.mutable_input(i);
      const auto at = static_cast<std::size_t>(i);
      const bool own = HasOwnType(proto.op_type(), opset_, at);
      if (name.empty()) {
        continue;
      }
      if (formats.inputs[at]) {
        const DType rounding = *formats.inputs[at];
        name =
            tensors_.As(name, rounding, type && !own ? *type : DType::kFloat32, plan_.clip_weights);
      } else if (type && !own && constants_.contains(name)) {
        name = tensors_.As(name, *type, *type, plan_.clip_weights);
      } else if (IsLow(tensors_.DTypeOf(name)) && !ReadsShapeAlone(proto)) {
        name = tensors_.As(name, DType::kFloat32, DType::kFloat32, plan_.clip_weights);
      } else {
        name = tensors_.NameOf(name);
      }
    }
    if (type) {
      LeaveOutUnread(proto, formats);
    }
    const std::vector<std::string> outputs(proto.output().begin(), proto.output().end());
    const auto types_of = [&](std::size_t i) {
      const DType rounding = formats.outputs[i].value_or(DType::kFloat32);
      return std::pair(type && formats.outputs[i] ? *type : DType::kFloat32, rounding);
    };
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (formats.outputs[i]) {
        const auto [dtype, rounding] = types_of(i);
        *proto.mutable_output(static_cast<int>(i)) =
            tensors_.NameOfMade(outputs[i], dtype, rounding);
      }
    }
    tensors_.AddNode(std::move(proto));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (formats.outputs[i]) {
        const auto [dtype, rounding] = types_of(i);
        tensors_.Made(outputs[i], dtype, rounding);
      }
    }
  }

  // Results that the network does not have, since nothing reads them, have no type here.
  void LeaveOutUnread(onnx::NodeProto& proto, const NodeType& formats) const {
    for (int i = 0; i < proto.output_size(); ++i) {
      std::string& name = *proto.mutable_output(i);
      if (!formats.outputs[static_cast<std::size_t>(i)] && !read_.contains(name) &&
          !values_.contains(name)) {
        name.clear();
      }
    }
    while (proto.output_size() > 1 && proto.output(proto.output_size() - 1).empty()) {
      proto.mutable_output()->RemoveLast();
    }
  }

  void AddNotes() {
    if (tensors_.clipped() > 0) {
      result_.notes.push_back(fmt::format(
          "elements of constants beyond the float16 range, which are its largest value as in the "
          "plan (--is_weight_clip): {}",
          tensors_.clipped()));
    }
    if (tensors_.vanished() > 0) {
      result_.notes.push_back(
          fmt::format("elements of constants too small for their type, which are zero as in the "
                      "plan: {}",
                      tensors_.vanished()));
    }
  }

  // A node that the importer removed and that hands on a 16-bit tensor.
  [[nodiscard]] bool Copies(const onnx::NodeProto& proto) const {
    if (proto.input_size() == 0 || proto.output_size() != 1 ||
        std::ranges::count(kCopying, proto.op_type()) == 0) {
      return false;
    }
    const DType dtype = tensors_.DTypeOf(proto.input(0));
    return IsLow(dtype) && FirstOpsetOf(proto.op_type(), dtype).value_or(opset_ + 1) <= opset_ &&
           std::all_of(proto.input().begin() + 1, proto.input().end(), [&](const auto& name) {
             return proto.op_type() != "Concat" || tensors_.DTypeOf(name) == dtype;
           });
  }

  void WriteCopy(onnx::NodeProto proto) {
    const DType dtype = tensors_.DTypeOf(proto.input(0));
    for (std::string& name : *proto.mutable_input()) {
      name = IsLow(tensors_.DTypeOf(name)) ? tensors_.As(name, dtype, dtype, plan_.clip_weights)
                                           : name;
    }
    const std::string output = proto.output(0);
    *proto.mutable_output(0) = tensors_.NameOfMade(output, dtype, dtype);
    tensors_.AddNode(std::move(proto));
    tensors_.Made(output, dtype, dtype);
  }

  // Nodes of the file that only made constants, which nothing reads any more.
  void RemoveConstantNodes() {
    std::set<std::string> read;
    for (const auto& output : file_.output()) {
      read.insert(output.name());
    }
    auto& nodes = *made_.mutable_node();
    for (int i = nodes.size() - 1; i >= 0; --i) {
      const bool needed = std::any_of(
          nodes[i].output().begin(), nodes[i].output().end(), [&](const std::string& name) {
            return read.contains(name) || (!name.empty() && !constants_.contains(name));
          });
      if (needed) {
        for (std::string& name : NamesReadBy(nodes[i])) {
          read.insert(std::move(name));
        }
      } else {
        nodes.DeleteSubrange(i, 1);
      }
    }
  }

  void TypeValues() {
    for (auto& value : *file_.mutable_value_info()) {
      // A tensor whose producer writes another name keeps the type of its own.
      SetType(value, tensors_.OwnTypeOf(value.name()));
    }
  }

  onnx::GraphProto& file_;
  std::int64_t opset_;
  const Graph& network_;
  const PrecisionPlan& plan_;
  NodeTypes types_;
  onnx::GraphProto made_;  // the new nodes, in order
  TypedTensors tensors_;
  MixedModel result_;
  std::map<std::string, ValueId> values_;
  std::set<std::string> constants_;  // in float32
  std::set<std::string> read_;       // tensors of the file
};

}  // namespace

MixedModel WriteOnnxMixed(const std::filesystem::path& model, const Graph& network,
                          const PrecisionPlan& plan, const ModelForm& form) {
  const std::filesystem::path path = ModelFile(model);
  const std::shared_ptr<onnx::ModelProto> proto = LoadModel(path);
  RefuseExported(*proto);
  const SharedData shared = ShareData(*proto, network);
  SortNodes(*proto->mutable_graph());
  MixedModel written = MixedWriter(*proto, network, plan).Write();
  ModelBytes bytes = FinishModel(*proto, shared, plan.Digest(), path, form);
  written.bytes = std::move(bytes.message);
  written.weights = std::move(bytes.weights);
  if (!bytes.note.empty()) {
    written.notes.push_back(std::move(bytes.note));
  }
  return written;
}

}  // namespace halftone
