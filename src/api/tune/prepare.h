// First stage of a tuning run: reads, checks and opens everything that the search needs.
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

// Four values, each returned by one function and constant from then on, and what follows from them.
struct Prepared {
  NetworkAtShapes network;
  Samples samples;
  BankSession bank;
  Scales scales;

  TuneOptions options;  // with a metric that fits the outputs of the network
  SearchSpace space;    // with the quantisation of `scales`
  LossMetric metric;
  std::shared_ptr<LatencySource> latency;  // never null
  std::vector<KernelChoices> choices;      // choices of operator tuning, one for each input shape
  RunFacts facts;
  std::vector<std::string> warnings;
  // True: nothing may run, only the knowledge base may answer. That is so in PrepareStored(), and
  // if the budget is too short for float32 on the samples.
  bool stored_only = false;

  [[nodiscard]] const Graph& graph() const { return network.graph(); }

  [[nodiscard]] const TargetSpec& target() const { return network.target; }

  // Refers to this.
  [[nodiscard]] TuneProblem Problem() const { return {graph(), target(), space}; }

  // Options of compiling the network at its first input shape, or at another one.
  [[nodiscard]] CompileOptions Compile() const { return CompileAt(0); }

  [[nodiscard]] CompileOptions CompileAt(std::size_t shape) const {
    return {.kernels = {}, .choices = choices[shape], .shared = network.shared.get()};
  }

  // All input shapes, with the samples of the search.
  [[nodiscard]] std::vector<MeasuredShape> SearchedShapes() const;
  // Input shapes that have held-out samples, with these.
  [[nodiscard]] std::vector<MeasuredShape> HeldoutShapes() const;

  // Workload under which the measurements of this run are stored. Reads all samples of the search.
  [[nodiscard]] Workload CurrentWorkload() const;

  // KernelRecord() (src/api/bank/kernel_record.h) of float32, every searched mode and the front.
  [[nodiscard]] std::string KernelsOf(std::span<const Trial> front) const;

  // Options of a measurer on the samples of the search.
  [[nodiscard]] MeasureOptions Measuring() const;

  // Inputs of a stage that runs again. Refers to this.
  [[nodiscard]] RunInputs Inputs() const {
    return {.network = network,
            .options = options,
            .samples = samples,
            .bank = bank,
            .threads = facts.threads,
            .stored_only = stored_only};
  }

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
