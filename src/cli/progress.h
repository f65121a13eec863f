// The progress line of long work, on stderr: rewritten in place on a terminal, else a line every
// few seconds.
#pragma once

#include <string>

#include "src/api/halftone.h"

namespace halftone {

class ProgressLine {
 public:
  explicit ProgressLine(double time_limit_s);  // 0: none

  void Show(const TunerProgress& progress);
  void Show(const OperatorTunerProgress& progress);
  void Show(const ProbeProgress& progress);
  // A line that stays.
  void Note(const std::string& text);
  // Ends the line, so that other output starts on a fresh one.
  void Finish();

  // What Show() prints: "search 37/200 plans, 12 measured, front 5 points, best 1.83x at 47.1 dB,
  // 1:20 left".
  static std::string Text(const TunerProgress& progress, double elapsed_s, double time_limit_s);

  // The text without its last parts, so that it takes less than a line of `columns`: what is
  // longer than the line would scroll at each update.
  static std::string Shortened(std::string text, std::size_t columns);

  // What is said of a plan with --verbose: "plan 12: 1.31x [1.30, 1.32] at 52.1 dB: force_fp16".
  static std::string PlanLine(const Trial& trial, std::size_t number);

  // "operators: 12/34 decided, 1.5 of 4 s", "operators: winners run once more, 3.2 of 4 s".
  static std::string Text(const OperatorTunerProgress& progress);

  // "probes: errors of 12/34 groups of operators", "probes: times of 9 plans".
  static std::string Text(const ProbeProgress& progress);

 private:
  void ShowText(const std::string& text);
  // Limits updates to a readable rate.
  [[nodiscard]] bool IsTime(double now_s);

  double time_limit_s_;
  TunerProgress::Phase phase_ = TunerProgress::Phase::kSearch;
  double phase_start_s_;
  double last_shown_s_ = -1e9;
  bool terminal_;
  std::size_t columns_;
  std::size_t lines_of_plans_ = 0;  // plans of this phase that have a line
  bool open_ = false;
};

}  // namespace halftone
