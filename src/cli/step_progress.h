// Progress of commands whose pieces of work may be long: shows the work at hand within two seconds
// of its begin, although the work itself reports nothing meanwhile.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace halftone {

// The text and the time of progress, without a clock or a thread of its own. Not thread safe.
class StepProgress {
 public:
  // `period_s`: least seconds between two texts; the first comes kFirst_s after the begin, so that
  // short work says nothing.
  StepProgress(double now_s, double period_s)
      : begin_s_(now_s), step_begin_s_(now_s), next_s_(now_s + kFirst_s), period_s_(period_s) {}

  // The work at hand: a new kind of it begins, or another piece is done. `planned`: 0: not known.
  void Set(std::string_view what, std::size_t done, std::size_t planned, double now_s);

  // "accuracy: 3 of 48, about 2:07 left, 0:09 so far"; empty: it is not time, or there is no work.
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

// Shows a StepProgress on standard error, by a thread that lives as long: rewritten in place on a
// terminal, else a line every few seconds; nothing with --quiet.
class StepProgressLine {
 public:
  StepProgressLine();
  ~StepProgressLine();
  StepProgressLine(const StepProgressLine&) = delete;
  StepProgressLine& operator=(const StepProgressLine&) = delete;

  // Thread safe. Shows again what Finish() has ended.
  void Set(std::string_view what, std::size_t done = 0, std::size_t planned = 0);

  // Ends the line until the next Set(), so that other output starts on a fresh one.
  void Finish();

 private:
  void Show();

  const bool terminal_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  StepProgress progress_;
  bool paused_ = true;
  bool open_ = false;  // a line of the terminal
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace halftone
