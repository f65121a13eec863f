// The search of a tuning run: measurer, probes and strategy on what Prepare() returned.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/calibrate/sequential_correction.h"
#include "search/measure/shapes_measurer.h"
#include "search/probe/network_prober.h"
#include "search/strategies/strategy.h"
#include "search/tuner.h"
#include "src/api/bank/stored_prober.h"
#include "src/api/bank/trial_log.h"
#include "src/api/tune/pipeline.h"
#include "src/api/tune/search_limits.h"
#include "src/api/tune/timed_prober.h"

namespace halftone {

struct NamedStrategy {
  std::string name;
  std::unique_ptr<SearchStrategy> strategy;
};

// One run of a search. The arguments must outlive it.
class NetworkSearch {
 public:
  // Runs float32 on the samples, which tells the budget the cost of a run and the callbacks the
  // bounds. `log`: the trials of the workload; null: no knowledge base. Errors as ShapesMeasurer().
  NetworkSearch(const Prepared& prepared, const RunStart& start, const TuneCallbacks& callbacks,
                TrialLog* log);
  NetworkSearch(const NetworkSearch&) = delete;
  NetworkSearch& operator=(const NetworkSearch&) = delete;

  // Searches and confirms, the baseline too. Called once.
  Confirmed Run();

  // Facts about the search and the cost of a plan.
  [[nodiscard]] SearchFacts FactsOf(const Confirmed& confirmed) const;

  [[nodiscard]] ShapesMeasurer& measurer() { return measurer_; }

  // Knowledge of the strategy about the network; null: it keeps none.
  [[nodiscard]] const StrategyInsight* insight() const { return named_.strategy->insight(); }

  // Warnings of the probes, full sentences.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  [[nodiscard]] double plan_s() const;

  const Prepared& prepared_;
  const RunStart& start_;
  const TuneCallbacks& callbacks_;
  TrialLog* log_;
  TuneProblem problem_;
  ShapesMeasurer measurer_;
  RunCosts costs_;
  TunerOptions limits_;
  std::vector<std::string> warnings_;
  NetworkProber prober_;
  TimedProber timed_prober_;
  StoredProber stored_prober_;
  NamedStrategy named_;
};

}  // namespace halftone
