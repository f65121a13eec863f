#include "labs/search_quality/search_courses.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "search/confirm_front.h"
#include "search/trial/front_quality.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {

std::variant<Measurement, Rejection> SharedMeasurer::Measure(const PrecisionPlan& plan) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const Hash128 digest = plan.Digest();
  auto found = outcomes_.find(digest);
  if (found == outcomes_.end()) {
    auto outcome = measurer_.Measure(plan);
    found = outcomes_.emplace(digest, Outcome{std::move(outcome), seconds()}).first;
  }
  taken_s_ += seconds();
  cost_s_ += found->second.cost_s;
  return found->second.outcome;
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
  Objectives objectives = ObjectivesOf(std::get<Measurement>(outcomes_.at(digest).outcome));
  objectives.latency_ratio =
      known != judged_.end() ? known->second
                             : judged_.emplace(digest, measurer_.Confirm(plan).ratio).first->second;
  return objectives;
}

std::vector<Objectives> SharedMeasurer::JudgedUnion() {
  std::vector<std::pair<Objectives, const PrecisionPlan*>> all;
  for (const auto& [digest, confirmed] : confirmed_) {
    Objectives objectives = ObjectivesOf(std::get<Measurement>(outcomes_.at(digest).outcome));
    objectives.latency_ratio = confirmed.second.ratio;
    all.emplace_back(objectives, &confirmed.first);
  }
  std::vector<Objectives> judged;
  for (const auto& [objectives, plan] : all) {
    if (std::ranges::none_of(all, [&, own = objectives](const auto& other) {
          return Dominates(other.first, own);
        })) {
      judged.push_back(Judged(*plan));
    }
  }
  return judged;
}

Course RunCourse(const std::string& name, const TuneProblem& problem,
                 const StrategyOptions& options, SharedMeasurer& measurer,
                 const CourseLimits& limits) {
  const auto start = std::chrono::steady_clock::now();
  const double taken_s = measurer.taken_s();
  const double cost_s = measurer.cost_s();
  const auto elapsed_s = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() -
           (measurer.taken_s() - taken_s) + (measurer.cost_s() - cost_s);
  };
  const std::unique_ptr<SearchStrategy> strategy = MakeStrategy(name, problem.space, options);
  Course course{.strategy = name, .trials = {}, .evaluations = {}, .seconds = {}, .insight = {}};
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
      course.seconds.push_back(elapsed_s());
    }
  };
  hooks.elapsed_s = elapsed_s;
  TunerOptions tuner{.max_trials = limits.max_trials};
  if (limits.seconds) {
    tuner.time_limit = std::chrono::duration<double>(*limits.seconds);
  }
  RunSearch(problem, *strategy, measurer, tuner, {}, hooks);
  course.spent = spent();
  course.spent_s = elapsed_s();
  if (const StrategyInsight* insight = strategy->insight()) {
    course.insight = insight->facts();
  }
  return course;
}

std::vector<JudgedMember> FrontAfter(const Course& course, std::vector<double> Course::*spent,
                                     double limit, const TuneProblem& problem,
                                     SharedMeasurer& measurer) {
  std::size_t count = 0;
  while (count < course.trials.size() && (course.*spent)[count] <= limit) {
    ++count;
  }
  Searched searched;
  searched.trials.assign(course.trials.begin(),
                         course.trials.begin() + static_cast<std::ptrdiff_t>(count));
  const Confirmed confirmed = ConfirmFront(problem, std::move(searched), measurer, {});
  std::vector<JudgedMember> front;
  for (const std::size_t i : ParetoFront(confirmed.trials)) {
    const Candidate& candidate = confirmed.trials[i].candidate;
    front.push_back({candidate, measurer.Judged(ResolvePrecision(problem.graph, candidate.options,
                                                                 problem.target))});
  }
  return front;
}

double QualityAfter(const Course& course, std::vector<double> Course::*spent, double limit,
                    const TuneProblem& problem, SharedMeasurer& measurer) {
  std::vector<Objectives> front;
  for (const JudgedMember& member : FrontAfter(course, spent, limit, problem, measurer)) {
    front.push_back(member.judged);
  }
  return FrontQuality(front);
}

}  // namespace halftone
