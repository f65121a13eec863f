// What the search by model believes of plans that were not measured: the additive model, what was
// measured, and how far off its predictions were.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <vector>

#include "search/additive_model.h"
#include "search/search_insight.h"

namespace halftone {

class PlanPredictor {
 public:
  // `decisions` must outlive it.
  explicit PlanPredictor(const Decisions& decisions) : decisions_(decisions) {}

  // False before SetSensitivity().
  [[nodiscard]] bool ready() const { return model_.has_value(); }

  void SetSensitivity(Sensitivity sensitivity);

  void Observe(Observation observation) { observations_.push_back(std::move(observation)); }

  // A plan with float16 that the probes allow left its range: most likely where values are the
  // largest, so that group loses its float16. True: something was refused that was not before.
  bool Reject(const Assignment& assignment);

  // With all that was observed; `insight` says how far off predictions were.
  void Learn(const SearchInsight& insight);

  // Not dominated by another one.
  [[nodiscard]] std::vector<const Observation*> FrontMembers() const;

  // The model's own front, and what differs in one group from one of `bases`, which are observed
  // assignments; without those of `tried`. Each is predicted from the measured plan that is nearest
  // to it, if any was measured.
  [[nodiscard]] std::vector<PredictedPoint> Promising(std::span<const Assignment> bases,
                                                      const std::set<Assignment>& tried) const;

  // As good as it may be when the prediction is off as the others were: what is sure to gain
  // nothing is not measured, what may gain is.
  [[nodiscard]] Objectives Hoped(const Objectives& predicted) const;

  // The fastest assignment with a predicted loss of at most `most_loss` in which `lowered` is not
  // in float32, among the optima of the model and `base` with `lowered` in another choice and at
  // most one other group in float32 for it; empty when there is none.
  [[nodiscard]] std::optional<PredictedPoint> FastestWithout(const Assignment& base,
                                                             std::size_t lowered,
                                                             double most_loss) const;

  [[nodiscard]] std::span<const Observation> observations() const { return observations_; }

  [[nodiscard]] const Sensitivity& sensitivity() const { return model_->sensitivity(); }

 private:
  [[nodiscard]] Objectives Predict(const AdditiveModel& model, const Assignment& assignment) const;

  const Decisions& decisions_;
  std::optional<AdditiveModel> model_;
  std::vector<Observation> observations_;
  double decibels_off_ = 0;  // medians of how far predictions were off
  double latency_off_ = 0;
};

}  // namespace halftone
