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

struct PrecisionOptions;  // of ReadPrecisionOptions()
struct SearchSpace;
class SearchStrategy;

enum class OperatorTuningMode : std::uint8_t {
  kOff,      // stored choices of kernels are used, none are made
  kProfile,  // times in the network what the machine profile leaves open
  kFull,     // times every kernel of every operator in the network
};

// A mode of operator tuning by its name: "off", "profile", "full". Error kUsage names them;
// `option` is the option in the message.
OperatorTuningMode ParseOperatorTuning(std::string_view text,
                                       std::string_view option = "--operator_tuning");

struct TuneOptions {
  TargetOptions target;
  // NAME or NAME:OPTION=VALUE,... (docs/reference/options.md, --strategy). Empty: `model`; with a
  // baseline, `exhaustive` for small spaces and `greedy` for others.
  std::string strategy;
  // A strategy of code inside the tree in place of a named one (labs/own_strategy).
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
  // take much of it; a warning says so.
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
  // is the fastest that is not less accurate than it. Null: there is none.
  std::shared_ptr<const PrecisionOptions> baseline;
  std::vector<std::string>
      pinned_keep_dtype;  // lines of a keep_dtype file that every candidate keeps
  DatasetOptions data;
  // Relative frequency of each of several input shapes, above 0; empty: the number of its samples.
  std::vector<double> shape_weights;
  // Samples that the search never sees: the front is evaluated on them, and bounds on accuracy are
  // promised by them alone (docs/guide/reading_results.md, "Promises").
  std::optional<DatasetOptions> heldout;
  // Share of `data` that is held out where there is no `heldout`, in [0, 1). Empty: a quarter of
  // real samples, none of fewer than 16.
  std::optional<double> heldout_share;
  MeasureSettings measure;
  QuantizeOptions quantize;
  // Operator tuning of float32 and of each searched mode comes first. Stored choices of earlier
  // operator tuning are always used.
  OperatorTuningMode operator_tuning = OperatorTuningMode::kProfile;
  // Seconds for each of these configurations; empty: twice measure.full_budget_s in mode kFull; a
  // quarter of it in mode kProfile, or 1 % of the budget in time where that is more.
  std::optional<double> operator_budget_s;
  std::filesystem::path bank;  // --op_bank_path; empty: no knowledge base
  // --seed_bank: what it holds of this network and of this machine's kernels is added to `bank`
  // first; empty: none.
  std::filesystem::path seed_bank;
  std::filesystem::path output;  // reports and configuration files; empty: none
  // --load_profile: a profile that the compiler of a Cloud AI target dumped. The profiles of points
  // are copies of it with other ranges; empty: halftone makes them.
  std::filesystem::path load_profile;
  // --export: formats of the ONNX files that each point's folder has.
  std::vector<std::string> exports = PointModelFormats();
  std::string command;        // recorded with the result
  std::vector<Gate> fail_if;  // --fail_if; their results decide the exit code
};

// Checks the options alone, before a model is read. Error kUsage.
void CheckTuneOptions(const TuneOptions& options);

}  // namespace halftone
