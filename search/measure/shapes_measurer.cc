#include "search/measure/shapes_measurer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/precision/resolve/plan_for_shapes.h"

namespace halftone {
namespace {

constexpr std::size_t kNamesShown = 5;
// Least share of the budgets of a measurement that a shape gets.
constexpr double kLeastShare = 0.25;

void CheckNodes(const MeasuredShape& shape, const Graph& first) {
  std::vector<std::string> names = NodesOnlyIn(*shape.graph, first);
  if (names.empty()) {
    return;
  }
  const std::size_t count = names.size();
  names.resize(std::min(count, kNamesShown));
  throw Error(ErrorKind::kUnsupported,
              fmt::format("at input shape '{}' the network has {} that it does not have at the "
                          "first one ({}{}): name that shape first, or tune the shapes one by one",
                          shape.name, Counted(static_cast<std::int64_t>(count), "node"),
                          Join(names, ", "), count > kNamesShown ? ", ..." : ""));
}

Accuracy WithoutValues(Accuracy accuracy) {
  for (MetricValue& value : accuracy.metrics) {
    value.values.clear();
  }
  return accuracy;
}

// Rejections name the shape, where there are several.
Rejection At(const std::vector<MeasuredShape>& shapes, std::size_t shape, Rejection rejection) {
  if (shapes.size() > 1) {
    rejection.reason = fmt::format("input shape '{}': {}", shapes[shape].name, rejection.reason);
  }
  return rejection;
}

// Findings of another shape join those of the same node and operator.
void AddCensus(const OverflowCensus& more, OverflowCensus& census) {
  for (OverflowFinding finding : more.findings) {
    const auto same = std::ranges::find_if(census.findings, [&](const OverflowFinding& known) {
      return known.node == finding.node && known.op == finding.op;
    });
    if (same == census.findings.end()) {
      finding.first_sample += census.samples;
      census.findings.push_back(std::move(finding));
      continue;
    }
    same->infinities += finding.infinities;
    same->nans += finding.nans;
    same->samples += finding.samples;
  }
  census.samples += more.samples;
  census.status = census.status || more.status;
}

}  // namespace

Latency WeightedLatency(std::span<const Latency> latencies, std::span<const double> weights) {
  Check(!latencies.empty() && latencies.size() == weights.size(), "a weight for each latency");
  if (latencies.size() == 1) {
    return latencies.front();
  }
  double all = 0;
  double anchors = 0;
  std::size_t rounds = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    all += weights[i];
    anchors += weights[i] * latencies[i].anchor_median_s;
    rounds = std::min(rounds, latencies[i].candidate_samples_s.size());
  }
  Latency mean{.ratio = 0, .ratio_interval = {}, .median_s = 0, .anchor_median_s = anchors / all};
  double below = 0;  // squares of half widths
  double above = 0;
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    const Latency& latency = latencies[i];
    const double share = weights[i] * latency.anchor_median_s / anchors;
    mean.ratio += share * latency.ratio;
    below += std::pow(share * (latency.ratio - latency.ratio_interval.low), 2);
    above += std::pow(share * (latency.ratio_interval.high - latency.ratio), 2);
    if (latency.other_cores) {
      mean.other_cores = std::max(mean.other_cores.value_or(0), *latency.other_cores);
    }
  }
  mean.median_s = mean.ratio * mean.anchor_median_s;
  mean.ratio_interval = {mean.ratio - std::sqrt(below), mean.ratio + std::sqrt(above)};
  for (std::size_t round = 0; round < rounds; ++round) {
    double candidate = 0;
    double anchor = 0;
    for (std::size_t i = 0; i < latencies.size(); ++i) {
      candidate += weights[i] / all * latencies[i].candidate_samples_s[round];
      anchor += weights[i] / all * latencies[i].anchor_samples_s[round];
    }
    mean.candidate_samples_s.push_back(candidate);
    mean.anchor_samples_s.push_back(anchor);
  }
  return mean;
}

ShapesMeasurer::ShapesMeasurer(const Graph& plans_of, std::vector<MeasuredShape> shapes,
                               const MeasureOptions& options)
    : plans_of_(plans_of), shapes_(std::move(shapes)), metric_(options.metric) {
  Check(!shapes_.empty(), "a shape to measure");
  MeasureOptions each = options;
  const double share = std::max(kLeastShare, 1.0 / static_cast<double>(shapes_.size()));
  each.quick_budget_s *= share;
  each.quick_most_s *= share;
  each.confirm_budget_s *= share;
  each.max_kept_bytes /= static_cast<std::int64_t>(shapes_.size());
  std::vector<AccuracyPart> parts;
  for (const MeasuredShape& shape : shapes_) {
    CheckNodes(shape, plans_of_);
    each.compile = shape.compile;
    const auto make = [&] {
      return std::make_unique<NetworkMeasurer>(*shape.graph, *shape.dataset, each);
    };
    measurers_.push_back(
        shapes_.size() == 1
            ? make()
            : WithContext([&] { return fmt::format("input shape '{}'", shape.name); }, make));
    weights_.push_back(shape.weight);
    parts.push_back({measurers_.back()->reference_accuracy(), shape.dataset->size()});
  }
  reference_accuracy_ = Merged(std::move(parts));
}

PrecisionPlan ShapesMeasurer::PlanAt(std::size_t shape, const PrecisionPlan& plan) const {
  const Graph& graph = *shapes_[shape].graph;
  return &graph == &plans_of_ ? plan : PlanForShapes(plans_of_, plan, graph, ReferencePlan(graph));
}

Accuracy ShapesMeasurer::Merged(std::vector<AccuracyPart> parts) const {
  if (parts.size() == 1) {
    return std::move(parts.front().accuracy);
  }
  Accuracy merged = MergedAccuracy(parts, metric_.better);
  if (!metric_.is_default()) {
    merged.loss = LossIn(merged, metric_);
  }
  return merged;
}

std::variant<Measurement, Rejection> ShapesMeasurer::Measure(const PrecisionPlan& plan) {
  return Race(plan, {});
}

std::variant<Measurement, Rejection> ShapesMeasurer::Race(const PrecisionPlan& plan,
                                                          const RacingBounds& bounds) {
  if (shapes_.size() == 1) {
    return measurers_.front()->Race(plan, bounds);
  }
  Measurement all;
  std::vector<AccuracyPart> parts;
  std::vector<Latency> latencies;
  std::vector<ShapeMeasurement> by_shape;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    auto outcome = measurers_[i]->Measure(PlanAt(i, plan));
    if (auto* rejection = std::get_if<Rejection>(&outcome)) {
      return At(shapes_, i, std::move(*rejection));
    }
    auto& measurement = std::get<Measurement>(outcome);
    by_shape.push_back({measurement.latency, WithoutValues(measurement.accuracy)});
    latencies.push_back(std::move(measurement.latency));
    parts.push_back({std::move(measurement.accuracy), shapes_[i].dataset->size()});
    all.peak_arena_bytes = std::max(all.peak_arena_bytes, measurement.peak_arena_bytes);
    AddCensus(measurement.overflow, all.overflow);
  }
  all.accuracy = Merged(std::move(parts));
  all.latency = WeightedLatency(latencies, weights_);
  by_shape_[plan.Digest()] = std::move(by_shape);
  return all;
}

std::variant<Accuracy, Rejection> ShapesMeasurer::MeasureAccuracy(const PrecisionPlan& plan) const {
  std::vector<AccuracyPart> parts;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    auto outcome = measurers_[i]->MeasureAccuracy(PlanAt(i, plan));
    if (auto* rejection = std::get_if<Rejection>(&outcome)) {
      return At(shapes_, i, std::move(*rejection));
    }
    parts.push_back({std::get<Accuracy>(std::move(outcome)), shapes_[i].dataset->size()});
  }
  return Merged(std::move(parts));
}

Latency ShapesMeasurer::Remember(const PrecisionPlan& plan, const std::vector<Latency>& latencies) {
  std::vector<ShapeMeasurement>& known = by_shape_[plan.Digest()];
  known.resize(latencies.size());
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    known[i].latency = latencies[i];
  }
  return WeightedLatency(latencies, weights_);
}

Latency ShapesMeasurer::Confirm(const PrecisionPlan& plan) {
  std::vector<Latency> latencies;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    latencies.push_back(measurers_[i]->Confirm(PlanAt(i, plan)));
  }
  return Remember(plan, latencies);
}

std::optional<Latency> ShapesMeasurer::ConfirmWithin(const PrecisionPlan& plan,
                                                     const Latency& first,
                                                     const ConfirmTime& time) {
  const auto count = static_cast<double>(shapes_.size());
  const std::vector<ShapeMeasurement> known = ByShape(plan.Digest());
  std::vector<Latency> latencies;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    Latency before = first;
    if (shapes_.size() > 1) {
      const double run_s =
          measurers_[i]->reference_pass_s() / static_cast<double>(shapes_[i].dataset->size());
      before =
          known.empty() ? Latency{.median_s = run_s, .anchor_median_s = run_s} : known[i].latency;
    }
    const auto latency = measurers_[i]->ConfirmWithin(PlanAt(i, plan), before,
                                                      {time.aim_s / count, time.most_s / count});
    if (!latency) {
      return std::nullopt;
    }
    latencies.push_back(*latency);
  }
  return Remember(plan, latencies);
}

std::optional<double> ShapesMeasurer::reference_top1() const {
  const MetricValue* top1 = reference_accuracy_.Find("top1");
  return top1 == nullptr ? std::nullopt : std::optional(top1->mean);
}

double ShapesMeasurer::reference_pass_s() const {
  double seconds = 0;
  for (const auto& measurer : measurers_) {
    seconds += measurer->reference_pass_s();
  }
  return seconds;
}

double ShapesMeasurer::compile_s() const {
  double seconds = 0;
  for (const auto& measurer : measurers_) {
    seconds += measurer->compile_s();
  }
  return seconds;
}

std::int64_t ShapesMeasurer::reference_arena_bytes() const {
  std::int64_t most = 0;
  for (const auto& measurer : measurers_) {
    most = std::max(most, measurer->reference_arena_bytes());
  }
  return most;
}

std::size_t ShapesMeasurer::samples() const {
  std::size_t all = 0;
  for (const MeasuredShape& shape : shapes_) {
    all += shape.dataset->size();
  }
  return all;
}

std::vector<ShapeMeasurement> ShapesMeasurer::ByShape(const Hash128& plan) const {
  const auto found = by_shape_.find(plan);
  return found == by_shape_.end() ? std::vector<ShapeMeasurement>() : found->second;
}

void ShapesMeasurer::NameWorstSamples(Accuracy& accuracy) const {
  for (MetricValue& value : accuracy.metrics) {
    auto sample = static_cast<std::size_t>(std::max<std::int64_t>(0, value.worst_sample));
    for (std::size_t i = 0; value.worst_sample >= 0 && i < shapes_.size(); ++i) {
      const Dataset& dataset = *shapes_[i].dataset;
      if (sample < dataset.size()) {
        value.worst_sample_name = dataset.NameOf(sample);
        break;
      }
      sample -= dataset.size();
    }
  }
}

}  // namespace halftone
