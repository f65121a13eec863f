#include "src/cli/step_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "src/cli/progress.h"
#include "src/cli/terminal.h"

namespace halftone {
namespace {

constexpr double kStepTerminalPeriod_s = 0.2;
constexpr double kStepLogPeriod_s = 5;

double SecondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void StepProgress::Set(std::string_view what, std::size_t done, std::size_t planned, double now_s) {
  if (what != what_) {
    what_ = what;
    step_begin_s_ = now_s;
  }
  done_ = done;
  planned_ = planned;
}

std::string StepProgress::TextAt(double now_s) {
  if (what_.empty() || now_s < next_s_) {
    return {};
  }
  next_s_ = now_s + period_s_;
  std::string text = what_;
  if (planned_ > 0) {
    text += fmt::format(": {} of {}", done_, planned_);
  } else if (done_ > 0) {
    text += fmt::format(": {}", done_);
  }
  if (done_ > 0 && done_ < planned_) {
    text += fmt::format(", about {} left",
                        MinutesSeconds((now_s - step_begin_s_) / static_cast<double>(done_) *
                                       static_cast<double>(planned_ - done_)));
  }
  return text + fmt::format(", {} so far", MinutesSeconds(now_s - begin_s_));
}

StepProgressLine::StepProgressLine()
    : terminal_(::isatty(STDERR_FILENO) == 1),
      progress_(SecondsNow(), terminal_ ? kStepTerminalPeriod_s : kStepLogPeriod_s) {
  if (CurrentVerbosity() == Verbosity::kQuiet) {
    return;
  }
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!ended_) {
      changed_.wait_for(lock, std::chrono::duration<double>(kStepTerminalPeriod_s));
      Show();
    }
  });
}

StepProgressLine::~StepProgressLine() {
  Finish();
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void StepProgressLine::Set(std::string_view what, std::size_t done, std::size_t planned) {
  const std::lock_guard lock(mutex_);
  progress_.Set(what, done, planned, SecondsNow());
  paused_ = false;
}

void StepProgressLine::Finish() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
  if (open_) {
    PrintStatus("");
    open_ = false;
  }
}

// With the mutex held.
void StepProgressLine::Show() {
  const std::string text = paused_ || ended_ ? "" : progress_.TextAt(SecondsNow());
  if (text.empty()) {
    return;
  }
  if (terminal_) {
    PrintStatus(ProgressLine::Shortened(text, TerminalColumns()));
    open_ = true;
  } else {
    PrintErrorLine(text);
  }
}

}  // namespace halftone
