// Where the time of configurations goes, node by node.
#include <chrono>
#include <memory>

#include "kernels/parallel.h"
#include "src/api/check_settings.h"
#include "src/api/halftone.h"
#include "src/api/traced_samples.h"
#include "src/base/stats.h"
#include "src/exec/executable.h"
#include "src/precision/resolve.h"

namespace halftone {
namespace {

using Clock = std::chrono::steady_clock;

// One configuration with its buffers and the seconds of each step, run by run.
struct Profiled {
  explicit Profiled(Executable compiled)
      : executable(std::move(compiled)),
        workspace(executable.NewWorkspace()),
        step_seconds(executable.steps().size()) {
    for (const TensorType& type : executable.output_types()) {
      outputs.emplace_back(type);
    }
  }

  void Run(std::span<const Tensor> inputs) {
    auto last = Clock::now();
    executable.RunObserved(workspace, inputs, outputs, [&](std::size_t step, auto) {
      const auto now = Clock::now();
      step_seconds[step].push_back(std::chrono::duration<double>(now - last).count());
      last = Clock::now();
    });
  }

  Executable executable;
  Workspace workspace;
  std::vector<Tensor> outputs;
  std::vector<std::vector<double>> step_seconds;
};

}  // namespace

std::vector<std::map<std::string, double>> ProfileNodes(
    const Model& model, const TargetSpec& target, std::span<const PrecisionOptions> configurations,
    const DatasetOptions& data, const ProfileSettings& settings) {
  CheckMeasureSettings({.threads = settings.threads});
  const Dataset dataset = LoadSamples(model, data);
  std::vector<std::unique_ptr<Profiled>> profiles;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const CompileOptions compile{
        .kernels = {},
        .choices = i < settings.choices.size() ? settings.choices[i] : KernelChoices()};
    profiles.push_back(std::make_unique<Profiled>(
        Compile(model.graph, ResolvePrecision(model.graph, configurations[i], target), compile)));
  }
  ThreadPool pool(settings.threads);
  pool.Run([&] {
    // In turns, so that a disturbance meets all configurations alike; the first turn warms up.
    for (int run = 0; run <= settings.runs; ++run) {
      for (const auto& profile : profiles) {
        profile->Run(dataset.samples.front().inputs);
      }
    }
  });
  std::vector<std::map<std::string, double>> seconds(profiles.size());
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const auto steps = profiles[i]->executable.steps();
    for (std::size_t step = 0; step < steps.size(); ++step) {
      std::vector<double>& samples = profiles[i]->step_seconds[step];
      samples.erase(samples.begin());
      seconds[i][steps[step].node] += Median(samples);
    }
  }
  return seconds;
}

}  // namespace halftone
