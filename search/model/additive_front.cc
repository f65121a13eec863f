// The optima of the additive model.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "search/model/additive_model.h"
#include "search/space/choice_form.h"

namespace halftone {
namespace {

// Lambdas: error power per share of the time in float32, from what only the finest differences are
// worth to where nothing counts but time.
constexpr double kLeastLambda = 1e-14;
constexpr double kMostLambda = 1e2;
constexpr int kLambdas = 100;

void KeepNonDominated(std::vector<PredictedPoint>& points) {
  std::ranges::sort(points, [](const PredictedPoint& a, const PredictedPoint& b) {
    return std::pair(a.predicted.latency_ratio, a.predicted.loss) <
           std::pair(b.predicted.latency_ratio, b.predicted.loss);
  });
  double least_loss = std::numeric_limits<double>::infinity();
  std::erase_if(points, [&](const PredictedPoint& point) {
    const bool dominated = point.predicted.loss >= least_loss;
    least_loss = std::min(least_loss, point.predicted.loss);
    return dominated;
  });
}

}  // namespace

Assignment AdditiveModel::Optimum(double lambda, const Assignment& start) const {
  const std::size_t groups = states_.size();
  const double cast_factor = times_[times_.size() - 2].factor;
  const auto rounding = [&](std::size_t g, NumericFormat from, NumericFormat to) {
    const double share =
        sources_[g] == 0 ? (to == DType::kFloat32 ? 0 : 1) : RoundedShare(g, from, to);
    if (share == 0) {
      return 0.0;
    }
    const ErrorTerm& term = errors_[RoundingTerm(g, to)];
    return share * term.weighted * term.factor;
  };
  std::vector<std::vector<double>> unary(groups);
  std::vector<Assignment> best(groups);  // by group and state: the choice of that form
  for (std::size_t g = 0; g < groups; ++g) {
    for (const std::size_t state : states_[g]) {
      const ChoiceForm form = forms_[state];
      double least = std::numeric_limits<double>::infinity();
      std::size_t choice = 0;
      for (std::size_t c = 0; c < decisions_.groups()[g].choices.size(); ++c) {
        if (forms_.IndexOf(ChoiceOf(g, c)) != state ||
            !sensitivity_.groups[g].choices[c].refusal.empty()) {
          continue;
        }
        const double cost = ErrorOf(g, c) + lambda * TimeOf(g, c);
        if (cost < least) {
          least = cost;
          choice = c;
        }
      }
      if (sources_[g] == 0 || decisions_.input_elements()[g] > 0) {
        least += rounding(g, DType::kFloat32, form.input);
      }
      if (decisions_.input_elements()[g] > 0 && form.input != DType::kFloat32) {
        least += lambda * cast_factor * CastTime(decisions_.input_elements()[g]);
      }
      if (decisions_.output_elements()[g] > 0 && form.output != DType::kFloat32) {
        least += lambda * cast_factor * CastTime(decisions_.output_elements()[g]);
      }
      unary[g].push_back(least);
      best[g].push_back(choice);
    }
  }
  std::vector<std::vector<double>> pair;
  for (const DecisionEdge& edge : decisions_.edges()) {
    std::vector<double>& costs = pair.emplace_back();
    for (const std::size_t from : states_[edge.from]) {
      for (const std::size_t to : states_[edge.to]) {
        const NumericFormat made = forms_[from].output;
        double& cost = costs.emplace_back(0);
        for (const auto& [read, elements] : ReadingsOf(edge, forms_[to])) {
          if (IsConverted(made, read) && elements > 0) {
            cost += rounding(edge.to, made, read) + lambda * cast_factor * CastTime(elements);
          }
        }
      }
    }
  }
  std::vector<Assignment> starts;
  if (!start.empty()) {
    Assignment& states = starts.emplace_back();
    for (std::size_t g = 0; g < groups; ++g) {
      const auto found = std::ranges::find(states_[g], forms_.IndexOf(ChoiceOf(g, start[g])));
      states.push_back(static_cast<std::size_t>(found - states_[g].begin()));
    }
  }
  const Assignment states = elimination_.Minimise(unary, pair, starts);
  Assignment assignment(groups);
  for (std::size_t g = 0; g < groups; ++g) {
    assignment[g] = best[g][states[g]];
  }
  return assignment;
}

std::vector<PredictedPoint> AdditiveModel::Front(std::size_t max_count) const {
  std::set<Assignment> found;
  Assignment last;
  for (int i = 0; i < kLambdas; ++i) {
    const double position = static_cast<double>(i) / (kLambdas - 1);
    last = Optimum(kLeastLambda * std::pow(kMostLambda / kLeastLambda, position), last);
    found.insert(last);
  }
  std::vector<PredictedPoint> points;
  for (const Assignment& assignment : found) {
    points.push_back({assignment, Predict(assignment)});
  }
  // Between two optima: one of them with another choice for one group.
  for (const Assignment& assignment : found) {
    for (Assignment& changed : NeighboursOf(assignment)) {
      const Objectives predicted = Predict(changed);
      points.push_back({std::move(changed), predicted});
    }
  }
  KeepNonDominated(points);
  if (points.size() > max_count) {
    std::vector<PredictedPoint> spread;
    for (std::size_t i = 0; i < max_count; ++i) {
      spread.push_back(std::move(points[i * points.size() / max_count]));
    }
    points = std::move(spread);
  }
  return points;
}

}  // namespace halftone
