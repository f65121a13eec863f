#include "src/api/report/measuring_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/accuracy/metrics.h"
#include "src/base/text.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {

void DescribeMachine(const MachineWatch& watch, TuneSummary& summary) {
  summary.machine = watch.facts();
  summary.other_cores = watch.OtherCores();
  if (std::string warning = watch.Warning(); !warning.empty()) {
    summary.warnings.push_back(std::move(warning));
  } else {
    WarnOfLoadedPoints(summary);
  }
}

void WarnOfLoadedPoints(TuneSummary& summary) {
  std::vector<std::string> numbers;
  double most = 0;
  for (std::size_t i = 0; i < summary.points.size(); ++i) {
    const auto& others = summary.points[i].measurement().latency.other_cores;
    if (others && IsLoaded(*others, summary.machine.cores)) {
      numbers.push_back(std::to_string(i + 1));
      most = std::max(most, *others);
    }
  }
  if (!numbers.empty()) {
    summary.warnings.push_back(
        fmt::format("timings of {} {} may be off: other programs used up to {:.1f} of {} "
                    "meanwhile; `halftone retune` measures the front again",
                    numbers.size() == 1 ? "point" : "points", Join(numbers, ", "), most,
                    Counted(summary.machine.cores, "core")));
  }
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

void DescribeMetric(const LossMetric& metric, const NetworkMeasurer& measurer,
                    TuneSummary& summary) {
  if (!metric.is_default()) {
    summary.metric = {.name = metric.name,
                      .higher_is_better = metric.better == Better::kHigher,
                      .reference = measurer.reference_accuracy().Mean(metric.name)};
  }
}

void DescribeAccuracy(const TuneProblem& problem, const NetworkMeasurer& measurer,
                      const Dataset& data, TuneSummary& summary) {
  if (summary.chosen) {
    Trial& trial = summary.points[*summary.chosen].trial;
    Accuracy& accuracy = std::get<Measurement>(trial.outcome).accuracy;
    // A knowledge base keeps no rows whose class changed, and values by sample of some trials only.
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
  for (FrontPoint& point : summary.points) {
    NameWorstSamples(data, std::get<Measurement>(point.trial.outcome).accuracy);
  }
}

}  // namespace halftone
