#include "labs/onnxruntime/turns.h"

#include <chrono>
#include <limits>
#include <thread>

#include "labs/onnxruntime/machine_load.h"
#include "search/measure/paired_rounds.h"

namespace halftone {
namespace {

using Clock = std::chrono::steady_clock;

// A process that sleeps for kLook and used less CPU time than kIdle meanwhile has no thread that
// spins. None was seen to spin for longer than kMostWait. The kernel counts the time of a running
// thread at its ticks, every 4 ms or 10 ms: a shorter look sees nothing.
constexpr auto kLook = std::chrono::milliseconds(21);
constexpr double kIdle_s = 1e-4;
constexpr auto kMostWait = std::chrono::milliseconds(500);

// Waking workers and filling caches is lost in runs that are longer than this.
constexpr double kShortRun_s = 0.02;

void WaitUntilIdle() {
  const auto begin = Clock::now();
  while (Clock::now() - begin < kMostWait) {
    const double before_s = ProcessCpuSeconds();
    std::this_thread::sleep_for(kLook);
    if (ProcessCpuSeconds() - before_s < kIdle_s) {
      return;
    }
  }
}

}  // namespace

Latency TimeInTurns(const std::function<void()>& ours, const std::function<void()>& theirs,
                    const TurnsOptions& options) {
  return TimeAllInTurns(std::span<const std::function<void()>>(&theirs, 1), ours, options).front();
}

std::vector<Latency> TimeAllInTurns(std::span<const std::function<void()>> candidates,
                                    const std::function<void()>& anchor,
                                    const TurnsOptions& options) {
  std::vector<double> run_s(candidates.size() + 1, 0);
  const auto timed_runs = [&](std::size_t which, std::int64_t runs) {
    const std::function<void()>& run = which < candidates.size() ? candidates[which] : anchor;
    if (options.threads > 1) {
      WaitUntilIdle();
    }
    if (run_s[which] < kShortRun_s) {
      run();
    }
    const auto begin = Clock::now();
    for (std::int64_t i = 0; i < runs; ++i) {
      run();
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    run_s[which] = seconds / static_cast<double>(runs);
    return seconds;
  };
  return MeasurePairedRounds(candidates.size(), timed_runs,
                             {.budget_s = options.budget_s,
                              .slow_run_s = std::numeric_limits<double>::infinity(),
                              .seed = options.seed});
}

}  // namespace halftone
