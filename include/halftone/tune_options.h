// Options of a tuning run.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halftone/data.h"
#include "halftone/export.h"
#include "halftone/goal.h"
#include "halftone/measure.h"
#include "halftone/quantize.h"
#include "halftone/target.h"

namespace halftone {

struct PrecisionOptions;  // from ReadPrecisionOptions()
struct SearchSpace;       // inside the library
class SearchStrategy;     // inside the library

// Operator tuning: the choice of the fastest kernel for each operator, before the search. Kernel
// choices that the bank holds already are used in every mode.
enum class OperatorTuningMode : std::uint8_t {
  kOff,      // no kernel is timed
  kProfile,  // a profile of the machine, measured once, ranks kernels; only open choices are timed
  kFull,     // every kernel of every operator is timed
};

// Parses "off", "profile" or "full". Error kUsage, for another text, lists these; `option` names
// the option in the message.
OperatorTuningMode ParseOperatorTuning(std::string_view text,
                                       std::string_view option = "--operator_tuning");

struct TuneOptions {
  TargetOptions target;
  // Search strategy: NAME or NAME:OPTION=VALUE,... (docs/internals/search.md, "Strategies"). Empty:
  // "model"; with a baseline, "exhaustive" for small search spaces and "greedy" for others.
  std::string strategy;
  // Makes a strategy that replaces the named one; for code inside the library (labs/own_strategy).
  std::function<std::unique_ptr<SearchStrategy>(const SearchSpace&)> make_strategy;
  std::uint64_t seed = 1;
  // Most distinct plans of the search. Plans whose measurements the bank holds count unless
  // known_are_free.
  std::size_t max_trials = 200;
  bool known_are_free = false;
  std::optional<std::chrono::duration<double>> time_limit;  // limit on the search alone
  Budget budget;                                            // limit on the whole run
  // true: the search goes on until the budget is spent, even if the strategy expects no gain.
  bool spend_budget = false;
  // true: uses fewer samples, with a warning, if one pass over them takes too much of a budget in
  // time (more than 4 %).
  bool fit_samples = true;
  Constraints constraints;
  // --confidence: least probability with which a promised bound holds, in [kLeastConfidence,
  // kMostConfidence]. Empty: nothing is promised, and bounds must hold on the samples only.
  std::optional<double> confidence = kPromiseConfidence;
  // If an earlier search in the bank answers the same goal, Tune() returns that answer and measures
  // nothing. search_again: searches all the same. verify: measures the chosen point again.
  bool search_again = false;
  bool verify = false;
  // true: also measures plans whose measurements the bank holds, and stores the new measurements.
  bool measure_again = false;
  // true: files of points name modes by --precision_mode_v2 if that option has a name for them.
  bool write_v2 = false;
  std::vector<std::string> modes;  // precision modes to search; empty: all modes of the target
  // Configuration to start from; null: none. It is measured first, and again at the end. Every
  // candidate has the dtypes that the baseline gives to single operators, inputs and outputs.
  // Without a bound on accuracy, the chosen point is the fastest that is at least as accurate as
  // the baseline.
  std::shared_ptr<const PrecisionOptions> baseline;
  // Lines of a keep_dtype file that are part of every candidate.
  std::vector<std::string> pinned_keep_dtype;
  DatasetOptions data;  // samples of the search
  // Weights of the input shapes in the mean latency, above 0, in the order of the shapes: how often
  // each is run. Empty: the number of samples of each shape.
  std::vector<double> shape_weights;
  // Samples that the search never sees. The front is judged on them, and bounds on accuracy are
  // promised from them alone (docs/guide/reading_results.md, "Promises").
  std::optional<DatasetOptions> heldout;
  // Share of `data` to hold out if `heldout` is empty, in [0, 1]. With 1, the search uses all of
  // `data`, and the front is judged on the same samples. Empty: a quarter of the samples if there
  // are at least 16 and they are real, else 0.
  std::optional<double> heldout_share;
  MeasureSettings measure;
  QuantizeOptions quantize;
  // Operator tuning runs before the search, for float32 and for each precision mode of the search.
  OperatorTuningMode operator_tuning = OperatorTuningMode::kProfile;
  // Seconds of operator tuning for float32 and for each mode, at each input shape, from 0 to 86400.
  // All of it ends after a tenth of a time budget. Empty: twice measure.full_budget_s with kFull; a
  // quarter of measure.full_budget_s with kProfile, or 1 % of the time budget if that is more.
  std::optional<double> operator_budget_s;
  std::filesystem::path bank;  // --op_bank_path; empty: no knowledge base
  // --seed_bank: another knowledge base, which is only read. What it holds of this network and of
  // the kernels of this machine is added to `bank` first. Empty: none.
  std::filesystem::path seed_bank;
  std::filesystem::path output;  // folder for reports and points; empty: nothing is written
  // --load_profile: profile that the compiler of a Cloud AI target dumped. The profile of each
  // point is a copy of it with other ranges. Empty: halftone makes the profiles.
  std::filesystem::path load_profile;
  // --export: formats of the ONNX files in the folder of each point.
  std::vector<std::string> exports = PointModelFormats();
  std::string command;        // command line to record in reports
  std::vector<Gate> fail_if;  // --fail_if: gates for the chosen point; see TuneResult::outcome
};

// Checks the options without reading a model. Error kUsage.
void CheckTuneOptions(const TuneOptions& options);

}  // namespace halftone
