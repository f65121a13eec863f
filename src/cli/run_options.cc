#include "src/cli/run_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include "halftone/goal.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/cli/bank_option.h"
#include "src/cli/npu_config.h"
#include "src/cli/point_option.h"

namespace halftone {
namespace {

bool GivesPrecision(const PrecisionArguments& arguments) {
  const auto rows = AllPrecisionOptions();
  return std::any_of(rows.begin(), rows.end(), [&](const PrecisionOptionRow& row) {
    return !(arguments.*row.argument).empty();
  });
}

// A stored configuration, those that --check compares in float32, and a point exclude each other.
void CheckPointBeside(const RunFlags& flags) {
  if (flags.point.empty()) {
    return;
  }
  for (const auto& [given, option] :
       {std::pair(flags.from_bank, "--from_bank"), std::pair(!flags.select.empty(), "--select"),
        std::pair(!flags.mdl_bank_path.empty(), "--mdl_bank_path"),
        std::pair(!flags.check.empty(), "--check")}) {
    if (given) {
      throw Error(ErrorKind::kUsage, fmt::format("--point and {} exclude each other", option));
    }
  }
}

void CheckScriptBeside(const RunFlags& flags) {
  if (flags.npu_config.empty()) {
    return;
  }
  for (const auto& [given, option] :
       {std::pair(!flags.point.empty(), "--point"), std::pair(flags.from_bank, "--from_bank"),
        std::pair(!flags.select.empty(), "--select"),
        std::pair(!flags.mdl_bank_path.empty(), "--mdl_bank_path"),
        std::pair(!flags.check.empty(), "--check")}) {
    if (given) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} and {} exclude each other", kNpuConfig, option));
    }
  }
}

// --budget and --no_latency are of a measurement.
void CheckLimits(const RunFlags& flags) {
  const std::string_view limit =
      !flags.budget.empty() ? "--budget" : (flags.no_latency ? "--no_latency" : "");
  const std::string_view other = !flags.check.empty() ? "--check" : "--profile";
  if (!limit.empty() && (!flags.check.empty() || Profiles(flags))) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} is of a measurement of accuracy and latency, which {} is not; "
                            "leave one of them out",
                            limit, other));
  }
  if (!flags.budget.empty() && !ParseBudget(flags.budget).time) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("--budget={}: expected a time such as 90s, 10min or 2h, as run measures "
                    "one plan",
                    Shown(flags.budget)));
  }
}

}  // namespace

bool TakesStored(const RunFlags& flags) {
  return flags.from_bank || !flags.select.empty() || !flags.mdl_bank_path.empty() ||
         (!flags.op_bank_path.empty() && flags.point.empty() && flags.npu_config.empty() &&
          !GivesPrecision(flags.precision));
}

bool Profiles(const RunFlags& flags) {
  return flags.profile || !flags.profile_output.empty();
}

void CheckRunOptions(const RunFlags& flags) {
  CheckPointBeside(flags);
  CheckScriptBeside(flags);
  if (!flags.check.empty() && Profiles(flags)) {
    throw Error(ErrorKind::kUsage,
                "--check compares outputs and --profile takes times; leave one of them out");
  }
  CheckLimits(flags);
  if (!flags.check.empty()) {
    return;
  }
  if (!flags.measure.on.runtime.empty() &&
      (Profiles(flags) || flags.explain || !flags.save.empty())) {
    throw Error(ErrorKind::kUsage,
                "--measure runs the network elsewhere, --profile, --explain and --save are of "
                "halftone's kernels; leave one of them out");
  }
  if (!flags.save.empty() && Profiles(flags)) {
    throw Error(ErrorKind::kUsage,
                "--save writes outputs and --profile takes times; leave one of them out");
  }
  if (flags.model.model.empty()) {
    throw Error(ErrorKind::kUsage,
                "E10054: --model is missing: name an ONNX file, or folders with --check");
  }
  if (TakesStored(flags) && GivesPrecision(flags.precision)) {
    throw Error(ErrorKind::kUsage,
                "--from_bank, --select and --mdl_bank_path take a stored configuration and exclude "
                "precision options; "
                "leave one of them out");
  }
}

void AddRunOptions(CLI::App& app, RunFlags& flags) {
  AddModelFlags(app, flags.model, false);
  AddDataFlags(app, flags.data);
  AddPrecisionFlags(app, flags.precision);
  AddPointFlag(app, flags.point);
  AddNpuConfigFlag(app, flags.npu_config, "run with its options");
  AddMeasureFlags(app, flags.measure);
  AddRuntimeFlags(app, flags.measure.on);
  AddMetricFlags(app, flags.measure.metric);
  AddBankFlag(app, flags.op_bank_path);
  AddSubgraphBankFlag(app, flags.mdl_bank_path);
  app.add_flag("--from_bank", flags.from_bank,
               "Run the stored configuration of this network; implied by --op_bank_path without "
               "precision options (with them, only what operator tuning chose is taken from the "
               "knowledge base)");
  app.add_option(
      "--select", flags.select,
      "Stored point to run: fastest, most_accurate, or its number; default: the chosen one");
  app.add_flag("--explain", flags.explain,
               "Say which kernel each step takes, and why not a better one");
  app.add_flag(
      "--profile", flags.profile,
      "Time every step of the configuration in place of measuring it: by operator, and the "
      "longest ones");
  app.add_option("--profile_output", flags.profile_output,
                 "Folder for the whole profile: profile.json, and trace.json for chrome://tracing "
                 "and Perfetto; implies --profile");
  app.add_option("--budget", flags.budget,
                 "Limit on the whole run, a time (90s, 10min, 2h): fewer samples and rounds of "
                 "latency, where it is short; accuracy comes first");
  app.add_flag("--no_latency", flags.no_latency, "Accuracy alone: leave out the latency");
  app.add_option("--save", flags.save,
                 "Folder for the outputs: a .npy file each, the samples along the first axis");
  app.add_option("--check", flags.check,
                 "Folders with model.onnx and test_data_set_N/{input,output}_i.pb: run in float32, "
                 "compare, one line each");
  RequireRange(app.add_option("--rtol", flags.tolerances.relative_tolerance,
                              "Relative tolerance of --check"),
               limits::kToleranceRange)
      ->capture_default_str();
  RequireRange(
      app.add_option("--atol", flags.tolerances.absolute_tolerance,
                     "Absolute tolerance of --check, times the range of the expected output"),
      limits::kToleranceRange)
      ->capture_default_str();
}

}  // namespace halftone
