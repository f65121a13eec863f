// Input of the forms, which make integer steps (src/exec/integer_steps.cc).
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "kernels/kernel_table.h"
#include "src/exec/channel_factors.h"
#include "src/exec/integer_steps.h"
#include "src/quantization/quantize.h"

namespace halftone {

struct IntegerTask {
  const Graph& graph;
  const Node& node;
  const NodePrecision& precision;
  const Quantization& quantization;
  SharedConstants& constants;

  [[nodiscard]] const TensorType& TypeOf(ValueId id) const { return graph.value(id).type; }

  // kNoValue if the operand is left out.
  [[nodiscard]] ValueId Input(std::size_t i) const {
    return i < node.inputs.size() ? node.inputs[i] : kNoValue;
  }

  // The constant at an operand; null if the operand is left out or no constant.
  [[nodiscard]] const Tensor* Constant(std::size_t i) const {
    const ValueId id = Input(i);
    return id != kNoValue && graph.value(id).constant ? &*graph.value(id).constant : nullptr;
  }

  [[nodiscard]] bool ReadsScaled(std::size_t i) const {
    return Input(i) != kNoValue && precision.inputs.at(i).is_scaled();
  }

  [[nodiscard]] bool MakesScaled() const { return precision.outputs.at(0).is_scaled(); }

  [[nodiscard]] ActivationScale ScaleOfValue(ValueId id) const {
    return ScaleOf(graph, id, quantization);
  }

  // Null if the value has none, or if there is no value.
  [[nodiscard]] const ChannelFactors* FactorsOfValue(ValueId id) const {
    return id == kNoValue ? nullptr : FactorsOf(graph, id, quantization);
  }

  // Append operands to a step. AddValue(): a value in its format of the plan. AddScale(): a scale
  // and its zero point. AddQuantized(): a value, its scale and its zero point.
  void AddValue(std::size_t input, IntegerStep& step) const;
  void AddScale(const ActivationScale& scale, IntegerStep& step) const;
  void AddQuantized(std::size_t input, IntegerStep& step) const;

  // Returns the tensor of `constants` that equals `made`. If there is none, `constants` holds
  // `made` from now on.
  [[nodiscard]] Tensor Held(Tensor made) const;
};

// Kernel query of a step, with channels first. It points into this object, the step and the task.
struct IntegerCall {
  IntegerCall(const IntegerTask& task, const IntegerStep& step);

  std::vector<TensorType> types;
  TensorType y;
  KernelQuery query;
};

// Makes an integer step; empty if this node has none.
using IntegerForm = std::optional<IntegerStep> (*)(const IntegerTask& task);

std::optional<IntegerStep> IntegerConv(const IntegerTask& task);
std::optional<IntegerStep> IntegerConvTranspose(const IntegerTask& task);
std::optional<IntegerStep> IntegerFunction(const IntegerTask& task);
std::optional<IntegerStep> IntegerMatrix(const IntegerTask& task);

// The facts of `fusion` that integer kernels compute: a Relu or Clip, and a residual. Empty if it
// has any other fact.
std::optional<Fusion> IntegerFusion(const Fusion& fusion);

}  // namespace halftone
