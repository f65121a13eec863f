// First stage of a tuning run: everything that is read, checked and opened before a plan runs.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge_base/store.h"
#include "search/measure/shapes_measurer.h"
#include "search/operators/format_times.h"
#include "search/tuner_run.h"
#include "src/accuracy/split.h"
#include "src/api/halftone.h"
#include "src/api/tune/fit_samples.h"
#include "src/api/tune/heldout.h"
#include "src/base/time_budget.h"
#include "src/exec/executable.h"
#include "src/precision/files/write_files.h"
#include "src/qaic/profile_file.h"
#include "src/quantization/calibration_record.h"
#include "src/report/tune_summary.h"

namespace halftone {

// The mode of a search in 8 bits and float32 alone.
inline constexpr std::string_view kNothingLowered = "must_keep_origin_dtype";

// Another input shape of the network that is tuned.
struct PreparedShape {
  const Model& model;
  DataSplit data;
  double weight = 1;
  KernelChoices choices;  // of operator tuning, for this shape
};

struct Prepared {
  const Model& model;   // at the first input shape: plans are of its graph
  TuneOptions options;  // with the metric that the outputs of the network have
  TargetSpec target;
  OptionFiles sources;  // of the target and the network, as they were read
  std::optional<DumpedProfile> dumped_profile = {};  // of --load_profile, likewise
  DataSplit data;                                    // of the first shape
  double weight = 1;                                 // of the first shape
  SearchSpace space;
  LossMetric metric;
  std::shared_ptr<LatencySource> latency;  // never null
  std::unique_ptr<TrialStore> store;       // null: no knowledge base
  KernelChoices choices;                   // of operator tuning, for this network
  std::vector<PreparedShape> others;       // in the order given
  std::unique_ptr<SharedConstants> shared;
  // Samples that AMCT gets beside the points; empty: it quantises no layer.
  Dataset calibration_samples;
  // Speed of int8 in the machine profile; empty: unknown, or not asked.
  std::optional<ScaledSpeed> scaled_speed;
  // For sequential bias correction of measured plans; empty: there is none.
  Dataset correction_samples;
  // Record of the scales of `space`, for reports; null: nothing is quantised.
  std::shared_ptr<const CalibrationRecord> calibration;
  RunFacts facts;
  std::vector<std::string> warnings;
  FittedSamples fitted;
  // True if only a knowledge base may answer and nothing runs: either it is asked first, or the
  // budget has no time for float32 on the samples.
  bool stored_only = false;

  // Refers to this.
  [[nodiscard]] TuneProblem Problem() const { return {model.graph, target, space}; }

  [[nodiscard]] CompileOptions Compile() const {
    return {.kernels = {}, .choices = choices, .shared = shared.get()};
  }

  // The input shapes with the samples of the search, and those with held-out samples.
  [[nodiscard]] std::vector<MeasuredShape> SearchedShapes() const;
  [[nodiscard]] std::vector<MeasuredShape> HeldoutShapes() const;

  // Hash of the held-out samples of all shapes.
  [[nodiscard]] Hash128 HeldoutHash() const;

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
// for it. `profiles`: the network at each input shape, one at least, which must outlive the result.
// `budget` decides which optional work is done, and on which samples.
// Errors as Tune() (src/api/halftone.h).
Prepared Prepare(std::span<const Model> profiles, const TuneOptions& options,
                 const TuneCallbacks& callbacks, TimeBudget& budget);

// Prepare() from the knowledge base alone: nothing is measured, and nothing runs. Empty: there is
// no knowledge base, or it has no front of this network and these samples.
std::optional<Prepared> PrepareStored(std::span<const Model> profiles, const TuneOptions& options,
                                      const TuneCallbacks& callbacks, TimeBudget& budget);

inline Prepared Prepare(const Model& model, const TuneOptions& options,
                        const TuneCallbacks& callbacks, TimeBudget& budget) {
  return Prepare({&model, 1}, options, callbacks, budget);
}

}  // namespace halftone
