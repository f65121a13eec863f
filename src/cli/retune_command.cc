#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "src/api/retune/retune.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/cli/bank_option.h"
#include "src/cli/ci_flags.h"
#include "src/cli/command.h"
#include "src/cli/command_line.h"
#include "src/cli/interrupt.h"
#include "src/cli/latency_budget.h"
#include "src/cli/point_option.h"
#include "src/cli/progress.h"
#include "src/cli/progress_file.h"
#include "src/cli/shared_options.h"
#include "src/cli/terminal.h"

namespace halftone {
namespace {

struct RetuneFlags {
  ModelFlags model;
  DataFlags data;
  DatasetOptions heldout;
  RetuneOptions options;
  std::string op_bank_path;
  std::string front;
  std::string point;
  std::string output;
  std::string exports = "all";
  std::string operator_tuning;
  std::string budget = std::string(kDefaultBudget);
  std::string confidence;
  std::string max_slowdown = MaxSlowdownText(kMaxSlowdown);
  CiFlags ci;
  std::string progress_file;
  bool no_bank = false;
  std::string seed_bank;
  bool no_search = false;
};

void Take(const RetuneResult& result, ProgressFile& file) {
  std::vector<Trial> trials;
  for (const RetunedPoint& point : result.points) {
    if (point.measured) {
      trials.push_back(point.after);
    }
  }
  std::size_t measured = trials.size();
  std::size_t known = 0;
  if (result.search) {
    for (const FrontPoint& point : result.search->front.points) {
      trials.push_back(point.trial);
    }
    measured += result.search->search.measured;
    known = result.search->search.known;
  }
  file.Take(measured, known, trials);
}

RunOutcome OutcomeOf(const RetuneResult& result) {
  const RetuneVerdict verdict = result.verdict();
  if (InterruptGuard::Requested()) {
    return {"interrupted", kExitInterrupted, ""};
  }
  if (verdict != RetuneVerdict::kHolds && verdict != RetuneVerdict::kInconclusive) {
    return {"does_not_hold", kExitNoneMeetsBound, ""};
  }
  if (!result.passes_gates()) {
    return {"gate_failed", kExitGateFailed, ""};
  }
  return verdict == RetuneVerdict::kHolds ? RunOutcome{"done", kExitDone, ""}
                                          : RunOutcome{"inconclusive", kExitInconclusive, ""};
}

// The work, once all options are known to be right.
RunOutcome RetuneAndPrint(const RetuneFlags& flags, const std::optional<Point>& point,
                          const PrecisionArguments& precision, ProgressFile& progress_file) {
  const RetuneOptions& options = flags.options;
  TuneCallbacks callbacks;
  callbacks.time = std::make_shared<TimeBudget>();  // loading counts
  const std::vector<Model> models =
      LoadModelsAtShapes(flags.model, options.data, "at each of which the front is measured again");
  if (point) {
    const TargetSpec target = LoadTarget(options.target);
    RequirePlanOf(point, models.front(), target, LoadPrecisionOf(point, precision, target).options);
  }
  const InterruptGuard interrupt;
  ProgressLine progress(0, VocabularyOf(LoadTarget(options.target.soc_version)));
  progress.Watch(callbacks);
  callbacks.stop_requested = StopRequested;
  progress_file.Watch(callbacks);
  RetuneResult result;
  try {
    result = Retune(models, options, callbacks);
  } catch (...) {
    progress.Finish();
    throw;
  }
  progress.Finish();
  Take(result, progress_file);
  if (!flags.ci.junit.empty()) {
    WriteFileAtomically(flags.ci.junit, FormatRetuneJUnit(result));
    PrintNote("wrote " + flags.ci.junit);
  }
  PrintText(FormatRetune(result, TerminalColumns()));
  if (result.search) {
    PrintText("\n" +
              FormatConsole(*result.search, {.colored = false, .columns = TerminalColumns()}));
  }
  if (!flags.output.empty()) {
    PrintLine(fmt::format("report: {}/retune.md", flags.output));
  }
  PrintAnnotations(flags.ci, AnnotationsOf(result));
  return OutcomeOf(result);
}

void RunRetune(const CLI::App& app, RetuneFlags& flags, int& exit_code) {
  RetuneOptions& options = flags.options;
  if (!flags.front.empty() && !flags.point.empty()) {
    throw Error(ErrorKind::kUsage, "--front and --point exclude each other");
  }
  PrecisionArguments precision;
  const std::optional<Point> point = TakePoint(flags.point, flags.model, precision);
  options.target = flags.model.target;
  options.data = flags.data.options;
  if (!flags.heldout.inputs.empty()) {
    options.heldout = flags.heldout;
    options.heldout->draw_samples = flags.data.options.draw_samples;
    options.heldout->image = flags.data.options.image;
    options.heldout->state = flags.data.options.state;
    options.heldout->sequence_length = flags.data.options.sequence_length;
  }
  options.front = flags.front;
  options.point = flags.point;
  options.output = flags.output;
  options.exports = ParsePointModels(flags.exports);
  options.command = CommandLine(app);
  options.search = !flags.no_search;
  options.budget = ParseBudget(flags.budget);
  if (app.get_option("--confidence")->count() > 0) {
    options.confidence = ParseConfidence(flags.confidence);
  }
  options.max_slowdown = ParseMaxSlowdown(flags.max_slowdown);
  options.operator_tuning = OperatorTuningModeOf(flags.operator_tuning);
  options.fail_if = GatesIn(flags.ci);
  CheckCiFlags(flags.ci);
  if (flags.no_bank && options.from_bank()) {
    throw Error(ErrorKind::kUsage,
                "--no_bank leaves no front to measure again; name the shipped front.json with "
                "--front, or a point with --point");
  }
  options.seed_bank = flags.seed_bank;
  if (!flags.no_bank) {
    options.bank = ResolveBank(flags.op_bank_path).path;
  }
  ProgressFile progress_file(flags.progress_file);
  progress_file.Begin();
  exit_code = progress_file.Finishing(
      [&] { return RetuneAndPrint(flags, point, precision, progress_file); });
}

}  // namespace

void DefineRetuneCommand(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<RetuneFlags>();
  AddModelFlags(app, flags->model);
  flags->data.options.draw_samples = kDrawnSamples;
  AddDataFlags(app, flags->data);
  app.add_option("--heldout_inputs", flags->heldout.inputs,
                 "Samples that the search has never seen, as for tune: bounds on accuracy are "
                 "promised by these, points are judged on the others");
  app.add_option("--heldout_labels", flags->heldout.labels,
                 "Class indices of the held-out samples");
  RequireRange(
      app.add_option(
          "--heldout_share", flags->options.heldout_share,
          "Share of the samples that was held out, as for tune. 1: no search has seen any of "
          "them, so all of them judge and promise; needs --no_search"),
      limits::kShareRange);
  AddShapeWeightsFlag(app, flags->options.shape_weights);
  app.add_option(
      "--front", flags->front,
      "The shipped front.json, or its folder, with those of its points beside it; default: the "
      "newest front of this network in the knowledge base that another version, or "
      "other data, measured");
  AddConfidenceFlag(app, flags->confidence)
      ->description(
          "As for tune, with which bounds on accuracy are promised again; none: they are judged on "
          "the samples. Default: that of the front");
  AddPointFlag(app, flags->point);
  app.add_option("--max_slowdown", flags->max_slowdown,
                 "How many times its latency of then a shipped point may take, in seconds, not "
                 "relative to float32; none: any")
      ->capture_default_str();
  AddCiFlags(app, flags->ci, "a shipped point");
  app.add_flag("--no_search", flags->no_search,
               "Only measure the front again: the check for CI. Default: search again in the "
               "operators that run on other kernels than then");
  RequireRange(app.add_option("--max_trials", flags->options.max_trials,
                              "Distinct plans of that search at most, known ones included"),
               limits::kPositiveCountRange)
      ->capture_default_str();
  app.add_option("--budget", flags->budget,
                 "Limit as for tune: measured plans of that search (120), or a time of the whole "
                 "(90s, 2h): the chosen point is measured first, then the others")
      ->capture_default_str();
  AddOperatorTuningFlag(app, flags->operator_tuning);
  AddMeasureFlags(app, flags->options.measure);
  AddRuntimeFlags(app, flags->options.measure.on);
  AddMetricFlags(app, flags->options.measure.metric);
  AddBankFlag(app, flags->op_bank_path);
  app.add_flag("--no_bank", flags->no_bank,
               "Neither read nor write a knowledge base; needs --front or --point");
  AddSeedBankFlag(app, flags->seed_bank);
  app.add_option("--output", flags->output,
                 "Folder for retune.md and retune.json, and after a search for its report and "
                 "configuration files");
  AddPointModelsFlag(app, flags->exports);
  AddWriteV2Flag(app, flags->options.write_v2);
  AddProgressFileFlag(app, flags->progress_file);
  app.footer(
      "Exit codes: 0 the shipped configuration still holds (the chosen point; all where none was "
      "chosen), 3 it does not:\nit is slower or less accurate beyond its interval, takes longer "
      "than --max_slowdown allows, misses the bounds of its search, its\nbounds on accuracy cannot "
      "be promised by held-out samples any more, or it cannot run; 4 it holds, and a gate of "
      "--fail_if failed;\n5 the interval of its latency is too wide to tell whether it is slower, "
      "or "
      "--budget had no time for it. The others are those of halftone --help.");
  app.final_callback([&app, flags, &exit_code] {
    TakeLatencyBudget(flags->options.measure);
    RunRetune(app, *flags, exit_code);
  });
}

}  // namespace halftone
