// Additive model: predicts latency and error of any assignment from the sensitivities, and finds
// the assignments that are Pareto-optimal by prediction.
//
//   error power at the outputs, on each probed sample
//         = sum of the own errors of groups
//           + sum of the rounding errors of operands that are rounded where they are read
//           + float32's own error
//   loss  = weighted sum over the samples of the root of the error power
//   time  = other time + sum of the times of groups + sum of the times of casts
//
// Each term has a factor, which is 1 at first. Fit() fits the factors to the measured trials
// (search/model/factor_fit.h).
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "search/model/elimination.h"
#include "search/probe/sensitivity.h"
#include "search/space/choice_form.h"
#include "search/space/decisions.h"
#include "search/trial/pareto_front.h"

namespace halftone {

// A measured plan, as the assignment closest to it. A plan that matches no assignment exactly
// (because it has a default implementation, or other dtypes around operators that only move data)
// has larger noise, because it tells less about the closest assignment.
struct Observation {
  Assignment assignment;
  Objectives measured;
  double latency_noise = 0.01;  // relative standard deviations
  double loss_noise = 0.01;
};

struct PredictedPoint {
  Assignment assignment;
  Objectives predicted;
};

class AdditiveModel {
 public:
  // `decisions` must outlive it.
  AdditiveModel(const Decisions& decisions, Sensitivity sensitivity);

  // False if the assignment gives a group a choice that the probes refused.
  [[nodiscard]] bool Allows(std::span<const std::size_t> assignment) const;
  [[nodiscard]] Objectives Predict(std::span<const std::size_t> assignment) const;

  // Feature vectors of an assignment for search/model/residual_field.h. Those of the error are
  // square roots of shares of the error power; those of the time are 1 for the choice of each group
  // and 0 elsewhere.
  [[nodiscard]] std::vector<double> ErrorFeatures(std::span<const std::size_t> assignment) const;
  [[nodiscard]] std::vector<double> TimeFeatures(std::span<const std::size_t> assignment) const;

  // Fits the factors to `observations`. It starts from factors of 1, so that earlier fits have no
  // effect. Losses above 0.1 do not count, because errors that are not small do not add up.
  void Fit(std::span<const Observation> observations);

  // At most `max_count` non-dominated assignments, fastest first, spread along the front.
  // Candidates are the optima of error + lambda * time for a hundred values of lambda, and all
  // changes of one group of an optimum.
  [[nodiscard]] std::vector<PredictedPoint> Front(std::size_t max_count) const;

  // All assignments that differ from this one in a single group, by a choice that is not refused.
  [[nodiscard]] std::vector<Assignment> NeighboursOf(const Assignment& assignment) const;

  [[nodiscard]] const Sensitivity& sensitivity() const { return sensitivity_; }

  // True if Front() finds exact optima of the model.
  [[nodiscard]] bool exact() const { return elimination_.exact(); }

 private:
  struct ErrorTerm {
    std::vector<double> by_sample;
    double weighted = 0;  // sum over samples: contribution to the square of a typical loss
    double factor = 1;
  };

  struct TimeTerm {
    double value = 0;
    double factor = 1;
  };

  // Index of a term, and its amount in an assignment.
  struct Part {
    std::size_t term = 0;
    double amount = 1;
  };

  // The best choice of a state.
  struct StateCost {
    std::size_t choice = 0;
    double cost = std::numeric_limits<double>::infinity();
  };

  void WeighSamples();

  [[nodiscard]] const Choice& ChoiceOf(std::size_t group, std::size_t choice) const {
    return decisions_.groups()[group].choices[choice];
  }

  // Share of the operands of group `to` that an edge rounds to `format`; 0 if that loses no bits of
  // `from`.
  [[nodiscard]] double RoundedShare(std::size_t to, NumericFormat from, NumericFormat format) const;
  // Index of the error term of a group whose operands are rounded to `format`.
  [[nodiscard]] std::size_t RoundingTerm(std::size_t group, NumericFormat format) const;
  // Error power per sample.
  [[nodiscard]] std::vector<double> PowersOf(const std::vector<Part>& errors) const;
  void PartsOf(std::span<const std::size_t> assignment, std::vector<Part>& errors,
               std::vector<Part>& times) const;
  // The assignment of least error + lambda * time; `start` is empty or one to descend from
  // (Elimination::Minimise()).
  [[nodiscard]] Assignment Optimum(double lambda, const Assignment& start) const;
  // Error of a group whose operands are rounded from one format to another.
  [[nodiscard]] double RoundingError(std::size_t group, NumericFormat from, NumericFormat to) const;
  [[nodiscard]] double CastFactor() const;
  // error + lambda * time of a group in one state, with what it adds at the network's inputs and
  // outputs.
  [[nodiscard]] StateCost CostOfState(std::size_t group, std::size_t state, double lambda) const;
  // error + lambda * time of an edge whose reader has this form.
  [[nodiscard]] double CostOfEdge(const DecisionEdge& edge, NumericFormat made,
                                  const ChoiceForm& reader, double lambda) const;
  // Per group: the state of its choice, as an index into states_[group].
  [[nodiscard]] std::vector<std::size_t> StatesIn(const Assignment& assignment) const;
  [[nodiscard]] double ErrorOf(std::size_t group, std::size_t choice) const;
  [[nodiscard]] double TimeOf(std::size_t group, std::size_t choice) const;
  [[nodiscard]] double CastTime(std::int64_t elements) const;

  const Decisions& decisions_;
  Sensitivity sensitivity_;
  ChoiceForms forms_;
  // Per group: boundary formats of its choices, as indices into forms_.
  std::vector<std::vector<std::size_t>> states_;
  std::vector<double> sources_;  // per group: number of edges and graph inputs that it reads
  Elimination elimination_;
  // Per group: index of its first choice in errors_ and in times_.
  std::vector<std::size_t> first_choice_;
  // Own errors of all choices; then rounding errors, one per group and format; then the error of
  // float32.
  std::vector<ErrorTerm> errors_;
  std::vector<TimeTerm> times_;  // times of all choices; then those of casts and of the rest
  // Kinds of terms, parallel to errors_ and times_. Factors of one kind share a component.
  std::vector<std::size_t> error_kinds_;
  std::vector<std::size_t> time_kinds_;
};

}  // namespace halftone
