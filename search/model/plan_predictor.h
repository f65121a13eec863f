// Predictor of plans that were not measured: the additive model plus a Gaussian process over its
// residuals at measured plans (search/model/residual_field.h).
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "search/model/additive_model.h"
#include "search/model/residual_field.h"

namespace halftone {

struct Prospect {
  Assignment assignment;
  Objectives predicted;
  // Optimistic bound: each objective one standard deviation better than predicted. Prospects are
  // chosen by it, so that one that may gain is measured.
  Objectives hoped;

  // The bound with `deviations` standard deviations.
  [[nodiscard]] Objectives HopedBy(double deviations) const;
};

class PlanPredictor {
 public:
  static constexpr std::size_t kMostLearnt = 512;

  // `decisions` must outlive it.
  explicit PlanPredictor(const Decisions& decisions);

  // False before SetSensitivity().
  [[nodiscard]] bool ready() const { return model_.has_value(); }

  void SetSensitivity(Sensitivity sensitivity);

  void Observe(Observation observation);

  // False for an assignment with a choice that is impossible. Requires ready().
  [[nodiscard]] bool Allows(std::span<const std::size_t> assignment) const {
    return model_->Allows(assignment);
  }

  // False if some group has a choice in a scaled format that no measured plan has, and clipped
  // values make more than kClippedShare of the group's rounding error.
  [[nodiscard]] bool Trusts(std::span<const std::size_t> assignment) const;

  // Handles a plan that overflowed float16 although the probes allow it: refuses float16 for the
  // group with the largest values, the most likely cause. True: this refusal is new.
  bool Reject(const Assignment& assignment);

  // Fits model and residuals to the observations. With more than kMostLearnt observations, fits to
  // the last kMostLearnt and the front members, because the time grows with the third power of
  // their number.
  void Learn();

  // Observations that no other dominates.
  [[nodiscard]] std::vector<const Observation*> FrontMembers() const;

  // Prospects that are not in `tried`: the model's own front, and assignments that differ from one
  // of `bases` in one group, with `pairs` also in two.
  [[nodiscard]] std::vector<Prospect> Promising(std::span<const Assignment> bases, bool pairs,
                                                const std::set<Assignment>& tried) const;

  // Requires ready().
  [[nodiscard]] Prospect Predict(const Assignment& assignment) const;

  // The fastest assignment with a predicted loss of at most `most_loss` in which group `lowered` is
  // not in float32; empty if there is none. Candidates are the optima of the model, and `base` with
  // `lowered` in another choice and at most one other group raised to float32 in exchange.
  [[nodiscard]] std::optional<PredictedPoint> FastestWithout(const Assignment& base,
                                                             std::size_t lowered,
                                                             double most_loss) const;

  [[nodiscard]] std::span<const Observation> observations() const { return observations_; }

  [[nodiscard]] const Sensitivity& sensitivity() const { return model_->sensitivity(); }

 private:
  [[nodiscard]] std::vector<Observation> Learnt() const;

  const Decisions& decisions_;
  std::optional<AdditiveModel> model_;
  std::vector<Observation> observations_;
  std::set<std::pair<std::size_t, std::size_t>> measured_;  // groups and choices of observations_
  ResidualField latency_;
  ResidualField loss_;
};

}  // namespace halftone
