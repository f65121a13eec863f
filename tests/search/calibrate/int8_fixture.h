// Runs small networks in 8 bits for the tests of calibration.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/parallel.h"
#include "search/probe/activation_cache.h"
#include "src/accuracy/dataset.h"
#include "src/base/rng.h"
#include "src/exec/executable.h"
#include "src/precision/resolve/node_formats.h"
#include "tests/support/graph_builder.h"

namespace halftone::testing {

using Formats = std::map<std::string, std::string>;  // of nodes, by name

inline PrecisionPlan PlanWith(const Graph& graph, const Formats& formats,
                              const Quantization& quantization) {
  PrecisionPlan plan = ReferencePlan(graph);
  plan.quantization = SharedQuantization(quantization);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (const auto format = formats.find(graph.nodes[n].name); format != formats.end()) {
      ApplyFormat(graph, graph.nodes[n], format->second, plan.nodes[n]);
    }
  }
  return plan;
}

inline std::vector<Tensor> RunPlan(const Graph& graph, const PrecisionPlan& plan,
                                   const std::vector<Tensor>& inputs) {
  const Executable executable = Compile(graph, plan);
  return RunOnce(executable, executable.ConvertInputs(inputs), ThreadPool(1));
}

inline std::vector<std::string> StepOps(const Graph& graph, const PrecisionPlan& plan) {
  const Executable executable = Compile(graph, plan);
  std::vector<std::string> ops;
  for (const StepInfo& step : executable.steps()) {
    ops.push_back(step.op);
  }
  return ops;
}

inline std::vector<float> FloatsOf(const Tensor& tensor) {
  const auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}

// Samples of a graph whose element i of an input is value(input, i, random).
inline Dataset SamplesOf(
    const Graph& graph, std::size_t count,
    const std::function<double(std::size_t input, std::int64_t element, Rng& rng)>& value,
    std::uint64_t seed = 1) {
  Rng rng(seed);
  std::vector<Sample> samples;
  for (std::size_t s = 0; s < count; ++s) {
    Sample sample{.name = std::to_string(s), .inputs = {}};
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      Tensor tensor(graph.value(graph.inputs[i]).type);
      for (std::int64_t e = 0; e < tensor.ElementCount(); ++e) {
        tensor.mutable_values<float>()[static_cast<std::size_t>(e)] =
            static_cast<float>(value(i, e, rng));
      }
      sample.inputs.push_back(std::move(tensor));
    }
    samples.push_back(std::move(sample));
  }
  return Dataset(std::move(samples));
}

// Power of the first output over that of its error on all samples, in dB.
inline double SqnrDb(const Graph& graph, const PrecisionPlan& plan, const Dataset& data) {
  const Executable exact = Compile(graph, ReferencePlan(graph));
  const Executable candidate = Compile(graph, plan);
  const ThreadPool pool(1);
  double power = 0;
  double error = 0;
  for (std::size_t s = 0; s < data.size(); ++s) {
    const std::vector<float> a =
        FloatsOf(RunOnce(exact, exact.ConvertInputs(data.Read(s).inputs), pool)[0]);
    const std::vector<float> b =
        FloatsOf(RunOnce(candidate, candidate.ConvertInputs(data.Read(s).inputs), pool)[0]);
    for (std::size_t i = 0; i < a.size(); ++i) {
      power += std::pow(static_cast<double>(a[i]), 2);
      error += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    }
  }
  return 10 * std::log10(power / error);
}

// Constants by what an element is.
inline Tensor Filled(Shape shape, const std::function<double(std::int64_t element)>& value) {
  Tensor tensor(DType::kFloat32, std::move(shape));
  for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
    tensor.mutable_values<float>()[static_cast<std::size_t>(i)] = static_cast<float>(value(i));
  }
  return tensor;
}

}  // namespace halftone::testing
