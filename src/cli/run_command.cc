#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "src/api/bank/point_kernels.h"
#include "src/api/profile.h"
#include "src/api/retune/retune.h"
#include "src/api/shape_profiles.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/output_file.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/cli/latency_budget.h"
#include "src/cli/point_option.h"
#include "src/cli/shared_options.h"
#include "src/cli/terminal.h"

namespace halftone {
namespace {

// Files in the folder of --profile_output.
constexpr std::string_view kProfileFile = "profile.json";
constexpr std::string_view kTraceFile = "trace.json";

struct RunFlags {
  ModelFlags model;
  DataFlags data;
  PrecisionArguments precision;
  std::string point;
  MeasureSettings measure;
  std::string op_bank_path;
  std::string select;
  bool from_bank = false;
  bool explain = false;
  bool profile = false;
  std::string profile_output;
  std::string save;
  std::vector<std::string> check;
  CheckOptions tolerances;
};

int RunCheck(const RunFlags& flags) {
  std::size_t passed = 0;
  CheckOptions options = flags.tolerances;
  options.threads = flags.measure.threads;
  const FusionSwitches switches = LoadFusionSwitches(flags.model.fusion_switch_file);
  PrintWarnings(switches.warnings);
  options.fusions_off = switches.off;
  options.max_memory = MaxMemoryOf(flags.model);
  for (const std::string& folder : flags.check) {
    const CheckResult result = CheckFolder(folder, options);
    passed += result.passed ? 1 : 0;
    PrintLine(
        fmt::format("{} {}: {}", result.passed ? "pass" : "FAIL", result.folder, result.detail));
  }
  PrintLine(fmt::format("{} passed, {} failed", passed, flags.check.size() - passed));
  return passed == flags.check.size() ? kExitDone : kExitFailure;
}

void PrintResult(const RunResult& result) {
  const Measurement& measurement = result.measurement;
  PrintLine("configuration: " + result.configuration);
  PrintLine(fmt::format(
      "speed-up {} over fp32; {} a run, fp32 {}", FormatSpeedUp(measurement.latency),
      FormatSeconds(measurement.latency.median_s), FormatSeconds(result.reference_latency_s)));
  for (const MetricValue& value : measurement.accuracy.metrics) {
    if (value.name.starts_with("top") && !result.shows_classes) {
      continue;
    }
    const std::optional<Interval> interval = MeanInterval(value);
    const auto text = [&](double number) { return FormatMetric(value.name, number); };
    PrintLine(fmt::format(
        "{:<16} mean {:<12} {}worst {} (sample {})", value.name, text(value.mean),
        interval ? fmt::format("[{}, {}] ", text(interval->low), text(interval->high)) : "",
        text(value.worst), FormatWorstSample(value)));
  }
  if (measurement.accuracy.flips && result.shows_classes) {
    PrintLine(fmt::format("{:<16} {}", "top-1", Describe(*measurement.accuracy.flips)));
  }
  for (const std::string& sentence : result.judging) {
    PrintLine(sentence);
  }
  for (const std::string& sentence : result.overflow) {
    PrintLine(sentence);
  }
  if (result.reference_top1) {
    PrintLine(fmt::format("{:<16} {:.6g}", "top1 of fp32", *result.reference_top1));
  }
  if (const auto& run = measurement.runtime) {
    PrintLine(fmt::format("on {}{}{}{}", run->runtime, run->detail.empty() ? "" : ": ", run->detail,
                          run->own_outputs ? "" : "; accuracy is that of halftone's kernels"));
  }
  PrintLine(fmt::format("{}{}{}; plan {}", Counted(result.sample_count, "sample"),
                        result.representative ? "" : " of random data",
                        measurement.runtime ? ""
                                            : "; arena " + FormatBytes(static_cast<double>(
                                                               measurement.peak_arena_bytes)),
                        result.plan_digest.ToHex()));
}

bool GivesPrecision(const PrecisionArguments& arguments) {
  const auto rows = AllPrecisionOptions();
  return std::any_of(rows.begin(), rows.end(), [&](const PrecisionOptionRow& row) {
    return !(arguments.*row.argument).empty();
  });
}

// Prints and writes a profile, in place of a measurement.
void Profile(const RunFlags& flags, const Model& model, const TargetSpec& target,
             const PrecisionOptions& precision, const KernelChoices& choices) {
  const std::filesystem::path folder = flags.profile_output;
  if (!folder.empty()) {
    OutputFile::Check(folder / kProfileFile);
    OutputFile::Check(folder / kTraceFile);
  }
  const RunProfile profile = ProfileRun(model, target, precision, flags.data.options,
                                        {.threads = flags.measure.threads, .choices = {choices}});
  PrintText(FormatProfile(profile, ListColumns()));
  if (!folder.empty()) {
    WriteFileAtomically(folder / kProfileFile, ProfileJson(profile));
    WriteFileAtomically(folder / kTraceFile, ProfileTrace(profile));
    PrintLine(fmt::format("wrote profile.json and trace.json (chrome://tracing, Perfetto) to {}",
                          folder.string()));
  }
}

bool TakesStored(const RunFlags& flags) {
  return flags.from_bank || !flags.select.empty() ||
         (!flags.op_bank_path.empty() && flags.point.empty() && !GivesPrecision(flags.precision));
}

bool Profiles(const RunFlags& flags) {
  return flags.profile || !flags.profile_output.empty();
}

PrecisionOptions StoredPrecision(const RunFlags& flags, const Model& model,
                                 const std::filesystem::path& bank, const TargetSpec& target) {
  const StoredConfiguration configuration = LoadStored(model, bank, target.name, flags.select);
  PrintWarnings(configuration.warnings);
  PrintLine(fmt::format("stored configuration of {}: {}", configuration.recorded_at,
                        Summary(configuration.trial.candidate)));
  const Nearness nearness = NearnessOf(configuration.trial.measurement()->accuracy);
  PrintLine(fmt::format("stored: speed-up {}, {} {}, plan {}",
                        FormatSpeedUp(configuration.trial.measurement()->latency), nearness.mean,
                        nearness.what, configuration.trial.plan_digest.ToHex()));
  return configuration.precision;
}

// What point.json says of a point that was measured, to compare with what is measured now.
void PrintMeasuredThen(const Point& point, const Model& model, const TargetOptions& target) {
  if (!point.record || point.record->measured.empty()) {
    return;
  }
  const ShippedFront then = ReadShippedPoint(model, point.folder, target);
  const Measurement& measurement = *then.members.at(0).measurement();
  const Nearness nearness = NearnessOf(measurement.accuracy);
  PrintLine(fmt::format("measured by tune at {}: speed-up {}, {} {}, halftone {} on {}",
                        then.recorded_at, FormatSpeedUp(measurement.latency), nearness.mean,
                        nearness.what, then.tool_version, then.cpu));
  if (then.input_shapes != model.input_shapes) {
    PrintLine(fmt::format("that was over the input shapes {}", then.input_shapes));
  }
}

void PrintKernels(const Model& model, const TargetSpec& target, const PrecisionOptions& precision,
                  const KernelChoices& choices) {
  for (const KernelUse& use : ExplainKernels(model, target, precision, choices)) {
    PrintLine(
        fmt::format("{} ({}, {}): {}{}{}", use.node, use.op, use.dtype, use.kernel,
                    use.passed_over.empty() ? "" : "; passed over: ", Join(use.passed_over, "; ")));
  }
}

// What operator tuning chose for each model: of the point, and of the bank where it has more.
std::vector<KernelChoices> ChoicesFor(const RunFlags& flags, const std::optional<Point>& point,
                                      std::span<const Model> models, const TargetSpec& target,
                                      const std::optional<BankLocation>& bank) {
  std::vector<KernelChoices> all;
  for (const Model& model : models) {
    PointChoices chosen;
    if (point) {
      chosen = ChoicesOfPoint(*point, flags.measure.threads);
    }
    if (bank) {
      const KernelChoices stored =
          LoadKernelChoices(model, bank->path, target.name, flags.measure.threads);
      if (chosen.choices.empty()) {
        chosen.choices = stored;
      }
      for (const auto& [signature, kernel] : stored.kernels()) {
        chosen.choices.Set(signature, kernel);
      }
    }
    if (!chosen.note.empty() && chosen.choices.empty()) {
      PrintNotes({chosen.note});
    }
    all.push_back(std::move(chosen.choices));
  }
  return all;
}

// The models are one network at several input shapes.
void RunModels(const RunFlags& flags, const std::optional<Point>& point,
               std::span<const Model> models, const TargetSpec& target,
               PrecisionOptions precision) {
  RequirePlanOf(point, models.front(), target, precision);
  const bool with_bank = TakesStored(flags) || !flags.op_bank_path.empty();
  const std::optional<BankLocation> bank =
      with_bank ? std::optional(ResolveBank(flags.op_bank_path)) : std::nullopt;
  const std::vector<KernelChoices> choices = ChoicesFor(flags, point, models, target, bank);
  if (TakesStored(flags)) {
    precision = StoredPrecision(flags, models.front(), bank->path, target);
  }
  if (flags.explain) {
    PrintKernels(models.front(), target, precision, choices.front());
  }
  if (Profiles(flags)) {
    Profile(flags, models.front(), target, precision, choices.front());
    return;
  }
  if (!flags.save.empty()) {
    const std::vector<std::string> files =
        SaveOutputs(models.front(), target, precision, flags.data.options, flags.measure.threads,
                    choices.front(), flags.save);
    PrintLine(fmt::format("outputs: {} in {}", Join(files, ", "), flags.save));
  }
  if (point) {
    PrintMeasuredThen(*point, models.front(), flags.model.target);
  }
  const std::vector<RunResult> results =
      RunShapeProfiles(models, target, precision, flags.data.options, flags.measure, choices);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (models.size() > 1) {
      PrintText(i > 0 ? "\n" : "");
      PrintLine(fmt::format("input shape {}", NameOfProfile(models, i)));
    }
    PrintWarnings(results[i].warnings);
    if (!results[i].load_warning.empty()) {
      PrintWarnings({results[i].load_warning});
    }
    PrintResult(results[i]);
    if (with_bank || !choices[i].empty()) {
      PrintLine(fmt::format("{} of {} use a kernel that operator tuning chose",
                            results[i].tuned_steps,
                            Counted(static_cast<std::int64_t>(results[i].steps), "step")));
    }
  }
  if (!target.is_host() && flags.measure.on.runtime.empty()) {
    PrintLine(LatencyNote(target.name));
  }
}

// The models to run; what takes one input shape says so.
std::vector<Model> ModelsToRun(const RunFlags& flags) {
  const DatasetOptions& data = flags.data.options;
  std::vector<Model> models;
  if (TakesStored(flags)) {
    models.push_back(LoadModelOf(flags.model, data, "a stored configuration"));
  } else if (Profiles(flags)) {
    models.push_back(LoadModelOf(flags.model, data, "--profile"));
  } else if (flags.explain) {
    models.push_back(LoadModelOf(flags.model, data, "--explain"));
  } else if (!flags.save.empty()) {
    models.push_back(LoadModelOf(flags.model, data, "--save"));
  } else {
    models = LoadModelsOf(flags.model, &data);
  }
  return models;
}

// A stored configuration, those that --check compares in float32, and a point exclude each other.
void CheckPointBeside(const RunFlags& flags) {
  if (flags.point.empty()) {
    return;
  }
  for (const auto& [given, option] :
       {std::pair(flags.from_bank, "--from_bank"), std::pair(!flags.select.empty(), "--select"),
        std::pair(!flags.check.empty(), "--check")}) {
    if (given) {
      throw Error(ErrorKind::kUsage, fmt::format("--point and {} exclude each other", option));
    }
  }
}

void RunOne(RunFlags& flags, int& exit_code) {
  CheckPointBeside(flags);
  if (!flags.check.empty() && Profiles(flags)) {
    throw Error(ErrorKind::kUsage,
                "--check compares outputs and --profile takes times; leave one of them out");
  }
  if (!flags.check.empty()) {
    exit_code = RunCheck(flags);
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
                "--from_bank/--select take a stored configuration and exclude precision options; "
                "leave one of them out");
  }
  const std::optional<Point> point = TakePoint(flags.point, flags.model, flags.precision);
  const TargetSpec target = LoadTargetOf(flags.model.target);
  PrecisionOptions precision;
  if (!TakesStored(flags)) {
    const LoadedPrecision loaded = LoadPrecisionOf(point, flags.precision, target);
    PrintWarnings(loaded.warnings);
    precision = loaded.options;
  }
  RunModels(flags, point, ModelsToRun(flags), target, precision);
}

}  // namespace

void DefineRunCommand(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<RunFlags>();
  AddModelFlags(app, flags->model, false);
  AddDataFlags(app, flags->data);
  AddPrecisionFlags(app, flags->precision);
  AddPointFlag(app, flags->point);
  AddMeasureFlags(app, flags->measure);
  AddRuntimeFlags(app, flags->measure.on);
  AddMetricFlags(app, flags->measure.metric);
  AddBankFlag(app, flags->op_bank_path);
  app.add_flag("--from_bank", flags->from_bank,
               "Run the stored configuration of this network; implied by --op_bank_path without "
               "precision options (with them, only what operator tuning chose is taken from the "
               "knowledge base)");
  app.add_option(
      "--select", flags->select,
      "Stored point to run: fastest, most_accurate, or its number; default: the chosen one");
  app.add_flag("--explain", flags->explain,
               "Say which kernel each step takes, and why not a better one");
  app.add_flag(
      "--profile", flags->profile,
      "Time every step of the configuration in place of measuring it: by operator, and the "
      "longest ones");
  app.add_option("--profile_output", flags->profile_output,
                 "Folder for the whole profile: profile.json, and trace.json for chrome://tracing "
                 "and Perfetto; implies --profile");
  app.add_option("--save", flags->save,
                 "Folder for the outputs: a .npy file each, the samples along the first axis");
  app.add_option("--check", flags->check,
                 "Folders with model.onnx and test_data_set_N/{input,output}_i.pb: run in float32, "
                 "compare, one line each");
  RequireRange(app.add_option("--rtol", flags->tolerances.relative_tolerance,
                              "Relative tolerance of --check"),
               limits::kToleranceRange)
      ->capture_default_str();
  RequireRange(
      app.add_option("--atol", flags->tolerances.absolute_tolerance,
                     "Absolute tolerance of --check, times the range of the expected output"),
      limits::kToleranceRange)
      ->capture_default_str();
  app.final_callback([flags, &exit_code] {
    TakeLatencyBudget(flags->measure);
    RunOne(*flags, exit_code);
  });
}

}  // namespace halftone
