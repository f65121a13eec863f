// Time of configurations by node.
#include <algorithm>
#include <memory>
#include <numeric>

#include "kernels/parallel.h"
#include "search/measure/timed_plan.h"
#include "src/api/load/memory_limit.h"
#include "src/api/load/traced_samples.h"
#include "src/api/options/check_settings.h"
#include "src/api/profile.h"
#include "src/api/shape_profiles.h"
#include "src/base/stats.h"
#include "src/exec/executable.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {

namespace {

RunProfile ProfileOf(const Model& model, const PrecisionPlan& plan, const Dataset& dataset,
                     const CompileOptions& compile, const ProfileSettings& settings) {
  TimedPlan profiled(Compile(model.graph, plan, compile), dataset.Read(0));
  const ThreadPool pool(settings.threads);
  const auto stopped = [&] {
    return settings.hooks.stop_requested && settings.hooks.stop_requested();
  };
  int done = 0;
  for (int run = 0; run <= settings.runs && !stopped(); ++run) {  // the first one warms up
    pool.Run([&] { profiled.Run(); });
    done = run;
    if (settings.hooks.on_progress) {
      settings.hooks.on_progress("profile", static_cast<std::size_t>(run),
                                 static_cast<std::size_t>(settings.runs));
    }
  }
  if (done == 0) {
    return {.model = model.name,
            .input_shapes = model.input_shapes,
            .steps = {},
            .interrupted = true,
            .notes = dataset.notes};
  }
  profiled.ForgetFirstRun();
  const auto runs = static_cast<std::size_t>(done);
  const std::vector<double>& totals = profiled.totals;
  std::vector<std::size_t> order(runs);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return totals[a] < totals[b]; });
  const std::size_t typical = order[(runs - 1) / 2];
  const Executable& executable = profiled.executable;
  RunProfile profile{
      .model = model.name,
      .input_shapes = model.input_shapes,
      .steps = {},
      .total_s = Median(totals),
      .runs = done,
      .interrupted = done < settings.runs,
      .notes = dataset.notes,
      .threads = pool.threads(),
      .arena_bytes = static_cast<std::int64_t>(executable.peak_arena_bytes()),
      .liveness_bound_bytes = static_cast<std::int64_t>(executable.liveness_bound_bytes())};
  double start = 0;
  for (std::size_t i = 0; i < executable.steps().size(); ++i) {
    const StepInfo& step = executable.steps()[i];
    const auto outputs = executable.step_output_types(i);
    profile.steps.push_back({.node = step.node,
                             .op = step.op,
                             .kernel = step.in_place ? "in place" : step.kernel,
                             .dtype = std::string(NameOf(step.dtype)),
                             .output = outputs.empty() ? "" : outputs.front().ToString(),
                             .bytes = step.bytes,
                             .median_s = Median(profiled.step_seconds[i]),
                             .start_s = start,
                             .typical_s = profiled.step_seconds[i][typical],
                             .nodes = step.parts});
    start += profile.steps.back().typical_s;
  }
  return profile;
}

CompileOptions CompileFor(const ProfileSettings& settings, std::size_t index) {
  return {.kernels = {},
          .choices = index < settings.choices.size() ? settings.choices[index] : KernelChoices()};
}

}  // namespace

RunProfile ProfileRun(const Model& model, const TargetSpec& target,
                      const PrecisionOptions& precision, const DatasetOptions& data,
                      const ProfileSettings& settings) {
  return ProfileShapes({&model, 1}, target, precision, data, settings).front();
}

std::vector<RunProfile> ProfileShapes(std::span<const Model> profiles, const TargetSpec& target,
                                      const PrecisionOptions& precision, const DatasetOptions& data,
                                      const ProfileSettings& settings) {
  CheckMeasureSettings({.threads = settings.threads});
  for (const Model& profile : profiles) {
    RequireMachineMemory(profile.graph);
  }
  const std::vector<Dataset> datasets = LoadSamples(profiles, data);
  const std::vector<PrecisionPlan> plans = PlansOfProfiles(profiles, target, precision);
  std::vector<RunProfile> all;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    all.push_back(ProfileOf(profiles[i], plans[i], datasets[i], CompileFor(settings, i), settings));
    all.back().input_shapes = NameOfProfile(profiles, i);
    if (all.back().interrupted) {
      break;
    }
  }
  return all;
}

std::vector<std::map<std::string, double>> ProfileNodes(
    std::span<const Model> profiles, const TargetSpec& target,
    std::span<const PrecisionOptions> configurations, const DatasetOptions& data,
    const ProfileSettings& settings) {
  CheckMeasureSettings({.threads = settings.threads});
  const Graph& graph = profiles.front().graph;
  const Sample sample = LoadSamples(profiles, data).front().Read(0);
  std::vector<std::unique_ptr<TimedPlan>> timed;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    timed.push_back(std::make_unique<TimedPlan>(
        Compile(graph, ResolvePrecision(graph, configurations[i], target), CompileFor(settings, i)),
        sample));
  }
  ThreadPool pool(settings.threads);
  pool.Run([&] {
    // In turns, so that a disturbance meets all configurations alike; the first turn warms up.
    for (int run = 0; run <= settings.runs; ++run) {
      for (const auto& plan : timed) {
        plan->Run();
      }
    }
  });
  std::vector<std::map<std::string, double>> seconds(timed.size());
  for (std::size_t i = 0; i < timed.size(); ++i) {
    timed[i]->ForgetFirstRun();
    const auto steps = timed[i]->executable.steps();
    for (std::size_t step = 0; step < steps.size(); ++step) {
      seconds[i][steps[step].node] += Median(timed[i]->step_seconds[step]);
    }
  }
  return seconds;
}

}  // namespace halftone
