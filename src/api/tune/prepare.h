// First stage of a tuning run: everything that is read, checked and opened before a plan runs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/measure/shapes_measurer.h"
#include "search/tuner_run.h"
#include "src/api/tune/bank_session.h"
#include "src/api/tune/calibration.h"
#include "src/api/tune/heldout.h"
#include "src/api/tune/network_at_shapes.h"
#include "src/api/tune/search_samples.h"
#include "src/base/time_budget.h"
#include "src/exec/executable.h"
#include "src/report/tune_summary.h"

namespace halftone {

// The mode of a search in 8 bits and float32 alone.
inline constexpr std::string_view kNothingLowered = "must_keep_origin_dtype";

// Four values, each of one function, and what follows from them.
struct Prepared {
  NetworkAtShapes network;
  Samples samples;
  BankSession bank;
  Scales scales;

  TuneOptions options;  // with the metric that the outputs of the network have
  SearchSpace space;    // with the quantisation of `scales`
  LossMetric metric;
  std::shared_ptr<LatencySource> latency;  // never null
  std::vector<KernelChoices> choices;      // of operator tuning, for each input shape
  RunFacts facts;
  std::vector<std::string> warnings;
  // True if only a knowledge base may answer and nothing runs: either it is asked first, or the
  // budget has no time for float32 on the samples.
  bool stored_only = false;

  [[nodiscard]] const Graph& graph() const { return network.graph(); }

  [[nodiscard]] const TargetSpec& target() const { return network.target; }

  // Refers to this.
  [[nodiscard]] TuneProblem Problem() const { return {graph(), target(), space}; }

  // Of the network at the first input shape.
  [[nodiscard]] CompileOptions Compile() const { return CompileAt(0); }

  [[nodiscard]] CompileOptions CompileAt(std::size_t shape) const {
    return {.kernels = {}, .choices = choices[shape], .shared = network.shared.get()};
  }

  // The input shapes with the samples of the search, and those with held-out samples.
  [[nodiscard]] std::vector<MeasuredShape> SearchedShapes() const;
  [[nodiscard]] std::vector<MeasuredShape> HeldoutShapes() const;

  // Workload of this run, which its measurements are stored under; reads all samples of the search.
  [[nodiscard]] Workload CurrentWorkload() const;

  // KernelRecord() (src/api/bank/kernel_record.h) of float32, every searched mode and the front.
  [[nodiscard]] std::string KernelsOf(std::span<const Trial> front) const;

  // Options of a measurer on the samples of the search.
  [[nodiscard]] MeasureOptions Measuring() const;

  // What ScalesOf() takes.
  [[nodiscard]] ScalesSource SourceOfScales() const {
    return {.network = network,
            .options = options,
            .samples = samples,
            .bank = bank,
            .speed = std::nullopt,
            .threads = facts.threads,
            .compile = Compile(),
            .stored_only = stored_only};
  }

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
