// First stage of a tuning run: everything that is read, checked and opened before a plan runs.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "knowledge_base/store.h"
#include "search/measure/network_measurer.h"
#include "search/tuner_run.h"
#include "src/accuracy/split.h"
#include "src/api/halftone.h"
#include "src/api/tune/heldout.h"
#include "src/exec/executable.h"
#include "src/precision/files/write_files.h"
#include "src/report/tune_summary.h"

namespace halftone {

struct Prepared {
  const Model& model;
  TuneOptions options;  // with the metric that the outputs of the network have
  TargetSpec target;
  OptionFiles sources;  // of the target and the network, as they were read
  DataSplit data;
  SearchSpace space;
  LossMetric metric;
  std::unique_ptr<TrialStore> store;  // null: no knowledge base
  KernelChoices choices;              // of operator tuning, for this network
  std::unique_ptr<SharedConstants> shared;
  RunFacts facts;
  std::vector<std::string> warnings;

  // Refers to this.
  [[nodiscard]] TuneProblem Problem() const { return {model.graph, target, space}; }

  [[nodiscard]] CompileOptions Compile() const {
    return {.kernels = {}, .choices = choices, .shared = shared.get()};
  }

  // The key of this run's measurements in a knowledge base; reads all samples of the search.
  [[nodiscard]] Workload CurrentWorkload() const;

  // Of the protocol that measures a plan on the samples of the search.
  [[nodiscard]] MeasureOptions Measuring() const;

  // Of a choice from a front that was measured beside `reference`, which must outlive it.
  [[nodiscard]] ChoiceBasis BasisOf(const Reference& reference) const {
    return {options.constraints, reference, facts.heldout_count, options.seed};
  }
};

// Reads the samples, opens or creates the knowledge base, and tunes operators where the options ask
// for it. Errors as Tune() (src/api/halftone.h).
Prepared Prepare(const Model& model, const TuneOptions& options, const TuneCallbacks& callbacks);

}  // namespace halftone
