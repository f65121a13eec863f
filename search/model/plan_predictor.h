// What the search by model believes of plans that were not measured: the additive model, and a
// field of what measured plans differed from it by (search/model/residual_field.h).
#pragma once

#include <optional>
#include <set>
#include <span>
#include <vector>

#include "search/model/additive_model.h"
#include "search/model/residual_field.h"

namespace halftone {

struct Prospect {
  Assignment assignment;
  Objectives predicted;
  // Each objective one standard deviation better: what is sure to gain nothing is not measured,
  // what may gain is.
  Objectives hoped;

  // The same with as many standard deviations.
  [[nodiscard]] Objectives HopedBy(double deviations) const;
};

class PlanPredictor {
 public:
  // `decisions` must outlive it.
  explicit PlanPredictor(const Decisions& decisions);

  // False before SetSensitivity().
  [[nodiscard]] bool ready() const { return model_.has_value(); }

  void SetSensitivity(Sensitivity sensitivity);

  void Observe(Observation observation) { observations_.push_back(std::move(observation)); }

  // A plan with float16 that the probes allow left its range: most likely where values are the
  // largest, so that group loses its float16. True: something was refused that was not before.
  bool Reject(const Assignment& assignment);

  // From all that was observed.
  void Learn();

  // Not dominated by another one.
  [[nodiscard]] std::vector<const Observation*> FrontMembers() const;

  // The model's own front, and what differs in one group from one of `bases`, in two groups where
  // `pairs`; without those of `tried`.
  [[nodiscard]] std::vector<Prospect> Promising(std::span<const Assignment> bases, bool pairs,
                                                const std::set<Assignment>& tried) const;

  // The fastest assignment with a predicted loss of at most `most_loss` in which `lowered` is not
  // in float32, among the optima of the model and `base` with `lowered` in another choice and at
  // most one other group in float32 for it; empty when there is none.
  [[nodiscard]] std::optional<PredictedPoint> FastestWithout(const Assignment& base,
                                                             std::size_t lowered,
                                                             double most_loss) const;

  [[nodiscard]] std::span<const Observation> observations() const { return observations_; }

  [[nodiscard]] const Sensitivity& sensitivity() const { return model_->sensitivity(); }

 private:
  [[nodiscard]] Prospect Predict(const Assignment& assignment) const;

  const Decisions& decisions_;
  std::optional<AdditiveModel> model_;
  std::vector<Observation> observations_;
  ResidualField latency_;
  ResidualField loss_;
};

}  // namespace halftone
