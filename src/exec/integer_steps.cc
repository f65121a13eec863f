#include "src/exec/integer_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/kernel_table.h"
#include "kernels/quantized/byte_resize.h"
#include "src/base/error.h"
#include "src/exec/finite_constants.h"
#include "src/exec/integer_task.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

// Add and Mul of two quantised tensors; a constant is quantised by its own range.
std::optional<IntegerStep> Binary(const IntegerTask& task, OpKind op) {
  const auto fusion = IntegerFusion(task.node.fusion);
  if (!fusion || fusion->residual != ResidualPlace::kNone || !task.ReadsScaled(1) ||
      !task.MakesScaled()) {
    return std::nullopt;
  }
  IntegerStep step{.op = op, .attributes = {}, .fusion = *fusion, .inputs = {}};
  task.AddQuantized(0, step);
  task.AddQuantized(1, step);
  task.AddScale(task.ScaleOfValue(task.node.outputs.at(0)), step);
  return step;
}

std::optional<IntegerStep> OfAdd(const IntegerTask& task) {
  return Binary(task, OpKind::kQLinearAdd);
}

std::optional<IntegerStep> OfMul(const IntegerTask& task) {
  return Binary(task, OpKind::kQLinearMul);
}

std::optional<IntegerStep> OfConcat(const IntegerTask& task) {
  if (!task.MakesScaled()) {
    return std::nullopt;
  }
  IntegerStep step{
      .op = OpKind::kQLinearConcat, .attributes = task.node.attributes, .fusion = {}, .inputs = {}};
  task.AddScale(task.ScaleOfValue(task.node.outputs.at(0)), step);
  for (std::size_t i = 0; i < task.node.inputs.size(); ++i) {
    if (!task.ReadsScaled(i)) {
      return std::nullopt;
    }
    task.AddQuantized(i, step);
  }
  return step;
}

std::optional<IntegerStep> Pool(const IntegerTask& task, OpKind op) {
  if (!task.MakesScaled()) {
    return std::nullopt;
  }
  IntegerStep step{.op = op, .attributes = task.node.attributes, .fusion = {}, .inputs = {}};
  task.AddQuantized(0, step);
  task.AddScale(task.ScaleOfValue(task.node.outputs.at(0)), step);
  return step;
}

std::optional<IntegerStep> OfAveragePool(const IntegerTask& task) {
  return Pool(task, OpKind::kQLinearAveragePool);
}

std::optional<IntegerStep> OfGlobalAveragePool(const IntegerTask& task) {
  return Pool(task, OpKind::kQLinearGlobalAveragePool);
}

// The operator itself on the integers of its first operand, which are moved.
std::optional<IntegerStep> OfMover(const IntegerTask& task) {
  if (!task.MakesScaled() || task.node.outputs.size() != 1 ||
      !KernelDTypes(task.node.op, DetectIsa()).Has(DType::kUInt8) ||
      task.ScaleOfValue(task.Input(0)) != task.ScaleOfValue(task.node.outputs[0])) {
    return std::nullopt;
  }
  IntegerStep step{
      .op = task.node.op, .attributes = task.node.attributes, .fusion = {}, .inputs = {}};
  for (std::size_t i = 0; i < task.node.inputs.size(); ++i) {
    if (task.Input(i) == kNoValue) {
      step.inputs.emplace_back();
    } else if (i > 0 && task.ReadsScaled(i)) {
      return std::nullopt;  // a fill value of Pad, for example
    } else {
      task.AddValue(i, step);
    }
  }
  return step;
}

constexpr std::size_t kPadFill = 2;

// What is filled in stands for 0: the zero point, which byte 0 is not.
std::optional<IntegerStep> OfPad(const IntegerTask& task) {
  const Tensor* fill = task.Constant(kPadFill);
  if ((fill == nullptr && task.Input(kPadFill) != kNoValue) ||
      (fill != nullptr && DoublesOf(*fill).at(0) != 0)) {
    return std::nullopt;
  }
  NodePrecision precision = task.precision;
  if (fill != nullptr) {
    precision.inputs[kPadFill] = fill->dtype();  // it is replaced below
  }
  std::optional<IntegerStep> step =
      OfMover({task.graph, task.node, precision, task.quantization, task.constants});
  if (step) {
    step->inputs.resize(std::max(step->inputs.size(), kPadFill + 1));
    const auto zero = static_cast<std::uint8_t>(task.ScaleOfValue(task.Input(0)).zero_point);
    step->inputs[kPadFill] = task.Held(Tensor::From<std::uint8_t>({}, std::vector{zero}));
  }
  return step;
}

// Nearest neighbours with one scale are moved; else the interpolation of the integers.
std::optional<IntegerStep> OfResize(const IntegerTask& task) {
  if (task.node.attributes.Text("mode", "nearest") == "nearest") {
    if (std::optional<IntegerStep> moved = OfMover(task)) {
      return moved;
    }
  }
  if (!task.MakesScaled()) {
    return std::nullopt;
  }
  IntegerStep step{
      .op = OpKind::kQLinearResize, .attributes = task.node.attributes, .fusion = {}, .inputs = {}};
  task.AddQuantized(0, step);
  task.AddScale(task.ScaleOfValue(task.node.outputs.at(0)), step);
  for (std::size_t i = 1; i < task.node.inputs.size(); ++i) {
    if (task.Input(i) == kNoValue) {
      step.inputs.emplace_back();
    } else if (task.ReadsScaled(i)) {
      return std::nullopt;
    } else {
      task.AddValue(i, step);
    }
  }
  const IntegerCall call(task, step);
  return ByteResizeRefusal(call.query).empty() ? std::optional(std::move(step)) : std::nullopt;
}

// Channel factors of operands and results that a form can carry.
enum class Factors : std::uint8_t {
  kNone,  // none
  kKept,  // the same in the first operand and the first result
  kOwn,   // it looks by itself
};

struct FormRow {
  OpKind op;
  IntegerForm make;
  Factors factors = Factors::kNone;
};

constexpr FormRow kForms[] = {
    {OpKind::kConv, IntegerConv, Factors::kOwn},
    {OpKind::kConvTranspose, IntegerConvTranspose, Factors::kOwn},
    {OpKind::kGemm, IntegerMatrix, Factors::kOwn},
    {OpKind::kMatMul, IntegerMatrix, Factors::kOwn},
    {OpKind::kAdd, OfAdd},
    {OpKind::kMul, OfMul},
    {OpKind::kConcat, OfConcat},
    {OpKind::kAveragePool, OfAveragePool, Factors::kKept},
    {OpKind::kGlobalAveragePool, OfGlobalAveragePool, Factors::kKept},
    {OpKind::kMaxPool, OfMover, Factors::kKept},
    {OpKind::kTranspose, OfMover, Factors::kKept},
    {OpKind::kSlice, OfMover},
    {OpKind::kPad, OfPad},
    {OpKind::kGather, OfMover},
    {OpKind::kExpand, OfMover},
    {OpKind::kTile, OfMover},
    {OpKind::kDepthToSpace, OfMover},
    {OpKind::kSpaceToDepth, OfMover},
    {OpKind::kResize, OfResize},
    {OpKind::kRelu, IntegerFunction, Factors::kOwn},
    {OpKind::kClip, IntegerFunction, Factors::kOwn},
    {OpKind::kLeakyRelu, IntegerFunction, Factors::kOwn},
    {OpKind::kPRelu, IntegerFunction, Factors::kOwn},
    {OpKind::kElu, IntegerFunction, Factors::kOwn},
    {OpKind::kCelu, IntegerFunction, Factors::kOwn},
    {OpKind::kSelu, IntegerFunction, Factors::kOwn},
    {OpKind::kSigmoid, IntegerFunction, Factors::kOwn},
    {OpKind::kTanh, IntegerFunction, Factors::kOwn},
    {OpKind::kHardSigmoid, IntegerFunction, Factors::kOwn},
    {OpKind::kHardSwish, IntegerFunction, Factors::kOwn},
    {OpKind::kSwish, IntegerFunction, Factors::kOwn},
    {OpKind::kMish, IntegerFunction, Factors::kOwn},
    {OpKind::kGelu, IntegerFunction, Factors::kOwn},
    {OpKind::kErf, IntegerFunction, Factors::kOwn},
    {OpKind::kExp, IntegerFunction, Factors::kOwn},
    {OpKind::kSoftplus, IntegerFunction, Factors::kOwn},
    {OpKind::kSoftsign, IntegerFunction, Factors::kOwn},
    {OpKind::kAbs, IntegerFunction, Factors::kOwn},
    {OpKind::kNeg, IntegerFunction, Factors::kOwn},
    {OpKind::kSqrt, IntegerFunction, Factors::kOwn},
};

bool CarriesFactors(const IntegerTask& task, Factors factors) {
  bool has_any = false;
  for (std::size_t i = 0; i < task.node.inputs.size(); ++i) {
    has_any = has_any || (task.ReadsScaled(i) && task.FactorsOfValue(task.Input(i)) != nullptr);
  }
  for (std::size_t i = 0; i < task.node.outputs.size(); ++i) {
    has_any = has_any || (task.precision.outputs.at(i).is_scaled() &&
                          task.FactorsOfValue(task.node.outputs[i]) != nullptr);
  }
  return !has_any || factors == Factors::kOwn ||
         (factors == Factors::kKept && KeepsFactors(task.graph, task.node, task.quantization));
}

}  // namespace

IntegerCall::IntegerCall(const IntegerTask& task, const IntegerStep& step)
    : y(task.TypeOf(task.node.outputs.at(0))),
      query{.op = step.op, .attributes = &step.attributes, .fusion = &step.fusion} {
  y.dtype = task.MakesScaled() ? DType::kUInt8 : DType::kFloat32;
  types.reserve(step.inputs.size());
  for (const IntegerOperand& operand : step.inputs) {
    const auto* value = std::get_if<IntegerValue>(&operand);
    const auto* made = std::get_if<Tensor>(&operand);
    const TensorType* type = made != nullptr ? &made->type() : nullptr;
    if (value != nullptr) {
      types.push_back(task.TypeOf(value->id));
      types.back().dtype = value->format.is_scaled() ? DType::kUInt8 : value->format.dtype();
      type = &types.back();
      const std::optional<Tensor>& known = task.graph.value(value->id).constant;
      made = known ? &*known : nullptr;
    }
    query.inputs.push_back(type);
    query.constants.push_back(made);
  }
  query.outputs = {&y};
}

void IntegerTask::AddValue(std::size_t input, IntegerStep& step) const {
  step.inputs.emplace_back(IntegerValue{Input(input), precision.inputs.at(input)});
}

void IntegerTask::AddScale(const ActivationScale& scale, IntegerStep& step) const {
  step.inputs.emplace_back(Held(Tensor::From<float>({}, std::vector{scale.scale})));
  step.inputs.emplace_back(Held(
      Tensor::From<std::uint8_t>({}, std::vector{static_cast<std::uint8_t>(scale.zero_point)})));
}

void IntegerTask::AddQuantized(std::size_t input, IntegerStep& step) const {
  AddValue(input, step);
  AddScale(ScaleOfValue(Input(input)), step);
}

Tensor IntegerTask::Held(Tensor made) const {
  const Hash128 key = Hasher()
                          .Add("integer step")
                          .Add(made.type().ToString())
                          .AddBytes({made.data(), made.size_bytes()})
                          .Finish();
  return constants.Derived(key, {}, [&] { return std::move(made); });
}

bool HasIntegerForm(OpKind op) {
  return std::ranges::any_of(kForms, [&](const FormRow& row) { return row.op == op; });
}

bool IsByteFunction(OpKind op) {
  return std::ranges::any_of(
      kForms, [&](const FormRow& row) { return row.op == op && row.make == IntegerFunction; });
}

std::optional<ActivationScale> FindScale(const Graph& graph, ValueId value,
                                         const Quantization& quantization) {
  const Value& of = graph.value(value);
  const auto found = quantization.activations.find(of.name);
  if (found != quantization.activations.end()) {
    return found->second;
  }
  if (of.constant) {
    return ScaleOfConstant(*of.constant);
  }
  if (of.stands_for != kNoValue) {  // a value of the network, rearranged by a fusion
    return FindScale(graph, of.stands_for, quantization);
  }
  return std::nullopt;
}

ActivationScale ScaleOf(const Graph& graph, ValueId value, const Quantization& quantization) {
  if (const std::optional<ActivationScale> scale = FindScale(graph, value, quantization)) {
    return *scale;
  }
  throw Error(ErrorKind::kUnsupported,
              fmt::format("the quantisation has no scale for tensor '{}'; calibrate it, or leave "
                          "the operators that make and read it in a float format",
                          graph.value(value).name));
}

std::optional<IntegerStep> IntegerStepOf(const Graph& graph, const Node& node,
                                         const NodePrecision& precision,
                                         const Quantization& quantization,
                                         SharedConstants& constants) {
  if (node.inputs.empty() || node.inputs[0] == kNoValue ||
      !precision.inputs.at(0).has_integer_kernels() || precision.engine != Engine::kAiCore ||
      !HasFiniteConstants(graph, node)) {
    return std::nullopt;
  }
  for (const FormRow& row : kForms) {
    if (row.op == node.op) {
      const IntegerTask task{graph, node, precision, quantization, constants};
      return CarriesFactors(task, row.factors) ? row.make(task) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace halftone
