#include "search/model/plan_predictor.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "search/probe/rounding_facts.h"

namespace halftone {
namespace {

constexpr std::size_t kMostFrontPoints = 1000;

// Errors of predictions before any measurement: relative for latencies, and in nepers for losses (1
// dB).
constexpr double kUnknownLatency = 0.01;
constexpr double kUnknownLoss = 0.115;

}  // namespace

PlanPredictor::PlanPredictor(const Decisions& decisions)
    : decisions_(decisions), latency_({}, kUnknownLatency), loss_({}, kUnknownLoss) {}

void PlanPredictor::SetSensitivity(Sensitivity sensitivity) {
  model_.emplace(decisions_, std::move(sensitivity));
}

void PlanPredictor::Observe(Observation observation) {
  for (std::size_t g = 0; g < observation.assignment.size(); ++g) {
    measured_.emplace(g, observation.assignment[g]);
  }
  observations_.push_back(std::move(observation));
}

bool PlanPredictor::Trusts(std::span<const std::size_t> assignment) const {
  for (std::size_t g = 0; g < assignment.size(); ++g) {
    const NumericFormat format = decisions_.groups()[g].choices[assignment[g]].format;
    if (format.is_scaled() && !measured_.contains({g, assignment[g]}) &&
        sensitivity().groups[g].Of(format).rounding.clipped_share > kClippedShare) {
      return false;
    }
  }
  return true;
}

bool PlanPredictor::Reject(const Assignment& assignment) {
  // One that holds a choice refused before says nothing new.
  if (!model_->Allows(assignment)) {
    return false;
  }
  Sensitivity sensitivity = model_->sensitivity();
  std::optional<std::size_t> suspect;
  for (std::size_t g = 0; g < assignment.size(); ++g) {
    const bool in_float16 = decisions_.groups()[g].choices[assignment[g]].format == DType::kFloat16;
    if (in_float16 && (!suspect || sensitivity.groups[g].largest_value >
                                       sensitivity.groups[*suspect].largest_value)) {
      suspect = g;
    }
  }
  if (!suspect) {
    return false;
  }
  for (std::size_t c = 0; c < sensitivity.groups[*suspect].choices.size(); ++c) {
    if (decisions_.groups()[*suspect].choices[c].format == DType::kFloat16) {
      ChoiceSensitivity& choice = sensitivity.groups[*suspect].choices[c];
      choice.refusal = "a plan with it was rejected, and its values are the largest";
      choice.not_finite = true;
    }
  }
  SetSensitivity(std::move(sensitivity));
  return true;
}

std::vector<Observation> PlanPredictor::Learnt() const {
  if (observations_.size() <= kMostLearnt) {
    return observations_;
  }
  std::vector<Observation> learnt;
  const Observation* const recent = &observations_[observations_.size() - kMostLearnt];
  for (const Observation* member : FrontMembers()) {
    if (member < recent) {
      learnt.push_back(*member);
    }
  }
  learnt.insert(learnt.end(), observations_.end() - static_cast<std::ptrdiff_t>(kMostLearnt),
                observations_.end());
  return learnt;
}

void PlanPredictor::Learn() {
  const std::vector<Observation> learnt = Learnt();
  model_->Fit(learnt);
  std::vector<Residual> latencies;
  std::vector<Residual> losses;
  for (const Observation& observation : learnt) {
    const Objectives predicted = model_->Predict(observation.assignment);
    const Objectives& measured = observation.measured;
    latencies.push_back({model_->TimeFeatures(observation.assignment),
                         std::log(measured.latency_ratio / predicted.latency_ratio),
                         observation.latency_noise});
    if (measured.loss > 0 && predicted.loss > 0) {
      losses.push_back({model_->ErrorFeatures(observation.assignment),
                        std::log(measured.loss / predicted.loss), observation.loss_noise});
    }
  }
  latency_ = ResidualField(latencies, kUnknownLatency);
  loss_ = ResidualField(losses, kUnknownLoss);
}

std::vector<const Observation*> PlanPredictor::FrontMembers() const {
  std::vector<const Observation*> members;
  for (const Observation& observation : observations_) {
    if (std::ranges::none_of(observations_, [&](const Observation& other) {
          return Dominates(other.measured, observation.measured);
        })) {
      members.push_back(&observation);
    }
  }
  return members;
}

std::vector<Prospect> PlanPredictor::Promising(std::span<const Assignment> bases, bool pairs,
                                               const std::set<Assignment>& tried) const {
  std::set<Assignment> assignments;
  for (PredictedPoint& point : model_->Front(kMostFrontPoints)) {
    assignments.insert(std::move(point.assignment));
  }
  for (const Assignment& base : bases) {
    for (Assignment& neighbour : model_->NeighboursOf(base)) {
      if (pairs) {
        std::ranges::move(model_->NeighboursOf(neighbour),
                          std::inserter(assignments, assignments.end()));
      }
      assignments.insert(std::move(neighbour));
    }
  }
  std::vector<Prospect> prospects;
  for (const Assignment& assignment : assignments) {
    if (!tried.contains(assignment) && Trusts(assignment)) {
      prospects.push_back(Predict(assignment));
    }
  }
  return prospects;
}

std::optional<PredictedPoint> PlanPredictor::FastestWithout(const Assignment& base,
                                                            std::size_t lowered,
                                                            double most_loss) const {
  Sensitivity sensitivity = model_->sensitivity();
  std::vector<ChoiceSensitivity>& choices = sensitivity.groups[lowered].choices;
  std::vector<Assignment> swaps;
  bool any = false;
  for (std::size_t c = 0; c < choices.size(); ++c) {
    if (decisions_.groups()[lowered].choices[c].format == DType::kFloat32) {
      choices[c].refusal = "another dtype is asked for";
    }
    if (!choices[c].refusal.empty()) {
      continue;
    }
    any = true;
    swaps.push_back(base);
    swaps.back()[lowered] = c;
    const Assignment alone = swaps.back();
    for (std::size_t g = 0; g < base.size(); ++g) {
      if (g != lowered && base[g] != 0) {
        swaps.push_back(alone);
        swaps.back()[g] = 0;
      }
    }
  }
  if (!any) {
    return std::nullopt;
  }
  AdditiveModel model(decisions_, std::move(sensitivity));
  model.Fit(Learnt());
  std::optional<PredictedPoint> fastest;
  std::vector<PredictedPoint> points = model.Front(kMostFrontPoints);
  for (Assignment& swap : swaps) {
    points.push_back({std::move(swap), {}});
  }
  for (PredictedPoint& point : points) {
    point.predicted = Predict(point.assignment).predicted;
    if (point.predicted.loss <= most_loss &&
        (!fastest || point.predicted.latency_ratio < fastest->predicted.latency_ratio)) {
      fastest = std::move(point);
    }
  }
  return fastest;
}

Objectives Prospect::HopedBy(double deviations) const {
  const auto by = [&](double sure, double better) {
    return sure > 0 ? sure * std::pow(better / sure, deviations) : sure;
  };
  return {by(predicted.latency_ratio, hoped.latency_ratio), by(predicted.loss, hoped.loss)};
}

Prospect PlanPredictor::Predict(const Assignment& assignment) const {
  const Objectives sum = model_->Predict(assignment);
  const ResidualField::Value latency = latency_.At(model_->TimeFeatures(assignment));
  const ResidualField::Value loss = loss_.At(model_->ErrorFeatures(assignment));
  return {assignment,
          {sum.latency_ratio * std::exp(latency.mean), sum.loss * std::exp(loss.mean)},
          {sum.latency_ratio * std::exp(latency.mean - latency.deviation),
           sum.loss * std::exp(loss.mean - loss.deviation)}};
}

}  // namespace halftone
