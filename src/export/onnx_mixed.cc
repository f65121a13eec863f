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
#include "src/exec/fuse_by_plan.h"
#include "src/export/finish_model.h"
#include "src/export/model_parts.h"
#include "src/export/typed_operators.h"
#include "src/export/typed_tensors.h"
#include "src/ir/op_table.h"
#include "src/onnx/graph_order.h"
#include "src/onnx/model_file.h"

namespace halftone {
namespace {

// The first opsets whose Cast makes the type.
constexpr std::int64_t kCastToFloat16 = 6;
constexpr std::int64_t kCastToBFloat16 = 13;

// The first version of the format whose initializers need not be inputs too.
constexpr std::int64_t kConstantsAreNoInputs = 4;

// Operators whose result has the type of their operand, that the importer removes.
constexpr std::string_view kCopying[] = {"Concat",  "Dropout", "Expand",    "Flatten",  "Identity",
                                         "Reshape", "Squeeze", "Transpose", "Unsqueeze"};

// A name and its place, for notes: "3, the first is ...".
struct Cases {
  std::int64_t count = 0;
  std::string first;

  void Add(const std::string& name) {
    if (count++ == 0) {
      first = name;
    }
  }
};

// Takes attributes whose value is a graph: a body.
bool HasBody(const onnx::NodeProto& node) {
  return std::any_of(node.attribute().begin(), node.attribute().end(),
                     [](const auto& a) { return a.has_g() || a.graphs_size() > 0; });
}

// Rewrites the nodes of a model, in their order.
class MixedWriter {
 public:
  MixedWriter(onnx::ModelProto& model, const Graph& network, const PrecisionPlan& plan)
      : file_(*model.mutable_graph()),
        opset_(OpsetOf(model)),
        network_(network),
        plan_(plan),
        fused_(FuseByPlan(network, plan, nullptr)),
        tensors_(file_, made_) {}

  MixedModel Write() {
    IndexNetwork();
    CheckPlan();
    TypeInterface();
    FindInside();
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
    AddNotes();
    return std::move(result_);
  }

 private:
  // What the plan has for a node of the file.
  struct Planned {
    const Node* node = nullptr;  // null: the network does not have it
    const NodePrecision* precision = nullptr;
    NodeId id = kNoNode;
  };

  // The formats of an operand or result: rounding, and the type in which a typed node has it.
  struct Formats {
    std::vector<std::optional<DType>> inputs;  // empty: not a float that the plan speaks of
    std::vector<std::optional<DType>> outputs;
  };

  void IndexNetwork() {
    for (std::size_t v = 0; v < network_.values.size(); ++v) {
      const Value& value = network_.values[v];
      values_.emplace(value.name, static_cast<ValueId>(v));
      if (value.constant && value.type.dtype == DType::kFloat32) {
        tensors_.SetConstant(value.name, *value.constant);
      }
    }
    for (std::size_t n = 0; n < network_.nodes.size(); ++n) {
      for (const Origin& origin : network_.nodes[n].origins) {
        by_output_.emplace(origin.output, static_cast<NodeId>(n));
      }
      by_output_.emplace(network_.value(network_.nodes[n].outputs.at(0)).name,
                         static_cast<NodeId>(n));
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
      if (!format.is_dtype()) {
        unrounded_.Add(node.name);
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
    for (const Value& value : network_.values) {
      if (IsLow(value.type.dtype)) {
        throw Error(ErrorKind::kUnsupported,
                    fmt::format("tensor '{}' is {} in the model; typed files are written of models "
                                "in float32",
                                value.name, NameOf(value.type.dtype)));
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
        const std::set<std::string> own(node.input().begin(), node.input().end());
        for (const std::string& name : NamesReadBy(node)) {
          if (!own.contains(name)) {
            tensors_.Fix(name, DType::kFloat32);
          }
        }
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

  // The parts of operators that halftone computes as one in float32, and the values between them.
  void FindInside() {
    std::set<ValueId> made;
    for (const Node& node : fused_.graph.nodes) {
      made.insert(node.outputs.begin(), node.outputs.end());
    }
    for (const Node& node : fused_.graph.nodes) {
      if (node.parts.size() < 2 || InfoOf(node.op).Is(kCube)) {
        continue;
      }
      for (const NodeId part : node.parts) {
        inside_nodes_.insert(part);
        for (const ValueId value : network_.node(part).outputs) {
          if (!made.contains(value)) {
            inside_.insert(value);
          }
        }
      }
    }
  }

  [[nodiscard]] Planned PlannedOf(const onnx::NodeProto& node) const {
    for (const std::string& output : node.output()) {
      if (const auto found = by_output_.find(output);
          !output.empty() && found != by_output_.end()) {
        return {&network_.node(found->second), &plan_.node(found->second), found->second};
      }
    }
    return {};
  }

  [[nodiscard]] std::optional<DType> FloatOf(ValueId value, NumericFormat format) const {
    if (value == kNoValue || network_.value(value).type.dtype != DType::kFloat32) {
      return std::nullopt;
    }
    return inside_.contains(value) || !format.is_dtype() ? DType::kFloat32 : format.dtype();
  }

  // Operands by name; one that canonicalisation renamed, by place.
  [[nodiscard]] Formats FormatsOf(const onnx::NodeProto& proto, const Planned& planned) const {
    Formats formats{.inputs = std::vector<std::optional<DType>>(proto.input_size()),
                    .outputs = std::vector<std::optional<DType>>(proto.output_size())};
    if (planned.node == nullptr) {
      return formats;
    }
    const auto fill = [&](const auto& names, const std::vector<ValueId>& ids,
                          const std::vector<NumericFormat>& of_plan, auto& result) {
      for (int i = 0; i < names.size(); ++i) {
        const auto named = std::ranges::find_if(ids, [&](ValueId id) {
          return id != kNoValue && !names[i].empty() && network_.value(id).name == names[i];
        });
        const bool by_place =
            named == ids.end() && std::cmp_equal(names.size(), ids.size()) && !names[i].empty();
        if (named != ids.end() || by_place) {
          const auto at = by_place ? static_cast<std::size_t>(i)
                                   : static_cast<std::size_t>(named - ids.begin());
          result[static_cast<std::size_t>(i)] = FloatOf(ids[at], of_plan.at(at));
        }
      }
    };
    fill(proto.input(), planned.node->inputs, planned.precision->inputs, formats.inputs);
    fill(proto.output(), planned.node->outputs, planned.precision->outputs, formats.outputs);
    return formats;
  }

  // The one 16-bit type of all that a node reads and makes; empty: it has several, or computes with
  // float32 inside.
  std::optional<DType> TypeOf(const onnx::NodeProto& proto, const Planned& planned,
                              const Formats& formats) {
    if (inside_nodes_.contains(planned.id)) {
      if (IsLow(planned.precision->compute_dtype())) {
        whole_.Add(NameOfNode(proto));
      }
      return std::nullopt;
    }
    std::optional<DType> type;
    const auto same = [&](const std::optional<DType>& format) {
      type = type ? type : format;
      return !format || *format == *type;
    };
    bool reads = false;
    for (std::size_t i = 0; i < formats.inputs.size(); ++i) {
      if (!HasOwnType(proto.op_type(), i)) {
        reads = reads || formats.inputs[i].has_value();
        if (!same(formats.inputs[i])) {
          mixed_.Add(NameOfNode(proto));
          return std::nullopt;
        }
      }
    }
    if (!std::ranges::all_of(formats.outputs, same)) {
      mixed_.Add(NameOfNode(proto));
      return std::nullopt;
    }
    if (!reads || !type || !IsLow(*type)) {
      return std::nullopt;
    }
    const auto since =
        IsDefaultDomain(proto.domain()) ? FirstOpsetOf(proto.op_type(), *type) : std::nullopt;
    if (!since || *since > opset_ || HasBody(proto)) {
      refused_.try_emplace({proto.op_type(), *type}).first->second.Add(NameOfNode(proto));
      return std::nullopt;
    }
    return type;
  }

  static std::string NameOfNode(const onnx::NodeProto& proto) {
    return proto.name().empty() && proto.output_size() > 0 ? proto.output(0) : proto.name();
  }

  void WriteNode(int index) {
    onnx::NodeProto proto = file_.node(index);
    const Planned planned = PlannedOf(proto);
    if (planned.node == nullptr && Copies(proto)) {
      WriteCopy(std::move(proto));
      return;
    }
    const Formats formats = FormatsOf(proto, planned);
    const std::optional<DType> type = TypeOf(proto, planned, formats);
    result_.low_operators += type ? 1 : 0;
    for (int i = 0; i < proto.input_size(); ++i) {
      std::string& name = *proto.mutable_input(i);
      const auto at = static_cast<std::size_t>(i);
      const bool own = HasOwnType(proto.op_type(), at);
      if (name.empty()) {
        continue;
      }
      if (formats.inputs[at]) {
        const DType rounding = *formats.inputs[at];
        name =
            tensors_.As(name, rounding, type && !own ? *type : DType::kFloat32, plan_.clip_weights);
      } else if (type && !own && IsFloatConstant(name)) {
        name = tensors_.As(name, *type, *type, plan_.clip_weights);
      } else if (IsLow(tensors_.DTypeOf(name))) {
        name = tensors_.As(name, DType::kFloat32, DType::kFloat32, plan_.clip_weights);
      }
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

  [[nodiscard]] bool IsFloatConstant(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) {
      return false;
    }
    const Value& value = network_.value(found->second);
    return value.constant && value.type.dtype == DType::kFloat32;
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
            return read.contains(name) || (!name.empty() && !IsFloatConstant(name));
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

  void AddNotes() {
    const auto add = [&](const Cases& cases, std::string_view what) {
      if (cases.count > 0) {
        result_.notes.push_back(
            fmt::format("{}: {}, the first is '{}'", what, cases.count, cases.first));
      }
    };
    constexpr std::string_view kBetweenCasts = "in float32 between Casts";
    for (const auto& [key, cases] : refused_) {
      const auto& [op_type, type] = key;
      const auto since = FirstOpsetOf(op_type, type);
      add(cases, fmt::format("operators computed {}, because {} {} {}", kBetweenCasts,
                             since ? fmt::format("opset {} has no", opset_) : "ONNX has no",
                             NameOf(type), op_type) +
                     (since ? fmt::format(" and opset {} has", *since) : ""));
    }
    add(mixed_, fmt::format("operators computed {}, because they read and make several types",
                            kBetweenCasts));
    add(whole_, fmt::format("operators computed {}, because halftone computes them so, as parts of "
                            "one that it has",
                            kBetweenCasts));
    add(unrounded_, "operators in a format of float32 tensors, which stay float32");
    if (tensors_.clipped() > 0) {
      result_.notes.push_back(fmt::format(
          "elements of constants beyond the float16 range, which are its largest value as in the "
          "plan (--is_weight_clip): {}",
          tensors_.clipped()));
    }
    if (tensors_.vanished() > 0) {
      result_.notes.push_back(fmt::format(
          "elements of constants too small for their type, which are zero as in the plan: {}",
          tensors_.vanished()));
    }
  }

  onnx::GraphProto& file_;
  std::int64_t opset_;
  const Graph& network_;
  const PrecisionPlan& plan_;
  FusedNetwork fused_;
  onnx::GraphProto made_;  // the new nodes, in order
  TypedTensors tensors_;
  MixedModel result_;
  std::map<std::string, ValueId> values_;
  std::map<std::string, NodeId> by_output_;  // nodes of the network, by tensors that they make
  std::set<NodeId> inside_nodes_;
  std::set<ValueId> inside_;
  std::map<std::pair<std::string, DType>, Cases> refused_;
  Cases mixed_;
  Cases whole_;
  Cases unrounded_;
};

}  // namespace

MixedModel WriteOnnxMixed(const std::filesystem::path& model, const Graph& network,
                          const PrecisionPlan& plan) {
  const std::filesystem::path path = ModelFile(model);
  const std::shared_ptr<onnx::ModelProto> proto = LoadModel(path);
  SortNodes(*proto->mutable_graph());
  MixedModel written = MixedWriter(*proto, network, plan).Write();
  proto->set_ir_version(std::max<std::int64_t>(proto->ir_version(), kConstantsAreNoInputs));
  TakeExternalData(*proto->mutable_graph(), path.parent_path());
  written.bytes = Serialised(*proto);
  return written;
}

}  // namespace halftone
