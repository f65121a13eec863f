#include "src/api/report/measuring_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/accuracy/metrics.h"
#include "src/base/text.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {

MachineUse UseOf(const MachineWatch& watch) {
  return {.facts = watch.facts(), .other_cores = watch.OtherCores()};
}

std::string WarningOfLoad(const MachineWatch& watch, std::span<const FrontPoint> points) {
  const std::string warning = watch.Warning();
  return warning.empty() ? WarningOfLoadedPoints(points, watch.facts().cores) : warning;
}

std::string WarningOfLoadedPoints(std::span<const FrontPoint> points, int cores) {
  std::vector<std::string> numbers;
  double most = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& others = points[i].measurement().latency.other_cores;
    if (others && IsLoaded(*others, cores)) {
      numbers.push_back(std::to_string(i + 1));
      most = std::max(most, *others);
    }
  }
  return numbers.empty()
             ? ""
             : fmt::format(
                   "timings of {} {} may be off: other programs used up to {:.1f} of {} "
                   "meanwhile; `halftone retune` measures the front again",
                   numbers.size() == 1 ? "point" : "points", Join(numbers, ", "), most,
                   Counted(cores, "core"));
}

std::vector<Trial> WithLoss(std::vector<Trial> trials, const LossMetric& metric) {
  if (metric.is_default()) {
    return trials;
  }
  std::vector<Trial> usable;
  for (Trial& trial : trials) {
    if (auto* measurement = std::get_if<Measurement>(&trial.outcome)) {
      measurement->accuracy.loss = LossIn(measurement->accuracy, metric);
      if (!measurement->accuracy.loss) {
        continue;
      }
    }
    usable.push_back(std::move(trial));
  }
  return usable;
}

Reference ReferenceOf(const LossMetric& metric, const ShapesMeasurer& measurer) {
  Reference reference;
  reference.top1 = measurer.reference_top1();
  reference.arena_bytes = measurer.reference_arena_bytes();
  if (!metric.is_default()) {
    reference.metric = MetricSummary{.name = metric.name,
                                     .higher_is_better = metric.better == Better::kHigher,
                                     .reference = measurer.reference_accuracy().Mean(metric.name)};
  }
  return reference;
}

TunedFront WithSampleNames(const TuneProblem& problem, const ShapesMeasurer& measurer,
                           TunedFront front) {
  if (front.chosen) {
    Trial& trial = front.points[*front.chosen].trial;
    Accuracy& accuracy = std::get<Measurement>(trial.outcome).accuracy;
    // A knowledge base stores no rows with another class, and values by sample of some trials only.
    const bool known = !accuracy.metrics.empty() &&
                       (accuracy.metrics.front().values.empty() ||
                        (!accuracy.flips && accuracy.Find("top1_agreement") != nullptr));
    if (known) {
      auto again = measurer.MeasureAccuracy(
          ResolvePrecision(problem.graph, trial.candidate.options, problem.target));
      if (auto* judged = std::get_if<Accuracy>(&again)) {
        accuracy = std::move(*judged);
      }
    }
  }
  for (FrontPoint& point : front.points) {
    measurer.NameWorstSamples(std::get<Measurement>(point.trial.outcome).accuracy);
  }
  return front;
}

}  // namespace halftone
