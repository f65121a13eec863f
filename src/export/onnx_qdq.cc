#include "src/export/onnx_qdq.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "src/base/error.h"
#include "src/exec/channel_factors.h"
#include "src/exec/fuse_by_plan.h"
#include "src/exec/integer_steps.h"
#include "src/export/model_parts.h"
#include "src/export/raise_opset.h"
#include "src/ir/fused_operands.h"
#include "src/onnx/graph_order.h"
#include "src/onnx/initializer.h"
#include "src/onnx/model_file.h"
#include "src/quantization/quantize.h"

namespace halftone {
namespace {

// Operand indices of QLinearConv and QLinearMatMul: integers of the weights, and their scales.
constexpr std::size_t kWeights = 3;
constexpr std::size_t kWeightScales = 4;
constexpr std::size_t kWeightZeroPoints = 5;
constexpr std::size_t kInputScale = 1;

// Protobuf refuses larger messages.
constexpr std::size_t kMostBytes = std::numeric_limits<std::int32_t>::max();

// int8 has the value of uint8 less this.
constexpr std::int32_t kMiddle = 128;

// A format that tensors are rounded to; those of the file are float32.
bool IsRounding(NumericFormat format) {
  return format.is_scaled() || format == DType::kFloat16 || format == DType::kBFloat16;
}

// [rows, columns] to [columns, rows], of int8.
Tensor Transposed(const Tensor& tensor) {
  Tensor result(tensor.dtype(), Shape{tensor.shape()[1], tensor.shape()[0]});
  for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
    const std::int64_t to = i % tensor.shape()[1] * tensor.shape()[0] + i / tensor.shape()[1];
    result.mutable_data()[to] = tensor.data()[i];
  }
  return result;
}

bool SameAttributes(const Attributes& a, const Attributes& b) {
  return WithFacts(a, {}, {}).values().size() == b.values().size() &&
         std::ranges::equal(a.values(), b.values(), [](const auto& x, const auto& y) {
           return x.first == y.first && x.second.index() == y.second.index() &&
                  std::visit(
                      [&](const auto& value) {
                        using T = std::decay_t<decltype(value)>;
                        if constexpr (std::is_same_v<T, Tensor>) {
                          return false;
                        } else {
                          return value == std::get<T>(y.second);
                        }
                      },
                      x.second);
         });
}

// An integer product with constant weights, which the file has as a Conv, Gemm or MatMul on
// dequantised weights.
struct Product {
  NodeId step = kNoNode;  // of the fused graph
  IntegerStep integers;
};

class QdqWriter {
 public:
  QdqWriter(onnx::ModelProto& model, const Graph& network, const PrecisionPlan& plan,
            QdqFlavour flavour)
      : file_(*model.mutable_graph()),
        network_(network),
        plan_(plan),
        flavour_(flavour),
        fused_(FuseByPlan(network, plan, nullptr)),
        parts_(file_) {}

  QdqModel Write() {
    CheckInterface();
    IndexFile();
    for (std::size_t n = 0; n < fused_.graph.nodes.size(); ++n) {
      ReadStep(static_cast<NodeId>(n));
    }
    ReportInside();
    for (const auto& input : file_.input()) {
      const ValueId value = Find(values_, input.name());
      if (value != kNoValue) {
        raw_[value] = input.name();
      }
    }
    for (int i = 0; i < file_.node_size(); ++i) {
      WriteNode(i);
    }
    file_.mutable_node()->Swap(made_.mutable_node());
    CheckReads();
    DropUnused();
    ReportRescaled();
    return std::move(result_);
  }

 private:
  template <typename Map, typename Key>
  static typename Map::mapped_type Find(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? -1 : found->second;
  }

  void CheckInterface() const {
    if (!plan_.graph_inputs.empty() || !plan_.graph_outputs.empty()) {
      throw Error(ErrorKind::kUnsupported,
                  "a QDQ file keeps the types of the inputs and outputs of the model; leave out "
                  "--input_fp16_nodes and --output_type");
    }
  }

  void IndexFile() {
    for (int i = 0; i < file_.node_size(); ++i) {
      for (const std::string& output : file_.node(i).output()) {
        producers_.emplace(output, i);
      }
    }
    const Graph& graph = fused_.graph;
    for (const ValueId id : graph.inputs) {
      AddValue(id, graph.value(id).type.dtype);
    }
    for (std::size_t v = 0; v < network_.values.size(); ++v) {
      if (network_.values[v].constant) {
        values_.emplace(network_.values[v].name, static_cast<ValueId>(v));
      }
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
          AddValue(node.outputs[i], fused_.plan.nodes.at(n).outputs.at(i));
        }
      }
    }
    for (const ValueId id : graph.outputs) {
      outputs_.insert(graph.value(id).name);
    }
  }

  // A value that a step makes or the user gives, in the format that it has then.
  void AddValue(ValueId id, NumericFormat format) {
    const Value& value = fused_.graph.value(id);
    values_.emplace(value.name, id);
    formats_[id] = format;
    if (!IsRounding(format) && !format.is_dtype() && format.dtype() == DType::kFloat32) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("tensor '{}' is in {}, which no ONNX operator rounds to; expected "
                              "qint8, float16, bfloat16 or float32",
                              value.name, NameOf(format)));
    }
    if (IsFloating(value.type.dtype) && value.type.dtype != DType::kFloat32 &&
        format != value.type.dtype) {
      throw Error(
          ErrorKind::kUnsupported,
          fmt::format("tensor '{}' is {} in the model and {} in the plan; QDQ files are written of "
                      "models in float32",
                      value.name, NameOf(value.type.dtype), NameOf(format)));
    }
    if (Rounds(id) && values_.at(value.name) == id && !InFile(value.name)) {
      inside_.push_back(value.name);
    }
  }

  [[nodiscard]] bool InFile(const std::string& name) const {
    return producers_.contains(name) ||
           std::any_of(file_.input().begin(), file_.input().end(),
                       [&](const auto& input) { return input.name() == name; });
  }

  // Whether whoever makes a value rounds it.
  [[nodiscard]] bool Rounds(ValueId id) const {
    const auto found = formats_.find(id);
    return found != formats_.end() && IsRounding(found->second) &&
           found->second != fused_.graph.value(id).type.dtype;
  }

  // The value that a tensor of the file is; kNoValue: one inside a step, or none.
  [[nodiscard]] ValueId ValueOf(const std::string& name) const {
    if (const ValueId value = Find(values_, name); value != kNoValue) {
      return value;
    }
    // Canonicalisation removes nodes that copy their operand.
    if (const ValueId made = Find(of_origin_, name); made != kNoValue) {
      return formats_.contains(made) ? made : kNoValue;
    }
    const int producer = Find(producers_, name);
    return producer < 0 || file_.node(producer).input_size() == 0
               ? kNoValue
               : ValueOf(file_.node(producer).input(0));
  }

  // The node of the file that became a node of the network; -1: none, one that the importer added.
  [[nodiscard]] int FileNode(NodeId part) const {
    return Find(producers_, network_.node(part).origins[0].output);
  }

  void ReadStep(NodeId id) {
    const Node& node = fused_.graph.node(id);
    const NodePrecision& precision = fused_.plan.node(id);
    std::optional<IntegerStep> integers;
    if (plan_.quantization) {
      integers = IntegerStepOf(fused_.graph, node, precision, *plan_.quantization, constants_);
    }
    if (integers && IsProduct(*integers) && InFile(fused_.graph.value(node.outputs[0]).name)) {
      divided_.insert(node.outputs[0]);
      AddProduct({id, std::move(*integers)});
      return;
    }
    NoteDivided(node, precision, integers.has_value());
    std::set<ValueId> quantized;  // constants
    for (const IntegerOperand& operand : integers
                                             ? std::span<const IntegerOperand>(integers->inputs)
                                             : std::span<const IntegerOperand>()) {
      if (const auto* value = std::get_if<IntegerValue>(&operand)) {
        quantized.insert(value->id);
      }
    }
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId value = node.inputs[i];
      const NumericFormat format = value == kNoValue ? NumericFormat() : precision.inputs.at(i);
      if (!IsRounding(format) || format == fused_.graph.value(value).type.dtype ||
          (fused_.graph.value(value).constant && format.is_scaled() &&
           !quantized.contains(value))) {
        continue;
      }
      for (const NodeId part : node.parts) {
        const std::vector<ValueId>& read = network_.node(part).inputs;
        if (std::ranges::count(read, value) > 0) {
          reads_[{FileNode(part), value}] = format;
        }
      }
    }
  }

  [[nodiscard]] const ChannelFactors* Factors(ValueId value) const {
    return value == kNoValue || !plan_.quantization
               ? nullptr
               : FactorsOf(fused_.graph, value, *plan_.quantization);
  }

  // Operators that keep the channels of a value with factors compute with it as it is in the file:
  // divided by the factors.
  void NoteDivided(const Node& node, const NodePrecision& precision, bool on_integers) {
    const bool is_view = InfoOf(node.op).Is(kIsView);
    if ((!on_integers && !is_view) || node.inputs.empty() || Factors(node.inputs[0]) == nullptr ||
        !precision.inputs[0].is_scaled() || !precision.outputs.at(0).is_scaled() ||
        !KeepsFactors(fused_.graph, node, *plan_.quantization)) {
      return;
    }
    divided_.insert(node.outputs[0]);
    for (const NodeId part : node.parts) {
      reads_divided_.insert({FileNode(part), node.inputs[0]});
    }
  }

  static bool IsProduct(const IntegerStep& integers) {
    return (integers.op == OpKind::kQLinearConv || integers.op == OpKind::kQLinearMatMul) &&
           std::holds_alternative<Tensor>(integers.inputs.at(kWeights));
  }

  void AddProduct(Product product) {
    const Node& node = fused_.graph.node(product.step);
    int last = Find(producers_, fused_.graph.value(node.outputs[0]).name);
    replaced_.insert(last);
    for (const NodeId part : node.parts) {
      const int file_node = FileNode(part);
      replaced_.insert(file_node);
      last = std::max(last, file_node);
    }
    products_[last].push_back(std::move(product));
  }

  void WriteNode(int index) {
    if (const auto found = products_.find(index); found != products_.end()) {
      for (const Product& product : found->second) {
        WriteProduct(product);
      }
    }
    if (replaced_.contains(index)) {
      return;
    }
    onnx::NodeProto node = file_.node(index);
    for (std::string& input : *node.mutable_input()) {
      input = ReadBy(index, input);
    }
    for (auto& attribute : *node.mutable_attribute()) {
      RenameCaptured(attribute);
    }
    std::vector<ValueId> rounded;
    for (std::string& output : *node.mutable_output()) {
      const ValueId value = Find(values_, output);
      if (value != kNoValue) {
        output = RawName(value);
        rounded.push_back(value);
      }
    }
    *made_.add_node() = std::move(node);
    for (const ValueId value : rounded) {
      RoundMade(value);
    }
  }

  // The name under which the node of the file at `index` reads what it called `name`.
  std::string ReadBy(int index, const std::string& name) {
    const ValueId value = name.empty() ? kNoValue : ValueOf(name);
    if (value == kNoValue) {
      return name;
    }
    const auto read = reads_.find({index, value});
    if (read == reads_.end() && !Rounds(value)) {
      return name;
    }
    const NumericFormat format = read == reads_.end() ? NumericFormat() : read->second;
    return reads_divided_.contains({index, value}) ? NameIn(value, format)
                                                   : UndividedIn(value, format);
  }

  // As NameIn(), multiplied by the factors of the value where NameIn() is divided by them.
  std::string UndividedIn(ValueId value, NumericFormat format) {
    std::string name = NameIn(value, format);
    const bool is_scaled = format.is_scaled() ||
                           (!IsRounding(format) && Rounds(value) && formats_.at(value).is_scaled());
    return is_scaled && Factors(value) != nullptr ? Undivided(value, name) : name;
  }

  std::string Undivided(ValueId value, const std::string& divided) {
    const auto known = undivided_.find(value);
    if (known != undivided_.end()) {
      return known->second;
    }
    const std::string name = parts_.FreeName(fused_.graph.value(value).name + "_undivided");
    undivided_[value] = name;
    MultiplyBy(*Factors(value), value, divided, name);
    return name;
  }

  // A Mul of each channel by its factor, from `from` to `to`.
  void MultiplyBy(const ChannelFactors& factors, ValueId value, const std::string& from,
                  const std::string& to) {
    std::vector<std::int64_t> dims(
        static_cast<std::size_t>(fused_.graph.value(value).type.shape.rank()), 1);
    dims[static_cast<std::size_t>(factors.axis)] = std::ssize(factors.factors);
    const std::string constant = parts_.AddTensor(
        to + "_factors", Tensor::From<float>(Shape(std::move(dims)), factors.factors));
    AddNode(MakeNode("Mul", parts_.FreeName(to + "_Mul"), {from, constant}, to));
  }

  // Bodies take values from outside by name.
  void RenameCaptured(onnx::AttributeProto& attribute) {
    if (!attribute.has_g()) {
      return;
    }
    for (auto& node : *attribute.mutable_g()->mutable_node()) {
      for (std::string& input : *node.mutable_input()) {
        const ValueId value = Find(values_, input);
        if (value != kNoValue && Rounds(value) && raw_.contains(value)) {
          input = UndividedIn(value, NumericFormat());
        }
      }
      for (auto& inner : *node.mutable_attribute()) {
        RenameCaptured(inner);
      }
    }
  }

  // What the producer of a value writes. An output of the model has its name behind the rounding.
  std::string RawName(ValueId value) {
    const std::string& name = fused_.graph.value(value).name;
    std::string raw = name;
    if (Rounds(value) && outputs_.contains(name)) {
      raw = parts_.FreeName(name + "_QuantizeLinear_Input");
    }
    raw_[value] = raw;
    return raw;
  }

  // Adds the pair behind the producer of a value.
  void RoundMade(ValueId value) {
    if (!Rounds(value)) {
      return;
    }
    const std::string& name = fused_.graph.value(value).name;
    const std::string raw = raw_.at(value);
    rounded_[{value, formats_.at(value)}] =
        Round(name, raw, value, formats_.at(value), raw == name ? "" : name);
  }

  // The name of a value, as float32 numbers of `format`; float32 is as it was made.
  std::string NameIn(ValueId value, NumericFormat format) {
    const Value& of = fused_.graph.value(value);
    const bool rounds = Rounds(value);
    const NumericFormat made = rounds ? formats_.at(value) : NumericFormat(DType::kFloat32);
    if (!of.constant && (!IsRounding(format) || format == made)) {
      return rounds ? rounded_.at({value, made}) : raw_.at(value);
    }
    const auto known = rounded_.find({value, format});
    if (known != rounded_.end()) {
      return known->second;
    }
    const std::string name =
        of.constant
            ? RoundedConstant(of, format)
            : Round(of.name, rounds ? UndividedIn(value, made) : raw_.at(value), value, format, "");
    rounded_[{value, format}] = name;
    return name;
  }

  // A pair of nodes that rounds `from`; `to`: the name of its result, if it has to have one.
  std::string Round(const std::string& name, const std::string& from, ValueId value,
                    NumericFormat format, std::string to) {
    ++result_.tensors;
    if (!format.is_scaled()) {
      return CastPair(name, from, format, std::move(to));
    }
    const auto [scale, zero_point] =
        AddScale(name, ScaleOf(fused_.graph, value, *plan_.quantization));
    const ChannelFactors* factors = Factors(value);
    std::string source = from;
    if (factors != nullptr && !divided_.contains(value)) {
      ChannelFactors inverse = *factors;
      for (float& factor : inverse.factors) {
        factor = 1 / factor;
      }
      source = parts_.FreeName(name + "_divided");
      MultiplyBy(inverse, value, from, source);
    }
    // An output of the model is what the integers stand for.
    const std::string output = factors != nullptr ? std::exchange(to, "") : "";
    const std::string integers = parts_.FreeName(name + "_QuantizeLinear_Output");
    to = to.empty() ? parts_.FreeName(name + "_DequantizeLinear_Output") : to;
    AddNode(MakeNode("QuantizeLinear", parts_.FreeName(name + "_QuantizeLinear"),
                     {source, scale, zero_point}, integers));
    AddNode(MakeNode("DequantizeLinear", parts_.FreeName(name + "_DequantizeLinear"),
                     {integers, scale, zero_point}, to));
    if (!output.empty()) {
      undivided_[value] = output;
      MultiplyBy(*factors, value, to, output);
    }
    return to;
  }

  std::string CastPair(const std::string& name, const std::string& from, NumericFormat format,
                       std::string to) {
    const std::string_view word = format == DType::kFloat16 ? "fp16" : "bf16";
    const std::string low = parts_.FreeName(fmt::format("{}_round_{}", name, word));
    to = to.empty() ? parts_.FreeName(fmt::format("{}_rounded_{}", name, word)) : to;
    onnx::NodeProto down = MakeNode("Cast", low, {from}, low);
    SetInt(down, "to", RowOf(format.dtype()).onnx_type);
    AddNode(std::move(down));
    onnx::NodeProto up = MakeNode("Cast", to + "_Cast", {low}, to);
    SetInt(up, "to", onnx::TensorProto::FLOAT);
    AddNode(std::move(up));
    return to;
  }

  // A constant operand that a plan rounds.
  std::string RoundedConstant(const Value& value, NumericFormat format) {
    if (!format.is_scaled()) {
      const Tensor low = constants_.Convert(*value.constant, format, plan_.clip_weights).tensor;
      return parts_.AddTensor(
          fmt::format("{}_rounded_{}", value.name, format == DType::kFloat16 ? "fp16" : "bf16"),
          Convert(low, DType::kFloat32));
    }
    const ActivationScale scale =
        ScaleFor(value.name, ScaleOf(fused_.graph, values_.at(value.name), *plan_.quantization));
    Tensor integers = QuantizedBy(*value.constant, scale);
    if (flavour_ == QdqFlavour::kTensorRt) {
      Tensor shifted(DType::kInt8, integers.shape());
      for (std::int64_t i = 0; i < integers.ElementCount(); ++i) {
        shifted.mutable_data()[i] = integers.data()[i] ^ std::byte{kMiddle};
      }
      integers = std::move(shifted);
    }
    const std::string from = parts_.AddTensor(value.name + "_quantized", integers);
    const auto [scale_name, zero_point] = AddScale(value.name, scale);
    return Dequantize(value.name, {from, scale_name, zero_point}, std::nullopt);
  }

  std::string Dequantize(const std::string& name, const std::vector<std::string>& inputs,
                         std::optional<std::int64_t> axis) {
    std::string to = parts_.FreeName(name + "_DequantizeLinear_Output");
    onnx::NodeProto node =
        MakeNode("DequantizeLinear", parts_.FreeName(name + "_DequantizeLinear"), inputs, to);
    if (axis) {
      SetInt(node, "axis", *axis);
    }
    AddNode(std::move(node));
    return to;
  }

  // The scale that the file has for one of the plan: int8 data has no zero point.
  ActivationScale ScaleFor(const std::string& name, const ActivationScale& scale) {
    if (flavour_ == QdqFlavour::kOrt || scale.zero_point == kMiddle) {
      return scale;
    }
    const ValueRange range = scale.range();
    const double largest = std::max(-range.low, range.high);
    const ActivationScale wider{.scale = static_cast<float>(largest / (kMiddle - 1)),
                                .zero_point = kMiddle};
    rescaled_[name] = static_cast<double>(wider.scale) / static_cast<double>(scale.scale);
    return wider;
  }

  std::pair<std::string, std::string> AddScale(const std::string& name,
                                               const ActivationScale& of_plan) {
    const ActivationScale scale = ScaleFor(name, of_plan);
    const std::string scale_name =
        parts_.AddTensor(name + "_scale", Tensor::From<float>({}, std::vector{scale.scale}));
    const Tensor zero = flavour_ == QdqFlavour::kOrt
                            ? Tensor::From<std::uint8_t>(
                                  {}, std::vector{static_cast<std::uint8_t>(scale.zero_point)})
                            : Tensor::From<std::int8_t>({}, std::vector{std::int8_t{0}});
    return {scale_name, parts_.AddTensor(name + "_zero_point", zero)};
  }

  void AddNode(onnx::NodeProto node) { *made_.add_node() = std::move(node); }

  [[nodiscard]] const Tensor* TensorAt(const IntegerStep& step, std::size_t i) const {
    return i < step.inputs.size() ? std::get_if<Tensor>(&step.inputs[i]) : nullptr;
  }

  // The operator itself on dequantised operands, then what is fused behind it.
  void WriteProduct(const Product& product) {
    const Node& node = fused_.graph.node(product.step);
    const IntegerStep& step = product.integers;
    const Node& main = network_.node(node.parts.at(0));
    const int main_index = FileNode(node.parts.at(0));
    const bool own = main_index >= 0 && node.op == main.op &&
                     file_.node(main_index).op_type() == InfoOf(node.op).name &&
                     SameAttributes(node.attributes, main.attributes);
    onnx::NodeProto made;
    if (own) {
      made = file_.node(main_index);
    } else {
      made.set_op_type(std::string(InfoOf(node.op).name));
      made.set_name(main_index < 0 ? parts_.FreeName(main.name) : file_.node(main_index).name());
      SetAttributes(made, node.attributes);
    }
    made.clear_input();
    made.clear_output();
    const auto& x = std::get<IntegerValue>(step.inputs.at(0));
    made.add_input(NameIn(x.id, x.format));
    const bool conv = node.op == OpKind::kConv;
    const bool transposed = node.op == OpKind::kGemm && node.attributes.Int("transB", 0) != 0;
    made.add_input(WriteWeights(main, step, conv || transposed ? 0 : 1, transposed));
    const std::string bias = WriteBias(main, step);
    const bool sum = !bias.empty() && node.op == OpKind::kMatMul;
    if (!bias.empty() && !sum) {
      made.add_input(bias);
    }
    std::vector<onnx::NodeProto> chain = {std::move(made)};
    if (sum) {
      chain.push_back(MakeNode("Add", parts_.FreeName(main.name + "_bias"), {"", bias}, ""));
    }
    AddFused(node, step, chain);
    WriteChain(node, std::move(chain));
    ++result_.products;
  }

  // The nodes behind the product, with operand 0 open.
  void AddFused(const Node& node, const IntegerStep& step, std::vector<onnx::NodeProto>& chain) {
    const auto add_residual = [&] {
      const auto& residual = std::get<IntegerValue>(step.inputs.at(kLinearResidualOperand));
      const std::string name = residual.format.is_scaled()
                                   ? NameIn(residual.id, residual.format)
                                   : UndividedIn(residual.id, residual.format);
      const int index = PartOf(node, [&](const Node& part) {
        return part.op == OpKind::kAdd && std::ranges::count(part.inputs, residual.id) > 0;
      });
      chain.push_back(MakeNode("Add", NameOfPart(index, node.name + "_residual"), {"", name}, ""));
    };
    if (step.fusion.residual == ResidualPlace::kBefore) {
      add_residual();
    }
    if (step.fusion.activation) {
      chain.push_back(ActivationOf(node, *step.fusion.activation));
    }
    if (step.fusion.residual == ResidualPlace::kAfter) {
      add_residual();
    }
  }

  onnx::NodeProto ActivationOf(const Node& node, const StepActivation& activation) {
    const int index = PartOf(node, [&](const Node& part) { return part.op == activation.op; });
    if (index >= 0) {
      onnx::NodeProto made = file_.node(index);
      made.clear_output();
      made.add_output("");
      return made;
    }
    const std::string name = node.name + "_activation";
    if (activation.op == OpKind::kRelu) {
      return MakeNode("Relu", parts_.FreeName(name), {""}, "");
    }
    const auto bound = [&](const char* what, float value) {
      return parts_.AddTensor(name + what, Tensor::From<float>({}, std::vector{value}));
    };
    return MakeNode("Clip", parts_.FreeName(name),
                    {"", bound("_min", activation.low), bound("_max", activation.high)}, "");
  }

  // The node of the file that the last such part of a step was; -1: none.
  template <typename Condition>
  [[nodiscard]] int PartOf(const Node& node, const Condition& condition) const {
    int found = -1;
    for (const NodeId part : node.parts) {
      if (condition(network_.node(part))) {
        found = std::max(found, FileNode(part));
      }
    }
    return found;
  }

  std::string NameOfPart(int index, const std::string& otherwise) {
    return index >= 0 ? file_.node(index).name() : parts_.FreeName(otherwise);
  }

  void WriteChain(const Node& node, std::vector<onnx::NodeProto> chain) {
    const ValueId value = node.outputs.at(0);
    const std::string last = RawName(value);
    for (std::size_t i = 0; i < chain.size(); ++i) {
      if (i > 0) {
        chain[i].set_input(0, chain[i - 1].output(0));
      }
      chain[i].clear_output();
      chain[i].add_output(i + 1 == chain.size() ? last
                                                : parts_.FreeName(fmt::format("{}_{}_Output", last,
                                                                              chain[i].op_type())));
    }
    for (onnx::NodeProto& made : chain) {
      AddNode(std::move(made));
    }
    RoundMade(value);
  }

  std::string WriteWeights(const Node& main, const IntegerStep& step, std::int64_t axis,
                           bool transposed) {
    const std::string& name = network_.value(main.inputs.at(1)).name;
    const Tensor& integers = *TensorAt(step, kWeights);
    const Tensor& scales = *TensorAt(step, kWeightScales);
    const Tensor& zero_points = *TensorAt(step, kWeightZeroPoints);
    if (flavour_ == QdqFlavour::kTensorRt &&
        std::ranges::any_of(zero_points.values<std::int8_t>(),
                            [](int zero) { return zero != 0; })) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("weights '{}' have a zero point, TensorRT reads none; write flavour "
                              "ort, or quantise weights symmetrically",
                              name));
    }
    return Dequantize(
        name,
        {parts_.AddTensor(name + "_quantized", transposed ? Transposed(integers) : integers),
         parts_.AddTensor(name + "_scale", scales),
         parts_.AddTensor(name + "_zero_point", zero_points)},
        scales.shape().rank() == 0 ? std::nullopt : std::optional(axis));
  }

  // Empty: no bias.
  std::string WriteBias(const Node& main, const IntegerStep& step) {
    const Tensor* integers = TensorAt(step, kLinearBiasOperand);
    if (integers == nullptr) {
      return {};
    }
    const float input_scale = TensorAt(step, kInputScale)->values<float>()[0];
    const std::span<const float> of_weights = TensorAt(step, kWeightScales)->values<float>();
    const std::int64_t count = integers->ElementCount();
    std::vector<float> scales;
    for (std::int64_t i = 0; i < count; ++i) {
      scales.push_back(input_scale *
                       of_weights[of_weights.size() == 1 ? 0 : static_cast<std::size_t>(i)]);
    }
    const std::string name =
        main.inputs.size() > kBiasOperand && main.inputs[kBiasOperand] != kNoValue
            ? network_.value(main.inputs[kBiasOperand]).name
            : main.name + "_bias";
    if (flavour_ == QdqFlavour::kTensorRt) {
      std::vector<float> floats;
      for (std::size_t i = 0; i < scales.size(); ++i) {
        floats.push_back(
            static_cast<float>(static_cast<double>(integers->values<std::int32_t>()[i]) *
                               static_cast<double>(scales[i])));
      }
      return parts_.AddTensor(name + "_rounded", Tensor::From<float>({count}, floats));
    }
    return Dequantize(name,
                      {parts_.AddTensor(name + "_quantized", *integers),
                       parts_.AddTensor(name + "_scale", Tensor::From<float>({count}, scales)),
                       parts_.AddTensor(name + "_zero_point",
                                        Tensor::From<std::int32_t>(
                                            {count}, std::vector<std::int32_t>(scales.size(), 0)))},
                      0);
  }

  // A node of the file may read a tensor that a step folds away, such as the shape of a result that
  // BatchNormalization is folded into.
  void CheckReads() const {
    std::set<std::string> known;
    for (const auto& input : file_.input()) {
      known.insert(input.name());
    }
    for (const auto& initializer : file_.initializer()) {
      known.insert(initializer.name());
    }
    for (int i = 0; i < file_.node_size(); ++i) {
      for (const std::string& name : NamesReadBy(file_.node(i))) {
        if (!known.contains(name)) {
          throw Error(ErrorKind::kUnsupported,
                      fmt::format("{} reads tensor '{}', which an integer operator folds into "
                                  "itself; leave the operators that make it in a float format",
                                  DescribeProto(file_.node(i), i), name));
        }
      }
      known.insert(file_.node(i).output().begin(), file_.node(i).output().end());
    }
  }

  // Constants and entries of tensors that the file has no more. Initializers are constants, so that
  // none of them stays an input.
  void DropUnused() {
    std::set<std::string> used(outputs_.begin(), outputs_.end());
    for (const auto& output : file_.output()) {
      used.insert(output.name());
    }
    std::set<std::string> made;
    for (const auto& node : file_.node()) {
      for (std::string& name : NamesReadBy(node)) {
        used.insert(std::move(name));
      }
      made.insert(node.output().begin(), node.output().end());
    }
    std::set<std::string> constants;
    for (const auto& initializer : file_.initializer()) {
      constants.insert(initializer.name());
    }
    const auto keep = [](auto& list, const auto& condition) {
      const auto end = std::remove_if(list.begin(), list.end(),
                                      [&](const auto& entry) { return !condition(entry.name()); });
      list.DeleteSubrange(static_cast<int>(end - list.begin()), static_cast<int>(list.end() - end));
    };
    keep(*file_.mutable_input(), [&](const auto& name) { return !constants.contains(name); });
    keep(*file_.mutable_initializer(), [&](const auto& name) { return used.contains(name); });
    keep(*file_.mutable_value_info(), [&](const auto& name) { return made.contains(name); });
  }

  void ReportInside() {
    if (!inside_.empty()) {
      result_.notes.push_back(
          fmt::format("{} tensors of the plan lie inside one node of the file and are not rounded "
                      "there; the first is '{}'",
                      inside_.size(), inside_.front()));
    }
  }

  void ReportRescaled() {
    if (rescaled_.empty()) {
      return;
    }
    const auto worst =
        std::ranges::max_element(rescaled_, {}, [](const auto& entry) { return entry.second; });
    result_.notes.push_back(fmt::format(
        "TensorRT has no zero points: the step of {} of {} tensors is wider than in the plan, that "
        "of '{}' by a factor of {:.2f}; the accuracy that was measured is not that of this file "
        "(calibrate symmetrically to keep it)",
        rescaled_.size(), result_.tensors, worst->first, worst->second));
  }

  onnx::GraphProto& file_;
  const Graph& network_;
  const PrecisionPlan& plan_;
  QdqFlavour flavour_;
  FusedNetwork fused_;
  SharedConstants constants_;
  ModelParts parts_;
  onnx::GraphProto made_;  // the new nodes, in order
  QdqModel result_;
  std::map<std::string, int, std::less<>> producers_;      // node of the file by output
  std::map<std::string, ValueId, std::less<>> values_;     // constants, and values that are made
  std::map<std::string, ValueId, std::less<>> of_origin_;  // first result of a node of the network
  std::map<ValueId, NumericFormat> formats_;               // as values are made
  std::set<std::string> outputs_;
  std::map<std::pair<int, ValueId>, NumericFormat> reads_;  // by node of the file: other formats
  std::map<int, std::vector<Product>> products_;  // by node of the file at whose place they stand
  std::set<int> replaced_;                        // nodes of the file that products stand for
  std::map<ValueId, std::string> raw_;            // names as made
  std::map<std::pair<ValueId, NumericFormat>, std::string> rounded_;
  // Values with channel factors, which the file divides by them between the pairs: those whose
  // maker gives them so, and the readers, by node of the file, that take them so.
  std::set<ValueId> divided_;
  std::set<std::pair<int, ValueId>> reads_divided_;
  std::map<ValueId, std::string> undivided_;  // names of them times the factors
  std::vector<std::string> inside_;           // values that the file has no name for
  std::map<std::string, double> rescaled_;    // step of the file / step of the plan
};

// Data in files beside the source would be missing beside the new file.
void TakeExternalData(onnx::GraphProto& graph, const std::filesystem::path& folder) {
  for (auto& initializer : *graph.mutable_initializer()) {
    if (initializer.data_location() != onnx::TensorProto::EXTERNAL) {
      continue;
    }
    const Tensor tensor = TensorOf(initializer, folder);
    initializer.clear_external_data();
    initializer.clear_data_location();
    initializer.set_raw_data(tensor.data(), tensor.size_bytes());
  }
}

void CheckSize(const onnx::ModelProto& model) {
  if (model.ByteSizeLong() > kMostBytes) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the file would have {} bytes, an ONNX file holds at most {}; keep "
                            "fewer operators in float formats",
                            model.ByteSizeLong(), kMostBytes));
  }
}

}  // namespace

QdqModel WriteOnnxQdq(const std::filesystem::path& model, const Graph& network,
                      const PrecisionPlan& plan, QdqFlavour flavour) {
  const std::filesystem::path path = ModelFile(model);
  const std::shared_ptr<onnx::ModelProto> proto = LoadModel(path);
  RaiseOpset(*proto, network);
  QdqModel written = QdqWriter(*proto, network, plan, flavour).Write();
  TakeExternalData(*proto->mutable_graph(), path.parent_path());
  CheckSize(*proto);
  written.opset = OpsetOf(*proto);
  written.bytes = proto->SerializeAsString();
  return written;
}

}  // namespace halftone
