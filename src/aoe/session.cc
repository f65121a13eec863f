#include "src/aoe/session.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "search/trial/pareto_front.h"
#include "src/aoe/job_model.h"
#include "src/aoe/kept_configuration.h"
#include "src/aoe/kernel_stage.h"
#include "src/aoe/operator_entries.h"
#include "src/aoe/result_file.h"
#include "src/aoe/result_keys.h"
#include "src/aoe/workspace.h"
#include "src/api/bank/point_kernels.h"
#include "src/api/load/plan_sources.h"
#include "src/api/operator_tuning.h"
#include "src/api/profile.h"
#include "src/api/report/measured_point.h"
#include "src/api/report/write_outputs.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/file_lock.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kTarget = "host";
constexpr const char* kDefaultMode = "force_fp16";
constexpr const char* kSuccessful = "tuning successful";
constexpr const char* kIncomplete = "tuning incomplete";
constexpr const char* kNothingMeets = "tuning failed: no configuration meets the bounds";

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The result file of the job, rewritten after every change.
class ResultWriter {
 public:
  ResultWriter(const AoeJob& job, const AoeHooks& hooks, std::string_view timestamp)
      : path_(job.result_root / AoeResultFileName(JobKey(job), timestamp, hooks.process_id)) {
    for (std::size_t i = 0; i < job.models.size(); ++i) {
      const bool single = job.models.size() == 1;
      file_.tasks.push_back({single ? "" : fmt::format("report_{}_{}", timestamp, i + 1),
                             {.job = JobKey(job),
                              .tuning_name = job.models[i].stem(),
                              .tuning_result = kIncomplete}});
    }
  }

  static std::string JobKey(const AoeJob& job) {
    return job.type == AoeJobType::kOperator ? kOpat : kSgat;
  }

  AoeModelResult& result(std::size_t model) { return file_.tasks[model].result; }

  // Writes the file, from now on: before, nothing has been tuned that it could tell of.
  void Begin() {
    begun_ = true;
    Write();
  }

  void Write() const {
    if (!begun_) {
      return;
    }
    WriteFileAtomically(path_, FormatAoeResult(file_));
  }

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  AoeResultFile file_;
  bool begun_ = false;
};

// The tuning of one model.
class ModelRun {
 public:
  // `time`: its limit is that of this model.
  ModelRun(const AoeJob& job, const PrecisionOptions& precision, const AoeHooks& hooks,
           ResultWriter& writer, std::size_t index, std::shared_ptr<TimeBudget> time)
      : job_(job),
        precision_(precision),
        hooks_(hooks),
        writer_(writer),
        index_(index),
        time_(std::move(time)) {}

  AoeOutcome Run(std::string_view timestamp) {
    const auto start = Clock::now();
    models_ = LoadModelOfJob(job_, index_);
    result().tuning_name = model().name;
    workspace_ = job_.reload ? FindInterruptedJob(job_, model().name)
                             : NewAoeWorkspace(job_, model().name, timestamp);
    lock_.emplace(workspace_.folder / "job.lock");
    RecordAoeJob(workspace_, job_, "running");
    writer_.Begin();
    try {
      const AoeOutcome outcome = Tune();
      result().tuning_time_s = SecondsSince(start);
      writer_.Write();
      RecordAoeJob(workspace_, job_,
                   outcome == AoeOutcome::kInterrupted ? "interrupted" : "finished");
      return outcome;
    } catch (const Error&) {
      RecordAoeJob(workspace_, job_, "failed");
      throw;
    }
  }

 private:
  AoeModelResult& result() { return writer_.result(index_); }

  // At the first input shape, of which operators are told.
  [[nodiscard]] const Model& model() const { return models_.front(); }

  AoeOutcome Tune() {
    const TargetSpec target = LoadTarget(kTarget);
    TuneOptions options = CommonOptions();
    if (job_.type == AoeJobType::kOperator) {
      PrepareOperatorJob(precision_, target, options);
      if (hooks_.stop_requested && hooks_.stop_requested()) {
        return AoeOutcome::kInterrupted;
      }
    } else {
      options.baseline = std::make_shared<const PrecisionOptions>(precision_);
      options.pinned_keep_dtype = precision_.keep_dtype;
    }
    const TuneSummary summary = RunSearch(options);
    if (summary.outcome.end == RunEnd::kNothingSearched && !summary.front.baseline) {
      const std::string& why = summary.outcome.verdict.sentence;
      result().tuning_result = "tuning failed: " + why;
      hooks_.warn(fmt::format("{}: {}", model().name, why));
      return AoeOutcome::kNoneMeetsBound;
    }
    if (!summary.front.baseline || (hooks_.stop_requested && hooks_.stop_requested())) {
      FillModelFigures(summary);
      return AoeOutcome::kInterrupted;
    }
    return Conclude(summary, target);
  }

  [[nodiscard]] TuneOptions CommonOptions() const {
    TuneOptions options;
    options.target.soc_version = kTarget;
    options.seed = job_.measure.seed;
    options.max_trials = job_.max_trials;
    if (time_->limit_s()) {
      options.budget.time = std::chrono::duration<double>(*time_->limit_s());
    }
    options.constraints = job_.constraints;
    options.data = job_.data;
    options.heldout_share = 0;  // nothing is promised here: the bound is the baseline's figure
    options.confidence.reset();
    options.measure = job_.measure;
    options.bank = job_.bank.path;
    options.measure_again = job_.repeat;
    options.output = job_.output.empty() ? workspace_.ResultFolder(model().name) : job_.output;
    options.command = hooks_.command;
    return options;
  }

  void PrepareOperatorJob(const PrecisionOptions& precision, const TargetSpec& target,
                          TuneOptions& options) {
    problem_ = MakeOperatorProblem(model().graph, precision, target);
    if (job_.tune_ops) {
      KeepListed(*job_.tune_ops, problem_);
    }
    for (const std::string& note : problem_.notes) {
      hooks_.warn(note);
    }
    kernels_ = RunKernelStage(job_, models_, target, problem_.baseline, hooks_, *time_);
    if (problem_.operators.empty() && kernels_.entries.empty()) {
      hooks_.warn(
          fmt::format("no operator of '{}'{} has another implementation for its dtypes on "
                      "this CPU, so there is nothing to tune",
                      model().name, job_.tune_ops ? " that the --tune_ops_file lists" : ""));
    }
    entries_ = std::make_unique<OperatorEntries>(problem_);
    entries_->AddKernels(kernels_.entries);
    result().summary = entries_->Summary(nullptr);
    writer_.Write();
    options.baseline = std::make_shared<const PrecisionOptions>(problem_.baseline);
    const std::string& mode = precision.precision_mode;
    options.modes = {mode.empty() ? precision.precision_mode_v2 : mode};
    options.known_are_free = true;  // an operator of the bank is a hit, whatever the budget
    options.operator_tuning = OperatorTuningMode::kOff;  // the stage before this one did it
    options.strategy = "operator_modes";
    options.make_strategy = [this](const SearchSpace&) {
      return MakeOperatorStrategy(problem_,
                                  {.in_pairs = job_.in_pairs, .constraints = job_.constraints});
    };
  }

  TuneSummary RunSearch(const TuneOptions& options) {
    std::size_t seen = 0;
    std::size_t measured = 0;
    TuneCallbacks callbacks;
    callbacks.stop_requested = hooks_.stop_requested;
    callbacks.time = time_;
    callbacks.on_progress = [&](const TunerProgress& now) {
      if (entries_ != nullptr && now.phase == TunerProgress::Phase::kSearch &&
          now.trials.size() > seen) {
        entries_->Add(now.trials.back(), now.measured > measured);
        result().summary = entries_->Summary(nullptr);
      }
      if (now.trials.size() > seen) {
        seen = now.trials.size();
        measured = now.measured;
        writer_.Write();
      }
      if (hooks_.on_progress) {
        hooks_.on_progress(now);
      }
    };
    const auto end_progress = [&] {
      if (hooks_.on_progress_end) {
        hooks_.on_progress_end();
      }
    };
    try {
      TuneSummary summary = halftone::Tune(models_, options, callbacks);
      end_progress();
      for (const std::string& warning : summary.warnings) {
        hooks_.warn(warning);
      }
      return summary;
    } catch (...) {
      end_progress();
      throw;
    }
  }

  // Latency ratio before both stages of job 2, with the kernels of the static order; the anchor has
  // the chosen kernels.
  [[nodiscard]] double RatioBefore(const TuneSummary& summary) const {
    return summary.front.baseline->measurement()->latency.ratio / kernels_.ratio;
  }

  [[nodiscard]] bool Keeps(const TuneSummary& summary) const {
    return KeepsBaseline(summary, job_.constraints);
  }

  // Modes whose gain is a tie are none: then what the kernels gained remains.
  [[nodiscard]] double RatioAfter(const TuneSummary& summary) const {
    return Keeps(summary) ? summary.front.baseline->measurement()->latency.ratio
                          : summary.front.chosen_point().measurement().latency.ratio;
  }

  // Milliseconds of the network: the ratio is the precise figure, and both share one anchor.
  void FillModelFigures(const TuneSummary& summary) {
    if (!summary.front.baseline || summary.front.baseline->measurement() == nullptr) {
      return;
    }
    const double anchor_ms = 1e3 * summary.front.baseline->measurement()->latency.anchor_median_s;
    result().baseline_ms = RatioBefore(summary) * anchor_ms;
    if (summary.front.chosen) {
      result().result_ms = RatioAfter(summary) * anchor_ms;
      result().improvement = AoeImprovement(*result().baseline_ms, *result().result_ms);
    }
  }

  AoeOutcome Conclude(const TuneSummary& summary, const TargetSpec& target) {
    FillModelFigures(summary);
    const Trial* chosen = summary.front.chosen ? &summary.front.chosen_point().trial : nullptr;
    if (entries_ != nullptr) {
      // The options whose modes are claimed to be better; null: none are.
      const PrecisionOptions* better =
          chosen == nullptr || Keeps(summary) ? nullptr : &chosen->candidate.options;
      if (chosen != nullptr) {
        FillOperators(chosen->candidate.options, better, target);
      }
      result().summary = entries_->Summary(better);
      result().failed_operators = entries_->Failed();
    }
    result().tuning_result = chosen == nullptr ? kNothingMeets : kSuccessful;
    if (chosen == nullptr) {
      hooks_.warn(fmt::format("no configuration of '{}' meets the bounds", model().name));
      return AoeOutcome::kNoneMeetsBound;
    }
    const fs::path folder =
        job_.output.empty() ? workspace_.ResultFolder(model().name) : job_.output;
    // The options of the chosen point are written where AOE's users look for its model.
    const OptionFiles sources =
        PlanSourcesOf({.soc_version = kTarget, .ops_info = {}}, target, models_);
    const TuneSummary of_written = WithWrittenPoint(summary, job_.constraints);
    const WrittenPoint written = WritePointFolder(
        folder, of_written.front.chosen_point().trial, model(), target,
        {.sources = sources,
         .kernels =
             [&](const PrecisionPlan& plan) {
               return KernelsOfPoint(
                   model().graph, plan,
                   LoadKernelChoices(model(), job_.bank.path, kTarget, job_.measure.threads));
             },
         .models = {.stop_requested = hooks_.stop_requested},
         .v2_names = !job_.precision.precision_mode_v2.empty()},
        MeasuredPoints(of_written).front());
    if (!written.failure.empty()) {
      hooks_.warn(fmt::format("a model file was not written: {}", written.failure));
    }
    const double before = RatioBefore(summary);
    const double after = RatioAfter(summary);
    hooks_.print(fmt::format("{} process finished. Performance improved by {:.0f}%", model().name,
                             std::floor(100 * (before - after) / after)));
    if (Keeps(summary) && !(before > after)) {
      hooks_.print(fmt::format(
          "{}: no other configuration is faster, so the one given stays as it is", model().name));
    }
    hooks_.print(fmt::format("halftone writes options in place of an .om file: {}",
                             (folder / "arguments.txt").string()));
    return AoeOutcome::kDone;
  }

  // Microseconds of the operators that changed for the better: before in the static order, as
  // typed. Modes count where they are those of `better`.
  void FillOperators(const PrecisionOptions& chosen, const PrecisionOptions* better,
                     const TargetSpec& target) {
    const std::vector<ModifiedOperator> modified = entries_->Modified(better);
    if (modified.empty()) {
      return;
    }
    const PrecisionOptions configurations[] = {problem_.baseline, chosen};
    const auto seconds = ProfileNodes(
        models_, target, configurations, job_.data,
        {.runs = job_.run_loop,
         .threads = job_.measure.threads,
         .choices = {{},
                     LoadKernelChoices(model(), job_.bank.path, kTarget, job_.measure.threads)}});
    for (const ModifiedOperator& op : modified) {
      const double before_us = 1e6 * seconds[0].at(op.node);
      const double after_us = 1e6 * seconds[1].at(op.node);
      if (!IsAoeImprovement(before_us, after_us)) {
        entries_->Withdraw(op.node);
        continue;
      }
      result().modified_operators.push_back({op.node,
                                             op.ir_type,
                                             {{.kind = "Schedule",
                                               .before_us = before_us,
                                               .after_us = after_us,
                                               .improvement = AoeImprovement(before_us, after_us),
                                               .update_mode = std::string(op.update_mode)}}});
    }
  }

  const AoeJob& job_;
  const PrecisionOptions& precision_;
  const AoeHooks& hooks_;
  ResultWriter& writer_;
  std::size_t index_;
  std::shared_ptr<TimeBudget> time_;
  std::vector<Model> models_;  // at each input shape
  AoeWorkspace workspace_;
  std::optional<FileLock> lock_;  // of the workspace, so that --reload leaves a running job alone
  OperatorProblem problem_;       // job 2
  KernelStage kernels_;           // job 2
  std::unique_ptr<OperatorEntries> entries_;  // job 2
};

// The "before" options.
PrecisionOptions BaselineOf(const AoeJob& job, const AoeHooks& hooks) {
  LoadedPrecision loaded = LoadPrecision(job.precision, LoadTarget(kTarget));
  if (loaded.options.precision_mode.empty() && loaded.options.precision_mode_v2.empty()) {
    loaded.options.precision_mode = kDefaultMode;
  }
  for (const std::string& warning : loaded.warnings) {
    hooks.warn(warning);
  }
  return std::move(loaded.options);
}

}  // namespace

AoeOutcome RunAoeJob(const AoeJob& job, const AoeHooks& hooks) {
  const auto start = Clock::now();
  const std::string timestamp = hooks.timestamp();
  // Options, then files, then models.
  const PrecisionOptions precision = BaselineOf(job, hooks);
  if (!job.reload_folder.empty()) {
    OpenInterruptedJob(job, job.reload_folder);
  }
  ResultWriter writer(job, hooks, timestamp);
  const auto time = hooks.time != nullptr ? hooks.time : std::make_shared<TimeBudget>();
  AoeOutcome worst = AoeOutcome::kDone;
  for (std::size_t i = 0; i < job.models.size(); ++i) {
    try {
      if (job.budget_s) {  // what is left is shared by the models that are left
        const double elapsed_s = time->elapsed_s();
        time->SetLimit(elapsed_s +
                       (*job.budget_s - elapsed_s) / static_cast<double>(job.models.size() - i));
      }
      const AoeOutcome outcome = ModelRun(job, precision, hooks, writer, i, time).Run(timestamp);
      worst = std::max(worst, outcome);
      if (outcome == AoeOutcome::kInterrupted) {
        hooks.warn("interrupted; the measurements are in the bank");
        return outcome;
      }
    } catch (const Error& error) {
      writer.result(i).tuning_result = fmt::format("tuning failed: {}", error.what());
      if (job.models.size() > 1) {
        writer.Begin();
      }
      writer.Write();
      if (job.models.size() == 1 || error.kind() == ErrorKind::kInternal) {
        throw;
      }
      hooks.warn(fmt::format("{}: {}", job.models[i].string(), error.what()));
      worst = AoeOutcome::kFailed;
    }
  }
  hooks.print(fmt::format("result file: {}", writer.path().string()));
  hooks.print(fmt::format("[Aoe]Aoe process finished,cost time {:.0f}s.", SecondsSince(start)));
  return worst;
}

}  // namespace halftone
