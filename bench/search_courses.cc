#include "bench/search_courses.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "search/confirm_front.h"
#include "search/trial/front_quality.h"
#include "src/precision/resolve/resolve.h"

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
    return known->second.second;
  }
  return confirmed_.emplace(digest, std::pair(plan, measurer_.Confirm(plan))).first->second.second;
}

Objectives SharedMeasurer::Judged(const PrecisionPlan& plan) {
  const Hash128 digest = plan.Digest();
  const auto known = judged_.find(digest);
  Objectives objectives = ObjectivesOf(std::get<Measurement>(outcomes_.at(digest)));
  objectives.latency_ratio =
      known != judged_.end() ? known->second
                             : judged_.emplace(digest, measurer_.Confirm(plan).ratio).first->second;
  return objectives;
}

std::vector<Objectives> SharedMeasurer::JudgedUnion() {
  std::vector<std::pair<Objectives, const PrecisionPlan*>> all;
  for (const auto& [digest, confirmed] : confirmed_) {
    Objectives objectives = ObjectivesOf(std::get<Measurement>(outcomes_.at(digest)));
    objectives.latency_ratio = confirmed.second.ratio;
    all.emplace_back(objectives, &confirmed.first);
  }
  std::vector<Objectives> judged;
  for (const auto& [objectives, plan] : all) {
    if (std::ranges::none_of(
            all, [&](const auto& other) { return Dominates(other.first, objectives); })) {
      judged.push_back(Judged(*plan));
    }
  }
  return judged;
}

Course RunCourse(const std::string& name, const TuneProblem& problem,
                 const StrategyOptions& options, SharedMeasurer& measurer, std::size_t max_trials) {
  const std::unique_ptr<SearchStrategy> strategy = MakeStrategy(name, problem.space, options);
  Course course{.strategy = name, .trials = {}, .evaluations = {}, .spent = 0, .insight = {}};
  double measured = 0;
  const auto spent = [&] {
    const StrategyInsight* insight = strategy->insight();
    return measured + (insight == nullptr ? 0 : insight->facts().sensitivity.evaluations);
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
  if (const StrategyInsight* insight = strategy->insight()) {
    course.insight = insight->facts();
  }
  return course;
}

double QualityAfter(const Course& course, double evaluations, const TuneProblem& problem,
                    SharedMeasurer& measurer) {
  std::size_t count = 0;
  while (count < course.trials.size() && course.evaluations[count] <= evaluations) {
    ++count;
  }
  Searched searched;
  searched.trials.assign(course.trials.begin(),
                         course.trials.begin() + static_cast<std::ptrdiff_t>(count));
  const Confirmed confirmed = ConfirmFront(problem, std::move(searched), measurer, {});
  std::vector<Objectives> front;
  for (const std::size_t i : ParetoFront(confirmed.trials)) {
    front.push_back(measurer.Judged(
        ResolvePrecision(problem.graph, confirmed.trials[i].candidate.options, problem.target)));
  }
  return FrontQuality(front);
}

}  // namespace halftone
