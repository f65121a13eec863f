#include "search/measure/step_times.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "search/measure/timed_plan.h"
#include "src/base/rng.h"
#include "src/base/stats.h"

namespace halftone {
namespace {

StepTimes Summarise(const TimedPlan& plan, const std::vector<double>& unit_s) {
  StepTimes times;
  const auto share = [&](const std::vector<double>& seconds) {
    std::vector<double> shares(seconds.size());
    std::transform(seconds.begin(), seconds.end(), unit_s.begin(), shares.begin(),
                   std::divides<>());
    return Median(shares);
  };
  for (std::size_t i = 0; i < plan.executable.steps().size(); ++i) {
    const StepInfo& step = plan.executable.steps()[i];
    const double time = share(plan.step_seconds[i]);
    if (step.op == "Cast" && step.node.starts_with("cast ")) {
      const auto outputs = plan.executable.step_output_types(i);
      times.casts.emplace_back(static_cast<double>(outputs.front().shape.ElementCount()), time);
    } else {
      times.nodes[step.node] += time;
    }
  }
  times.total = share(plan.totals);
  return times;
}

}  // namespace

std::vector<StepTimes> TimeSteps(const NetworkSetup& network, std::span<const PrecisionPlan> plans,
                                 const StepTimesOptions& options,
                                 const std::function<bool()>& stop_requested) {
  const Sample sample = network.dataset.Read(0);
  std::vector<Executable> compiled;
  compiled.reserve(plans.size());
  std::size_t arena_bytes = 0;
  for (const PrecisionPlan& plan : plans) {
    compiled.push_back(Compile(network.graph, plan, network.compile));
    arena_bytes = std::max(arena_bytes, compiled.back().peak_arena_bytes());
  }
  // Plans run in turns, so one arena is enough for all of them, and each finds it in the cache as
  // its own run before would leave it.
  const Tensor arena(DType::kUInt8, {static_cast<std::int64_t>(arena_bytes)});
  std::vector<std::unique_ptr<TimedPlan>> timed;
  timed.reserve(plans.size());
  for (Executable& executable : compiled) {
    timed.push_back(std::make_unique<TimedPlan>(std::move(executable), sample, arena));
  }
  std::vector<std::size_t> order(timed.size());
  std::iota(order.begin(), order.end(), 0);
  Rng rng(options.seed);
  double spent_s = 0;
  for (int round = -1; round < options.max_rounds; ++round) {  // the first one warms up
    if (stop_requested && stop_requested()) {
      return {};
    }
    if (round % 2 == 0) {
      rng.Shuffle(std::span(order));
    } else {
      std::reverse(order.begin(), order.end());
    }
    for (const std::size_t which : order) {
      network.pool.Run([&] { timed[which]->Run(); });
      spent_s += timed[which]->totals.back();
    }
    const int least = spent_s >= 2 * options.budget_s ? options.fewest_rounds : options.min_rounds;
    if (round + 1 >= least && spent_s >= options.budget_s) {
      break;
    }
  }
  for (const auto& plan : timed) {
    plan->ForgetFirstRun();
  }
  std::vector<StepTimes> times;
  times.reserve(timed.size());
  for (const auto& plan : timed) {
    times.push_back(Summarise(*plan, timed.front()->totals));
  }
  return times;
}

}  // namespace halftone
