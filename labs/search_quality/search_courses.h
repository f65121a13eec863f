// Search courses: fronts of several strategies on one network with shared measurements, as `tune`
// would report them after any number of evaluations. Fronts are confirmed (search/confirm_front.h):
// measured again, for longer, until all members are. The time of a course is that of the strategy's
// own work and probes and of its plans, those too that another strategy had measured before. A
// third measurement, which chose nothing, judges them: the best of many noisy numbers looks better
// than it is, the more so the more are measured.
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

// Measures each plan once, whichever strategy asks, and confirms and judges each once.
class SharedMeasurer : public Measurer {
 public:
  explicit SharedMeasurer(Measurer& measurer) : measurer_(measurer) {}

  std::variant<Measurement, Rejection> Measure(const PrecisionPlan& plan) override;

  // Seconds that Measure() has taken, and those that its results cost when they were measured.
  [[nodiscard]] double taken_s() const { return taken_s_; }

  [[nodiscard]] double cost_s() const { return cost_s_; }

  [[nodiscard]] std::variant<Accuracy, Rejection> MeasureAccuracy(
      const PrecisionPlan& plan) const override {
    return measurer_.MeasureAccuracy(plan);
  }

  Latency Confirm(const PrecisionPlan& plan) override;

  // Objectives of a confirmed plan, with a latency that was measured for this alone.
  Objectives Judged(const PrecisionPlan& plan);

  // The front of all confirmed plans, judged.
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
  std::map<Hash128, double> judged_;  // latency ratios
};

// Trials of one strategy, in order.
struct Course {
  std::string strategy;
  std::vector<Trial> trials;        // trials with a measurement
  std::vector<double> evaluations;  // parallel: evaluations spent at its end, probes included
  std::vector<double> seconds;      // parallel: seconds spent
  double spent = 0;                 // evaluations in all
  double spent_s = 0;               // seconds in all
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

// The front of the plans that the strategy had measured after `limit` of Course::evaluations or
// Course::seconds, once it is confirmed, judged.
std::vector<JudgedMember> FrontAfter(const Course& course, std::vector<double> Course::*spent,
                                     double limit, const TuneProblem& problem,
                                     SharedMeasurer& measurer);

// Hypervolume (FrontQuality) of FrontAfter().
double QualityAfter(const Course& course, std::vector<double> Course::*spent, double limit,
                    const TuneProblem& problem, SharedMeasurer& measurer);

}  // namespace halftone
