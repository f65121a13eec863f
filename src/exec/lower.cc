#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

#include "src/base/error.h"
#include "src/exec/program.h"

namespace halftone {
namespace {

// Converts a weight; overflow to infinity is clipped to the largest finite float16.
Tensor ConvertConstant(const Tensor& tensor, DType dtype) {
  Tensor result = Convert(tensor, dtype);
  if (dtype != DType::kFloat16 || tensor.dtype() == DType::kFloat16) {
    return result;
  }
  const std::int64_t count = tensor.ElementCount();
  const auto values = result.mutable_values<Float16>();
  for (std::int64_t i = 0; i < count; ++i) {
    const float rounded = values[static_cast<std::size_t>(i)].ToFloat();
    if (std::isinf(rounded) && std::isfinite(DoubleAt(tensor.dtype(), tensor.data(), i))) {
      values[static_cast<std::size_t>(i)] = Float16::FromFloat(std::copysign(kFloat16Max, rounded));
    }
  }
  return result;
}

class Lowering {
 public:
  Lowering(const Graph& graph, const PrecisionPlan& plan) : graph_(graph), plan_(plan) {}

  Program Run() {
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      const ValueId id = graph_.inputs[i];
      const SlotId slot = NewRoot(graph_.value(id).type);
      program_.slots[static_cast<std::size_t>(slot)].graph_input = static_cast<int>(i);
      Define(id, slot);
      program_.graph_inputs.push_back(slot);
    }
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      LowerNode(graph_.nodes[n], plan_.nodes.at(n));
    }
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      BindOutput(static_cast<int>(i));
    }
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

  // Records the slot in the dtype that the producer of `value` makes.
  void Define(ValueId value, SlotId id) {
    native_[value] = slot(id).type.dtype;
    by_dtype_[{value, slot(id).type.dtype}] = id;
  }

  // The slot of `value` in `dtype`; makes the conversion when it does not exist yet.
  SlotId SlotOf(ValueId value, DType dtype) {
    const auto known = by_dtype_.find({value, dtype});
    if (known != by_dtype_.end()) {
      return known->second;
    }
    const Value& source = graph_.value(value);
    SlotId id = kNoSlot;
    if (source.constant) {
      id = NewRoot({dtype, source.type.shape});
      slot(id).constant = ConvertConstant(*source.constant, dtype);
    } else {
      const auto native = native_.find(value);
      Check(native != native_.end(), "a value is read before it is made");
      const SlotId from = by_dtype_.at({value, native->second});
      id = NewRoot({dtype, source.type.shape});
      Step cast{.node = fmt::format("cast {} to {}", source.name, NameOf(dtype)),
                .op = OpKind::kCast};
      cast.attributes.Set("to", static_cast<std::int64_t>(RowOf(dtype).onnx_type));
      cast.inputs = {from};
      cast.outputs = {id};
      program_.steps.push_back(std::move(cast));
    }
    by_dtype_[{value, dtype}] = id;
    return id;
  }

  void LowerNode(const Node& node, const NodePrecision& precision) {
    Check(precision.inputs.size() == node.inputs.size() &&
              precision.outputs.size() == node.outputs.size(),
          "the plan does not fit the graph");
    Step step{.node = node.name, .op = node.op, .attributes = node.attributes};
    step.impl_mode = precision.impl_mode;
    step.reference_only = precision.engine == Engine::kAiCpu;
    const bool view = InfoOf(node.op).Is(kIsView) && precision.inputs[0] == precision.outputs[0];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const bool unused = node.inputs[i] == kNoValue || (view && i > 0);
      step.inputs.push_back(unused ? kNoSlot : SlotOf(node.inputs[i], precision.inputs[i]));
    }
    if (view) {
      Define(node.outputs[0],
             NewView({precision.outputs[0], graph_.value(node.outputs[0]).type.shape},
                     step.inputs[0]));
      return;
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNoValue) {
        step.outputs.push_back(kNoSlot);
        continue;
      }
      const SlotId id = NewRoot({precision.outputs[i], graph_.value(node.outputs[i]).type.shape});
      Define(node.outputs[i], id);
      step.outputs.push_back(id);
    }
    program_.steps.push_back(std::move(step));
  }

  // The bytes of a graph output lie in the caller's memory: the root itself when a step writes it
  // and no other output has it, else a copy.
  void BindOutput(int index) {
    const ValueId value = graph_.outputs[static_cast<std::size_t>(index)];
    SlotId id = SlotOf(value, graph_.value(value).type.dtype);
    if (!slot(slot(id).root).in_arena()) {
      const SlotId copy = NewRoot(slot(id).type);
      program_.steps.push_back({.node = fmt::format("copy {}", graph_.value(value).name),
                                .op = OpKind::kIdentity,
                                .attributes = {},
                                .inputs = {id},
                                .outputs = {copy}});
      id = copy;
    }
    slot(slot(id).root).graph_output = index;
    program_.graph_outputs.push_back(id);
  }

  const Graph& graph_;
  const PrecisionPlan& plan_;
  Program program_;
  std::map<ValueId, DType> native_;
  std::map<std::pair<ValueId, DType>, SlotId> by_dtype_;
};

}  // namespace

Program Lower(const Graph& graph, const PrecisionPlan& plan) {
  Check(plan.nodes.size() == graph.nodes.size(), "the plan is of another graph");
  return Lowering(graph, plan).Run();
}

}  // namespace halftone
