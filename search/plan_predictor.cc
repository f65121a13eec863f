#include "search/plan_predictor.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace halftone {
namespace {

constexpr std::size_t kMostFrontPoints = 1000;

// What is hoped for before anything was predicted.
constexpr double kFirstDecibels = 1;
constexpr double kMostLatency = 0.01;

}  // namespace

void PlanPredictor::SetSensitivity(Sensitivity sensitivity) {
  model_.emplace(decisions_, std::move(sensitivity));
}

bool PlanPredictor::Reject(const Assignment& assignment) {
  // One that holds a choice refused before says nothing new.
  if (!model_->Allows(assignment)) {
    return false;
  }
  Sensitivity sensitivity = model_->sensitivity();
  std::optional<std::size_t> suspect;
  for (std::size_t g = 0; g < assignment.size(); ++g) {
    const bool in_float16 = decisions_.groups()[g].choices[assignment[g]].dtype == DType::kFloat16;
    if (in_float16 && (!suspect || sensitivity.groups[g].largest_value >
                                       sensitivity.groups[*suspect].largest_value)) {
      suspect = g;
    }
  }
  if (!suspect) {
    return false;
  }
  for (std::size_t c = 0; c < sensitivity.groups[*suspect].choices.size(); ++c) {
    if (decisions_.groups()[*suspect].choices[c].dtype == DType::kFloat16) {
      ChoiceSensitivity& choice = sensitivity.groups[*suspect].choices[c];
      choice.refusal = "a plan with it was rejected, and its values are the largest";
      choice.not_finite = true;
    }
  }
  SetSensitivity(std::move(sensitivity));
  return true;
}

void PlanPredictor::Learn(const SearchInsight& insight) {
  model_->Fit(observations_);
  const PredictionErrors off = PredictionErrorsOf(insight);
  const bool any = !insight.predictions.empty();
  decibels_off_ = any ? off.decibels : kFirstDecibels;
  latency_off_ = any ? std::min(kMostLatency, off.latency / 2) : kMostLatency / 2;
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

std::vector<PredictedPoint> PlanPredictor::Promising(std::span<const Assignment> bases,
                                                     const std::set<Assignment>& tried) const {
  std::set<Assignment> assignments;
  for (PredictedPoint& point : model_->Front(kMostFrontPoints)) {
    assignments.insert(std::move(point.assignment));
  }
  for (const Assignment& base : bases) {
    for (Assignment& neighbour : model_->NeighboursOf(base)) {
      assignments.insert(std::move(neighbour));
    }
  }
  std::vector<PredictedPoint> points;
  for (const Assignment& assignment : assignments) {
    if (!tried.contains(assignment)) {
      points.push_back({assignment, Predict(*model_, assignment)});
    }
  }
  return points;
}

Objectives PlanPredictor::Hoped(const Objectives& predicted) const {
  return {predicted.latency_ratio * (1 - latency_off_),
          predicted.loss * std::pow(10, -decibels_off_ / 20)};
}

std::optional<PredictedPoint> PlanPredictor::FastestWithout(const Assignment& base,
                                                            std::size_t lowered,
                                                            double most_loss) const {
  Sensitivity sensitivity = model_->sensitivity();
  std::vector<ChoiceSensitivity>& choices = sensitivity.groups[lowered].choices;
  std::vector<Assignment> swaps;
  bool any = false;
  for (std::size_t c = 0; c < choices.size(); ++c) {
    if (decisions_.groups()[lowered].choices[c].dtype == DType::kFloat32) {
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
  model.Fit(observations_);
  std::optional<PredictedPoint> fastest;
  std::vector<PredictedPoint> points = model.Front(kMostFrontPoints);
  for (Assignment& swap : swaps) {
    points.push_back({std::move(swap), {}});
  }
  for (PredictedPoint& point : points) {
    point.predicted = Predict(model, point.assignment);
    if (point.predicted.loss <= most_loss &&
        (!fastest || point.predicted.latency_ratio < fastest->predicted.latency_ratio)) {
      fastest = std::move(point);
    }
  }
  return fastest;
}

Objectives PlanPredictor::Predict(const AdditiveModel& model, const Assignment& assignment) const {
  if (observations_.empty()) {
    return model.Predict(assignment);
  }
  const auto distance = [&](const Observation& observation) {
    std::size_t differences = 0;
    for (std::size_t g = 0; g < assignment.size(); ++g) {
      differences += assignment[g] != observation.assignment[g] ? 1 : 0;
    }
    return differences;
  };
  return model.PredictFrom(*std::ranges::min_element(observations_, {}, distance), assignment);
}

}  // namespace halftone
