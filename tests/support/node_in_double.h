// The oracle of a single node: its operator's specification, computed in double.
#pragma once

#include <utility>
#include <vector>

#include "kernels/kernel_table.h"
#include "src/ir/graph.h"

namespace halftone::testing {

// Results of the node in double, by the specification of its operator. `inputs` are those that the
// node got.
inline std::vector<Tensor> InDouble(const Graph& graph, const Node& node,
                                    std::vector<Tensor> inputs) {
  KernelQuery query{.op = node.op, .attributes = &node.attributes, .fusion = &node.fusion};
  std::vector<const void*> data;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool absent = node.inputs[i] == kNoValue;
    if (IsFloating(inputs[i].dtype())) {
      inputs[i] = Convert(inputs[i], DType::kFloat64);
    }
    query.inputs.push_back(absent ? nullptr : &inputs[i].type());
    const bool constant = !absent && graph.value(node.inputs[i]).constant.has_value();
    query.constants.push_back(constant ? &inputs[i] : nullptr);
    data.push_back(absent ? nullptr : inputs[i].data());
  }
  std::vector<Tensor> outputs;
  for (const ValueId id : node.outputs) {
    TensorType type = graph.value(id).type;
    type.dtype = IsFloating(type.dtype) ? DType::kFloat64 : type.dtype;
    outputs.emplace_back(type);
  }
  std::vector<void*> results;
  for (Tensor& output : outputs) {
    query.outputs.push_back(&output.type());
    results.push_back(output.mutable_data());
  }
  const KernelEntry& kernel = *SelectKernel(query, {.reference_only = true}).entry;
  const auto state = kernel.prepare != nullptr ? kernel.prepare(query) : nullptr;
  std::vector<std::byte> scratch(kernel.scratch_bytes != nullptr ? kernel.scratch_bytes(*state)
                                                                 : 0);
  kernel.run({.state = state.get(), .inputs = data, .outputs = results, .scratch = scratch.data()});
  return outputs;
}

}  // namespace halftone::testing
