#include "src/report/not_searched.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/base/text.h"
#include "src/report/formats.h"
#include "src/report/tune_summary.h"

namespace halftone {
namespace {

// Fewest plans to choose among, of which at least one lowers an operator.
constexpr std::size_t kFewestPlans = 2;
// Plans that a search is to have time for, and their share of it: a fifth goes to calibration, a
// quarter to kernels, and as much again to confirmation and reports.
constexpr double kUsefulPlans = 10;
constexpr double kShareOfPlans = 0.4;

}  // namespace

bool NothingSearched(const TuneSummary& summary) {
  const SearchFacts& search = summary.search;
  if (search.end == SearchEnd::kUser) {
    return summary.front.points.empty();
  }
  return search.end == SearchEnd::kTime &&
         (search.distinct_plans < kFewestPlans || search.lowered == 0);
}

std::string WhyNotSearched(const TuneSummary& summary) {
  const PlanCost& plan = summary.search.plan;
  const std::string costs =
      plan.plan_s > 0
          ? fmt::format("a float32 run takes {} here, and a plan {:.0f} runs or {}",
                        FormatSeconds(plan.run_s), plan.runs, FormatSeconds(plan.plan_s))
          : "";
  if (summary.search.end == SearchEnd::kUser) {
    return fmt::format(
        "Interrupted after {}, before a plan was measured{}; run the command again to go on.",
        FormatSeconds(summary.elapsed_s), costs.empty() ? "" : ": " + costs);
  }
  const std::string in =
      summary.budget_s ? fmt::format(" in {:g} s", *summary.budget_s) : " in the time limit";
  if (costs.empty()) {
    const auto loading =
        std::ranges::find(summary.phases, BudgetPhase::kLoading, &PhaseTime::phase);
    return fmt::format("Nothing could be searched{}{}; give more time.", in,
                       loading == summary.phases.end()
                           ? ""
                           : fmt::format(": reading the network and its samples took {}",
                                         FormatSeconds(loading->seconds)));
  }
  const double needed_s =
      std::max(kUsefulPlans * plan.plan_s / kShareOfPlans, 2 * summary.budget_s.value_or(0));
  return fmt::format(
      "Nothing could be searched{}: {}; {:.0f} plans need about --budget={:.0f}min, or "
      "fewer samples.",
      in, costs, kUsefulPlans, std::ceil(needed_s / 60));
}

std::string WhyNothingIsFaster(const TuneSummary& summary) {
  const bool searched = summary.search.lowered > 0;
  const bool any = std::ranges::any_of(summary.front.points, [](const FrontPoint& point) {
    const Latency& latency = point.measurement().latency;
    return latency.is_predicted() || latency.ratio_interval.high < 1;
  });
  if (!searched || any || !summary.run.runtime.empty()) {
    return "";
  }
  const std::string why = WhatPays(summary.run.format_times);
  return why.empty()
             ? " Nothing is faster than float32 here (halftone explain --machine says which "
               "formats pay)."
             : fmt::format(
                   " Nothing is faster than float32 here: {} (halftone explain "
                   "--machine).",
                   why);
}

}  // namespace halftone
