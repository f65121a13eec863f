#include "bench/search_courses.h"

#include <memory>
#include <utility>

#include "search/confirm_front.h"
#include "search/front_quality.h"

namespace halftone {

std::variant<Measurement, Rejection> SharedMeasurer::Measure(const PrecisionPlan& plan) {
  const Hash128 digest = plan.Digest();
  if (const auto known = outcomes_.find(digest); known != outcomes_.end()) {
    return known->second;
  }
  return outcomes_.emplace(digest, measurer_.Measure(plan)).first->second;
}

Latency SharedMeasurer::Confirm(const PrecisionPlan& plan) {
  const Hash128 digest = plan.Digest();
  if (const auto known = confirmed_.find(digest); known != confirmed_.end()) {
    return known->second;
  }
  return confirmed_.emplace(digest, measurer_.Confirm(plan)).first->second;
}

std::vector<Objectives> SharedMeasurer::AllConfirmed() const {
  std::vector<Objectives> all;
  for (const auto& [digest, latency] : confirmed_) {
    all.push_back(ObjectivesOf(std::get<Measurement>(outcomes_.at(digest))));
    all.back().latency_ratio = latency.ratio;
  }
  return all;
}

Course RunCourse(const std::string& name, const TuneProblem& problem,
                 const StrategyOptions& options, SharedMeasurer& measurer, std::size_t max_trials) {
  const std::unique_ptr<SearchStrategy> strategy = MakeStrategy(name, problem.space, options);
  Course course{.strategy = name, .trials = {}, .evaluations = {}, .spent = 0, .insight = {}};
  double measured = 0;
  const auto spent = [&] {
    const SearchInsight* insight = strategy->insight();
    return measured + (insight == nullptr ? 0 : insight->sensitivity.evaluations);
  };
  TunerHooks hooks;
  hooks.on_trial = [&](const Trial& trial) {
    if (trial.measurement() != nullptr && trial.measurement()->confirmed) {
      return;  // of the front at the end, which is no part of the search
    }
    measured += 1;
    if (trial.measurement() != nullptr) {
      course.trials.push_back(trial);
      course.evaluations.push_back(spent());
    }
  };
  RunTuner(problem, *strategy, measurer, {.max_trials = max_trials}, {}, hooks);
  course.spent = spent();
  if (const SearchInsight* insight = strategy->insight()) {
    course.insight = *insight;
  }
  return course;
}

double QualityAfter(const Course& course, double evaluations, const TuneProblem& problem,
                    SharedMeasurer& measurer) {
  std::size_t count = 0;
  while (count < course.trials.size() && course.evaluations[count] <= evaluations) {
    ++count;
  }
  TunerResult result;
  result.trials.assign(course.trials.begin(),
                       course.trials.begin() + static_cast<std::ptrdiff_t>(count));
  ConfirmFront(problem, measurer, {}, result);
  std::vector<Objectives> front;
  for (const std::size_t i : ParetoFront(result.trials)) {
    front.push_back(ObjectivesOf(*result.trials[i].measurement()));
  }
  return FrontQuality(front);
}

}  // namespace halftone
