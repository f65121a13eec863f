#include "src/cli/progress_file.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "src/base/error.h"
#include "src/base/output_file.h"
#include "src/cli/exit_code.h"
#include "src/cli/terminal.h"

namespace halftone {
namespace {

std::optional<std::uint64_t> LimitOf(std::size_t planned) {
  return planned == kNoLimitOfPlans ? std::nullopt : std::optional<std::uint64_t>(planned);
}

// `callback`, then `watch`.
template <typename Progress>
std::function<void(const Progress&)> Both(std::function<void(const Progress&)> callback,
                                          ProgressFile& file) {
  return [callback = std::move(callback), &file](const Progress& progress) {
    if (callback) {
      callback(progress);
    }
    file.Show(progress);
  };
}

}  // namespace

void AddProgressFileFlag(CLI::App& app, std::string& path) {
  app.add_option("--progress_file", path,
                 "File for how far the run is, for another program: JSON, replaced about once a "
                 "second (docs/reference/output.md)");
}

ProgressFile::Surroundings ProgressFile::OfProgram() {
  return {.now_s =
              [] {
                const auto now = std::chrono::steady_clock::now().time_since_epoch();
                return std::chrono::duration<double>(now).count();
              },
          .warn = [](const std::string& sentence) { PrintWarning(sentence); }};
}

ProgressFile::ProgressFile(std::filesystem::path path, Surroundings surroundings)
    : path_(std::move(path)),
      surroundings_(std::move(surroundings)),
      start_s_(surroundings_.now_s()) {}

void ProgressFile::Begin() {
  if (path_.empty()) {
    return;
  }
  phases_.insert(record_.phase);
  Write(OutputFile::kReaderWait_s);
}

void ProgressFile::Watch(TuneCallbacks& callbacks) {
  if (path_.empty()) {
    return;
  }
  callbacks.on_progress = Both(std::move(callbacks.on_progress), *this);
  callbacks.on_operators = Both(std::move(callbacks.on_operators), *this);
  callbacks.on_probes = Both(std::move(callbacks.on_probes), *this);
  callbacks.on_bounds = [this, before = std::move(callbacks.on_bounds)](
                            const Constraints& constraints, std::optional<double> reference_top1) {
    if (before) {
      before(constraints, reference_top1);
    }
    Judge(constraints, reference_top1);
  };
}

void ProgressFile::Show(const TunerProgress& progress) {
  const bool is_search = progress.phase == TunerProgress::Phase::kSearch;
  const RunPhase phase = is_search ? RunPhase::kSearch : RunPhase::kConfirm;
  if (!IsTime(phase)) {
    return;
  }
  record_.plans_measured = progress.measured;
  if (is_search) {
    record_.plans_known = progress.done - std::min(progress.done, progress.measured);
    record_.plans_planned = LimitOf(progress.planned);
  }
  record_.best = BestSoFarOf(progress.trials, constraints_, reference_top1_);
  Show(phase, {.done = progress.done, .planned = LimitOf(progress.planned)});
}

void ProgressFile::Show(const OperatorTunerProgress& progress) {
  if (IsTime(RunPhase::kOperators)) {
    Show(RunPhase::kOperators, {.done = progress.decided, .planned = progress.operators});
  }
}

void ProgressFile::Show(const ProbeProgress& progress) {
  if (IsTime(RunPhase::kProbes)) {
    Show(RunPhase::kProbes, {.done = progress.done, .planned = progress.planned});
  }
}

void ProgressFile::Judge(const Constraints& constraints, std::optional<double> reference_top1) {
  constraints_ = constraints;
  reference_top1_ = reference_top1;
}

void ProgressFile::Take(std::uint64_t measured, std::uint64_t known,
                        std::span<const Trial> trials) {
  record_.plans_measured = measured;
  record_.plans_known = known;
  if (!trials.empty()) {
    record_.best = BestSoFarOf(trials, constraints_, reference_top1_);
  }
}

void ProgressFile::Finish(RunOutcome outcome) {
  if (path_.empty()) {
    return;
  }
  record_.phase = RunPhase::kDone;
  record_.steps.reset();
  record_.outcome = std::move(outcome);
  WriteOrWarn();
}

void ProgressFile::Fail(const std::exception& error) noexcept {
  try {
    const bool stopped = dynamic_cast<const StoppedByUser*>(&error) != nullptr;
    Finish({.end = stopped ? "interrupted" : "failed",
            .exit_code = ExitCodeOf(error),
            .message = error.what()});
  } catch (const std::exception&) {
    // Lack of memory: the exception that ended the work tells of it.
  }
}

bool ProgressFile::IsTime(RunPhase phase) {
  return !path_.empty() &&
         (!phases_.contains(phase) || surroundings_.now_s() - written_s_ >= kPeriod_s);
}

void ProgressFile::Show(RunPhase phase, const PhaseSteps& steps) {
  phases_.insert(phase);
  record_.phase = phase;
  record_.steps = steps;
  WriteOrWarn();
}

void ProgressFile::Write(double reader_wait_s) {
  written_s_ = surroundings_.now_s();
  record_.elapsed_s = std::round((written_s_ - start_s_) * 1000) / 1000;  // as far as it is of use
  OutputFile file(path_, reader_wait_s);
  file.Write(FormatProgress(record_));
  file.Finish(Flush::kNo);
}

void ProgressFile::WriteOrWarn() {
  try {
    Write(0);  // a FIFO that nobody reads any more is not waited for again and again
  } catch (const Error& error) {
    if (!std::exchange(warned_, true)) {
      surroundings_.warn(
          fmt::format("--progress_file: {}; the run goes on without a word of more", error.what()));
    }
  }
}

}  // namespace halftone
