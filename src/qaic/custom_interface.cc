#include "src/qaic/custom_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "kernels/parallel.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/exec/executable.h"

namespace halftone {
namespace {

float RoundedToInt8(float value, const IoScale& scale) {
  constexpr double kLeast = -128;
  constexpr double kMost = 127;
  if (std::isnan(value)) {
    return value;
  }
  const auto step = static_cast<double>(scale.scale);
  const double whole = std::nearbyint(static_cast<double>(value) / step) + scale.offset;
  return static_cast<float>(step * (std::clamp(whole, kLeast, kMost) - scale.offset));
}

bool ChangesValues(IoPrecision precision, DType of_model) {
  return precision == IoPrecision::kInt8
             ? IsTunable(of_model)
             : precision == IoPrecision::kFloat16 && of_model == DType::kFloat32;
}

// A compiled plan, run sample by sample.
class PlanRun {
 public:
  PlanRun(const Graph& graph, const PrecisionPlan& plan) : executable_(Compile(graph, plan)) {}

  std::vector<Tensor> Run(std::span<const Tensor> inputs, const ThreadPool& pool) {
    const std::vector<Tensor> converted = executable_.ConvertInputs(inputs);
    std::vector<Tensor> outputs = executable_.NewOutputs();
    pool.Run([&] { executable_.Run(workspace_, converted, outputs); });
    if (const std::string other = executable_.OtherCount(workspace_); !other.empty()) {
      throw Error(ErrorKind::kUnsupported, other);
    }
    return outputs;
  }

 private:
  Executable executable_;
  Workspace workspace_ = executable_.NewWorkspace();
};

// The dtype of an input or output; empty: none has the name.
std::optional<DType> TypeOf(const Graph& graph, const std::string& name) {
  for (const auto* ids : {&graph.inputs, &graph.outputs}) {
    for (const ValueId id : *ids) {
      if (graph.value(id).name == name) {
        return graph.value(id).type.dtype;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Tensor RoundedAs(const CustomIo& entry, const Tensor& tensor) {
  if (entry.precision == IoPrecision::kFloat16) {
    return Convert(Convert(tensor, DType::kFloat16), tensor.dtype());
  }
  if (entry.precision != IoPrecision::kInt8) {
    return tensor;
  }
  const Tensor floats = Convert(tensor, DType::kFloat32);
  Tensor rounded(DType::kFloat32, tensor.shape());
  std::ranges::transform(floats.values<float>(), rounded.mutable_values<float>().begin(),
                         [&](float value) { return RoundedToInt8(value, entry.scale.value()); });
  return Convert(rounded, tensor.dtype());
}

CustomInterface::CustomInterface(const Graph& graph, std::span<const CustomIo> entries) {
  for (const CustomIo& entry : entries) {
    const auto dtype = TypeOf(graph, entry.name);
    if (dtype && entry.precision && ChangesValues(*entry.precision, *dtype)) {
      entries_.emplace(entry.name, entry);
    }
  }
}

std::string CustomInterface::Summary() const {
  std::vector<std::string> words;
  for (const auto& [name, entry] : entries_) {
    words.push_back(fmt::format("{} as {}", Shown(name), NameIn(kIoPrecisions, *entry.precision)));
  }
  return Join(words, ", ");
}

Tensor CustomInterface::Rounded(const std::string& name, const Tensor& tensor) const {
  const auto entry = entries_.find(name);
  return entry == entries_.end() ? tensor : RoundedAs(entry->second, tensor);
}

Accuracy AccuracyThrough(const CustomInterface& interface, const Graph& graph,
                         const PrecisionPlan& plan, const Dataset& samples, int threads) {
  PlanRun reference(graph, ReferencePlan(graph));
  PlanRun run(graph, plan);
  const ThreadPool pool(threads);
  const auto round = [&](const std::vector<ValueId>& ids, std::vector<Tensor> tensors) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      tensors[i] = interface.Rounded(graph.value(ids[i]).name, tensors[i]);
    }
    return tensors;
  };
  AccuracyAccumulator accuracy(kMostResampled);
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const Sample sample = samples.Read(s);
    const std::vector<Tensor> exact = reference.Run(sample.inputs, pool);
    const std::vector<Tensor> made =
        round(graph.outputs, run.Run(round(graph.inputs, sample.inputs), pool));
    accuracy.Add(samples.OutputsOf(s, exact, made));
  }
  Accuracy finished = accuracy.Finish();
  NameWorstSamples(samples, finished);
  return finished;
}

}  // namespace halftone
