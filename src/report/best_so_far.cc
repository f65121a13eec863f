#include "src/report/best_so_far.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <tuple>

#include "search/trial/pareto_front.h"

namespace halftone {
namespace {

struct ListedBound {
  std::string_view name;  // of the BoundRow
  std::optional<double> Constraints::*value;
  double bound;

  [[nodiscard]] std::string Text() const { return fmt::format("{}={}", name, bound); }

  [[nodiscard]] Constraints Alone() const {
    Constraints constraints;
    constraints.*value = bound;
    return constraints;
  }
};

constexpr ListedBound kListed[] = {
    {"min_sqnr_db", &Constraints::min_sqnr_db, 20},
    {"min_sqnr_db", &Constraints::min_sqnr_db, 30},
    {"min_sqnr_db", &Constraints::min_sqnr_db, 40},
    {"min_sqnr_db", &Constraints::min_sqnr_db, 50},
    {"min_sqnr_db", &Constraints::min_sqnr_db, 60},
    {"min_agreement", &Constraints::min_agreement, 0.9},
    {"min_agreement", &Constraints::min_agreement, 0.99},
    {"min_agreement", &Constraints::min_agreement, 0.999},
};

bool IsFaster(const BestPlan& a, const BestPlan& b) {
  return std::tie(a.latency_ratio, a.loss) < std::tie(b.latency_ratio, b.loss);
}

BestPlan PlanOf(const Measurement& measurement) {
  const Objectives objectives = ObjectivesOf(measurement);
  const MetricValue* sqnr = measurement.accuracy.Find("sqnr_db");
  return {.latency_ratio = objectives.latency_ratio,
          .loss = objectives.loss,
          .sqnr_db = sqnr != nullptr && std::isfinite(sqnr->mean) ? std::optional(sqnr->mean)
                                                                  : std::nullopt};
}

std::optional<BestPlan> FastestMeeting(std::span<const Trial> trials,
                                       const Constraints& constraints,
                                       std::optional<double> reference_top1) {
  std::optional<BestPlan> best;
  for (const Trial& trial : trials) {
    const Measurement* measurement = trial.measurement();
    if (measurement == nullptr) {
      continue;
    }
    const BestPlan plan = PlanOf(*measurement);
    if (std::isfinite(plan.latency_ratio) && std::isfinite(plan.loss) &&
        (!best || IsFaster(plan, *best)) && !Violation(constraints, *measurement, reference_top1)) {
      best = plan;
    }
  }
  return best;
}

}  // namespace

std::vector<std::string> BoundsOfBest() {
  std::vector<std::string> bounds;
  for (const ListedBound& row : kListed) {
    bounds.push_back(row.Text());
  }
  return bounds;
}

BestSoFar BestSoFarOf(std::span<const Trial> trials, const Constraints& constraints,
                      std::optional<double> reference_top1) {
  BestSoFar best{.front_points = ParetoFront(trials).size(),
                 .any = FastestMeeting(trials, {}, {}),
                 .meeting = FastestMeeting(trials, constraints, reference_top1),
                 .at_bounds = {}};
  for (const ListedBound& row : kListed) {
    if (const auto plan = FastestMeeting(trials, row.Alone(), {})) {
      best.at_bounds.push_back({.bound = row.Text(), .plan = *plan});
    }
  }
  return best;
}

}  // namespace halftone
