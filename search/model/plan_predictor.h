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
  // Optimistic bound: each objective is one standard deviation better than predicted. Prospects are
  // chosen by this bound, so that a plan is measured if it may gain.
  Objectives hoped;

  // The optimistic bound at `deviations` standard deviations.
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

  // False for an assignment with a choice that the probes refused. Requires ready().
  [[nodiscard]] bool Allows(std::span<const std::size_t> assignment) const {
    return model_->Allows(assignment);
  }

  // False if the assignment gives some group a choice in a scaled format that the group has in no
  // measured plan, and clipped values make more than kClippedShare (search/probe/rounding_facts.h)
  // of the group's rounding error. Requires ready().
  [[nodiscard]] bool Trusts(std::span<const std::size_t> assignment) const;

  // Handles a plan that overflowed although the probes allow it: refuses float16 for the group with
  // the largest values among those in float16, which is the most likely cause. Returns true if this
  // refusal is new. Requires ready().
  bool Reject(const Assignment& assignment);

  // Fits the model and the residuals to the observations. Of more than kMostLearnt observations, it
  // uses the last kMostLearnt and the front members, because the time grows with the third power of
  // their number. Requires ready().
  void Learn();

  // Observations that no other dominates.
  [[nodiscard]] std::vector<const Observation*> FrontMembers() const;

  // Prospects that Trusts() accepts and that are not in `tried`: the front of the model, and
  // assignments that differ from a member of `bases` in one group, or with `pairs` also in two.
  // Requires ready().
  [[nodiscard]] std::vector<Prospect> Promising(std::span<const Assignment> bases, bool pairs,
                                                const std::set<Assignment>& tried) const;

  // Requires ready().
  [[nodiscard]] Prospect Predict(const Assignment& assignment) const;

  // The assignment with the least predicted latency among those that have a predicted loss of at
  // most `most_loss` and group `lowered` not in float32; empty if there is none. Candidates are the
  // front of the model, and `base` with `lowered` in another choice and at most one other group
  // raised to float32 in exchange. Requires ready().
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
