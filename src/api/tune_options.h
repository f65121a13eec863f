// Options of a tuning run, and its callbacks.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/operators/operator_tuner.h"
#include "search/trial/certify.h"
#include "search/trial/constraints.h"
#include "search/tuner.h"
#include "src/accuracy/dataset.h"
#include "src/api/goal.h"
#include "src/api/measure_settings.h"
#include "src/api/operator_tuning_mode.h"
#include "src/api/point_models.h"
#include "src/api/quantize_options.h"
#include "src/base/time_budget.h"
#include "src/precision/precision_options.h"
#include "src/report/gates.h"

namespace halftone {

struct TargetOptions {
  // --soc_version: "host" (also when empty), a name of TargetNames(), or the path of a target file
  // (docs/reference/targets.md).
  std::string soc_version;
  // --ops_info: an op library of an Ascend installation, or a folder with some; replaces the op
  // libraries of the target. Without soc_version, file names give the family. "builtin" is that of
  // halftone, as if empty; FindLibrary() looks for an installation.
  std::filesystem::path ops_info;

  [[nodiscard]] bool has_library() const { return !ops_info.empty() && ops_info != "builtin"; }
};

// A value of --quantize, and the target that it names.
struct QuantizeRequest {
  std::optional<QuantizeMode> mode;  // empty: as QuantizeOptions::mode
  TargetOptions target;
};

// "off", "on", "only", or "for:TARGET": on for a target that computes in 8 bits, the destination of
// a QDQ file (src/target/destinations.h) or a device. `target` comes from the other options;
// `option` names this one in messages. Error kUsage also if both name a target and these differ.
QuantizeRequest ParseQuantize(std::string_view text, const TargetOptions& target,
                              std::string_view option = "--quantize");

// Destinations behind "for:", without the devices.
std::vector<std::string> QuantizeDestinations();

// ---- Tuning -------------------------------------------------------------------------------------

struct TuneOptions {
  TargetOptions target;
  // NAME or NAME:OPTION=VALUE,... (search/strategies/strategy.h). Empty: `model`; with a baseline,
  // `exhaustive` for small spaces and `greedy` for others.
  std::string strategy;
  // The caller's strategy in place of a named one (examples/02_own_strategy.cc).
  std::function<std::unique_ptr<SearchStrategy>(const SearchSpace&)> make_strategy;
  std::uint64_t seed = 1;
  std::size_t max_trials = 200;  // distinct plans, known ones included unless these are free
  bool known_are_free = false;
  std::optional<std::chrono::duration<double>> time_limit;  // of the search
  // Budget of the whole run: plans that the search may measure, where probes count as the plans
  // that would take as many runs; and the time until the front is confirmed.
  Budget budget;
  // The search goes on as long as the budget lasts, even where the strategy expects no further
  // gain.
  bool spend_budget = false;
  // A budget in time leaves samples out where float32 is so slow that a plan on all of them would
  // take much of it (src/api/tune/fit_samples.h); a warning says so.
  bool fit_samples = true;
  Constraints constraints;
  // --confidence: least probability with which a promised bound holds, in [kLeastConfidence,
  // kMostConfidence]. Empty: nothing is promised, and it is enough that a point meets the bounds on
  // the samples.
  std::optional<double> confidence = kPromiseConfidence;
  // The bank answers a goal from an earlier search if it can, without a run; `search_again`
  // searches nevertheless, `verify` measures the chosen point.
  bool search_again = false;
  bool verify = false;
  bool measure_again = false;  // what the bank knows, too; it holds the newer measurements then
  // The files of points name modes by --precision_mode_v2, where they have a name there.
  bool write_v2 = false;
  std::vector<std::string> modes;  // search only these; empty: all that the target has
  // A configuration to start from. It is measured first and confirmed. Every candidate has its
  // dtypes of single operators, inputs and outputs. Without a bound on accuracy, the chosen point
  // is the fastest that is not less accurate than it.
  std::optional<PrecisionOptions> baseline;
  std::vector<std::string>
      pinned_keep_dtype;  // lines of a keep_dtype file that every candidate keeps
  DatasetOptions data;
  // Relative frequency of each of several input shapes, above 0; empty: the number of its samples.
  std::vector<double> shape_weights;
  // Samples that the search never sees: the front is evaluated on them, and bounds on accuracy are
  // promised by them alone (search/trial/certify.h).
  std::optional<DatasetOptions> heldout;
  // Share of `data` that is held out where there is no `heldout`, in [0, 1). Empty: a quarter of
  // real samples, none of fewer than 16.
  std::optional<double> heldout_share;
  MeasureSettings measure;
  QuantizeOptions quantize;
  // Operator tuning of float32 and of each searched mode comes first. Stored choices of earlier
  // operator tuning are always used.
  OperatorTuningMode operator_tuning = OperatorTuningMode::kProfile;
  // Seconds for each of these configurations; empty: twice measure.full_budget_s in mode kFull, a
  // quarter of it in mode kProfile.
  std::optional<double> operator_budget_s;
  std::filesystem::path bank;  // --op_bank_path; empty: no knowledge base
  // --seed_bank: what it holds of this network and of this machine's kernels is added to `bank`
  // first (src/api/bank/seed_bank.h); empty: none.
  std::filesystem::path seed_bank;
  std::filesystem::path output;  // reports and configuration files; empty: none
  // --load_profile: a profile that the compiler of a Cloud AI target dumped. The profiles of points
  // are copies of it with other ranges; empty: halftone makes them.
  std::filesystem::path load_profile;
  // --export: formats of the ONNX files that each point's folder has (src/api/point_models.h).
  std::vector<std::string> exports = PointModelFormats();
  std::string command;        // recorded with the result
  std::vector<Gate> fail_if;  // --fail_if; results in TuneSummary::outcome
};

struct TuneCallbacks {
  std::function<void(const TunerProgress&)> on_progress;
  std::function<void(const OperatorTunerProgress&)> on_operators;
  std::function<void(const ProbeProgress&)> on_probes;
  // Tells what was taken from TuneOptions::seed_bank.
  std::function<void(const std::string&)> on_seed_bank;
  // Before the search: the use of its plans, their greatest number, and roughly how long they take.
  std::function<void(const std::string&)> on_work_plan;
  // Before anything runs: a warning that decides whether the run is worth its time; it is one of
  // TuneSummary::warnings, too.
  std::function<void(const std::string&)> on_warning;
  // Before anything runs, for each bound on accuracy: what the held-out samples can promise at
  // best.
  std::function<void(const std::string&)> on_promises;
  // Once float32 was measured, before any plan: the bounds that plans are judged by, and the top-1
  // of float32 on the samples of the search, with labels.
  std::function<void(const Constraints&, std::optional<double> reference_top1)> on_bounds;
  std::function<bool()> stop_requested;
  // Clock and limit that every phase asks, which began with the command, so that loading counts;
  // null: one begins with the call. Its limit becomes TuneOptions::budget.time.
  std::shared_ptr<TimeBudget> time = nullptr;
};

}  // namespace halftone
