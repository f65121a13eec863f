#include "src/qaic/profile_run.h"

#include <optional>
#include <vector>

#include "kernels/parallel.h"
#include "src/base/error.h"
#include "src/exec/executable.h"

namespace halftone {
namespace {

std::vector<float> FloatsOf(const Tensor& tensor) {
  const Tensor converted =
      tensor.dtype() == DType::kFloat32 ? tensor : Convert(tensor, DType::kFloat32);
  const auto values = converted.values<float>();
  return {values.begin(), values.end()};
}

// The network with every floating result as an output, so that a run gives all of them.
class EveryValue {
 public:
  EveryValue(const Graph& graph, const PrecisionPlan& plan)
      : graph_(WithOutputs(graph)), executable_(Compile(graph_, WithoutInterface(plan))) {}

  // Values of one sample, those of the inputs included, to `see`.
  template <typename See>
  void Run(const Sample& sample, const ThreadPool& pool, const See& see) {
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      if (IsTunable(sample.inputs[i].dtype())) {
        see(graph_.inputs[i], sample.inputs[i]);
      }
    }
    const std::vector<Tensor> inputs = executable_.ConvertInputs(sample.inputs);
    std::vector<Tensor> outputs = executable_.NewOutputs();
    pool.Run([&] { executable_.Run(workspace_, inputs, outputs); });
    if (const std::string other = executable_.OtherCount(workspace_); !other.empty()) {
      throw Error(ErrorKind::kUnsupported, other);
    }
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      if (IsTunable(outputs[o].dtype())) {
        see(graph_.outputs[o], outputs[o]);
      }
    }
  }

  [[nodiscard]] const Graph& graph() const { return graph_; }

 private:
  static Graph WithOutputs(Graph graph) {
    graph.outputs.clear();
    for (const Node& node : graph.nodes) {
      for (const ValueId id : node.outputs) {
        if (id != kNoValue && IsTunable(graph.value(id).type.dtype)) {
          graph.outputs.push_back(id);
        }
      }
    }
    return graph;
  }

  static PrecisionPlan WithoutInterface(PrecisionPlan plan) {
    plan.graph_inputs.clear();
    plan.graph_outputs.clear();
    return plan;
  }

  Graph graph_;
  Executable executable_;
  Workspace workspace_ = executable_.NewWorkspace();
};

using Constants = std::map<ValueId, std::vector<float>>;

// Floating constants that nodes read.
Constants ConstantsOf(const Graph& graph) {
  Constants constants;
  for (const Node& node : graph.nodes) {
    for (const ValueId id : node.inputs) {
      const auto& constant = id == kNoValue ? std::optional<Tensor>() : graph.value(id).constant;
      if (constant && IsTunable(constant->dtype()) && constant->ElementCount() > 0 &&
          !constants.contains(id)) {
        constants.emplace(id, FloatsOf(*constant));
      }
    }
  }
  return constants;
}

ObservedRanges Observe(EveryValue& network, const Constants& constants, const Dataset& samples,
                       const ThreadPool& pool) {
  ObservedRanges ranges;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    network.Run(samples.Read(s), pool, [&](ValueId value, const Tensor& tensor) {
      ranges[value].AddSample(FloatsOf(tensor));
    });
  }
  for (const auto& [value, values] : constants) {
    ranges[value].AddSample(values);
  }
  return ranges;
}

}  // namespace

ObservedRanges RangesOf(const Graph& graph, const PrecisionPlan& plan, const Dataset& samples,
                        int threads) {
  EveryValue network(graph, plan);
  return Observe(network, ConstantsOf(graph), samples, ThreadPool(threads));
}

ProfiledTensors ProfileTensors(const Graph& graph, const PrecisionPlan& plan,
                               const Dataset& samples, std::size_t bins, int threads,
                               std::vector<std::string>& left_out) {
  EveryValue network(graph, plan);
  const ThreadPool pool(threads);
  const Constants constants = ConstantsOf(graph);
  ProfiledTensors profiled;
  for (const auto& [value, range] : Observe(network, constants, samples, pool)) {
    if (range.nan_count() + range.infinity_count() > 0) {
      left_out.push_back(graph.value(value).name);
      continue;
    }
    profiled.emplace(value, TensorStatistics{.observed = range.observed(),
                                             .mean_of_samples = range.mean_of_samples(),
                                             .histogram = TensorHistogram(range.observed(), bins)});
  }
  for (std::size_t s = 0; s < samples.size(); ++s) {
    network.Run(samples.Read(s), pool, [&](ValueId value, const Tensor& tensor) {
      if (const auto found = profiled.find(value); found != profiled.end()) {
        found->second.histogram.Add(FloatsOf(tensor));
      }
    });
  }
  for (const auto& [value, values] : constants) {
    if (const auto found = profiled.find(value); found != profiled.end()) {
      found->second.histogram.Add(values);
    }
  }
  return profiled;
}

}  // namespace halftone
