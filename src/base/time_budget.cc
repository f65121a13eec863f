#include "src/base/time_budget.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "src/base/enum_table.h"

namespace halftone {
namespace {

constexpr EnumRow<BudgetPhase> kPhases[] = {
    {BudgetPhase::kLoading, "loading", "network and samples"},
    {BudgetPhase::kCalibration, "calibration", "ranges of 8-bit tensors"},
    {BudgetPhase::kKernels, "kernels", "machine profile and operator tuning"},
    {BudgetPhase::kReference, "float32", "float32 on the samples"},
    {BudgetPhase::kProbes, "probes", "sensitivities of operators"},
    {BudgetPhase::kSearch, "search", "plans"},
    {BudgetPhase::kConfirmation, "confirmation", "members of the front, measured again"},
    {BudgetPhase::kHeldout, "held-out samples", "accuracy on held-out samples"},
    {BudgetPhase::kReport, "report", "explanations and files"},
};
static_assert(std::size(kPhases) == kBudgetPhases);

}  // namespace

std::string_view NameOf(BudgetPhase phase) {
  return NameIn(kPhases, phase);
}

double TimeSlice::now_s() const {
  return budget_ == nullptr ? 0 : budget_->elapsed_s();
}

double TimeSlice::left_s() const {
  return budget_ == nullptr ? end_s_ : std::max(0.0, end_s_ - now_s());
}

TimeBudget::Clock TimeBudget::SystemClock() {
  return [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
}

TimeBudget::TimeBudget(std::optional<double> limit_s, Clock clock)
    : clock_(std::move(clock)), begin_s_(clock_()), limit_s_(limit_s), phase_begin_s_(begin_s_) {}

double TimeBudget::left_s() const {
  return limit_s_ ? std::max(0.0, *limit_s_ - elapsed_s())
                  : std::numeric_limits<double>::infinity();
}

double TimeBudget::runs() const {
  return limit_s_ && run_s_ > 0 ? *limit_s_ / run_s_ : std::numeric_limits<double>::infinity();
}

TimeSlice TimeBudget::Slice(double share) const {
  if (!limit_s_) {
    return {*this, std::numeric_limits<double>::infinity()};
  }
  return {*this, std::min(elapsed_s() + share * *limit_s_, *limit_s_)};
}

void TimeBudget::Begin(BudgetPhase phase) {
  const double now_s = clock_();
  spent_s_[static_cast<std::size_t>(phase_)] += now_s - phase_begin_s_;
  phase_begin_s_ = now_s;
  phase_ = phase;
}

std::vector<PhaseTime> TimeBudget::Spent() const {
  std::vector<PhaseTime> spent;
  const double open_s = clock_() - phase_begin_s_;
  for (const EnumRow<BudgetPhase>& row : kPhases) {
    const double seconds =
        spent_s_[static_cast<std::size_t>(row.value)] + (row.value == phase_ ? open_s : 0);
    if (seconds > 0) {
      spent.push_back({row.value, seconds});
    }
  }
  return spent;
}

}  // namespace halftone
