// Search courses: fronts of several strategies on one network with shared measurements, as `tune`
// would report them after any number of evaluations. Fronts are confirmed (search/confirm_front.h):
// measured again, for longer, until all members are. A third measurement, which chose nothing,
// judges them: the best of many noisy numbers looks better than it is, the more so the more are
// measured.
#pragma once

#include <map>
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
  std::map<Hash128, std::variant<Measurement, Rejection>> outcomes_;
  std::map<Hash128, std::pair<PrecisionPlan, Latency>> confirmed_;
  std::map<Hash128, double> judged_;  // latency ratios
};

// Trials of one strategy, in order.
struct Course {
  std::string strategy;
  std::vector<Trial> trials;        // trials with a measurement
  std::vector<double> evaluations;  // parallel: evaluations spent at its end, probes included
  double spent = 0;                 // evaluations in all
  SearchInsight insight;            // empty for strategies without a model
};

Course RunCourse(const std::string& name, const TuneProblem& problem,
                 const StrategyOptions& options, SharedMeasurer& measurer, std::size_t max_trials);

// Hypervolume (FrontQuality) of the judged front of the plans that the strategy had measured after
// `evaluations`, once they are confirmed.
double QualityAfter(const Course& course, double evaluations, const TuneProblem& problem,
                    SharedMeasurer& measurer);

}  // namespace halftone
