#include "src/export/onnx_qdq.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <variant>

#include "src/base/error.h"
#include "src/exec/channel_factors.h"
#include "src/exec/dynamic_products.h"
#include "src/exec/fuse_by_plan.h"
#include "src/export/finish_model.h"
#include "src/export/folded_weights.h"
#include "src/export/raise_opset.h"
#include "src/export/rounded_tensors.h"
#include "src/export/source_file.h"
#include "src/export/write_dynamic.h"
#include "src/export/write_product.h"
#include "src/onnx/model_file.h"

namespace halftone {
namespace {

// Operators that copy their operand where its type is that of their result.
constexpr std::string_view kCopying[] = {"Cast",      "Concat",   "Dropout", "Expand",
                                         "Flatten",   "Identity", "Reshape", "Squeeze",
                                         "Transpose", "Unsqueeze"};

bool MayCopy(std::string_view type) {
  return std::ranges::count(kCopying, type) > 0;
}

// An integer product that stands for nodes of the file.
struct Product {
  NodeId step = kNoNode;  // of the fused graph
  IntegerStep integers;
};

// A float step whose weights are not those of the file.
struct Folded {
  FoldedWeights weights;
  const NodePrecision* precision = nullptr;  // of the step
};

// Rewrites the nodes of a model, in their order. The plan is taken as it is lowered: values that
// disappear in a step are not rounded.
class QdqWriter {
 public:
  // `opset`: of ai.onnx.
  QdqWriter(onnx::GraphProto& file, std::int64_t opset, const Graph& network,
            const PrecisionPlan& plan, QdqFlavour flavour)
      : file_(file),
        opset_(opset),
        network_(network),
        plan_(plan),
        flavour_(flavour),
        source_(file, network),
        fused_(FuseByPlan(network, plan, nullptr)),
        outputs_(NamesOfOutputs(network)),
        tensors_(file, made_, fused_.graph, plan, flavour, outputs_) {}

  QdqModel Write() {
    CheckInterface();
    IndexValues();
    NoteInsideNodes();
    for (std::size_t n = 0; n < fused_.graph.nodes.size(); ++n) {
      ReadStep(static_cast<NodeId>(n));
    }
    for (const auto& input : file_.input()) {
      if (const ValueId value = MadeValue(input.name()); value != kNoValue) {
        static_cast<void>(tensors_.RawName(value));
      }
    }
    for (int i = 0; i < file_.node_size(); ++i) {
      if (IsOfPair(file_.node(i))) {
        pairs_of_model_.insert(file_.node(i).output(0));
      }
      WriteNode(i);
    }
    file_.mutable_node()->Swap(made_.mutable_node());
    CheckReads(file_);
    DropUnused(file_);
    result_.tensors = tensors_.count();
    for (const std::string& name : from_shapes_) {
      result_.losses.push_back(
          {name, "rounded", "float32",
           "tensors that come from the shape of an input and are not rounded in the file"});
    }
    if (!from_shapes_.empty()) {
      result_.notes.push_back(
          fmt::format("tensors that come from the shape of an input and are not rounded in the "
                      "file: {}, the first is '{}'",
                      from_shapes_.size(), *from_shapes_.begin()));
    }
    std::ranges::move(NotesOf(tensors_.kept_types()), std::back_inserter(result_.notes));
    std::ranges::copy(tensors_.kept_types(), std::back_inserter(result_.losses));
    std::ranges::move(NotesOf(unfolded_), std::back_inserter(result_.notes));
    std::ranges::move(unfolded_, std::back_inserter(result_.losses));
    if (std::string wider = tensors_.WiderSteps(); !wider.empty()) {
      result_.notes.push_back(std::move(wider));
      std::ranges::move(tensors_.WiderTensors(), std::back_inserter(result_.losses));
    }
    if (flavour_ == QdqFlavour::kTensorRt) {
      NotePairsOfModel();
    }
    return std::move(result_);
  }

 private:
  static bool IsOfPair(const onnx::NodeProto& node) {
    return node.op_type() == "QuantizeLinear" || node.op_type() == "DequantizeLinear";
  }

  // The model may have pairs of its own, which stay as they are.
  void NotePairsOfModel() {
    std::int64_t count = 0;
    std::string first;
    for (const auto& node : file_.node()) {
      if (IsOfPair(node) && pairs_of_model_.contains(node.output(0)) &&
          (node.input_size() < 3 || !IsSymmetric(node.input(2)))) {
        first = count++ == 0 ? node.name() : first;
      }
    }
    if (count > 0) {
      result_.notes.push_back(
          fmt::format("TensorRT has no zero points, and {} QuantizeLinear and DequantizeLinear of "
                      "the model itself have some or are not of int8; the first is '{}'",
                      count, first));
    }
  }

  // Whether a zero point is of int8 and zero, as far as it is a constant in the message.
  [[nodiscard]] bool IsSymmetric(const std::string& zero_point) const {
    return std::any_of(file_.initializer().begin(), file_.initializer().end(), [&](const auto& t) {
      return t.name() == zero_point && t.data_type() == onnx::TensorProto::INT8 &&
             std::ranges::all_of(t.raw_data(), [](char byte) { return byte == 0; }) &&
             std::ranges::all_of(t.int32_data(), [](int zero) { return zero == 0; });
    });
  }

  static std::set<std::string> NamesOfOutputs(const Graph& network) {
    std::set<std::string> names;
    for (const ValueId id : network.outputs) {
      names.insert(network.value(id).name);
    }
    return names;
  }

  void CheckInterface() const {
    if (!plan_.graph_inputs.empty() || !plan_.graph_outputs.empty()) {
      throw Error(ErrorKind::kUnsupported,
                  "a QDQ file keeps the types of the inputs and outputs of the model; leave out "
                  "--input_fp16_nodes and --output_type");
    }
  }

  // Names of constants and of values that steps make or the user gives, and their formats.
  void IndexValues() {
    const Graph& graph = fused_.graph;
    const auto add = [&](ValueId id, NumericFormat format) {
      values_.emplace(graph.value(id).name, id);
      tensors_.SetFormat(id, format);
    };
    for (const ValueId id : graph.inputs) {
      add(id, graph.value(id).type.dtype);
    }
    for (std::size_t v = 0; v < network_.values.size(); ++v) {
      if (network_.values[v].constant && source_.constants.contains(network_.values[v].name)) {
        values_.emplace(network_.values[v].name, static_cast<ValueId>(v));
      }
    }
    for (const Value& value : network_.values) {
      types_.emplace(value.name, &value.type);
    }
    for (const Node& node : network_.nodes) {
      if (!node.origins[0].output.empty()) {
        of_origin_.emplace(node.origins[0].output, node.outputs.at(0));
      }
    }
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      const Node& node = graph.nodes[n];
      for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i] != kNoValue) {
          add(node.outputs[i], fused_.plan.nodes.at(n).outputs.at(i));
        }
      }
    }
  }

  // Results that the plan rounds and no tensor of the file holds.
  void NoteInsideNodes() {
    const Graph& graph = fused_.graph;
    std::vector<std::string> inside;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      const Node& node = graph.nodes[n];
      for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const ValueId id = node.outputs[i];
        if (id == kNoValue || !tensors_.Rounds(id) || source_.Has(graph.value(id).name)) {
          continue;
        }
        inside.push_back(graph.value(id).name);
        result_.losses.push_back(
            LossOf(graph.value(id).name, fused_.plan.nodes.at(n).outputs.at(i), "float32",
                   "lie inside one node of the file and are not rounded there"));
      }
    }
    if (!inside.empty()) {
      result_.notes.push_back(
          fmt::format("{} tensors of the plan lie inside one node of the file and are not rounded "
                      "there; the first is '{}'",
                      inside.size(), inside.front()));
    }
  }

  // The value of this name; kNoValue: none is made, and no constant has it.
  [[nodiscard]] ValueId MadeValue(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? kNoValue : found->second;
  }

  // The value that a tensor of the file is; kNoValue: one inside a step, or none.
  [[nodiscard]] ValueId ValueOf(const std::string& name) const {
    if (const ValueId value = MadeValue(name); value != kNoValue) {
      return value;
    }
    // Canonicalisation removes nodes that copy their operand; the copy may have been the result of
    // the model, whose name its producer has then.
    if (const auto made = of_origin_.find(name); made != of_origin_.end()) {
      return tensors_.HasFormat(made->second) ? made->second : kNoValue;
    }
    const int producer = source_.ProducerOf(name);
    const auto type = types_.find(name);
    if (producer < 0 || file_.node(producer).input_size() == 0 || type == types_.end()) {
      return kNoValue;
    }
    const ValueId copied = ValueOf(file_.node(producer).input(0));
    return copied != kNoValue && MayCopy(file_.node(producer).op_type()) &&
                   *type->second == network_.value(copied).type
               ? copied
               : kNoValue;
  }

  // A product in dynamic int8: the node of the file that it is of is replaced, what fusion put
  // behind it (bias, activation, residual) stays.
  void ReadDynamic(const Node& node, const NodePrecision& precision) {
    const auto refuse = [&](std::string_view why) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("node '{}' computes in {}: {}; write a point without it, or give the "
                              "node another format",
                              node.name, ShownNameOf(precision.compute_format()), why));
    };
    if (flavour_ == QdqFlavour::kTensorRt) {
      refuse(
          "its rows are quantised in the run, each by a scale of its own, and TensorRT has no "
          "operators for that");
    }
    const Node& main = network_.node(node.parts.at(0));
    const int index = source_.NodeOf(node.parts[0]);
    const std::string type = index < 0 ? "" : file_.node(index).op_type();
    if ((type != "MatMul" && type != "Gemm") || node.inputs.at(1) != main.inputs.at(1)) {
      refuse("its weights are made of several nodes of the file");
    }
    auto step = DynamicStepOf(fused_.graph, node, precision,
                              plan_.quantization ? &*plan_.quantization : nullptr, constants_);
    if (!step) {
      refuse("only products with a constant matrix of weights are written");
    }
    dynamic_.emplace(index, *std::move(step));
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {  // rows are read in float32
      const ValueId value = node.inputs[i];
      if (value != kNoValue && !fused_.graph.value(value).constant) {
        NoteRead(node, value, precision.inputs[i]);
      }
    }
  }

  void ReadStep(NodeId id) {
    const Node& node = fused_.graph.node(id);
    const NodePrecision& precision = fused_.plan.node(id);
    if (precision.reads_dynamic()) {
      ReadDynamic(node, precision);
      return;
    }
    std::optional<IntegerStep> integers;
    if (plan_.quantization) {
      integers = IntegerStepOf(fused_.graph, node, precision, *plan_.quantization, constants_);
    }
    if (integers && HasIntegerWeights(*integers) &&
        source_.Has(fused_.graph.value(node.outputs[0]).name)) {
      if (precision.outputs.at(0).is_scaled()) {
        tensors_.SetDivided(node.outputs[0]);
      }
      AddProduct({id, std::move(*integers)});
      return;
    }
    ReadFoldedWeights(node, precision);
    if (KeepsDivided(node, precision, integers.has_value())) {
      tensors_.SetDivided(node.outputs[0]);
      reads_divided_.insert({source_.NodeOf(node.parts[0]), node.inputs[0]});
    }
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId value = node.inputs[i];
      if (value != kNoValue && IsRounded(value, precision.inputs.at(i), integers)) {
        NoteRead(node, value, precision.inputs[i]);
      }
    }
  }

  // Rounded weights are those of the plan: with BatchNormalization in them, whose node goes.
  void ReadFoldedWeights(const Node& node, const NodePrecision& precision) {
    if (!HasFoldedWeights(source_, fused_.graph, node) || !IsRounding(precision.inputs.at(1)) ||
        precision.inputs[1].is_scaled()) {
      return;
    }
    auto found = FoldedWeightsOf(source_, fused_.graph, node);
    if (!found) {
      unfolded_.push_back(LossOf(node.name, precision.inputs[1], "float32",
                                 "weights with other nodes of the file in them, which are "
                                 "not rounded"));
      return;
    }
    replaced_.insert(found->folded.begin(), found->folded.end());
    const int index = found->node;
    folded_.emplace(index, Folded{*std::move(found), &precision});
  }

  // The Conv of a step with its weights in place of those of the file.
  void TakeFoldedWeights(const Folded& folded, onnx::NodeProto& node) {
    const auto constant = [&](ValueId id, NumericFormat format) {
      const Value& value = fused_.graph.value(id);
      return IsRounding(format) ? tensors_.NameIn(id, format)
                                : tensors_.parts().AddTensor(value.name, *value.constant);
    };
    const std::string x = node.input(0);
    node.clear_input();
    node.add_input(x);
    node.add_input(constant(folded.weights.weights, folded.precision->inputs.at(1)));
    if (folded.weights.bias != kNoValue) {
      node.add_input(constant(folded.weights.bias, folded.precision->inputs.at(2)));
    }
    node.set_output(0, folded.weights.result);
  }

  // Whether a step is one node of the file that may compute with a tensor divided by its channel
  // factors, and makes one divided by the same. Any other node may compute with the tensors
  // themselves.
  [[nodiscard]] bool KeepsDivided(const Node& node, const NodePrecision& precision,
                                  bool on_integers) const {
    if ((!on_integers && !InfoOf(node.op).Is(kIsView)) || node.parts.size() != 1 ||
        node.inputs.empty() || node.inputs[0] == kNoValue || node.outputs.size() != 1 ||
        !precision.inputs.at(0).is_scaled() || !precision.outputs.at(0).is_scaled() ||
        !plan_.quantization || !KeepsFactors(fused_.graph, node, *plan_.quantization)) {
      return false;
    }
    // Canonicalisation makes one node of several.
    const int index = source_.NodeOf(node.parts[0]);
    return index >= 0 && file_.node(index).input_size() > 0 &&
           file_.node(index).output_size() == 1 &&
           ValueOf(file_.node(index).input(0)) == node.inputs[0] &&
           MadeValue(file_.node(index).output(0)) == node.outputs[0];
  }

  // Whether a step reads a value as rounded to `format`. A constant is quantised by integer steps
  // alone (src/exec/lower.cc).
  [[nodiscard]] bool IsRounded(ValueId value, NumericFormat format,
                               const std::optional<IntegerStep>& integers) const {
    if (!IsRounding(format) || format == fused_.graph.value(value).type.dtype ||
        RoundedTensors::KeepsType(fused_.graph.value(value))) {
      return false;
    }
    if (!fused_.graph.value(value).constant || !format.is_scaled()) {
      return true;
    }
    return integers && std::ranges::any_of(integers->inputs, [&](const IntegerOperand& operand) {
             const auto* read = std::get_if<IntegerValue>(&operand);
             return read != nullptr && read->id == value;
           });
  }

  // The nodes of the file that are parts of a step and read a value.
  void NoteRead(const Node& node, ValueId value, NumericFormat format) {
    const std::string& name = fused_.graph.value(value).name;
    if (fused_.graph.value(value).constant && source_.Has(name) &&
        !source_.constants.contains(name)) {
      from_shapes_.insert(name);
    }
    for (const NodeId part : node.parts) {
      if (std::ranges::count(network_.node(part).inputs, value) > 0) {
        reads_[{source_.NodeOf(part), value}] = format;
      }
    }
  }

  // It stands in place of the last of its nodes, where all of its operands are made.
  void AddProduct(Product product) {
    const Node& node = fused_.graph.node(product.step);
    int last = source_.ProducerOf(fused_.graph.value(node.outputs[0]).name);
    replaced_.insert(last);
    for (const NodeId part : node.parts) {
      const int index = source_.NodeOf(part);
      replaced_.insert(index);
      last = std::max(last, index);
    }
    products_[last].push_back(std::move(product));
  }

  void WriteNode(int index) {
    if (const auto found = products_.find(index); found != products_.end()) {
      for (const Product& product : found->second) {
        WriteProduct(source_, fused_.graph.node(product.step), product.integers, flavour_,
                     tensors_);
        ++result_.products;
      }
    }
    if (replaced_.contains(index) || handed_on_.contains(file_.node(index).output(0))) {
      return;
    }
    onnx::NodeProto node = file_.node(index);
    for (std::string& input : *node.mutable_input()) {
      input = ReadBy(index, input);
    }
    if (const auto found = dynamic_.find(index); found != dynamic_.end()) {
      WriteDynamic(node, found->second);
      return;
    }
    if (const auto found = folded_.find(index); found != folded_.end()) {
      TakeFoldedWeights(found->second, node);
    }
    for (auto& attribute : *node.mutable_attribute()) {
      RenameCaptured(attribute);
    }
    std::vector<ValueId> made;
    for (std::string& output : *node.mutable_output()) {
      const ValueId value = ResultOf(output);
      if (tensors_.HasFormat(value)) {
        HandOn(value, output);
        output = tensors_.RawName(value);
        made.push_back(value);
      }
    }
    tensors_.AddNode(std::move(node));
    for (const ValueId value : made) {
      tensors_.RoundMade(value);
    }
  }

  // The value that a node of the file makes as `name`. Where a copy of it is a result of the model,
  // the value has the name of that.
  [[nodiscard]] ValueId ResultOf(const std::string& name) const {
    if (const ValueId value = MadeValue(name); value != kNoValue) {
      return value;
    }
    const auto made = of_origin_.find(name);
    return made != of_origin_.end() && tensors_.HasFormat(made->second) &&
                   outputs_.contains(network_.value(made->second).name)
               ? made->second
               : kNoValue;
  }

  // A producer writes `name` of the file under the name of a result of the model, which was a copy.
  void HandOn(ValueId value, const std::string& name) {
    if (network_.value(value).name != name) {
      handed_on_.insert(network_.value(value).name);
      renamed_.insert(name);
    }
  }

  // `node`: of the file, with the operands that it reads.
  void WriteDynamic(const onnx::NodeProto& node, const IntegerStep& step) {
    const std::string& output = node.output(0);
    const ValueId value = ResultOf(output);
    const bool made = tensors_.HasFormat(value);
    if (made) {
      HandOn(value, output);
    }
    const bool has_bias = node.op_type() == "Gemm" && node.input_size() > 2;
    WriteDynamicProduct({.name = node.name().empty() ? output : node.name(),
                         .rows = node.input(0),
                         .bias = has_bias ? node.input(2) : "",
                         .result = made ? tensors_.RawName(value) : output,
                         .opset = opset_},
                        step, tensors_);
    ++result_.products;
    if (made) {
      tensors_.RoundMade(value);
    }
  }

  // The name under which the node of the file at `index` reads what it called `name`.
  std::string ReadBy(int index, const std::string& name) {
    const ValueId value = name.empty() ? kNoValue : ValueOf(name);
    const auto read = reads_.find({index, value});
    if (value == kNoValue ||
        (read == reads_.end() && !tensors_.Rounds(value) && !renamed_.contains(name))) {
      return name;
    }
    const NumericFormat format = read == reads_.end() ? NumericFormat() : read->second;
    return reads_divided_.contains({index, value}) ? tensors_.DividedIn(value, format)
                                                   : tensors_.NameIn(value, format);
  }

  // Bodies take values from outside by name.
  void RenameCaptured(onnx::AttributeProto& attribute) {
    if (!attribute.has_g()) {
      return;
    }
    for (auto& node : *attribute.mutable_g()->mutable_node()) {
      for (std::string& input : *node.mutable_input()) {
        const bool renamed = renamed_.contains(input);
        const ValueId value = renamed ? ResultOf(input) : MadeValue(input);
        if (renamed || (tensors_.Rounds(value) && tensors_.HasName(value))) {
          input = tensors_.NameIn(value, NumericFormat());
        }
      }
      for (auto& inner : *node.mutable_attribute()) {
        RenameCaptured(inner);
      }
    }
  }

  onnx::GraphProto& file_;
  std::int64_t opset_;
  const Graph& network_;
  const PrecisionPlan& plan_;
  QdqFlavour flavour_;
  SourceFile source_;
  FusedNetwork fused_;
  std::set<std::string> outputs_;
  SharedConstants constants_;
  onnx::GraphProto made_;  // the new nodes, in order
  RoundedTensors tensors_;
  QdqModel result_;
  std::map<std::string, ValueId> values_;                   // constants, and values that are made
  std::map<std::string, const TensorType*> types_;          // of all values
  std::map<std::string, ValueId> of_origin_;                // first result of a node of the network
  std::map<std::pair<int, ValueId>, NumericFormat> reads_;  // by node of the file
  std::set<std::pair<int, ValueId>> reads_divided_;         // the same, of KeepsDivided()
  std::vector<Loss> unfolded_;    // weights that the plan has rounded, and no tensor of the file is
  std::map<int, Folded> folded_;  // by node of the file
  std::map<int, IntegerStep> dynamic_;            // by the node of the file that they stand for
  std::map<int, std::vector<Product>> products_;  // by node of the file at whose place they stand
  std::set<std::string> from_shapes_;             // that steps read rounded
  std::set<std::string> handed_on_;               // results of the model that were copies of these
  std::set<std::string> renamed_;                 // tensors that have their names now
  std::set<std::string> pairs_of_model_;          // results of its own nodes that quantise
  std::set<int> replaced_;                        // nodes of the file that products stand for
};

}  // namespace

QdqModel WriteOnnxQdq(const std::filesystem::path& model, const Graph& network,
                      const PrecisionPlan& plan, QdqFlavour flavour, const ModelForm& form) {
  const std::filesystem::path path = ModelFile(model);
  const std::shared_ptr<onnx::ModelProto> proto = LoadModel(path);
  RefuseExported(*proto);
  const SharedData shared = ShareData(*proto, network);
  SortNodes(*proto->mutable_graph());
  RaiseOpset(*proto, network);
  QdqModel written =
      QdqWriter(*proto->mutable_graph(), OpsetOf(*proto), network, plan, flavour).Write();
  written.opset = OpsetOf(*proto);
  ModelBytes bytes = FinishModel(*proto, shared, plan.Digest(), path, form);
  written.bytes = std::move(bytes.message);
  written.weights = std::move(bytes.weights);
  if (!bytes.note.empty()) {
    written.notes.push_back(std::move(bytes.note));
  }
  return written;
}

}  // namespace halftone
