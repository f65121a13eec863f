#include "src/api/retune/remeasure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "search/confirm_front.h"
#include "search/measure/shapes_measurer.h"
#include "search/space/tunable_node.h"
#include "src/api/report/measuring_details.h"
#include "src/api/tune/heldout.h"
#include "src/api/tune/search_limits.h"
#include "src/base/text.h"
#include "src/precision/resolve/resolve.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

// Share of the remaining budget for the rounds of one point: held-out samples and others follow.
constexpr double kShareOfPoint = 0.5;

// Measures the plan of `before` again, with the protocol of confirmed points, in fewer rounds where
// time is short.
Trial MeasureAgain(const Prepared& prepared, const Trial& before, const TimeBudget& budget,
                   ShapesMeasurer& measurer) {
  const Graph& graph = prepared.graph();
  Trial trial{.candidate = before.candidate};
  const auto plan = OrRejection(
      trial, [&] { return ResolvePrecision(graph, trial.candidate.options, prepared.target()); });
  if (!plan) {
    return trial;
  }
  trial.plan_digest = plan->Digest();
  FillNodeNames(graph, *plan, trial);
  const auto outcome = OrRejection(trial, [&] { return measurer.Measure(*plan); });
  if (!outcome) {
    return trial;
  }
  trial.outcome = *outcome;
  if (auto* measurement = std::get_if<Measurement>(&trial.outcome)) {
    const double most_s = kShareOfPoint * budget.left_s();
    const auto latency =
        measurer.ConfirmWithin(*plan, measurement->latency, {.aim_s = most_s, .most_s = most_s});
    if (latency) {
      measurement->latency = *latency;
      measurement->confirmed = true;
    }
  }
  return trial;
}

// Members in the order in which they are measured.
std::vector<std::size_t> OrderOf(const ShippedFront& front) {
  std::vector<std::size_t> order(front.members.size());
  std::iota(order.begin(), order.end(), 0);
  if (front.chosen && *front.chosen < order.size()) {
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(*front.chosen),
                order.begin() + static_cast<std::ptrdiff_t>(*front.chosen) + 1);
  }
  return order;
}

// The members before anything was measured.
std::vector<RetunedPoint> NotMeasured(const ShippedFront& front) {
  std::vector<RetunedPoint> points;
  for (std::size_t i = 0; i < front.members.size(); ++i) {
    RetunedPoint& point = points.emplace_back();
    point.before = front.members[i];
    point.after.candidate = front.members[i].candidate;
    point.after.outcome = Rejection{"not measured" + std::string(kInThisTime)};
    point.measured = false;
    point.shipped = !front.chosen || *front.chosen == i;
    point.undecided = "not measured" + std::string(kInThisTime);
  }
  return points;
}

std::string WhyNothing(const Prepared& prepared, const TimeBudget& budget) {
  const double run_s = budget.run_s();
  const auto samples = static_cast<double>(prepared.facts.sample_count);
  return fmt::format(
      "nothing was measured in {:g} s: {}; give a longer --budget", *budget.limit_s(),
      run_s > 0
          ? fmt::format("a float32 run takes {}, and float32 on the {} that the front was measured "
                        "on {}",
                        FormatSeconds(run_s), Counted(prepared.facts.sample_count, "sample"),
                        FormatSeconds(run_s * samples))
          : fmt::format("reading the network and its samples took {}",
                        FormatSeconds(budget.elapsed_s())));
}

}  // namespace

Remeasured Remeasure(const Prepared& prepared, const ShippedFront& front, bool same_data,
                     const TuneCallbacks& callbacks, TimeBudget& budget) {
  Remeasured now{.points = NotMeasured(front)};
  if (prepared.stored_only) {
    now.warnings.push_back(WhyNothing(prepared, budget));
    return now;
  }
  ShapesMeasurer measurer(prepared.graph(), prepared.SearchedShapes(), prepared.Measuring());
  now.reference = ReferenceOf(prepared.metric, measurer);
  if (callbacks.on_bounds) {
    callbacks.on_bounds(front.constraints, now.reference.top1);
  }
  const ComparedBy by{.samples = prepared.facts.sample_count,
                      .same_data = same_data,
                      .metric = prepared.metric,
                      .anchor = prepared.facts.anchor};
  if (now.reference.metric && WithLoss(front.members, prepared.metric).empty()) {
    now.warnings.push_back(
        fmt::format("the front was measured without --metric={}: its value then is not known",
                    prepared.metric.name));
  }
  std::vector<Trial> measured;
  // Of the slowest point so far; before the first: a pass over the samples and the first rounds.
  const RunCosts costs = CostsOf(measurer, budget.run_s());
  double point_s = costs.pass_s + RunsOfPlan(prepared.options, costs) * costs.run_s;
  for (const std::size_t i : OrderOf(front)) {
    if ((callbacks.stop_requested && callbacks.stop_requested()) || budget.IsOver() ||
        point_s > budget.left_s()) {
      break;
    }
    const double begin_s = budget.elapsed_s();
    measured.push_back(MeasureAgain(prepared, front.members[i], budget, measurer));
    RetunedPoint point = CompareMeasurements(front.members[i], measured.back(), by);
    point.shipped = now.points[i].shipped;
    now.points[i] = std::move(point);
    point_s = std::max(measured.size() == 1 ? 0 : point_s, budget.elapsed_s() - begin_s);
    if (callbacks.on_progress) {
      callbacks.on_progress({TunerProgress::Phase::kConfirm, measured.size(), front.members.size(),
                             measured.size(), measured, &measured.back()});
    }
  }
  return now;
}

Remeasured WithPromises(const Prepared& prepared, const ShippedFront& front, Remeasured now,
                        TimeBudget& budget) {
  const TuneOptions& options = prepared.options;
  if (!front.constraints.of_accuracy()) {
    return now;
  }
  std::vector<Trial> trials;
  std::vector<RetunedPoint*> points;
  for (const std::size_t i : OrderOf(front)) {
    RetunedPoint& point = now.points[i];
    if (point.after.measurement() != nullptr) {
      trials.push_back(point.after);
      points.push_back(&point);
    }
  }
  if (std::string warning = WarningWithoutHeldout(options, prepared.facts.heldout_count);
      !warning.empty()) {
    now.warnings.push_back(std::move(warning));
  }
  HeldoutAccuracy heldout = JudgeHeldout(prepared, trials, budget);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i]->heldout = std::move(heldout.trials[i]);
    points[i]->as_float32 = RunsAsFloat32(
        prepared,
        ResolvePrecision(prepared.graph(), trials[i].candidate.options, prepared.target()));
  }
  now.reference = WithHeldout(std::move(now.reference), std::move(heldout.reference));
  now.warnings.insert(now.warnings.end(), heldout.warnings.begin(), heldout.warnings.end());
  if (!front.chosen || *front.chosen >= now.points.size()) {
    return now;
  }
  RetunedPoint& shipped = now.points[*front.chosen];
  if (shipped.after.measurement() != nullptr && prepared.facts.heldout_count > 0 &&
      heldout.judged == 0) {
    shipped.undecided = "not judged on held-out samples" + std::string(kInThisTime);
  }
  if (options.confidence) {
    if (shipped.heldout) {
      const Measurement& measured = *shipped.after.measurement();
      shipped.certificate = Certify(front.constraints,
                                    {.latency = measured.latency,
                                     .heldout = *shipped.heldout,
                                     .reference = now.reference.heldout,
                                     .search = &measured.accuracy,
                                     .as_float32 = shipped.as_float32},
                                    {.confidence = *options.confidence, .seed = options.seed});
    }
  }
  return now;
}

}  // namespace halftone
