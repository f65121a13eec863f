// Operator tuning: the fastest kernel for every operator of a configuration.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halftone/data.h"
#include "halftone/measure.h"
#include "search/operators/operator_tuner.h"
#include "src/api/halftone.h"
#include "src/api/operator_tuning_mode.h"
#include "src/exec/kernel_choices.h"
#include "src/report/formats.h"

namespace halftone {

struct OperatorTuningOptions {
  OperatorTuningMode mode = OperatorTuningMode::kFull;
  DatasetOptions data;      // only the first sample runs
  MeasureSettings measure;  // full_budget_s: seconds for timing the network in mode kFull
  double budget_s = 4.0;    // seconds for the runs that time operators
  // Seconds of a run of the network; 0: unknown. In mode kProfile, no race begins whose fewest runs
  // take more than budget_s.
  double run_s = 0;
  std::filesystem::path bank;  // --op_bank_path; empty: no knowledge base
  bool measure_again = false;  // true: also times operators that the bank has timings of
  std::function<bool(const Node&)> include;  // nodes to tune; empty: all
};

struct TunedOperator {
  OperatorTiming timing;
  std::vector<std::string> nodes;  // steps of the network with this operator
  bool known = false;              // true: the timing is from the bank
};

struct OperatorTuningResult {
  std::vector<TunedOperator> operators;  // operators with several kernels, in network order
  // Steps of each operator that was not timed, because the machine profile, too, finds that the
  // kernel of the static order is the fastest.
  std::vector<std::vector<std::string>> forecast;
  // Steps of each operator that was left undecided by a stop.
  std::vector<std::vector<std::string>> undecided;
  // Timing of the network relative to the static order; empty if no step changes, after a stop, and
  // in mode kProfile.
  std::optional<OperatorTiming> network;
  bool network_known = false;  // true: `network` is from the bank
  // True: the new choices made the whole network slower, and were dropped for the static order.
  bool dropped = false;

  // Time of the network with the chosen kernels over its time in the static order; 1 if the
  // interval of the ratio contains 1, or the network was not timed.
  [[nodiscard]] double ratio() const;
};

// Finds the fastest kernel for every operator of a configuration (docs/internals/search.md). After
// a stop, returns and stores the choices made so far. Errors as ResolvePrecision() and Compile();
// kDatabase.
OperatorTuningResult TuneOperators(const Model& model, const TargetSpec& target,
                                   const PrecisionOptions& precision,
                                   const OperatorTuningOptions& options,
                                   const OperatorTunerHooks& hooks = {});
// Does the same for a plan of the network, on a given sample; `options.data` is not used.
OperatorTuningResult TuneOperators(const Model& model, const Sample& sample,
                                   const TargetSpec& target, const PrecisionPlan& plan,
                                   const OperatorTuningOptions& options,
                                   const OperatorTunerHooks& hooks = {});

// Stored kernel choices for this network on `threads` threads (0: all cores) and this CPU. Error
// kDatabase for a missing or unreadable bank.
KernelChoices LoadKernelChoices(const Model& model, const std::filesystem::path& bank,
                                std::string_view soc_version, int threads);

// Table of the operators whose kernel differs from the static order, in order of saved time,
// followed by lines about the other operators and the network.
std::string FormatOperatorTable(const OperatorTuningResult& result,
                                std::size_t columns = kColumnsOfFiles);

}  // namespace halftone
