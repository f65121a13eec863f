// Knowledge that a strategy has of the network, in addition to its trials.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "search/probe/sensitivity.h"
#include "search/space/decisions.h"
#include "search/trial/candidate.h"
#include "search/trial/pareto_front.h"
#include "search/trial/trial.h"

namespace halftone {

// Another set of operators in float32, predicted to be as good as the set of the chosen plan.
struct AlternativeSet {
  std::string lowered;  // operator that the chosen plan keeps in float32 and this set lowers
  std::vector<std::string> kept;  // operators in float32, in the order of the network
  Objectives predicted;           // not measured

  friend bool operator==(const AlternativeSet&, const AlternativeSet&) = default;
};

struct SearchInsight {
  struct Prediction {
    Candidate candidate;
    Objectives predicted;  // by the model, before the measurement
    Objectives measured;
  };

  std::vector<DecisionGroup> groups;
  Sensitivity sensitivity;  // empty before the probes
  std::vector<Prediction> predictions;
};

// Insight of a strategy that analyses the network.
class StrategyInsight {
 public:
  virtual ~StrategyInsight() = default;

  // Groups, sensitivities and predictions so far.
  [[nodiscard]] virtual const SearchInsight& facts() const = 0;

  // Decisions whose groups facts() describes.
  [[nodiscard]] virtual const Decisions& decisions() const = 0;

  // Other sets of operators in float32 that are predicted to be as good as the set of `trial`,
  // which must be measured; fastest first.
  [[nodiscard]] virtual std::vector<AlternativeSet> AlternativesTo(const Trial& trial) const = 0;
};

// Median errors of the predictions; 0 without predictions.
struct PredictionErrors {
  double decibels = 0;  // error of the predicted loss, where both losses are above 0
  double latency = 0;   // relative error of the predicted latency ratio
};

PredictionErrors PredictionErrorsOf(const SearchInsight& insight);

}  // namespace halftone
