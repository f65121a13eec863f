#include "src/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "src/cli/terminal.h"

namespace halftone {
namespace {

constexpr double kTerminalPeriod_s = 0.1;  // ten times a second is as fast as an eye follows
constexpr double kLogPeriod_s = 5.0;
constexpr double kLeastShown_s = 0.5;  // less is 0:00

double SecondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// "fastest 1.83x at 47.1 dB"; with bounds, of the points that meet them.
std::string BestText(std::span<const Trial> trials, std::span<const std::size_t> front,
                     const Constraints& bounds, std::optional<double> reference_top1) {
  const auto meets = [&](std::size_t i) {
    return !Violation(bounds, *trials[i].measurement(), reference_top1);
  };
  const auto best = std::ranges::find_if(front, meets);
  if (best == front.end()) {
    return "none meets the bounds yet";
  }
  const Measurement& fastest = *trials[*best].measurement();
  const MetricValue* sqnr = fastest.accuracy.Find("sqnr_db");
  const Nearness nearness = NearnessOf(fastest.accuracy);
  return fmt::format("fastest{} {:.2f}x at {}",
                     DemandOf(bounds).empty() ? "" : " within the bounds",
                     fastest.latency.speed_up(),
                     sqnr != nullptr ? FormatSqnr(sqnr->mean)
                                     : fmt::format("{} {}", nearness.mean, nearness.what));
}

}  // namespace

std::string MinutesSeconds(double seconds) {
  const auto whole = std::lround(seconds);
  return fmt::format("{}:{:02d}", whole / 60, whole % 60);
}

ProgressLine::ProgressLine(double time_limit_s, const Vocabulary& words)
    : time_limit_s_(time_limit_s),
      words_(words),
      start_s_(SecondsNow()),
      phase_start_s_(start_s_),
      terminal_(::isatty(STDERR_FILENO) == 1),
      columns_(TerminalColumns()) {}

std::string ProgressLine::Shortened(std::string text, std::size_t columns) {
  while (text.size() >= columns) {
    const std::size_t comma = text.rfind(", ");
    if (comma == std::string::npos) {
      return text.substr(0, columns - 1);
    }
    text.resize(comma);
  }
  return text;
}

std::string ProgressLine::PlanLine(const Trial& trial, std::size_t number,
                                   const Vocabulary& words) {
  const std::string what = Summary(trial.candidate, words);
  const Measurement* measurement = trial.measurement();
  if (measurement == nullptr) {
    return fmt::format("plan {}: does not run: {}: {}", number, what,
                       std::get<Rejection>(trial.outcome).reason);
  }
  const Nearness nearness = NearnessOf(measurement->accuracy);
  return fmt::format("plan {}: {} at {} {}: {}", number, FormatSpeedUp(measurement->latency),
                     nearness.mean, nearness.what, what);
}

std::string ProgressLine::Text(const TunerProgress& progress, const Times& times,
                               const Goal& goal) {
  const bool search = progress.phase == TunerProgress::Phase::kSearch;
  std::string text =
      search ? fmt::format(
                   "search {}{} plans, {} measured", progress.done,
                   progress.planned == kNoLimitOfPlans ? "" : fmt::format("/{}", progress.planned),
                   progress.measured)
             : fmt::format("confirm {}/{} points of the front", progress.done, progress.planned);
  const auto front = ParetoFront(progress.trials);
  if (!front.empty()) {
    text += fmt::format(", front of {}, {}", front.size(),
                        BestText(progress.trials, front, goal.bounds, goal.reference_top1));
  }
  if (times.limit_s > 0) {
    text += fmt::format(", {} of at most {}", MinutesSeconds(times.run_s),
                        MinutesSeconds(times.limit_s));
  } else if (progress.planned >= progress.done && progress.planned != kNoLimitOfPlans) {
    // No estimate for plans that are all known: they took no time.
    const bool is_known = progress.done > 0 && (!search || progress.measured > 0);
    const double left_s = is_known ? times.phase_s / static_cast<double>(progress.done) *
                                         static_cast<double>(progress.planned - progress.done)
                                   : 0;
    // What comes behind this phase is not known yet.
    if (left_s >= kLeastShown_s) {
      text += fmt::format(", about {} of {} left", MinutesSeconds(left_s),
                          search ? "searching" : "confirming");
    }
  }
  return text;
}

std::string ProgressLine::Text(const OperatorTunerProgress& progress) {
  if (!progress.profiled.empty()) {
    return fmt::format("machine profile: {} in {} of {} formats and modes", progress.profiled,
                       progress.decided + 1, progress.operators);
  }
  const std::string what = progress.confirming
                               ? "winners run once more"
                               : fmt::format("{}/{} decided", progress.decided, progress.operators);
  return fmt::format("operators: {}, {:.1f} of {:g} s", what, progress.spent_s, progress.budget_s);
}

std::string ProgressLine::Text(const ProbeProgress& progress) {
  if (progress.stage == "calibration") {
    return fmt::format("calibration: {} of {} runs in float32", progress.done, progress.planned);
  }
  return progress.stage == "times" ? fmt::format("probes: times of {} plans", progress.planned)
                                   : fmt::format("probes: {} of {}/{} groups of operators",
                                                 progress.stage, progress.done, progress.planned);
}

void ProgressLine::Show(const ProbeProgress& progress) {
  if (IsTime(SecondsNow())) {
    ShowText(Text(progress));
  }
}

void ProgressLine::Watch(TuneCallbacks& callbacks) {
  callbacks.on_progress = [this](const TunerProgress& now) { Show(now); };
  callbacks.on_operators = [this](const OperatorTunerProgress& now) { Show(now); };
  callbacks.on_probes = [this](const ProbeProgress& now) { Show(now); };
  callbacks.on_seed_bank = [this](const std::string& note) { Note("bank: " + note); };
  callbacks.on_work_plan = [this](const std::string& plan) { Note("plan: " + plan); };
  callbacks.on_bounds = [this](const Constraints& bounds, std::optional<double> reference_top1) {
    goal_ = {bounds, reference_top1};
  };
}

void ProgressLine::Note(const std::string& text) {
  if (CurrentVerbosity() == Verbosity::kQuiet) {
    return;
  }
  Finish();
  PrintErrorLine(text);
}

void ProgressLine::Show(const TunerProgress& progress) {
  const double now_s = SecondsNow();
  if (progress.phase != phase_) {
    phase_ = progress.phase;
    phase_start_s_ = now_s;
    lines_of_plans_ = 0;
  }
  if (CurrentVerbosity() == Verbosity::kVerbose && progress.last != nullptr &&
      progress.done > lines_of_plans_) {
    lines_of_plans_ = progress.done;
    Note(PlanLine(*progress.last, progress.done, words_));
  }
  if (IsTime(now_s)) {
    ShowText(Text(
        progress,
        {.phase_s = now_s - phase_start_s_, .run_s = now_s - start_s_, .limit_s = time_limit_s_},
        goal_));
  }
}

void ProgressLine::Show(const OperatorTunerProgress& progress) {
  const double now_s = SecondsNow();
  phase_start_s_ = now_s;  // the search has not begun
  if (IsTime(now_s)) {
    ShowText(Text(progress));
  }
}

bool ProgressLine::IsTime(double now_s) {
  if (now_s - last_shown_s_ < (terminal_ ? kTerminalPeriod_s : kLogPeriod_s)) {
    return false;
  }
  last_shown_s_ = now_s;
  return true;
}

void ProgressLine::ShowText(const std::string& text) {
  if (CurrentVerbosity() == Verbosity::kQuiet) {
    return;
  }
  if (terminal_) {
    PrintStatus(Shortened(text, columns_));
    open_ = true;
  } else {
    PrintErrorLine(text);
  }
}

void ProgressLine::Finish() {
  if (open_) {
    PrintStatus("");
    open_ = false;
  }
}

}  // namespace halftone
