#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "src/api/bank/point_kernels.h"
#include "src/api/goal.h"
#include "src/api/profile.h"
#include "src/api/retune/retune.h"
#include "src/api/shape_profiles.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/output_file.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/cli/interrupt.h"
#include "src/cli/latency_budget.h"
#include "src/cli/point_option.h"
#include "src/cli/shared_options.h"
#include "src/cli/step_progress.h"
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
  std::string budget;
  bool no_latency = false;
};

// What a run shows while it lasts, and its end.
class RunWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // `begin`: of the command.
  RunWatch(const RunFlags& flags, Clock::time_point begin) {
    hooks_.stop_requested = StopRequested;
    hooks_.on_progress = [this](std::string_view what, std::size_t done, std::size_t planned) {
      progress_.Set(what, done, planned);
    };
    if (!flags.budget.empty()) {
      const Budget budget = ParseBudget(flags.budget);
      hooks_.left_s = [begin, time = budget.time.value()] {
        return std::chrono::duration<double>(time - (Clock::now() - begin)).count();
      };
    }
  }

  [[nodiscard]] RunHooks& hooks() { return hooks_; }

  // Ends the line of progress, so that results can be printed.
  void Finish() { progress_.Finish(); }

 private:
  InterruptGuard interrupt_;
  RunHooks hooks_;
  StepProgressLine progress_;
};

int ExitCodeOfRun() {
  return InterruptGuard::Requested() ? kExitInterrupted : kExitDone;
}

int RunCheck(const RunFlags& flags, RunWatch& watch) {
  std::size_t passed = 0;
  std::size_t failed = 0;
  CheckOptions options = flags.tolerances;
  options.threads = flags.measure.threads;
  const FusionSwitches switches = LoadFusionSwitches(flags.model.fusion_switch_file);
  PrintWarnings(switches.warnings);
  options.fusions_off = switches.off;
  options.max_memory = MaxMemoryOf(flags.model);
  options.hooks = watch.hooks();
  for (const std::string& folder : flags.check) {
    const CheckResult result = CheckFolder(folder, options);
    watch.Finish();
    if (result.interrupted) {
      PrintNote(fmt::format("interrupted in '{}' after {}", result.folder,
                            Counted(static_cast<std::int64_t>(result.sets), "set")));
      break;
    }
    (result.passed ? passed : failed) += 1;
    PrintLine(
        fmt::format("{} {}: {}", result.passed ? "pass" : "FAIL", result.folder, result.detail));
  }
  PrintLine(fmt::format("{} passed, {} failed", passed, failed));
  return InterruptGuard::Requested()    ? kExitInterrupted
         : passed == flags.check.size() ? kExitDone
                                        : kExitFailure;
}

void PrintAccuracy(const RunResult& result) {
  const Measurement& measurement = result.measurement;
  PrintLine("configuration: " + result.configuration);
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
  const bool all = result.sample_count == result.planned_samples;
  PrintLine(fmt::format(
      "{}{}{}{}; plan {}", all ? "" : fmt::format("{} of ", result.sample_count),
      Counted(result.planned_samples, "sample"), result.representative ? "" : " of random data",
      measurement.runtime
          ? ""
          : "; arena " + FormatBytes(static_cast<double>(measurement.peak_arena_bytes)),
      result.plan_digest.ToHex()));
}

// Fewest rounds whose interval has 95 %: 2^-5 is the share of six that lie on one side.
constexpr std::size_t kRoundsOfAnInterval = 6;

void PrintLatency(const RunResult& result) {
  const Measurement& measurement = result.measurement;
  if (result.timed) {
    const std::size_t rounds = measurement.latency.candidate_samples_s.size();
    PrintLine(fmt::format(
        "speed-up {} over fp32; {} a run, fp32 {}{}", FormatSpeedUp(measurement.latency),
        FormatSeconds(measurement.latency.median_s), FormatSeconds(result.reference_latency_s),
        rounds == 0 || rounds >= kRoundsOfAnInterval
            ? ""
            : fmt::format("; of {} only, too few for an interval of 95 %",
                          Counted(static_cast<std::int64_t>(rounds), "round"))));
  }
  if (!result.no_latency.empty()) {
    PrintLine("latency: not measured, " + result.no_latency);
  }
  if (const auto& run = measurement.runtime) {
    PrintLine(fmt::format("on {}{}{}{}", run->runtime, run->detail.empty() ? "" : ": ", run->detail,
                          run->own_outputs ? "" : "; accuracy is that of halftone's kernels"));
  }
}

// How far the run came before it was ended.
void PrintEnd(const RunFlags& flags, const RunResult& result) {
  if (!result.interrupted && result.sample_count < result.planned_samples) {
    PrintWarning(fmt::format("accuracy is that of {} of {} samples, for which --budget={} has time",
                             result.sample_count, result.planned_samples, flags.budget));
  }
  if (!result.interrupted) {
    return;
  }
  const std::size_t rounds = result.measurement.latency.candidate_samples_s.size();
  PrintNote(
      result.sample_count < result.planned_samples
          ? fmt::format("interrupted after {} of {} samples", result.sample_count,
                        result.planned_samples)
          : fmt::format("interrupted after all samples and {} of latency",
                        Counted(static_cast<std::int64_t>(result.timed ? rounds : 0), "round")));
}

bool GivesPrecision(const PrecisionArguments& arguments) {
  const auto rows = AllPrecisionOptions();
  return std::any_of(rows.begin(), rows.end(), [&](const PrecisionOptionRow& row) {
    return !(arguments.*row.argument).empty();
  });
}

// "profile.json", and of further input shapes "profile_2.json".
std::filesystem::path FileOfShape(const std::filesystem::path& file, std::size_t shape) {
  return shape == 0 ? file
                    : std::filesystem::path(fmt::format("{}_{}{}", file.stem().string(), shape + 1,
                                                        file.extension().string()));
}

// A heading where the network has several input shapes.
void PrintShape(std::span<const Model> models, std::size_t shape) {
  if (models.size() > 1) {
    PrintText(shape > 0 ? "\n" : "");
    PrintLine(fmt::format("input shape {}", NameOfProfile(models, shape)));
  }
}

// Prints and writes a profile of each input shape, in place of a measurement.
int Profile(const RunFlags& flags, std::span<const Model> models, const TargetSpec& target,
            const PrecisionOptions& precision, const std::vector<KernelChoices>& choices,
            RunWatch& watch) {
  const std::filesystem::path folder = flags.profile_output;
  for (std::size_t i = 0; i < models.size() && !folder.empty(); ++i) {
    OutputFile::Check(folder / FileOfShape(kProfileFile, i));
    OutputFile::Check(folder / FileOfShape(kTraceFile, i));
  }
  ProfileSettings settings{.threads = flags.measure.threads, .choices = choices};
  settings.hooks = watch.hooks();
  const std::vector<RunProfile> profiles =
      ProfileShapes(models, target, precision, flags.data.options, settings);
  watch.Finish();
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const RunProfile& profile = profiles[i];
    PrintWarnings(profile.notes);
    if (profile.interrupted) {
      PrintNote(fmt::format("interrupted after {} of {} runs", profile.runs, settings.runs));
    }
    if (profile.runs == 0) {
      return kExitInterrupted;
    }
    PrintShape(models, i);
    PrintText(FormatProfile(profile, ListColumns()));
    if (!folder.empty()) {
      const std::filesystem::path files[] = {FileOfShape(kProfileFile, i),
                                             FileOfShape(kTraceFile, i)};
      WriteFileAtomically(folder / files[0], ProfileJson(profile));
      WriteFileAtomically(folder / files[1], ProfileTrace(profile));
      PrintLine(fmt::format("wrote {} and {} (chrome://tracing, Perfetto) to {}", files[0].string(),
                            files[1].string(), folder.string()));
    }
  }
  return ExitCodeOfRun();
}

// Writes the outputs. False: interrupted before the last sample.
bool Save(const RunFlags& flags, std::span<const Model> models, const TargetSpec& target,
          const PrecisionOptions& precision, const std::vector<KernelChoices>& choices,
          RunWatch& watch) {
  const SavedOutputs saved = SaveOutputs(models, target, precision, flags.data.options,
                                         flags.measure.threads, choices, flags.save, watch.hooks());
  watch.Finish();
  PrintWarnings(saved.notes);
  if (!saved.files.empty()) {
    PrintLine(fmt::format("outputs: {} in {}", Join(saved.files, ", "), flags.save));
  }
  if (saved.samples < saved.planned) {
    PrintNote(fmt::format("interrupted: the outputs are those of {} of {} samples", saved.samples,
                          saved.planned));
  }
  return saved.samples == saved.planned;
}

bool TakesStored(const RunFlags& flags) {
  return flags.from_bank || !flags.select.empty() ||
         (!flags.op_bank_path.empty() && flags.point.empty() && !GivesPrecision(flags.precision));
}

bool Profiles(const RunFlags& flags) {
  return flags.profile || !flags.profile_output.empty();
}

PrecisionOptions StoredPrecision(const RunFlags& flags, std::span<const Model> models,
                                 const std::filesystem::path& bank, const TargetSpec& target) {
  const StoredConfiguration configuration = LoadStored(models, bank, target.name, flags.select);
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
void PrintMeasuredThen(const Point& point, std::span<const Model> models,
                       const TargetOptions& target) {
  if (!point.record || point.record->measured.empty()) {
    return;
  }
  const ShippedFront then = ReadShippedPoint(models.front(), point.folder, target);
  const Measurement& measurement = *then.members.at(0).measurement();
  const Nearness nearness = NearnessOf(measurement.accuracy);
  PrintLine(fmt::format("measured by tune at {}: speed-up {}, {} {}, halftone {} on {}",
                        then.recorded_at, FormatSpeedUp(measurement.latency), nearness.mean,
                        nearness.what, then.tool_version, then.cpu));
  if (then.input_shapes != NamesOfProfiles(models)) {
    PrintLine(fmt::format("that was over the input shapes {}", then.input_shapes));
  }
}

void PrintKernels(std::span<const Model> models, const TargetSpec& target,
                  const PrecisionOptions& precision, const std::vector<KernelChoices>& choices) {
  const std::vector<PrecisionPlan> plans = PlansOfProfiles(models, target, precision);
  for (std::size_t i = 0; i < models.size(); ++i) {
    PrintShape(models, i);
    for (const KernelUse& use : ExplainKernels(models[i].graph, plans[i], choices[i])) {
      PrintLine(fmt::format(
          "{} ({}, {}): {}{}{}", use.node, use.op, use.dtype, use.kernel,
          use.passed_over.empty() ? "" : "; passed over: ", Join(use.passed_over, "; ")));
    }
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

// Accuracy of each shape as soon as it is known, and latency behind it.
int RunAndPrint(const RunFlags& flags, std::span<const Model> models, const TargetSpec& target,
                const PrecisionOptions& precision, const std::vector<KernelChoices>& choices,
                bool with_bank, RunWatch& watch) {
  const auto print_end = [&](const RunResult& result, std::size_t shape) {
    PrintLatency(result);
    if (!result.load_warning.empty()) {
      PrintWarnings({result.load_warning});
    }
    if (with_bank || !choices[shape].empty()) {
      PrintLine(fmt::format("{} of {} use a kernel that operator tuning chose", result.tuned_steps,
                            Counted(static_cast<std::int64_t>(result.steps), "step")));
    }
    PrintEnd(flags, result);
  };
  RunHooks hooks = watch.hooks();
  hooks.on_shape_end = [&](const RunResult& result, std::size_t shape) {
    watch.Finish();
    print_end(result, shape);
  };
  hooks.on_accuracy = [&](const RunResult& result, std::size_t shape) {
    watch.Finish();
    PrintShape(models, shape);
    PrintWarnings(result.warnings);
    PrintAccuracy(result);
  };
  RunShapeProfiles(models, target, precision, flags.data.options, flags.measure, choices, hooks);
  watch.Finish();
  if (!target.is_host() && flags.measure.on.runtime.empty() && flags.measure.latency) {
    PrintLine(LatencyNote(target.name));
  }
  return ExitCodeOfRun();
}

// The models are one network at several input shapes.
int RunModels(const RunFlags& flags, const std::optional<Point>& point,
              std::span<const Model> models, const TargetSpec& target, PrecisionOptions precision,
              RunWatch& watch) {
  RequirePlanOf(point, models.front(), target, precision);
  const bool with_bank = TakesStored(flags) || !flags.op_bank_path.empty();
  const std::optional<BankLocation> bank =
      with_bank ? std::optional(ResolveBank(flags.op_bank_path)) : std::nullopt;
  const std::vector<KernelChoices> choices = ChoicesFor(flags, point, models, target, bank);
  if (TakesStored(flags)) {
    precision = StoredPrecision(flags, models, bank->path, target);
  }
  if (flags.explain) {
    PrintKernels(models, target, precision, choices);
  }
  if (Profiles(flags)) {
    return Profile(flags, models, target, precision, choices, watch);
  }
  if (!flags.save.empty() && !Save(flags, models, target, precision, choices, watch)) {
    return kExitInterrupted;
  }
  if (point) {
    PrintMeasuredThen(*point, models, flags.model.target);
  }
  return RunAndPrint(flags, models, target, precision, choices, with_bank, watch);
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

void RunOne(RunFlags& flags, int& exit_code) {
  const auto begin = RunWatch::Clock::now();
  flags.measure.latency = !flags.no_latency;
  CheckPointBeside(flags);
  if (!flags.check.empty() && Profiles(flags)) {
    throw Error(ErrorKind::kUsage,
                "--check compares outputs and --profile takes times; leave one of them out");
  }
  CheckLimits(flags);
  if (!flags.check.empty()) {
    RunWatch watch(flags, begin);
    exit_code = RunCheck(flags, watch);
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
  const std::vector<Model> models =
      LoadModelsAtShapes(flags.model, flags.data.options, "at each of which it is run");
  RunWatch watch(flags, begin);
  exit_code = RunModels(flags, point, models, target, precision, watch);
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
  app.add_option("--budget", flags->budget,
                 "Limit on the whole run, a time (90s, 10min, 2h): fewer samples and rounds of "
                 "latency, where it is short; accuracy comes first");
  app.add_flag("--no_latency", flags->no_latency, "Accuracy alone: leave out the latency");
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
