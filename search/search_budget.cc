#include "search/search_budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "search/confirm_front.h"

namespace halftone {

std::optional<SearchStop> SearchBudget::StopAt(const SearchSpent& spent,
                                               std::span<const Trial> trials, bool owed) const {
  if (is_interrupted()) {
    return SearchStop{SearchEnd::kUser, "interrupted"};
  }
  const std::size_t counted = options_.known_are_free ? spent.measured : spent.plans;
  if (counted >= options_.max_trials) {
    return SearchStop{SearchEnd::kDone,
                      fmt::format("max_trials ({}) reached", options_.max_trials)};
  }
  if (const auto most = options_.max_evaluations;
      most && static_cast<double>(spent.plans) + spent.probes >= static_cast<double>(*most)) {
    return SearchStop{SearchEnd::kDone,
                      spent.probes > 0
                          ? fmt::format("budget of {} evaluations spent, {:.0f} of them for probes",
                                        *most, spent.probes)
                          : fmt::format("budget of {} evaluations spent", *most)};
  }
  if (options_.time_limit && hooks_.elapsed_s) {
    const double limit_s = options_.time_limit->count();
    const double next_s = owed ? 2 * plan_s_ : plan_s_;
    if (hooks_.elapsed_s() + next_s + SecondsAfter(trials) >= limit_s) {
      return SearchStop{SearchEnd::kTime, fmt::format("time limit of {:g} s reached", limit_s)};
    }
  }
  if (spent.barren >= options_.max_barren) {
    return SearchStop{SearchEnd::kDone, fmt::format("no new plan in {} candidates", spent.barren)};
  }
  return std::nullopt;
}

bool SearchBudget::FitsOne() const {
  return plan_s_ <= 0 || hooks_.elapsed_s() + plan_s_ <= options_.time_limit->count();
}

void SearchBudget::LearnPlan(double begin_s) {
  if (IsTimed()) {
    plan_s_ = std::max(plan_s_, hooks_.elapsed_s() - begin_s);
  }
}

double SearchBudget::SecondsAfter(std::span<const Trial> trials) const {
  const std::size_t members = UnconfirmedOf(trials) + (options_.going_on ? 1 : 0);
  return options_.confirm_s > 0 ? std::min(options_.confirm_s * static_cast<double>(members),
                                           options_.most_confirm_s) +
                                      options_.after_s
                                : 0;
}

}  // namespace halftone
