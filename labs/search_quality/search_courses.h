// Search courses: the fronts that several strategies have on one network after any number of
// evaluations, as `tune` would report them. The strategies share measurements. Fronts are confirmed
// (search/confirm_front.h): measured again, for longer, until all members are confirmed. The time
// of a course covers the strategy's own work, its probes and all its plans, including plans that
// another strategy measured before. A third measurement, on which no decision depends, judges the
// fronts, because the best of many noisy measurements looks better than it is.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "search/measure/measurer.h"
#include "search/strategies/search_insight.h"
#include "search/strategies/strategy.h"
#include "search/trial/pareto_front.h"
#include "search/tuner.h"

namespace halftone {

// Measures, confirms and judges each plan once, whichever strategy asks first.
class SharedMeasurer : public Measurer {
 public:
  explicit SharedMeasurer(Measurer& measurer) : measurer_(measurer) {}

  std::variant<Measurement, Rejection> Measure(const PrecisionPlan& plan) override;

  // Seconds that all calls of Measure() have taken. A shared result takes nearly none.
  [[nodiscard]] double taken_s() const { return taken_s_; }

  // Seconds that all results of Measure() took when they were measured, shared ones included.
  [[nodiscard]] double cost_s() const { return cost_s_; }

  [[nodiscard]] std::variant<Accuracy, Rejection> MeasureAccuracy(
      const PrecisionPlan& plan) const override {
    return measurer_.MeasureAccuracy(plan);
  }

  Latency Confirm(const PrecisionPlan& plan) override;

  // Objectives of a measured plan, with a latency that is measured for judging alone.
  Objectives Judged(const PrecisionPlan& plan);

  // Judged objectives of the front of all confirmed plans.
  std::vector<Objectives> JudgedUnion();

 private:
  Measurer& measurer_;

  struct Outcome {
    std::variant<Measurement, Rejection> outcome;
    double cost_s = 0;
  };

  std::map<Hash128, Outcome> outcomes_;
  double taken_s_ = 0;
  double cost_s_ = 0;
  std::map<Hash128, std::pair<PrecisionPlan, Latency>> confirmed_;
  std::map<Hash128, double> judged_;  // latency ratios for judging
};

// Trials of one strategy, in order.
struct Course {
  std::string strategy;
  std::vector<Trial> trials;        // trials with a measurement
  std::vector<double> evaluations;  // parallel to trials: evaluations until then, probes included
  std::vector<double> seconds;      // parallel to trials: seconds until then
  double spent = 0;                 // all evaluations
  double spent_s = 0;               // all seconds
  SearchInsight insight;            // empty for strategies without a model
};

struct CourseLimits {
  std::size_t max_trials = 200;
  std::optional<double> seconds = {};
};

Course RunCourse(const std::string& name, const TuneProblem& problem,
                 const StrategyOptions& options, SharedMeasurer& measurer,
                 const CourseLimits& limits);

struct JudgedMember {
  Candidate candidate;
  Objectives judged;
};

// Judged members of the front after the first `limit` evaluations or seconds of a course. The front
// is that of the plans measured until then, and is confirmed first. `spent` is Course::evaluations
// or Course::seconds and says what `limit` counts.
std::vector<JudgedMember> FrontAfter(const Course& course, std::vector<double> Course::*spent,
                                     double limit, const TuneProblem& problem,
                                     SharedMeasurer& measurer);

// FrontQuality() of FrontAfter().
double QualityAfter(const Course& course, std::vector<double> Course::*spent, double limit,
                    const TuneProblem& problem, SharedMeasurer& measurer);

}  // namespace halftone
