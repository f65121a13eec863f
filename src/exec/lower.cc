#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "src/base/error.h"
#include "src/exec/channel_factors.h"
#include "src/exec/compute_dtypes.h"
#include "src/exec/dynamic_products.h"
#include "src/exec/fuse_by_plan.h"
#include "src/exec/integer_steps.h"
#include "src/exec/program.h"
#include "src/exec/rounded_constants.h"
#include "src/quantization/quantize.h"

namespace halftone {
namespace {

class Lowering {
 public:
  // `graph` is `network` with its fusions.
  Lowering(const Graph& network, const Graph& graph, const PrecisionPlan& plan,
           SharedConstants* shared)
      : network_(network),
        graph_(graph),
        plan_(plan),
        constants_(shared != nullptr ? *shared : own_constants_) {}

  Program Run() {
    program_.slot_of_value.assign(graph_.values.size(), kNoSlot);
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      const ValueId id = graph_.inputs[i];
      TensorType type = graph_.value(id).type;
      if (!plan_.graph_inputs.empty()) {
        type.dtype = plan_.graph_inputs.at(i);
      }
      const SlotId input = NewRoot(std::move(type));
      slot(input).graph_input = static_cast<int>(i);
      Define(id, input, slot(input).type.dtype);
      program_.graph_inputs.push_back(input);
    }
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      LowerNode(graph_.nodes[n], plan_.nodes.at(n));
    }
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      BindOutput(static_cast<int>(i));
    }
    MakeHeldBackBytes();
    return std::move(program_);
  }

 private:
  Slot& slot(SlotId id) { return program_.slots[static_cast<std::size_t>(id)]; }

  SlotId NewRoot(TensorType type) {
    const auto id = static_cast<SlotId>(program_.slots.size());
    program_.slots.push_back({.type = std::move(type), .root = id});
    return id;
  }

  SlotId NewView(TensorType type, SlotId of) {
    const auto id = static_cast<SlotId>(program_.slots.size());
    program_.slots.push_back({.type = std::move(type), .root = slot(of).root});
    return id;
  }

  // Elements of a tensor in a format: a scaled one stores integers.
  static DType StorageOf(NumericFormat format) {
    return format.is_scaled() ? format.row().stored : format.dtype();
  }

  // Records the slot in the format that the producer of `value` makes.
  void Define(ValueId value, SlotId id, NumericFormat format) {
    program_.slot_of_value[static_cast<std::size_t>(value)] = id;
    made_format_[value] = format;
    by_format_[{value, format}] = id;
  }

  // Adds a step that makes `to` from `from`; both hold `value`. `node` is null between nodes. The
  // reference is valid until the next step.
  Step& AddMove(OpKind op, const std::string& what, SlotId from, SlotId to, ValueId value,
                const Node* node) {
    Step step{.node = node != nullptr ? node->name : what, .op = op, .attributes = {}};
    step.inputs = {from};
    step.outputs = {to};
    step.node_op = node != nullptr ? node->op : op;
    step.values = {value};
    return program_.steps.emplace_back(std::move(step));
  }

  // `to` is of the dtype of `format`.
  void AddCast(SlotId from, SlotId to, NumericFormat format, ValueId value,
               const Node* node = nullptr) {
    Step& step = AddMove(OpKind::kCast,
                         fmt::format("cast {} to {}", graph_.value(value).name, NameOf(format)),
                         from, to, value, node);
    step.attributes.Set("to", static_cast<std::int64_t>(RowOf(format.dtype()).onnx_type));
    if (!format.is_dtype()) {
      step.fusion.format = format;
    }
  }

  // Adds QuantizeLinear or DequantizeLinear by the scale of `value`, one for each channel where it
  // has factors.
  void AddLinear(OpKind op, SlotId from, SlotId to, ValueId value, const Node* node = nullptr) {
    Check(static_cast<bool>(plan_.quantization), "a plan with a scaled format has a quantisation");
    const ActivationScale scale = ScaleOf(graph_, value, *plan_.quantization);
    AddMove(op,
            fmt::format("{} {}", op == OpKind::kQuantizeLinear ? "quantize" : "dequantize",
                        graph_.value(value).name),
            from, to, value, node);
    const auto number = [&](Tensor tensor) {
      const SlotId id = NewRoot(tensor.type());
      slot(id).constant = std::move(tensor);
      program_.steps.back().inputs.push_back(id);
    };
    std::vector<float> scales = {scale.scale};
    Shape shape;
    if (const ChannelFactors* factors = FactorsOf(graph_, value, *plan_.quantization)) {
      scales = ScalesOfChannels(scale, *factors);
      shape = Shape{std::ssize(scales)};
      program_.steps.back().attributes.Set("axis", std::int64_t{factors->axis});
    }
    number(Tensor::From<float>(shape, scales));
    const std::vector<float> zeros(scales.size(), static_cast<float>(scale.zero_point));
    number(Convert(Tensor::From<float>(shape, zeros),
                   slot(op == OpKind::kQuantizeLinear ? to : from).type.dtype));
  }

  // The float32 values that the integers of a computed value stand for; made once.
  SlotId Dequantized(ValueId value, NumericFormat format) {
    const auto known = dequantized_.find(value);
    if (known != dequantized_.end()) {
      return known->second;
    }
    const SlotId from = SlotOf(value, format);
    const SlotId id = NewRoot({format.dtype(), graph_.value(value).type.shape});
    AddLinear(OpKind::kDequantizeLinear, from, id, value);
    dequantized_.emplace(value, id);
    return id;
  }

  // Integers of a computed value, made from its float32 values.
  SlotId Quantized(ValueId value, NumericFormat format) {
    const SlotId from = SlotOf(value, format.dtype());
    const SlotId id = NewRoot({StorageOf(format), graph_.value(value).type.shape});
    AddLinear(OpKind::kQuantizeLinear, from, id, value);
    return id;
  }

  SlotId AddConstant(SharedConstants::Converted made, ValueId value) {
    const SlotId id = NewRoot(made.tensor.type());
    slot(id).constant = std::move(made.tensor);
    slot(id).constant_id = made.id;
    if (made.clipped.count > 0) {
      made.clipped.tensor = graph_.value(value).name;
      clipped_.emplace(id, std::move(made.clipped));
    }
    return id;
  }

  // The slot of `value` in `format`; makes the conversion when it does not exist yet.
  SlotId SlotOf(ValueId value, NumericFormat format) {
    const auto known = by_format_.find({value, format});
    if (known != by_format_.end()) {
      return known->second;
    }
    const Value& source = graph_.value(value);
    SlotId id = kNoSlot;
    if (source.constant && format.has_integer_kernels()) {
      id = NewRoot({StorageOf(format), source.type.shape});
      slot(id).constant =
          QuantizedBy(*source.constant, ScaleOf(graph_, value, *plan_.quantization));
    } else if (source.constant) {
      id = AddConstant(constants_.Convert(*source.constant, format, plan_.clip_weights), value);
    } else if (format.is_scaled()) {
      id = Quantized(value, format);
    } else if (const NumericFormat made = made_format_.at(value); made.is_scaled()) {
      const SlotId from = Dequantized(value, made);
      id = from;
      if (format != made.dtype()) {
        id = NewRoot({format.dtype(), source.type.shape});
        AddCast(from, id, format, value);
      }
    } else {
      const SlotId from = program_.slot_of_value[static_cast<std::size_t>(value)];
      Check(from != kNoSlot, "a value is read before it is made");
      if (made.dtype() == format.dtype() && Holds(format, made)) {
        id = from;
      } else {
        id = NewRoot({format.dtype(), source.type.shape});
        AddCast(from, id, format, value);
      }
    }
    by_format_[{value, format}] = id;
    return id;
  }

  // `from`, which holds `value` as rounded for a reader, in the dtype its kernel computes in.
  SlotId ForKernel(SlotId from, DType dtype, ValueId value) {
    if (slot(from).type.dtype == dtype) {
      return from;
    }
    const auto known = for_kernel_.find({from, dtype});
    if (known != for_kernel_.end()) {
      return known->second;
    }
    SlotId id = kNoSlot;
    if (const Slot& root = slot(slot(from).root); root.constant) {
      id = AddConstant(root.constant_id != SharedConstants::kNoId
                           ? constants_.Convert(root.constant_id, dtype, plan_.clip_weights)
                           : constants_.Convert(*root.constant, dtype, plan_.clip_weights),
                       value);
    } else {
      id = NewRoot({dtype, slot(from).type.shape});
      AddCast(from, id, dtype, value);
    }
    for_kernel_[{from, dtype}] = id;
    return id;
  }

  void LowerNode(const Node& node, const NodePrecision& precision) {
    Check(precision.inputs.size() == node.inputs.size() &&
              precision.outputs.size() == node.outputs.size(),
          "the plan does not fit the graph");
    if (InfoOf(node.op).Is(kIsView)) {
      LowerView(node, precision);
      return;
    }
    if (LowerIntegers(node, precision)) {
      return;
    }
    const ComputeDTypes compute = ComputeDTypesOf(node, precision);
    Step step = StepOf(node, precision);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId value = node.inputs[i];
      SlotId input = kNoSlot;
      if (value != kNoValue) {
        const SlotId rounded = RoundedInput(node, i, precision.inputs[i]);
        input = ForKernel(rounded, compute.inputs[i], value);
      }
      step.inputs.push_back(input);
    }
    std::vector<std::pair<std::size_t, SlotId>>
        to_round;  // output index, slot in its plan's format
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId value = node.outputs[i];
      if (value == kNoValue) {
        step.outputs.push_back(kNoSlot);
        continue;
      }
      const Shape& shape = graph_.value(value).type.shape;
      const SlotId id = NewRoot({compute.outputs[i], shape});
      step.outputs.push_back(id);
      if (compute.outputs[i] == precision.outputs[i]) {
        Define(value, id, precision.outputs[i]);
      } else {
        to_round.emplace_back(i, NewRoot({StorageOf(precision.outputs[i]), shape}));
      }
    }
    const std::vector<SlotId> computed = step.outputs;
    program_.steps.push_back(std::move(step));
    for (const auto& [output, rounded] : to_round) {
      if (precision.outputs[output].is_scaled()) {
        const SlotId from = ForKernel(computed[output], DType::kFloat32, node.outputs[output]);
        AddLinear(OpKind::kQuantizeLinear, from, rounded, node.outputs[output], &node);
      } else {
        AddCast(computed[output], rounded, precision.outputs[output], node.outputs[output], &node);
      }
      Define(node.outputs[output], rounded, precision.outputs[output]);
    }
  }

  // The step of a node without its operands and results.
  [[nodiscard]] Step StepOf(const Node& node, const NodePrecision& precision) const {
    Step step{
        .node = node.name, .op = node.op, .attributes = node.attributes, .fusion = node.fusion};
    step.impl_mode = precision.impl_mode;
    step.reference_only = precision.engine == Engine::kAiCpu;
    step.node_op = node.op;
    step.values = ValuesOf(node);
    step.rearranged = step.values != node.outputs;
    step.parts = NamesOfParts(node);
    step.chain = node.chain;
    return step;
  }

  // An operand as the node reads it, rounded to its format but stored as the kernel reads floats: a
  // constant in 8 bits of an operator without an integer step stays as it is.
  SlotId RoundedInput(const Node& node, std::size_t input, NumericFormat format) {
    const ValueId value = node.inputs[input];
    if (!format.is_scaled()) {
      return InputOf(node, value, format);
    }
    if (!graph_.value(value).constant) {
      return Dequantized(value, format);
    }
    if (format.has_integer_kernels()) {
      return InputOf(node, value, format.dtype());
    }
    return AddConstant(constants_.Convert(RoundedConstant(graph_, node, input, *plan_.quantization),
                                          format.dtype(), false),
                       value);
  }

  // The integer step of a node; empty: it has none. Error kUnsupported: the plan has it in dynamic
  // int8, which it has no step for.
  std::optional<IntegerStep> IntegersOf(const Node& node, const NodePrecision& precision) {
    const Quantization* quantization = plan_.quantization ? &*plan_.quantization : nullptr;
    if (precision.reads_dynamic()) {
      auto step = DynamicStepOf(graph_, node, precision, quantization, constants_);
      if (!step) {
        throw Error(ErrorKind::kUnsupported,
                    fmt::format("node '{}' cannot compute in dynamic int8, which is for MatMul and "
                                "Gemm with a constant matrix of at least {} columns as weights and "
                                "a constant bias; give it another format",
                                node.name, kLeastDynamicColumns));
      }
      return step;
    }
    return quantization == nullptr
               ? std::nullopt
               : IntegerStepOf(graph_, node, precision, *quantization, constants_);
  }

  // Makes the integer step of a node; false: it has none.
  bool LowerIntegers(const Node& node, const NodePrecision& precision) {
    const auto integers = IntegersOf(node, precision);
    if (!integers) {
      return false;
    }
    Step step = StepOf(node, precision);
    step.op = integers->op;
    step.node_op = integers->op;
    step.attributes = integers->attributes;
    step.fusion = integers->fusion;
    step.chain = 0;
    for (std::size_t i = 0; i < integers->inputs.size(); ++i) {
      const IntegerOperand& operand = integers->inputs[i];
      SlotId input = kNoSlot;
      if (const auto* value = std::get_if<IntegerValue>(&operand)) {
        input = InputOf(node, value->id, value->format);
        if (value->format == DType::kFloat16) {  // integer kernels add float32
          input = ForKernel(input, DType::kFloat32, value->id);
        }
      } else if (const auto* tensor = std::get_if<Tensor>(&operand)) {
        input = AddConstant(constants_.Convert(*tensor, tensor->dtype(), false), kNoValue);
      }
      step.inputs.push_back(input);
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const NumericFormat format = precision.outputs.at(i);
      // They make integers or float32.
      const DType made = format == DType::kFloat16 ? DType::kFloat32 : StorageOf(format);
      step.outputs.push_back(NewRoot({made, graph_.value(node.outputs[i]).type.shape}));
    }
    const std::vector<SlotId> computed = step.outputs;
    program_.steps.push_back(std::move(step));
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const NumericFormat format = precision.outputs.at(i);
      SlotId id = computed[i];
      if (format == DType::kFloat16) {
        id = NewRoot({format.dtype(), slot(id).type.shape});
        AddCast(computed[i], id, format, node.outputs[i], &node);
      }
      Define(node.outputs[i], id, format);
    }
    return true;
  }

  // The values of the network that its results are, or stand for.
  [[nodiscard]] std::vector<ValueId> ValuesOf(const Node& node) const {
    std::vector<ValueId> values;
    for (ValueId id : node.outputs) {
      while (id != kNoValue && static_cast<std::size_t>(id) >= network_.values.size()) {
        id = graph_.value(id).stands_for;
      }
      values.push_back(id);
    }
    return values;
  }

  [[nodiscard]] std::vector<std::string> NamesOfParts(const Node& node) const {
    std::vector<std::string> names = {node.name};
    for (const NodeId part : node.parts) {
      if (network_.node(part).name != node.name) {
        names.push_back(network_.node(part).name);
      }
    }
    return names;
  }

  // A view of its input in the format of its output: no step unless the plan changes the format.
  void LowerView(const Node& node, const NodePrecision& precision) {
    const ValueId value = node.inputs[0];
    const NumericFormat format = precision.outputs[0];
    if (format.is_scaled() || precision.inputs[0].is_scaled()) {
      LowerScaledView(node, precision);
      return;
    }
    const SlotId input = InputOf(node, value, precision.inputs[0]);
    SlotId source = ForKernel(input, format.dtype(), value);
    if (!Holds(format, precision.inputs[0]) && !format.is_dtype()) {
      const SlotId rounded = NewRoot(slot(source).type);
      AddCast(source, rounded, format, value);
      source = rounded;
    }
    Define(node.outputs[0],
           NewView({format.dtype(), graph_.value(node.outputs[0]).type.shape}, source), format);
  }

  // A view of the integers where both have one scale; else of the values they stand for.
  void LowerScaledView(const Node& node, const NodePrecision& precision) {
    const ValueId value = node.inputs[0];
    const ValueId result = node.outputs[0];
    const NumericFormat format = precision.outputs[0];
    const Shape& shape = graph_.value(result).type.shape;
    const Quantization& quantization = *plan_.quantization;
    const bool factors = FactorsOf(graph_, value, quantization) != nullptr ||
                         FactorsOf(graph_, result, quantization) != nullptr;
    if (format == precision.inputs[0] &&
        ScaleOf(graph_, value, quantization) == ScaleOf(graph_, result, quantization) &&
        (!factors || KeepsFactors(graph_, node, quantization))) {
      Define(result, NewView({StorageOf(format), shape}, InputOf(node, value, format)), format);
      return;
    }
    const SlotId source = RoundedInput(node, 0, precision.inputs[0]);
    const SlotId view = NewView({slot(source).type.dtype, shape}, source);
    const DType dtype = format.is_scaled() ? DType::kFloat32 : format.dtype();
    const SlotId made = ForKernel(view, dtype, result);
    if (!format.is_scaled()) {
      Define(result, made, format);
      return;
    }
    const SlotId id = NewRoot({StorageOf(format), shape});
    AddLinear(OpKind::kQuantizeLinear, made, id, result);
    Define(result, id, format);
  }

  SlotId InputOf(const Node& node, ValueId value, NumericFormat format) {
    const SlotId id = SlotOf(value, format);
    const auto clipped = clipped_.find(id);
    if (clipped != clipped_.end()) {
      program_.clipped_weights.push_back(clipped->second);
      program_.clipped_weights.back().node = node.name;
    }
    return id;
  }

  // The bytes of a graph output lie in the caller's memory: the root itself when a step writes it
  // and no other output has it, else a copy.
  void BindOutput(int index) {
    const auto i = static_cast<std::size_t>(index);
    const ValueId value = graph_.outputs[i];
    SlotId id = InOutputDType(value, plan_.graph_outputs.empty() ? graph_.value(value).type.dtype
                                                                 : plan_.graph_outputs.at(i));
    if (!slot(slot(id).root).in_arena()) {
      const SlotId copy = NewRoot(slot(id).type);
      AddMove(OpKind::kIdentity, fmt::format("copy {}", graph_.value(value).name), id, copy, value,
              nullptr);
      id = copy;
    }
    slot(slot(id).root).graph_output = index;
    program_.graph_outputs.push_back(id);
  }

  // A float becomes an integer by Round (to nearest even) and a cast (which saturates).
  SlotId InOutputDType(ValueId value, DType dtype) {
    const Value& source = graph_.value(value);
    const SlotId native = program_.slot_of_value[static_cast<std::size_t>(value)];
    const DType from = native != kNoSlot ? slot(native).type.dtype : source.type.dtype;
    if (!IsFloating(from) || IsFloating(dtype)) {
      return SlotOf(value, dtype);
    }
    const SlotId whole = NewRoot({from, source.type.shape});
    AddMove(OpKind::kRound, fmt::format("round {}", source.name), SlotOf(value, from), whole, value,
            nullptr);
    const SlotId id = NewRoot({dtype, source.type.shape});
    AddCast(whole, id, dtype, value);
    return id;
  }

  // Bytes that were held back, where something other than the kernels that pack them reads them.
  void MakeHeldBackBytes() {
    for (const Slot& view : program_.slots) {
      Slot& root = slot(view.root);
      if (&view != &root && root.constant && !root.constant->has_bytes()) {
        root.constant = constants_.Bytes(root.constant_id);
      }
    }
    for (const Step& step : program_.steps) {
      for (std::size_t i = 0; i < step.inputs.size(); ++i) {
        if (step.inputs[i] == kNoSlot) {
          continue;
        }
        Slot& input = slot(step.inputs[i]);
        if (input.constant && !input.constant->has_bytes() &&
            !constants_.IsPackedBy(input.constant_id, step.op, i)) {
          input.constant = constants_.Bytes(input.constant_id);
        }
      }
    }
  }

  const Graph& network_;
  const Graph& graph_;
  const PrecisionPlan& plan_;
  SharedConstants own_constants_;
  SharedConstants& constants_;
  Program program_;
  std::map<ValueId, NumericFormat> made_format_;  // in which its producer makes it
  std::map<std::pair<ValueId, NumericFormat>, SlotId> by_format_;
  std::map<std::pair<SlotId, DType>, SlotId> for_kernel_;
  std::map<ValueId, SlotId> dequantized_;    // float32 values of integers
  std::map<SlotId, ClippedWeight> clipped_;  // converted constants of which elements were clipped
};

}  // namespace

Program Lower(const Graph& graph, const PrecisionPlan& plan, SharedConstants* shared, bool fuse) {
  Check(plan.nodes.size() == graph.nodes.size(), "the plan is of another graph");
  Check(plan.graph_inputs.empty() || plan.graph_inputs.size() == graph.inputs.size(),
        "the plan has other inputs than the graph");
  Check(plan.graph_outputs.empty() || plan.graph_outputs.size() == graph.outputs.size(),
        "the plan has other outputs than the graph");
  const FusedNetwork fused = fuse ? FuseByPlan(graph, plan, shared) : Unfused(graph, plan);
  return Lowering(graph, fused.graph, fused.plan, shared).Run();
}

}  // namespace halftone
