#include "search/measure/compare_executables.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "search/measure/placements.h"

namespace halftone {
namespace {

// A placement that takes more than this multiple of its share of the budget has a long compilation
// or long runs.
constexpr double kSlow = 2;

// Seconds of `runs` runs in a row.
double TimeRuns(ExecutableRunner& runner, std::int64_t runs, const ThreadPool& pool) {
  std::chrono::duration<double> taken{};
  pool.Run([&] {
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t run = 0; run < runs; ++run) {
      runner.executable->Run(runner.workspace, runner.inputs, runner.outputs);
    }
    taken = std::chrono::steady_clock::now() - start;
  });
  return taken.count();
}

// Seconds of a placement with one run to warm up and the fewest rounds.
double LeastPlacementSeconds(const CompareCosts& costs) {
  return 2 * costs.compile_s + costs.run_s * (1 + kFewestRounds);
}

struct OwningRunner {
  OwningRunner(Executable compiled, const Sample& sample)
      : executable(std::move(compiled)), runner(executable, sample) {}

  Executable executable;
  ExecutableRunner runner;
};

// Arena, inputs and outputs.
std::int64_t BytesOfBuffers(const ExecutableRunner& runner) {
  auto bytes = static_cast<std::int64_t>(runner.executable->peak_arena_bytes());
  for (const std::vector<Tensor>* tensors : {&runner.inputs, &runner.outputs}) {
    for (const Tensor& tensor : *tensors) {
      bytes += static_cast<std::int64_t>(tensor.size_bytes());
    }
  }
  return bytes;
}

// Both executables of a placement; the first was allocated first.
struct Placement {
  std::unique_ptr<OwningRunner> first;
  std::unique_ptr<OwningRunner> second;

  [[nodiscard]] std::int64_t bytes(std::int64_t constant_bytes) const {
    return 2 * constant_bytes + BytesOfBuffers(first->runner) + BytesOfBuffers(second->runner);
  }
};

}  // namespace

std::int64_t ConstantBytes(const Graph& graph) {
  std::int64_t bytes = 0;
  for (const Value& value : graph.values) {
    bytes += value.constant ? value.type.size_bytes() : 0;
  }
  return bytes;
}

PairedRoundsOptions QuickRounds(double budget_s, double most_s) {
  constexpr double kLeastWarmUp_s = 0.005;
  constexpr double kOfWarmUp = 0.25;  // largest share of most_s, for each participant
  const CompareOptions compare;
  PairedRoundsOptions rounds{.warm_up_s = kLeastWarmUp_s,
                             .most_warm_up_s = std::min(compare.most_warm_up_s, kOfWarmUp * most_s),
                             .min_rounds = kQuickRounds,
                             .min_rounds_s = std::min(compare.min_rounds_s, most_s),
                             .budget_s = std::min(budget_s, most_s)};
  rounds.slow_budget_factor = std::clamp(most_s / rounds.budget_s, 1.0, compare.slow_budget_factor);
  return rounds;
}

double LeastConfirmSeconds(const CompareCosts& costs) {
  return kFewestPlacements * LeastPlacementSeconds(costs);
}

std::optional<CompareOptions> FitInto(const CompareOptions& full, const CompareCosts& costs,
                                      const ConfirmTime& time) {
  constexpr double kOfPlacements = 0.5;  // largest share of the time for what is not timed rounds
  const PairedRoundsOptions rounds;
  const bool slow = costs.run_s > 2 * rounds.slow_run_s;
  const double placement_s = 2 * costs.compile_s + costs.run_s * rounds.warm_up_runs;
  const double full_s = slow ? kSlowPlacements * placement_s +
                                   std::max(full.budget_s * full.slow_budget_factor,
                                            costs.run_s * full.min_rounds * kSlowPlacements)
                             : kPlacements * placement_s + full.budget_s;
  CompareOptions fitted = full;
  fitted.most_s = time.most_s;
  if (full_s <= time.aim_s) {
    return fitted;
  }
  const double fewest_s = LeastPlacementSeconds(costs);
  const double slow_s = kSlowPlacements * fewest_s;
  const double target_s = std::max(std::min(time.aim_s, time.most_s),
                                   slow_s <= time.most_s ? slow_s : kFewestPlacements * fewest_s);
  if (target_s > time.most_s) {
    return std::nullopt;
  }
  const int least =
      std::clamp(static_cast<int>(target_s / fewest_s), kFewestPlacements, kSlowPlacements);
  fitted.placements = std::clamp(static_cast<int>(kOfPlacements * target_s / fewest_s), least,
                                 slow ? kSlowPlacements : kPlacements);
  fitted.warm_up_runs = 1;
  fitted.min_rounds = kFewestRounds;
  fitted.slow_budget_factor = 1;
  fitted.budget_s = std::min(target_s - fitted.placements * 2 * costs.compile_s,
                             full.budget_s * (slow ? full.slow_budget_factor : 1));
  return fitted;
}

ExecutableRunner::ExecutableRunner(const Executable& runs, const Sample& sample)
    : ExecutableRunner(
          runs, sample,
          Tensor(DType::kUInt8, {static_cast<std::int64_t>(runs.peak_arena_bytes())})) {}

ExecutableRunner::ExecutableRunner(const Executable& runs, const Sample& sample, Tensor arena)
    : executable(&runs),
      workspace(runs.NewWorkspace(std::move(arena))),
      inputs(runs.ConvertInputs(sample.inputs)),
      outputs(runs.NewOutputs()) {}

Latency CompareRunners(ExecutableRunner& candidate, ExecutableRunner& anchor,
                       const ThreadPool& pool, const PairedRoundsOptions& rounds) {
  const TimedRuns timed_runs = [&](std::size_t which, std::int64_t runs) {
    return TimeRuns(which == 0 ? candidate : anchor, runs, pool);
  };
  return MeasurePairedRounds(1, timed_runs, rounds).front();
}

Latency TimeAnchor(ExecutableRunner& anchor, const ThreadPool& pool,
                   const PairedRoundsOptions& rounds) {
  return MeasureAnchor(
      [&](std::size_t /*which*/, std::int64_t runs) { return TimeRuns(anchor, runs, pool); },
      rounds);
}

std::size_t PlacementsToKeep(std::int64_t bytes) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(kMostBytes / std::max<std::int64_t>(bytes, 1) - 1, 0, kPlacements));
}

Latency CompareExecutables(const std::function<Executable()>& candidate,
                           const std::function<Executable()>& anchor, const Sample& sample,
                           const ThreadPool& pool, const CompareOptions& options) {
  // Earlier placements stay alive, because freed memory would come back at the same address. Those
  // beyond PlacementsToKeep() are freed: the system gives new pages to blocks of their size. Who is
  // allocated first alternates: the second of two equal networks is not always the faster one, but
  // often so for as long as both live.
  std::deque<Placement> alive;
  std::vector<Latency> placements;
  const auto start = std::chrono::steady_clock::now();
  int count = options.placements;
  for (int i = 0; i < count && !(options.stop_requested && options.stop_requested()); ++i) {
    while (!alive.empty() &&
           alive.size() > PlacementsToKeep(alive.back().bytes(options.constant_bytes))) {
      alive.pop_front();
    }
    const bool candidate_first = i % 2 == 0;
    const auto owning = [&](bool is_candidate) {
      return std::make_unique<OwningRunner>(is_candidate ? candidate() : anchor(), sample);
    };
    Placement& placement = alive.emplace_back();
    placement.first = owning(candidate_first);
    placement.second = owning(!candidate_first);
    ExecutableRunner& first = placement.first->runner;
    ExecutableRunner& second = placement.second->runner;
    // Other seeds, so that not even the order of the rounds is that of another measurement.
    Latency latency =
        CompareRunners(candidate_first ? first : second, candidate_first ? second : first, pool,
                       {.warm_up_runs = options.warm_up_runs,
                        .most_warm_up_s = options.most_warm_up_s,
                        .min_rounds = options.min_rounds,
                        .min_rounds_s = options.min_rounds_s,
                        .budget_s = options.budget_s / count,
                        .slow_budget_factor = options.slow_budget_factor,
                        .seed = options.seed + 1 + static_cast<std::uint64_t>(i),
                        .stop_requested = options.stop_requested});
    if (latency.candidate_samples_s.empty()) {
      break;  // stopped
    }
    placements.push_back(std::move(latency));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (i + 1 >= kFewestPlacements && taken.count() * (i + 2) / (i + 1) > options.most_s) {
      break;
    }
    if (i == 0 && taken.count() > kSlow * options.budget_s / count) {
      count = std::min(count, kSlowPlacements);
    }
  }
  return placements.empty() ? Latency{} : PoolPlacements(placements);
}

}  // namespace halftone
