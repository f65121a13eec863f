#include "search/calibrate/calibrate.h"

#include <algorithm>
#include <cmath>

#include "kernels/parallel.h"
#include "search/calibrate/range_classes.h"
#include "src/base/error.h"
#include "src/quantization/schemes.h"

namespace halftone {
namespace {

// Calls visit(value, elements) for every float tensor of a run in float32, in any order of its
// elements.
template <typename Visit>
void RunOn(const Graph& graph, const Executable& executable, Workspace& workspace,
           const Sample& sample, const Visit& visit) {
  const std::vector<Tensor> inputs = executable.ConvertInputs(sample.inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype() == DType::kFloat32) {
      visit(graph.inputs[i], inputs[i].values<float>());
    }
  }
  std::vector<Tensor> outputs = executable.NewOutputs();
  executable.RunObserved(
      workspace, inputs, outputs, [&](std::size_t s, std::span<void* const> data) {
        const StepInfo& step = executable.steps()[s];
        const auto types = executable.step_output_types(s);
        for (std::size_t i = 0; i < data.size(); ++i) {
          const ValueId value = i < step.values.size() ? step.values[i] : kNoValue;
          if (data[i] != nullptr && value != kNoValue && types[i].dtype == DType::kFloat32) {
            visit(value, std::span(static_cast<const float*>(data[i]),
                                   static_cast<std::size_t>(types[i].shape.ElementCount())));
          }
        }
      });
}

}  // namespace

Quantization Calibrate(const Graph& graph, const Dataset& samples,
                       const CalibrationOptions& options) {
  if (samples.empty()) {
    throw Error(ErrorKind::kUsage, "calibration needs at least one sample");
  }
  CompileOptions compile = options.compile;
  compile.fuse = false;  // every value is made
  const Executable executable = Compile(graph, ReferencePlan(graph), compile);
  const ThreadPool pool(options.threads);
  Workspace workspace = executable.NewWorkspace();
  std::vector<ValueRange> ranges(graph.values.size());
  std::vector<bool> seen(graph.values.size());
  const std::vector<ValueId> sources = RangeSources(graph);
  for (std::size_t s = 0; s < samples.size(); ++s) {
    if (options.stop_requested && options.stop_requested()) {
      break;
    }
    const Sample sample = samples.Read(s);
    pool.Run([&] {
      RunOn(graph, executable, workspace, sample,
            [&](ValueId value, std::span<const float> elements) {
              ValueRange& range = ranges[static_cast<std::size_t>(value)];
              seen[static_cast<std::size_t>(value)] = true;
              for (const float x : elements) {
                if (std::isfinite(x)) {
                  range.low = std::min(range.low, static_cast<double>(x));
                  range.high = std::max(range.high, static_cast<double>(x));
                }
              }
            });
    });
    if (options.on_progress) {
      options.on_progress(s + 1, samples.size());
    }
  }
  JoinConcats(graph, sources, ranges);
  Quantization quantization;
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const auto source = static_cast<std::size_t>(sources[i]);
    if (!graph.values[i].constant && graph.values[i].type.dtype == DType::kFloat32 &&
        seen[source]) {
      quantization.activations[graph.values[i].name] = ActivationScaleOf(ranges[source]);
    }
  }
  return quantization;
}

}  // namespace halftone
