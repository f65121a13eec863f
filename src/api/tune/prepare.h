// First stage of a tuning run: reads, checks and opens everything that the search needs.
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

// Mode in which only 8 bits are searched beside float32: it lowers no operator to 16 bits.
inline constexpr std::string_view kNothingLowered = "must_keep_origin_dtype";

// Input shape of the tuned network after the first.
struct PreparedShape {
  const Model& model;
  DataSplit data;
  double weight = 1;
  KernelChoices choices;  // choices of operator tuning at this shape
};

struct Prepared {
  const Model& model;   // network at the first input shape, to whose graph plans belong
  TuneOptions options;  // with a metric that fits the outputs of the network
  TargetSpec target;
  OptionFiles sources;  // PlanSourcesOf() the network, read before the search
  std::optional<DumpedProfile> dumped_profile = {};  // --load_profile, read before the search
  DataSplit data;                                    // samples of the first shape
  double weight = 1;                                 // weight of the first shape
  SearchSpace space;
  LossMetric metric;
  std::shared_ptr<LatencySource> latency;  // never null
  std::unique_ptr<TrialStore> store;       // null: no knowledge base
  KernelChoices choices;                   // choices of operator tuning at the first shape
  std::vector<PreparedShape> others;       // shapes after the first, in the given order
  std::unique_ptr<SharedConstants> shared;
  // Samples that are written for AMCT beside the points; empty: AMCT quantises no layer.
  Dataset calibration_samples;
  // Speed of 8 bits in the machine profile; empty: unknown, or not needed.
  std::optional<ScaledSpeed> scaled_speed;
  // Samples for the sequential bias correction of measured plans; empty: no such correction.
  Dataset correction_samples;
  // Record of the scales in `space`, for reports; null: nothing is quantised.
  std::shared_ptr<const CalibrationRecord> calibration;
  RunFacts facts;
  std::vector<std::string> warnings;
  FittedSamples fitted;
  // True: nothing may run, only the knowledge base may answer. That is so in PrepareStored(), and
  // if the budget is too short for float32 on the samples.
  bool stored_only = false;

  // Tuning problem, which refers to members of this object.
  [[nodiscard]] TuneProblem Problem() const { return {model.graph, target, space}; }

  [[nodiscard]] CompileOptions Compile() const {
    return {.kernels = {}, .choices = choices, .shared = shared.get()};
  }

  // All input shapes, with the samples of the search.
  [[nodiscard]] std::vector<MeasuredShape> SearchedShapes() const;
  // Input shapes that have held-out samples, with these.
  [[nodiscard]] std::vector<MeasuredShape> HeldoutShapes() const;

  // Hash of the held-out samples of all shapes.
  [[nodiscard]] Hash128 HeldoutHash() const;

  // Workload under which the measurements of this run are stored. Reads all samples of the search.
  [[nodiscard]] Workload CurrentWorkload() const;

  // KernelRecord() (src/api/bank/kernel_record.h) of float32, every searched mode and the front.
  [[nodiscard]] std::string KernelsOf(std::span<const Trial> front) const;

  // Options of a measurer on the samples of the search.
  [[nodiscard]] MeasureOptions Measuring() const;

  // Inputs of a choice from a front that was measured with `reference`. The result refers to this
  // object and to `reference`.
  [[nodiscard]] ChoiceBasis BasisOf(const Reference& reference) const {
    return {options.constraints, reference, facts.heldout_count, options.confidence, options.seed};
  }
};

// Reads the samples, opens or creates the knowledge base, calibrates the network, and tunes
// operators if the options ask for it. `profiles`: the network at each input shape, at least one;
// must outlive the result. `budget` limits the optional work and the samples. Errors as Tune()
// (src/api/halftone.h).
Prepared Prepare(std::span<const Model> profiles, const TuneOptions& options,
                 const TuneCallbacks& callbacks, TimeBudget& budget);

// Does the same from the knowledge base alone, without a run of the network. Empty: there is no
// knowledge base, it has no front of this network or, with a time budget, none whose search had
// these samples and this budget.
std::optional<Prepared> PrepareStored(std::span<const Model> profiles, const TuneOptions& options,
                                      const TuneCallbacks& callbacks, TimeBudget& budget);

inline Prepared Prepare(const Model& model, const TuneOptions& options,
                        const TuneCallbacks& callbacks, TimeBudget& budget) {
  return Prepare({&model, 1}, options, callbacks, budget);
}

}  // namespace halftone
