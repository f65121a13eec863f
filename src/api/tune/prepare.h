// First stage of a tuning run: everything that is read, checked and opened before a plan runs.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
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
  std::shared_ptr<const Roofline> roofline;  // null: the target is the host
  std::unique_ptr<TrialStore> store;         // null: no knowledge base
  KernelChoices choices;                     // of operator tuning, for this network
  std::unique_ptr<SharedConstants> shared;
  RunFacts facts;
  std::vector<std::string> warnings;

  // Refers to this.
  [[nodiscard]] TuneProblem Problem() const { return {model.graph, target, space}; }

  [[nodiscard]] CompileOptions Compile() const {
    return {.kernels = {}, .choices = choices, .shared = shared.get()};
  }

  // Workload of this run, which its measurements are stored under; reads all samples of the search.
  [[nodiscard]] Workload CurrentWorkload() const;

  // KernelRecord() (src/api/bank/kernel_record.h) of float32, every searched mode and the front.
  [[nodiscard]] std::string KernelsOf(std::span<const Trial> front) const;

  // Options of a measurer on the samples of the search.
  [[nodiscard]] MeasureOptions Measuring() const;

  // Basis of a choice from a front that was measured beside `reference`, which must outlive it.
  [[nodiscard]] ChoiceBasis BasisOf(const Reference& reference) const {
    return {options.constraints, reference, facts.heldout_count, options.confidence, options.seed};
  }
};

// Reads the samples, opens or creates the knowledge base, and tunes operators where the options ask
// for it. Errors as Tune() (src/api/halftone.h).
Prepared Prepare(const Model& model, const TuneOptions& options, const TuneCallbacks& callbacks);

}  // namespace halftone
