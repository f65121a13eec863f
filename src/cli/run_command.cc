#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "halftone/goal.h"
#include "src/api/bank/point_kernels.h"
#include "src/api/operator_tuning.h"
#include "src/api/profile.h"
#include "src/api/shape_profiles.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/output_file.h"
#include "src/base/text.h"
#include "src/cli/bank_option.h"
#include "src/cli/command.h"
#include "src/cli/interrupt.h"
#include "src/cli/latency_budget.h"
#include "src/cli/npu_config.h"
#include "src/cli/point_option.h"
#include "src/cli/run_options.h"
#include "src/cli/run_texts.h"
#include "src/cli/run_watch.h"
#include "src/cli/shared_options.h"
#include "src/cli/target_flags.h"
#include "src/cli/terminal.h"

namespace halftone {
namespace {

// Files in the folder of --profile_output.
constexpr std::string_view kProfileFile = "profile.json";
constexpr std::string_view kTraceFile = "trace.json";

int ExitCodeOfRun() {
  return InterruptGuard::Requested() ? kExitInterrupted : kExitDone;
}

int RunCheck(const RunFlags& flags, RunWatch& watch) {
  std::size_t passed = 0;
  std::size_t failed = 0;
  CheckOptions options = flags.tolerances;
  options.threads = flags.measure.threads;
  const FusionSwitches switches =
      LoadFusionSwitches(flags.model.fusion_switch_file, flags.model.target);
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

// "profile.json", and of further input shapes "profile_2.json".
std::filesystem::path FileOfShape(const std::filesystem::path& file, std::size_t shape) {
  return shape == 0 ? file
                    : std::filesystem::path(fmt::format("{}_{}{}", file.stem().string(), shape + 1,
                                                        file.extension().string()));
}

// Prints and writes a profile of each input shape, in place of a measurement.
int Profile(const RunFlags& flags, std::span<const Model> models, const RunSetup& setup,
            RunWatch& watch) {
  const std::filesystem::path folder = flags.profile_output;
  for (std::size_t i = 0; i < models.size() && !folder.empty(); ++i) {
    OutputFile::Check(folder / FileOfShape(kProfileFile, i));
    OutputFile::Check(folder / FileOfShape(kTraceFile, i));
  }
  ProfileSettings settings{.threads = flags.measure.threads,
                           .choices = {setup.choices.begin(), setup.choices.end()}};
  settings.hooks = watch.hooks();
  const std::vector<RunProfile> profiles =
      ProfileShapes(models, setup.target, setup.precision, setup.data, settings);
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
bool Save(const RunFlags& flags, std::span<const Model> models, const RunSetup& setup,
          RunWatch& watch) {
  const SavedOutputs saved =
      SaveOutputs(models, setup, flags.measure.threads, flags.save, watch.hooks());
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

PrecisionOptions StoredPrecision(const RunFlags& flags, std::span<const Model> models,
                                 const std::filesystem::path& bank, const TargetSpec& target) {
  const StoredConfiguration configuration = LoadStored(models, bank, target, flags.select);
  PrintWarnings(configuration.warnings);
  PrintLine(fmt::format("stored configuration of {}: {}", configuration.recorded_at,
                        Summary(configuration.trial.candidate, VocabularyOf(target))));
  const Nearness nearness = NearnessOf(configuration.trial.measurement()->accuracy);
  PrintLine(fmt::format("stored: speed-up {}, {} {}, plan {}",
                        FormatSpeedUp(configuration.trial.measurement()->latency), nearness.mean,
                        nearness.what, configuration.trial.plan_digest.ToHex()));
  return configuration.precision;
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
int RunAndPrint(const RunFlags& flags, std::span<const Model> models, const RunSetup& setup,
                bool with_bank, RunWatch& watch) {
  const auto print_end = [&](const RunResult& result, std::size_t shape) {
    PrintLatency(result);
    if (!result.load_warning.empty()) {
      PrintWarnings({result.load_warning});
    }
    if (with_bank || !setup.choices[shape].empty()) {
      PrintLine(fmt::format("{} of {} use a kernel that operator tuning chose", result.tuned_steps,
                            Counted(static_cast<std::int64_t>(result.steps), "step")));
    }
    PrintEnd(flags.budget, result);
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
  RunShapeProfiles(models, setup, flags.measure, hooks);
  watch.Finish();
  if (!setup.target.is_host() && flags.measure.on.runtime.empty() && flags.measure.latency) {
    PrintLine(LatencyNote(setup.target.name));
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
      with_bank ? std::optional(ResolveBank(flags.op_bank_path, flags.mdl_bank_path))
                : std::nullopt;
  const std::vector<KernelChoices> choices = ChoicesFor(flags, point, models, target, bank);
  if (TakesStored(flags)) {
    precision = StoredPrecision(flags, models, bank->path, target);
  }
  if (flags.explain) {
    PrintKernels(models, target, precision, choices);
  }
  const RunSetup setup{target, precision, flags.data.options, choices};
  if (Profiles(flags)) {
    return Profile(flags, models, setup, watch);
  }
  if (!flags.save.empty() && !Save(flags, models, setup, watch)) {
    return kExitInterrupted;
  }
  if (point) {
    PrintMeasuredThen(*point, models, flags.model.target);
  }
  return RunAndPrint(flags, models, setup, with_bank, watch);
}

void RunOne(RunFlags& flags, int& exit_code) {
  const auto time = std::make_shared<TimeBudget>();
  flags.measure.latency = !flags.no_latency;
  CheckRunOptions(flags);
  if (!flags.budget.empty()) {
    time->SetLimit(ParseBudget(flags.budget).time->count());
  }
  if (!flags.check.empty()) {
    RunWatch watch(time);
    exit_code = RunCheck(flags, watch);
    return;
  }
  const std::optional<Point> point = TakePoint(flags.point, flags.model, flags.precision);
  const TargetSpec target = LoadTargetOf(flags.model.target);
  PrecisionOptions precision;
  TrainingScript script;
  if (!TakesStored(flags)) {
    if (!flags.npu_config.empty()) {
      script = ReadTrainingScript(flags.npu_config);
    }
    const LoadedPrecision loaded =
        flags.npu_config.empty()
            ? LoadPrecisionOf(point, flags.precision, target)
            : LoadWithScript(script, flags.npu_config, flags.precision, target);
    PrintWarnings(loaded.warnings);
    precision = loaded.options;
  }
  const std::vector<Model> models =
      LoadModelsAtShapes(flags.model, flags.data.options, "at each of which it is run");
  if (!flags.npu_config.empty()) {
    PrintWarnings(CheckTrainingScript(script, models.front().graph, precision, target));
  }
  RunWatch watch(time);
  exit_code = RunModels(flags, point, models, target, precision, watch);
}

}  // namespace

void DefineRunCommand(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<RunFlags>();
  AddRunOptions(app, *flags);
  app.final_callback([flags, &exit_code] {
    TakeLatencyBudget(flags->measure);
    RunOne(*flags, exit_code);
  });
}

}  // namespace halftone
