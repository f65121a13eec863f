// Progress of commands whose pieces of work may take long. The first line appears within two
// seconds of the begin, even if the work has not reported anything by then.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace halftone {

// Decides when progress is shown, and with which text. Has no clock and no thread. Not thread safe.
class StepProgress {
 public:
  // `now_s`: time of the begin, on the clock of the other functions. `period_s`: least seconds
  // between two texts. The first text comes kFirst_s after the begin, so that short work shows
  // none.
  StepProgress(double now_s, double period_s)
      : begin_s_(now_s), step_begin_s_(now_s), next_s_(now_s + kFirst_s), period_s_(period_s) {}

  // Sets the current kind of work and its numbers of finished and of all pieces (0: unknown).
  void Set(std::string_view what, std::size_t done, std::size_t planned, double now_s);

  // "accuracy: 3 of 48, about 2:07 left, 0:09 so far"; empty: there is nothing to show now.
  [[nodiscard]] std::string TextAt(double now_s);

  static constexpr double kFirst_s = 1;

 private:
  std::string what_;
  std::size_t done_ = 0;
  std::size_t planned_ = 0;
  double begin_s_;
  double step_begin_s_;
  double next_s_;
  double period_s_;
};

// Shows a StepProgress on standard error by a thread of its own: one line that is rewritten on a
// terminal, else a new line every few seconds. Shows nothing with --quiet.
class StepProgressLine {
 public:
  StepProgressLine();
  ~StepProgressLine();
  StepProgressLine(const StepProgressLine&) = delete;
  StepProgressLine& operator=(const StepProgressLine&) = delete;

  // Sets the current work as StepProgress::Set(). Starts to show progress again after Finish().
  // Thread safe.
  void Set(std::string_view what, std::size_t done = 0, std::size_t planned = 0);

  // Clears the line, so that other output starts on a new one, and shows no progress until the next
  // Set(). Thread safe.
  void Finish();

 private:
  void Show();

  const bool terminal_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  StepProgress progress_;
  bool paused_ = true;
  bool open_ = false;  // true: the line on the terminal has text
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace halftone
