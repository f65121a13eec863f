#include "search/explain/error_growth.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "src/accuracy/metrics.h"
#include "src/ir/layout.h"

namespace halftone {
namespace {

using Results = std::map<ValueId, Tensor>;  // float32, in the layout of the graph

bool IsCast(const StepInfo& step) {
  return step.node.starts_with("cast ");
}

// The result of a step in the layout of the graph.
Tensor AsGraphHasIt(const TensorType& type, const void* data, bool channels_last) {
  Tensor as_made(type);
  std::memcpy(as_made.mutable_data(), data, as_made.size_bytes());
  Tensor converted = Convert(as_made, DType::kFloat32);
  if (!channels_last) {
    return converted;
  }
  Tensor turned(DType::kFloat32, ChannelsFirstOf(type.shape));
  const int rank = type.shape.rank();
  const std::int64_t channels = type.shape[rank - 1];
  const std::int64_t pixels = type.shape.ElementCount(1, rank - 1);
  const float* from = converted.values<float>().data();
  float* to = turned.mutable_values<float>().data();
  for (std::int64_t image = 0; image < type.shape[0]; ++image) {
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
        *to++ = from[pixel * channels + channel];
      }
    }
    from += pixels * channels;
  }
  return turned;
}

// Runs on the sample and calls look(step, value, result) for each floating result of a node that is
// among `values`.
template <typename Look>
void RunLooking(const Executable& executable, const Sample& sample, const std::set<ValueId>& values,
                const ThreadPool& pool, const Look& look) {
  Workspace workspace = executable.NewWorkspace();
  std::vector<Tensor> outputs = executable.NewOutputs();
  const std::vector<Tensor> inputs = executable.ConvertInputs(sample.inputs);
  const auto observe = [&](std::size_t step, std::span<void* const> data) {
    const StepInfo& info = executable.steps()[step];
    const auto types = executable.step_output_types(step);
    for (std::size_t i = 0; i < data.size() && !IsCast(info); ++i) {
      if (data[i] != nullptr && !info.rearranged && IsFloating(types[i].dtype) &&
          values.contains(info.values[i])) {
        look(step, info.values[i], AsGraphHasIt(types[i], data[i], info.channels_last));
      }
    }
  };
  pool.Run([&] { executable.RunObserved(workspace, inputs, outputs, observe); });
}

// Powers of error and signal summed so far, for a value or a node.
struct Sums {
  double error = 0;
  double power = 0;
  double apart = 0;  // largest relative error of elements set apart
  bool broken = false;
};

void Add(const OutputSums& sample, Sums& sums) {
  sums.broken = sums.broken || sample.broken;
  sums.error += sample.error_power;
  sums.power += sample.reference_power;
  if (sample.apart.error_power > 0) {
    sums.apart = std::max(sums.apart, sample.apart.error_power / sample.apart.reference_power);
  }
}

void Add(const Sums& value, Sums& node) {
  node.error += value.error;
  node.power += value.power;
  node.apart = std::max(node.apart, value.apart);
  node.broken = node.broken || value.broken;
}

// Values that some step of the executable makes, in runs of at most so many bytes of float32.
std::vector<std::set<ValueId>> PartsOf(const Graph& graph, const Executable& executable,
                                       std::int64_t max_bytes) {
  std::vector<std::set<ValueId>> parts(1);
  std::int64_t bytes = 0;
  for (const StepInfo& step : executable.steps()) {
    for (const ValueId value : step.values) {
      if (value == kNoValue || IsCast(step) || step.rearranged) {
        continue;
      }
      const std::int64_t more = 4 * graph.value(value).type.shape.ElementCount();
      if (bytes > 0 && bytes + more > max_bytes) {
        parts.emplace_back();
        bytes = 0;
      }
      if (parts.back().insert(value).second) {
        bytes += more;
      }
    }
  }
  return parts;
}

// Of values that both executables compute on the sample. A step that makes a value again counts
// instead of the step before.
std::map<ValueId, OutputSums> CompareOn(const Sample& sample, const std::set<ValueId>& values,
                                        const Executable& executable, const Executable& reference,
                                        const ThreadPool& pool) {
  Results exact;
  RunLooking(reference, sample, values, pool, [&](std::size_t, ValueId value, Tensor result) {
    exact.insert_or_assign(value, std::move(result));
  });
  std::map<ValueId, OutputSums> sums;
  const auto compare = [&](std::size_t, ValueId value, const Tensor& result) {
    const auto found = exact.find(value);
    if (found != exact.end() && found->second.shape() == result.shape()) {
      sums.insert_or_assign(value, SumsOf(found->second, result));
    }
  };
  RunLooking(executable, sample, values, pool, compare);
  return sums;
}

// The node of a step, without an error.
NodeError NodeOf(const StepInfo& step) {
  NodeError node{.node = step.node, .relative_power = std::nullopt, .broken = false};
  if (!step.parts.empty()) {
    node.parts.assign(step.parts.begin() + 1, step.parts.end());
  }
  return node;
}

std::vector<NodeError> ErrorsOfNodes(const Executable& executable,
                                     const std::map<ValueId, Sums>& sums) {
  std::vector<NodeError> nodes;
  std::map<std::string, std::size_t> index;
  std::vector<Sums> by_node;
  std::set<ValueId> counted;
  for (const StepInfo& step : executable.steps()) {
    if (IsCast(step)) {
      continue;
    }
    const auto [place, first] = index.emplace(step.node, nodes.size());
    if (first) {
      nodes.push_back(NodeOf(step));
      by_node.emplace_back();
    }
    for (const ValueId value : step.values) {
      if (const auto found = sums.find(value);
          found != sums.end() && counted.insert(value).second) {
        Add(found->second, by_node[place->second]);
      }
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].broken = by_node[i].broken;
    if (by_node[i].power > 0) {
      nodes[i].relative_power = std::max(by_node[i].error / by_node[i].power, by_node[i].apart);
    }
  }
  return nodes;
}

}  // namespace

std::vector<NodeError> ErrorGrowth(const Graph& graph, const Executable& executable,
                                   const Executable& reference, std::span<const Sample> samples,
                                   const ThreadPool& pool, const ErrorGrowthOptions& options) {
  std::map<ValueId, Sums> sums;
  for (const std::set<ValueId>& part : PartsOf(graph, executable, options.max_kept_bytes)) {
    for (const Sample& sample : samples) {
      for (const auto& [value, of_sample] : CompareOn(sample, part, executable, reference, pool)) {
        Add(of_sample, sums[value]);
      }
    }
  }
  return ErrorsOfNodes(executable, sums);
}

}  // namespace halftone
