#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "src/api/expected_bound.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/cli/bank_option.h"
#include "src/cli/checked_command.h"
#include "src/cli/ci_flags.h"
#include "src/cli/color.h"
#include "src/cli/command.h"
#include "src/cli/command_line.h"
#include "src/cli/interrupt.h"
#include "src/cli/latency_budget.h"
#include "src/cli/npu_config.h"
#include "src/cli/point_option.h"
#include "src/cli/progress.h"
#include "src/cli/progress_file.h"
#include "src/cli/quantize_flags.h"
#include "src/cli/shared_options.h"
#include "src/cli/target_flags.h"
#include "src/cli/terminal.h"

namespace halftone {
namespace {

struct TuneFlags {
  ModelFlags model;
  DataFlags data;
  DatasetOptions heldout;
  TuneOptions options;
  std::string op_bank_path;
  std::string output;
  std::string exports = "all";
  std::string modes;
  std::string pinned;
  std::string goal;
  std::string confidence = ConfidenceText(kPromiseConfidence);
  std::map<std::string_view, std::string> bounds;  // by name of the BoundRow
  std::string budget;
  CiFlags ci;
  std::string progress_file;
  std::string npu_config;
  std::string color = "auto";
  double time_limit_s = 0;
  bool no_bank = false;
  std::string seed_bank;
  std::string operator_tuning;
  QuantizeFlags quantize;
  TrainingScript script;  // of npu_config
};

struct ExitRow {
  RunEnd end;
  int exit_code;
};

constexpr ExitRow kExits[] = {
    {RunEnd::kDone, kExitDone},
    {RunEnd::kInterrupted, kExitInterrupted},
    {RunEnd::kNoneMeets, kExitNoneMeetsBound},
    {RunEnd::kNotPromised, kExitNoneMeetsBound},
    {RunEnd::kGateFailed, kExitGateFailed},
    {RunEnd::kNothingSearched, kExitNoneMeetsBound},
};

int ExitCodeOf(RunEnd end) {
  const auto* const row = std::ranges::find(kExits, end, &ExitRow::end);
  Check(row != std::end(kExits), "every end of a run has an exit code");
  return row->exit_code;
}

void Take(const TuneSummary& summary, ProgressFile& file) {
  std::vector<Trial> trials;
  for (const FrontPoint& point : summary.front.points) {
    trials.push_back(point.trial);
  }
  file.Judge(summary.constraints, summary.reference.top1);
  file.Take(summary.search.measured, summary.search.known, trials);
}

// The work, once all options are known to be right.
// `time` began with the command.
RunOutcome TuneAndPrint(const TuneFlags& flags, const std::shared_ptr<TimeBudget>& time,
                        ProgressFile& progress_file) {
  TuneOptions options = flags.options;
  ProgressLine progress(options.budget.time ? options.budget.time->count() : 0,
                        VocabularyOf(LoadTarget(options.target.soc_version)));
  const std::vector<Model> models = LoadModelsAtShapes(
      flags.model, options.data,
      "which are tuned for together (--shape_weights says how often each is run)");
  if (options.baseline) {
    PrecisionOptions baseline = *options.baseline;
    PrintWarnings(CheckTrainingScript(flags.script, models.front().graph, baseline,
                                      LoadTarget(options.target)));
    options.baseline = std::make_shared<const PrecisionOptions>(std::move(baseline));
  }
  const InterruptGuard interrupt;
  TuneCallbacks callbacks;
  callbacks.time = time;
  progress.Watch(callbacks);
  callbacks.on_warning = [&](const std::string& text) { progress.Note("warning: " + text); };
  callbacks.on_promises = [&](const std::string& note) { progress.Note("promise: " + note); };
  callbacks.stop_requested = StopRequested;
  progress_file.Watch(callbacks);
  TuneSummary summary;
  try {
    summary = Tune(models, options, callbacks);
  } catch (...) {
    progress.Finish();
    throw;
  }
  progress.Finish();
  Take(summary, progress_file);
  if (!flags.ci.junit.empty()) {
    WriteFileAtomically(flags.ci.junit, FormatJUnit(summary));
    PrintNote("wrote " + flags.ci.junit);
  }
  const bool colored = UsesColor(flags.color, CurrentColorFacts());
  PrintText(FormatConsole(summary, {.colored = colored, .columns = TerminalColumns()}),
            colored ? Colors::kYes : Colors::kNo);
  if (!summary.run.database.empty()) {
    PrintLine(fmt::format("knowledge base: {}", summary.run.database));
  }
  if (!flags.output.empty() && !summary.front.points.empty()) {
    PrintLine(fmt::format(
        "report: {0}/report.html, {0}/report.md; configuration files: {0}/point_N/", flags.output));
  }
  PrintAnnotations(flags.ci, AnnotationsOf(summary));
  return {.end = std::string(NameOf(summary.outcome.end)),
          .exit_code = ExitCodeOf(summary.outcome.end),
          .message = {}};
}

// The configuration of the script, from which the search starts.
PrecisionOptions BaselineOf(TuneFlags& flags) {
  const TargetSpec target = LoadTarget(flags.options.target);
  flags.script = ReadTrainingScript(flags.npu_config);
  LoadedPrecision loaded = LoadWithScript(flags.script, flags.npu_config, {}, target);
  PrintWarnings(loaded.warnings);
  PrecisionOptions& options = loaded.options;
  if (options.precision_mode.empty() && options.precision_mode_v2.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}={}: expected a precision_mode or precision_mode_v2 to start the "
                            "search from, found none",
                            kNpuConfig, flags.npu_config));
  }
  return std::move(options);
}

void TakeHeldout(TuneFlags& flags) {
  TuneOptions& options = flags.options;
  if (!flags.heldout.inputs.empty()) {
    options.heldout = flags.heldout;
    options.heldout->draw_samples = flags.data.options.draw_samples;
    options.heldout->image = flags.data.options.image;
    options.heldout->state = flags.data.options.state;
    options.heldout->sequence_length = flags.data.options.sequence_length;
  }
  if (options.heldout && options.heldout_share) {
    throw Error(
        ErrorKind::kUsage,
        "--heldout_share belongs to --inputs, but --heldout_inputs are given: leave one out");
  }
  if (flags.heldout.inputs.empty() && !flags.heldout.labels.empty()) {
    throw Error(ErrorKind::kUsage,
                "--heldout_labels belong to --heldout_inputs: give both, or neither");
  }
}

void TakeBounds(const CLI::App& app, TuneFlags& flags) {
  TuneOptions& options = flags.options;
  for (const BoundRow& row : AllBounds()) {
    const std::string option = fmt::format("--{}", row.name);
    const std::string& text = flags.bounds[row.name];
    if (app.get_option(option)->count() > 0 && !ParseBound(text, row, options.constraints)) {
      throw Error(ErrorKind::kUsage, fmt::format("{}={}: expected {}", option, Shown(text),
                                                 ExpectedOf(row, Trim(text))));
    }
  }
  options.confidence = ParseConfidence(flags.confidence);
  if (app.get_option("--goal")->count() > 0) {
    options.constraints = ParseGoal(flags.goal, options.constraints);
  }
}

void TakeBudget(const CLI::App& app, TuneFlags& flags) {
  TuneOptions& options = flags.options;
  if (flags.time_limit_s > 0) {
    options.time_limit = std::chrono::duration<double>(flags.time_limit_s);
  }
  if (app.get_option("--budget")->count() > 0) {
    options.budget = ParseBudget(flags.budget);
    options.spend_budget = true;
    if (app.get_option("--max_trials")->count() == 0) {
      options.max_trials = kNoLimitOfPlans;
    }
  } else if (app.get_option("--time_limit")->count() + app.get_option("--max_trials")->count() ==
             0) {
    options.budget = ParseBudget(kDefaultBudget);
  }
}

// Modes, lines that every candidate has, and where the search starts.
void TakeSpace(TuneFlags& flags) {
  TuneOptions& options = flags.options;
  for (const std::string_view mode : Split(flags.modes, ',')) {
    if (!Trim(mode).empty()) {
      options.modes.emplace_back(Trim(mode));
      LoadPrecision({.precision_mode = options.modes.back()}, LoadTarget(options.target));
    }
  }
  if (!flags.pinned.empty()) {
    options.pinned_keep_dtype =
        LoadPrecision({.keep_dtype = flags.pinned}, LoadTarget(options.target)).options.keep_dtype;
  }
  if (!flags.npu_config.empty()) {
    options.baseline = std::make_shared<const PrecisionOptions>(BaselineOf(flags));
  }
}

void TakeBank(TuneFlags& flags) {
  TuneOptions& options = flags.options;
  if (flags.no_bank && !flags.op_bank_path.empty()) {
    PrintWarning(fmt::format("--no_bank wins over --op_bank_path={}", flags.op_bank_path));
  }
  options.seed_bank = flags.seed_bank;
  if (!flags.no_bank) {
    options.bank = ResolveBank(flags.op_bank_path).path;
  }
}

void RunTune(const CLI::App& app, TuneFlags& flags, int& exit_code) {
  const auto time = std::make_shared<TimeBudget>();
  TuneOptions& options = flags.options;
  options.operator_tuning = OperatorTuningModeOf(flags.operator_tuning);
  if (options.operator_budget_s && options.operator_tuning == OperatorTuningMode::kOff) {
    throw Error(ErrorKind::kUsage,
                "--operator_budget is of no use with --operator_tuning=off: leave one of them out");
  }
  options.quantize = QuantizeOptionsOf(flags.quantize, flags.data.options, flags.model.target);
  TakeInstallation(flags.model.target);
  options.target = flags.model.target;
  options.data = flags.data.options;
  options.seed = options.measure.seed;
  options.command = CommandLine(app);
  options.output = flags.output;
  options.exports = ParsePointModels(flags.exports);
  TakeHeldout(flags);
  TakeBounds(app, flags);
  TakeBudget(app, flags);
  TakeSpace(flags);
  TakeBank(flags);
  options.fail_if = GatesIn(flags.ci);
  CheckGates(options.fail_if, {.has_labels = !options.data.labels.empty(),
                               .has_metric = !options.measure.metric.metric.empty(),
                               .constraints = &options.constraints});
  CheckTuneOptions(options);
  CheckCiFlags(flags.ci);
  if (IsOnlyChecked(app)) {
    LoadTarget(options.target);
    return;
  }
  ProgressFile progress_file(flags.progress_file);
  progress_file.Begin();
  exit_code = progress_file.Finishing([&] { return TuneAndPrint(flags, time, progress_file); });
}

std::string StrategyHelp() {
  std::string text =
      "Search strategy, which proposes candidates: NAME or NAME:OPTION=VALUE,OPTION=VALUE";
  for (const StrategyRow& row : AllStrategies()) {
    std::vector<std::string> options;
    for (const StrategyOption& option : row.options) {
      options.push_back(fmt::format("{}={} ({})", option.name, option.fallback, option.meaning));
    }
    text += fmt::format("; {}: {}{}{}", row.name, row.meaning, options.empty() ? "" : ", options ",
                        Join(options, ", "));
  }
  return text + "; default: model";
}

std::string ReportFiles() {
  std::vector<std::string> names;
  for (const ReportFormat& format : AllReportFormats()) {
    if (!format.file_name.empty()) {
      names.emplace_back(format.file_name);
    }
  }
  return Join(names, ", ");
}

}  // namespace

void DefineTuneCommand(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<TuneFlags>();
  TuneOptions& options = flags->options;
  AddModelFlags(app, flags->model);
  flags->data.options.draw_samples = kDrawnSamples;
  AddDataFlags(app, flags->data);
  app.add_option("--heldout_inputs", flags->heldout.inputs,
                 "Samples the search never sees; the front is evaluated on them at the end");
  app.add_option("--heldout_labels", flags->heldout.labels,
                 "Class indices of the held-out samples");
  AddShapeWeightsFlag(app, options.shape_weights);
  RequireRange(app.add_option("--heldout_share", options.heldout_share,
                              "Share of --inputs that the search does not see, when there are no "
                              "--heldout_inputs; default: 0.25 of 16 samples or more, else 0"),
               limits::kHeldoutShareRange);
  app.add_option("--precision_mode", flags->modes,
                 "Search only these modes, comma-separated; default: all the target has");
  AddNpuConfigFlag(app, flags->npu_config,
                   "start from its options; without a bound the answer is the fastest point that "
                   "is not less accurate");
  app.add_option("--keep_dtype", flags->pinned,
                 "keep_dtype file whose lines every candidate keeps");
  app.add_option("--strategy", options.strategy, StrategyHelp());
  RequireRange(app.add_option("--max_trials", options.max_trials,
                              "Distinct plans at most, known ones included"),
               limits::kPositiveCountRange)
      ->capture_default_str();
  RequireRange(app.add_option("--time_limit", flags->time_limit_s,
                              "Seconds for the search; the front is confirmed afterwards; 0: none"),
               limits::kSecondsRange)
      ->capture_default_str();
  app.add_option(
      "--goal", flags->goal,
      "Goal of the search: 'front' (all points that nothing beats; default), or bounds, "
      "comma-separated: min_sqnr_db=40 (of the mean; 40@95%: of each of 95 % of the samples), "
      "max_rel_l2=0.01, max_top1_drop=0.005 and min_agreement=0.99 with the least latency, "
      "max_latency_ratio=0.8 with the least error");
  app.add_option(
      "--budget", flags->budget,
      fmt::format(
          "Limit on the whole run: measured plans, probes counted as the plans that would run as "
          "often (120), or a time, confirmation of the front included (90s, 2h). It is used up, "
          "without the limit of --max_trials unless that is given too. Without it, --time_limit "
          "and --max_trials: {} at most, less where nothing more is to be gained",
          kDefaultBudget));
  app.add_flag("--search_again", options.search_again,
               "Search even when the knowledge base holds the front of a search with these "
               "options, which answers any goal without running the network");
  app.add_flag("--verify", options.verify,
               "Measure the point that the knowledge base answered with");
  for (const BoundRow& row : AllBounds()) {
    app.add_option(fmt::format("--{}", row.name), flags->bounds[row.name],
                   fmt::format("Bound of --goal: {}", row.meaning));
  }
  AddConfidenceFlag(app, flags->confidence)->capture_default_str();
  AddOperatorTuningFlag(app, flags->operator_tuning);
  RequireRange(app.add_option("--operator_budget", options.operator_budget_s,
                              "Seconds in which the operators of a precision mode are "
                              "timed; without it 4, with the machine profile 0.5 or, if more, "
                              "1 % of --budget (no kernel is timed where that is too short "
                              "to tell two apart)"),
               limits::kOperatorBudgetRange);
  AddQuantizeFlags(app, flags->quantize);
  AddMeasureFlags(app, options.measure);
  AddMetricFlags(app, options.measure.metric);
  AddRuntimeFlags(app, options.measure.on);
  AddBankFlag(app, flags->op_bank_path);
  app.add_flag("--no_bank", flags->no_bank, "Neither read nor write a knowledge base");
  AddSeedBankFlag(app, flags->seed_bank);
  app.add_option("--output", flags->output,
                 fmt::format("Folder for {} and a folder of files per point", ReportFiles()));
  AddPointModelsFlag(app, flags->exports);
  AddWriteV2Flag(app, options.write_v2);
  app.add_option(
      "--load_profile", options.load_profile,
      "Of Cloud AI: a profile that the device's compiler dumped (-dump-profile). Profiles "
      "of points are copies of it with their ranges, and keep its hash");
  AddCiFlags(app, flags->ci, "the chosen point");
  AddProgressFileFlag(app, flags->progress_file);
  app.add_option("--color", flags->color,
                 "Colours on the screen; auto: on a terminal, unless NO_COLOR is set")
      ->check(CLI::IsMember(ColorModes()))
      ->capture_default_str();
  app.final_callback([&app, flags, &exit_code] {
    TakeLatencyBudget(flags->options.measure);
    RunTune(app, *flags, exit_code);
  });
}

}  // namespace halftone
