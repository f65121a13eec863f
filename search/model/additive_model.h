// Additive model: predicts latency and error of any assignment from the sensitivities, and finds
// the assignments that are Pareto-optimal by prediction.
//
//   error power at the outputs, on each probed sample
//         = sum of own errors + sum of rounding errors, of operands that producers leave in another
//           dtype + float32's own error
//   loss  = weighted sum over the samples of the root of the error power
//   time  = other + sum of times of groups + sum of casts on edges
//
// Each term has a factor, 1 at first. Fit() fits the factors to the measured trials
// (search/model/factor_fit.h).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "search/model/elimination.h"
#include "search/probe/sensitivity.h"
#include "search/space/choice_form.h"
#include "search/space/decisions.h"
#include "search/trial/pareto_front.h"

namespace halftone {

// A measured plan. A plan that matches no assignment exactly (because of a default implementation,
// or other dtypes around operators that only move data) gets larger noise, as it says less about
// the nearest assignment.
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

  // False when a group has a choice that the probes refused.
  [[nodiscard]] bool Allows(std::span<const std::size_t> assignment) const;
  [[nodiscard]] Objectives Predict(std::span<const std::size_t> assignment) const;

  // Feature vectors of an assignment for search/model/residual_field.h: for the error, square roots
  // of shares of error power; for the time, the choice of each group.
  [[nodiscard]] std::vector<double> ErrorFeatures(std::span<const std::size_t> assignment) const;
  [[nodiscard]] std::vector<double> TimeFeatures(std::span<const std::size_t> assignment) const;

  // Fits from factors of 1, so the order of observations does not matter.
  void Fit(std::span<const Observation> observations);

  // At most `max_count` non-dominated assignments, fastest first, spread along the front. They come
  // from the optima of error + lambda * time for a hundred values of lambda, and from all changes
  // of one group of an optimum.
  [[nodiscard]] std::vector<PredictedPoint> Front(std::size_t max_count) const;

  // All assignments that differ from this one in one group, by a choice that is not refused.
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

  void WeighSamples();

  [[nodiscard]] const Choice& ChoiceOf(std::size_t group, std::size_t choice) const {
    return decisions_.groups()[group].choices[choice];
  }

  // Share of the operands of `to` that are rounded on this edge.
  [[nodiscard]] double RoundedShare(std::size_t to, NumericFormat from, NumericFormat format) const;
  // The error term of a group whose operands are rounded to the format.
  [[nodiscard]] std::size_t RoundingTerm(std::size_t group, NumericFormat format) const;
  // Error power per sample.
  [[nodiscard]] std::vector<double> PowersOf(const std::vector<Part>& errors) const;
  void PartsOf(std::span<const std::size_t> assignment, std::vector<Part>& errors,
               std::vector<Part>& times) const;
  [[nodiscard]] Assignment Optimum(double lambda, const Assignment& start) const;
  [[nodiscard]] double ErrorOf(std::size_t group, std::size_t choice) const;
  [[nodiscard]] double TimeOf(std::size_t group, std::size_t choice) const;
  [[nodiscard]] double CastTime(std::int64_t elements) const;

  const Decisions& decisions_;
  Sensitivity sensitivity_;
  ChoiceForms forms_;
  std::vector<std::vector<std::size_t>>
      states_;  // per group: boundary formats of its choices, as indices into forms_
  std::vector<double> sources_;  // per group: number of edges and graph inputs that it reads
  Elimination elimination_;
  std::vector<std::size_t>
      first_choice_;  // per group, index into the own error terms and group times
  // Own errors, then rounding errors, one for each format per group, then float32's.
  std::vector<ErrorTerm> errors_;
  std::vector<TimeTerm> times_;  // times of choices, then one for casts, one for the rest
  std::vector<std::size_t>
      error_kinds_;  // parallel: terms of a kind share a component of their factors
  std::vector<std::size_t> time_kinds_;
};

}  // namespace halftone
