// Progress of a tuning run on standard error: one line that is rewritten on a terminal, else a new
// line every few seconds.
#pragma once

#include <optional>
#include <string>

#include "src/api/halftone.h"

namespace halftone {

// "2:07"
std::string MinutesSeconds(double seconds);

class ProgressLine {
 public:
  // `time_limit_s`: limit on the run in seconds; 0: none.
  ProgressLine(double time_limit_s, const Vocabulary& words);

  void Show(const TunerProgress& progress);
  void Show(const OperatorTunerProgress& progress);
  void Show(const ProbeProgress& progress);

  struct Times {
    double phase_s = 0;  // seconds since the search or the confirmation began
    double run_s = 0;    // seconds since the run began
    double limit_s = 0;  // limit on the run in seconds; 0: none
  };

  // Bounds of the goal, and the top-1 of float32 by which a drop counts; empty: no labels.
  struct Goal {
    Constraints bounds;
    std::optional<double> reference_top1;
  };

  // Sets the callbacks so that they show their progress. The object must outlive them.
  void Watch(TuneCallbacks& callbacks);

  // Prints a line that stays.
  void Note(const std::string& text);
  // Clears the line, so that other output starts on a new one.
  void Finish();

  // Text that Show() prints: "search 37/200 plans, 12 measured, front of 5, fastest 1.83x at 47.1
  // dB, 0:40 of at most 10:00". With bounds, it has the fastest point that meets them, or says that
  // none does yet. Without a limit, it ends with the estimated rest of the phase.
  static std::string Text(const TunerProgress& progress, const Times& times, const Goal& goal = {});

  // Removes the last parts of the text until it is shorter than `columns`. A longer text would
  // scroll the terminal at each update.
  static std::string Shortened(std::string text, std::size_t columns);

  // Line about a plan for --verbose: "plan 12: 1.31x [1.30, 1.32] at 52.1 dB: force_fp16".
  static std::string PlanLine(const Trial& trial, std::size_t number, const Vocabulary& words);

  // "operators: 12/34 decided, 1.5 of 4 s", "operators: winners run once more, 3.2 of 4 s".
  static std::string Text(const OperatorTunerProgress& progress);

  // "probes: errors of 12/34 groups of operators", "probes: times of 9 plans".
  static std::string Text(const ProbeProgress& progress);

 private:
  void ShowText(const std::string& text);
  // True if the last update was long enough ago for another one.
  [[nodiscard]] bool IsTime(double now_s);

  double time_limit_s_;
  Goal goal_;
  const Vocabulary& words_;
  TunerProgress::Phase phase_ = TunerProgress::Phase::kSearch;
  double start_s_;
  double phase_start_s_;
  double last_shown_s_ = -1e9;
  bool terminal_;
  std::size_t columns_;
  std::size_t lines_of_plans_ = 0;  // number of plans of this phase that have a line
  bool open_ = false;
};

}  // namespace halftone
