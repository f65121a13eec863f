#include "search/model/additive_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "search/model/factor_fit.h"
#include "search/space/choice_form.h"

namespace halftone {
namespace {

// The factors before anything was measured. Errors are powers (a factor of 1.5 is 1.8 dB), found on
// a few samples. Times are measured in the network; times of casts come from a line through all
// sizes.
constexpr FitPrior kErrorPrior{.kind_deviation = 0.5, .own_deviation = 0.5};
constexpr FitPrior kTimePrior{.kind_deviation = 0.1, .own_deviation = 0.15};
constexpr FitPrior kCastPrior{.kind_deviation = 0.7, .own_deviation = 0};

// Deviation that no factors explain: errors that do not add up.
constexpr double kErrorNoise = 0.05;

// Power of what float32 itself differs by when sums are in another order: -120 dB, as two kernels
// or layouts differ. Every plan but the reference has it.
constexpr double kFloat32Error = 0x1p-40;

// A loss beyond it is no sum of small errors.
constexpr double kLargestFittedLoss = 0.1;

std::vector<std::vector<std::size_t>> StatesOf(const Decisions& decisions, const ChoiceForms& forms,
                                               const Sensitivity& sensitivity) {
  std::vector<std::vector<std::size_t>> states;
  for (std::size_t g = 0; g < decisions.groups().size(); ++g) {
    std::set<std::size_t> own;
    const auto& choices = decisions.groups()[g].choices;
    for (std::size_t c = 0; c < choices.size(); ++c) {
      if (sensitivity.groups[g].choices[c].refusal.empty()) {
        own.insert(forms.IndexOf(choices[c]));
      }
    }
    states.emplace_back(own.begin(), own.end());
  }
  return states;
}

std::vector<std::size_t> CountsOf(const std::vector<std::vector<std::size_t>>& states) {
  std::vector<std::size_t> counts;
  counts.reserve(states.size());
  for (const auto& own : states) {
    counts.push_back(own.size());
  }
  return counts;
}

std::vector<Elimination::Edge> EdgesOf(const Decisions& decisions) {
  std::vector<Elimination::Edge> edges;
  for (const DecisionEdge& edge : decisions.edges()) {
    edges.push_back({edge.from, edge.to});
  }
  return edges;
}

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

AdditiveModel::AdditiveModel(const Decisions& decisions, Sensitivity sensitivity)
    : decisions_(decisions),
      sensitivity_(std::move(sensitivity)),
      forms_(decisions),
      states_(StatesOf(decisions, forms_, sensitivity_)),
      sources_(decisions.groups().size(), 0),
      elimination_(CountsOf(states_), EdgesOf(decisions)) {
  for (const DecisionEdge& edge : decisions.edges()) {
    sources_[edge.to] += (edge.elements > 0 ? 1 : 0) + (edge.residual_elements > 0 ? 1 : 0);
  }
  for (std::size_t g = 0; g < decisions.groups().size(); ++g) {
    sources_[g] += decisions.input_elements()[g] > 0 ? 1 : 0;
    first_choice_.push_back(errors_.size());
    const auto& choices = decisions.groups()[g].choices;
    for (std::size_t c = 0; c < choices.size(); ++c) {
      const ChoiceSensitivity& choice = sensitivity_.groups[g].choices[c];
      errors_.push_back({choice.errors});
      times_.push_back({choice.time});
      error_kinds_.push_back(forms_.IndexOf(choices[c]));
      time_kinds_.push_back(forms_.IndexOf(choices[c]));
    }
  }
  for (const GroupSensitivity& group : sensitivity_.groups) {
    for (std::size_t f = 0; f < decisions.formats().size(); ++f) {
      errors_.push_back({group.Of(decisions.formats()[f]).errors});
      error_kinds_.push_back(forms_.size() + f);
    }
  }
  errors_.push_back({std::vector<double>(sensitivity_.weights.size(), kFloat32Error)});
  error_kinds_.push_back(forms_.size() + decisions.formats().size());
  times_.push_back({1});
  time_kinds_.push_back(forms_.size());
  times_.push_back({sensitivity_.other_time});
  time_kinds_.push_back(forms_.size() + 1);
  WeighSamples();
}

// The derivative of the squared loss by each term, at the sum of all reduced choices: samples with
// large errors count less there than in the mean of powers.
void AdditiveModel::WeighSamples() {
  std::vector<double> powers(sensitivity_.weights.size(), 0);
  for (const ErrorTerm& term : errors_) {
    for (std::size_t s = 0; s < term.by_sample.size(); ++s) {
      powers[s] += term.by_sample[s];
    }
  }
  double loss = 0;
  for (std::size_t s = 0; s < powers.size(); ++s) {
    loss += sensitivity_.weights[s] * std::sqrt(powers[s]);
  }
  for (ErrorTerm& term : errors_) {
    for (std::size_t s = 0; s < term.by_sample.size(); ++s) {
      if (powers[s] > 0) {
        term.weighted += loss * sensitivity_.weights[s] * term.by_sample[s] / std::sqrt(powers[s]);
      }
    }
  }
}

bool AdditiveModel::Allows(std::span<const std::size_t> assignment) const {
  for (std::size_t g = 0; g < assignment.size(); ++g) {
    if (!sensitivity_.groups[g].choices[assignment[g]].refusal.empty()) {
      return false;
    }
  }
  return true;
}

double AdditiveModel::RoundedShare(std::size_t to, NumericFormat from, NumericFormat format) const {
  return LosesBits(from, format) ? 1 / sources_[to] : 0;
}

std::size_t AdditiveModel::RoundingTerm(std::size_t group, NumericFormat format) const {
  const std::size_t first = times_.size() - 2;  // behind the terms of choices
  const auto formats = decisions_.formats();
  const auto index = std::ranges::find(formats, format) - formats.begin();
  return first + formats.size() * group + static_cast<std::size_t>(index);
}

double AdditiveModel::CastTime(std::int64_t elements) const {
  return sensitivity_.cast_time +
         sensitivity_.cast_time_per_element * static_cast<double>(elements);
}

void AdditiveModel::PartsOf(std::span<const std::size_t> assignment, std::vector<Part>& errors,
                            std::vector<Part>& times) const {
  const auto add_rounding = [&](std::size_t g, NumericFormat format, double share) {
    if (share > 0) {
      errors.push_back({RoundingTerm(g, format), share});
    }
  };
  double casts = 0;
  if (std::ranges::any_of(assignment, [](std::size_t choice) { return choice != 0; })) {
    errors.push_back({errors_.size() - 1});
  }
  for (std::size_t g = 0; g < assignment.size(); ++g) {
    errors.push_back({first_choice_[g] + assignment[g]});
    times.push_back({first_choice_[g] + assignment[g]});
    const Choice& choice = ChoiceOf(g, assignment[g]);
    if (sources_[g] == 0 && choice.format != DType::kFloat32) {  // it reads nothing in it
      add_rounding(g, choice.format, 1);
    }
    if (decisions_.input_elements()[g] > 0 && IsConverted(DType::kFloat32, choice.format)) {
      add_rounding(g, choice.format, RoundedShare(g, DType::kFloat32, choice.format));
      casts += CastTime(decisions_.input_elements()[g]);
    }
    if (decisions_.output_elements()[g] > 0 && choice.output_format() != DType::kFloat32) {
      casts += CastTime(decisions_.output_elements()[g]);
    }
  }
  for (const DecisionEdge& edge : decisions_.edges()) {
    const NumericFormat from = ChoiceOf(edge.from, assignment[edge.from]).output_format();
    const Choice& to = ChoiceOf(edge.to, assignment[edge.to]);
    for (const auto& [format, elements] : ReadingsOf(edge, {to.format, to.output_format()})) {
      if (IsConverted(from, format) && elements > 0) {
        add_rounding(edge.to, format, RoundedShare(edge.to, from, format));
        casts += CastTime(elements);
      }
    }
  }
  times.push_back({times_.size() - 2, casts});
  times.push_back({times_.size() - 1});
}

std::vector<double> AdditiveModel::PowersOf(const std::vector<Part>& errors) const {
  std::vector<double> powers(sensitivity_.weights.size(), 0);
  for (const Part& part : errors) {
    const ErrorTerm& term = errors_[part.term];
    for (std::size_t s = 0; s < term.by_sample.size(); ++s) {
      powers[s] += part.amount * term.factor * term.by_sample[s];
    }
  }
  return powers;
}

Objectives AdditiveModel::Predict(std::span<const std::size_t> assignment) const {
  std::vector<Part> errors;
  std::vector<Part> times;
  PartsOf(assignment, errors, times);
  Objectives predicted;
  for (const Part& part : times) {
    predicted.latency_ratio += part.amount * times_[part.term].value * times_[part.term].factor;
  }
  const std::vector<double> powers = PowersOf(errors);
  for (std::size_t s = 0; s < powers.size(); ++s) {
    predicted.loss += sensitivity_.weights[s] * std::sqrt(powers[s]);
  }
  return predicted;
}

// The cosine of two plans' features is the share of error power that the plans have in common. Its
// square is the correlation of what the additive model omits, squared sum less sum of squares of
// the errors, where these are independent of each other.
std::vector<double> AdditiveModel::ErrorFeatures(std::span<const std::size_t> assignment) const {
  std::vector<Part> errors;
  std::vector<Part> times;
  PartsOf(assignment, errors, times);
  std::vector<double> features(errors_.size(), 0);
  for (const Part& part : errors) {
    const ErrorTerm& term = errors_[part.term];
    features[part.term] += part.amount * term.factor * term.weighted;
  }
  std::ranges::transform(features, features.begin(), [](double power) { return std::sqrt(power); });
  return features;
}

std::vector<double> AdditiveModel::TimeFeatures(std::span<const std::size_t> assignment) const {
  std::vector<double> features(times_.size(), 0);
  for (std::size_t g = 0; g < assignment.size(); ++g) {
    features[first_choice_[g] + assignment[g]] = 1;
  }
  return features;
}

std::vector<Assignment> AdditiveModel::NeighboursOf(const Assignment& assignment) const {
  std::vector<Assignment> neighbours;
  for (std::size_t g = 0; g < assignment.size(); ++g) {
    for (std::size_t c = 0; c < decisions_.groups()[g].choices.size(); ++c) {
      if (c != assignment[g] && sensitivity_.groups[g].choices[c].refusal.empty()) {
        neighbours.push_back(assignment);
        neighbours.back()[g] = c;
      }
    }
  }
  return neighbours;
}

void AdditiveModel::Fit(std::span<const Observation> observations) {
  for (ErrorTerm& term : errors_) {
    term.factor = 1;
  }
  std::vector<FitRow> error_rows;
  std::vector<FitRow> time_rows;
  for (const Observation& observation : observations) {
    std::vector<Part> errors;
    std::vector<Part> times;
    PartsOf(observation.assignment, errors, times);
    FitRow& times_row = time_rows.emplace_back();
    times_row.noise = observation.latency_noise;
    for (const Part& part : times) {
      times_row.shares.emplace_back(
          part.term, part.amount * times_[part.term].value / observation.measured.latency_ratio);
    }
    const double measured = observation.measured.loss;
    const double predicted = Predict(observation.assignment).loss;
    if (measured <= 0 || measured > kLargestFittedLoss || predicted <= 0) {
      continue;
    }
    // The squared loss is homogeneous in the factors: its derivatives by them add up to it.
    const std::vector<double> powers = PowersOf(errors);
    FitRow& row = error_rows.emplace_back();
    row.noise = std::hypot(kErrorNoise, 2 * observation.loss_noise);  // of powers
    for (const Part& part : errors) {
      const std::vector<double>& by_sample = errors_[part.term].by_sample;
      double derivative = 0;
      for (std::size_t s = 0; s < by_sample.size(); ++s) {
        derivative +=
            powers[s] > 0 ? sensitivity_.weights[s] * by_sample[s] / std::sqrt(powers[s]) : 0;
      }
      row.shares.emplace_back(part.term,
                              part.amount * predicted * derivative / (measured * measured));
    }
  }
  // Of each form, of rounding to each format, and of float32 itself.
  const std::size_t error_kinds = forms_.size() + decisions_.formats().size() + 1;
  const std::vector<FitPrior> error_priors(error_kinds, kErrorPrior);
  std::vector<FitPrior> time_priors(forms_.size() + 2, kTimePrior);
  time_priors[forms_.size()] = kCastPrior;
  const std::vector<double> error_factors = FitFactors(error_kinds_, error_rows, error_priors);
  const std::vector<double> time_factors = FitFactors(time_kinds_, time_rows, time_priors);
  for (std::size_t t = 0; t < errors_.size(); ++t) {
    errors_[t].factor = error_factors[t];
  }
  for (std::size_t t = 0; t < times_.size(); ++t) {
    times_[t].factor = time_factors[t];
  }
}

double AdditiveModel::ErrorOf(std::size_t group, std::size_t choice) const {
  const ErrorTerm& term = errors_[first_choice_[group] + choice];
  return term.weighted * term.factor;
}

double AdditiveModel::TimeOf(std::size_t group, std::size_t choice) const {
  const TimeTerm& term = times_[first_choice_[group] + choice];
  return term.value * term.factor;
}

double AdditiveModel::RoundingError(std::size_t group, NumericFormat from, NumericFormat to) const {
  const double share =
      sources_[group] == 0 ? (to == DType::kFloat32 ? 0 : 1) : RoundedShare(group, from, to);
  if (share == 0) {
    return 0.0;
  }
  const ErrorTerm& term = errors_[RoundingTerm(group, to)];
  return share * term.weighted * term.factor;
}

double AdditiveModel::CastFactor() const {
  return times_[times_.size() - 2].factor;
}

AdditiveModel::StateCost AdditiveModel::CostOfState(std::size_t group, std::size_t state,
                                                    double lambda) const {
  StateCost least;
  for (std::size_t c = 0; c < decisions_.groups()[group].choices.size(); ++c) {
    if (forms_.IndexOf(ChoiceOf(group, c)) != state ||
        !sensitivity_.groups[group].choices[c].refusal.empty()) {
      continue;
    }
    const double cost = ErrorOf(group, c) + lambda * TimeOf(group, c);
    if (cost < least.cost) {
      least = {.choice = c, .cost = cost};
    }
  }
  const ChoiceForm form = forms_[state];
  const std::int64_t inputs = decisions_.input_elements()[group];
  const std::int64_t outputs = decisions_.output_elements()[group];
  if (sources_[group] == 0 || inputs > 0) {
    least.cost += RoundingError(group, DType::kFloat32, form.input);
  }
  if (inputs > 0 && IsConverted(DType::kFloat32, form.input)) {
    least.cost += lambda * CastFactor() * CastTime(inputs);
  }
  if (outputs > 0 && form.output != DType::kFloat32) {
    least.cost += lambda * CastFactor() * CastTime(outputs);
  }
  return least;
}

double AdditiveModel::CostOfEdge(const DecisionEdge& edge, NumericFormat made,
                                 const ChoiceForm& reader, double lambda) const {
  double cost = 0;
  for (const auto& [read, elements] : ReadingsOf(edge, reader)) {
    if (IsConverted(made, read) && elements > 0) {
      cost += RoundingError(edge.to, made, read) + lambda * CastFactor() * CastTime(elements);
    }
  }
  return cost;
}

std::vector<std::size_t> AdditiveModel::StatesIn(const Assignment& assignment) const {
  std::vector<std::size_t> states;
  states.reserve(assignment.size());
  for (std::size_t g = 0; g < assignment.size(); ++g) {
    const auto found = std::ranges::find(states_[g], forms_.IndexOf(ChoiceOf(g, assignment[g])));
    states.push_back(static_cast<std::size_t>(found - states_[g].begin()));
  }
  return states;
}

Assignment AdditiveModel::Optimum(double lambda, const Assignment& start) const {
  const std::size_t groups = states_.size();
  std::vector<std::vector<double>> unary(groups);
  std::vector<Assignment> best(groups);  // by group and state: the choice of that form
  for (std::size_t g = 0; g < groups; ++g) {
    for (const std::size_t state : states_[g]) {
      const StateCost least = CostOfState(g, state, lambda);
      unary[g].push_back(least.cost);
      best[g].push_back(least.choice);
    }
  }
  std::vector<std::vector<double>> pair;
  for (const DecisionEdge& edge : decisions_.edges()) {
    std::vector<double>& costs = pair.emplace_back();
    for (const std::size_t from : states_[edge.from]) {
      for (const std::size_t to : states_[edge.to]) {
        costs.push_back(CostOfEdge(edge, forms_[from].output, forms_[to], lambda));
      }
    }
  }
  std::vector<std::vector<std::size_t>> starts;
  if (!start.empty()) {
    starts.push_back(StatesIn(start));
  }
  const std::vector<std::size_t> states = elimination_.Minimise(unary, pair, starts);
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
  points.reserve(found.size());
  for (const Assignment& assignment : found) {
    points.push_back({assignment, Predict(assignment)});
  }
  // Points between two optima: an optimum with another choice for one group.
  for (const Assignment& assignment : found) {
    for (Assignment& changed : NeighboursOf(assignment)) {
      const Objectives predicted = Predict(changed);
      points.push_back({std::move(changed), predicted});
    }
  }
  KeepNonDominated(points);
  if (points.size() > max_count) {
    std::vector<PredictedPoint> spread;
    spread.reserve(max_count);
    for (std::size_t i = 0; i < max_count; ++i) {
      spread.push_back(std::move(points[i * points.size() / max_count]));
    }
    points = std::move(spread);
  }
  return points;
}

}  // namespace halftone
