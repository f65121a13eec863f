// Plans in qint8 for tests: ranges from a few samples, and a format for each node.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "src/exec/executable.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/precision/resolve/node_formats.h"
#include "src/quantization/schemes.h"

namespace halftone::testing {

// Scales for every float32 value that a run makes or reads, from its extremes on `samples`.
inline Quantization RangesOn(const Graph& graph, std::span<const std::vector<Tensor>> samples) {
  const Executable run = Compile(graph, ReferencePlan(graph), {.fuse = false});
  std::map<std::string, ValueRange> ranges;
  const auto add = [&](ValueId id, const float* values) {
    ValueRange& range = ranges[graph.value(id).name];
    for (std::int64_t i = 0; i < graph.value(id).type.shape.ElementCount(); ++i) {
      range.low = std::min(range.low, static_cast<double>(values[i]));
      range.high = std::max(range.high, static_cast<double>(values[i]));
    }
  };
  for (const std::vector<Tensor>& sample : samples) {
    for (std::size_t i = 0; i < sample.size(); ++i) {
      if (sample[i].dtype() == DType::kFloat32) {
        add(graph.inputs[i], sample[i].values<float>().data());
      }
    }
    Workspace workspace = run.NewWorkspace();
    std::vector<Tensor> outputs = run.NewOutputs();
    run.RunObserved(workspace, sample, outputs, [&](std::size_t step, std::span<void* const> data) {
      const std::vector<ValueId>& values = run.steps()[step].values;
      for (std::size_t i = 0; i < std::min(values.size(), data.size()); ++i) {
        if (values[i] != kNoValue && graph.value(values[i]).type.dtype == DType::kFloat32) {
          add(values[i], static_cast<const float*>(data[i]));
        }
      }
    });
  }
  // A view has the range of its operand.
  for (const Node& node : graph.nodes) {
    if (!ranges.contains(graph.value(node.outputs[0]).name) &&
        ranges.contains(graph.value(node.inputs[0]).name)) {
      ranges[graph.value(node.outputs[0]).name] = ranges.at(graph.value(node.inputs[0]).name);
    }
  }
  Quantization quantization;
  for (const auto& [name, range] : ranges) {
    quantization.activations[name] = ActivationScaleOf(range);
  }
  return quantization;
}

// The reference plan with the format that `format_of` returns for each node: "qint8", "qint8 to
// float32"; empty: float32.
inline PrecisionPlan PlanIn(const Graph& graph, Quantization quantization,
                            const std::function<std::string(const Node&)>& format_of) {
  PrecisionPlan plan = ReferencePlan(graph);
  plan.quantization = SharedQuantization(std::move(quantization));
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (const std::string format = format_of(graph.nodes[n]); !format.empty()) {
      ApplyFormat(graph, graph.nodes[n], format, plan.nodes[n]);
    }
  }
  return plan;
}

}  // namespace halftone::testing
