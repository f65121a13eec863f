#include "search/measure/compare_executables.h"

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "search/measure/placements.h"

namespace halftone {
namespace {

// A placement that takes so many times its share of the budget has a long compilation or long runs.
constexpr double kSlow = 2;

struct OwningRunner {
  OwningRunner(Executable compiled, const Sample& sample)
      : executable(std::move(compiled)), runner(executable, sample) {}

  Executable executable;
  ExecutableRunner runner;
};

}  // namespace

ExecutableRunner::ExecutableRunner(const Executable& runs, const Sample& sample)
    : executable(&runs),
      workspace(runs.NewWorkspace()),
      inputs(runs.ConvertInputs(sample.inputs)),
      outputs(runs.NewOutputs()) {}

Latency CompareRunners(ExecutableRunner& candidate, ExecutableRunner& anchor,
                       const ThreadPool& pool, const PairedRoundsOptions& rounds) {
  const TimedRuns timed_runs = [&](std::size_t which, std::int64_t runs) {
    ExecutableRunner& runner = which == 0 ? candidate : anchor;
    std::chrono::duration<double> taken{};
    pool.Run([&] {
      const auto start = std::chrono::steady_clock::now();
      for (std::int64_t run = 0; run < runs; ++run) {
        runner.executable->Run(runner.workspace, runner.inputs, runner.outputs);
      }
      taken = std::chrono::steady_clock::now() - start;
    });
    return taken.count();
  };
  return MeasurePairedRounds(1, timed_runs, rounds).front();
}

Latency CompareExecutables(const std::function<Executable()>& candidate,
                           const std::function<Executable()>& anchor, const Sample& sample,
                           const ThreadPool& pool, const CompareOptions& options) {
  // Everything stays alive until the end: freed memory would come back at the same address. Who is
  // allocated first alternates: the second of two equal networks is not always the faster one, but
  // often so for as long as both live.
  std::vector<std::unique_ptr<OwningRunner>> runners;
  std::vector<Latency> placements;
  const auto start = std::chrono::steady_clock::now();
  int count = kPlacements;
  for (int i = 0; i < count; ++i) {
    const bool candidate_first = i % 2 == 0;
    for (const bool is_candidate : {candidate_first, !candidate_first}) {
      runners.push_back(
          std::make_unique<OwningRunner>(is_candidate ? candidate() : anchor(), sample));
    }
    ExecutableRunner& first = runners[runners.size() - 2]->runner;
    ExecutableRunner& second = runners[runners.size() - 1]->runner;
    // Other seeds, so that not even the order of the rounds is that of another measurement.
    placements.push_back(
        CompareRunners(candidate_first ? first : second, candidate_first ? second : first, pool,
                       {.budget_s = options.budget_s / count,
                        .seed = options.seed + 1 + static_cast<std::uint64_t>(i)}));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (i == 0 && taken.count() > kSlow * options.budget_s / count) {
      count = kSlowPlacements;
    }
  }
  return PoolPlacements(placements);
}

}  // namespace halftone
