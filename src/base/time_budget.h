// Time budget of a command: one clock and one end for all of its phases. A phase asks the budget
// before each piece of work that it can leave out. The budget records the time of each phase.
//
// Time is wall time, including time in which other programs use the machine.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace halftone {

enum class BudgetPhase : std::uint8_t {
  kLoading,       // reads network and samples
  kCalibration,   // finds ranges of 8-bit tensors, channel factors, biases
  kKernels,       // measures the machine profile, tunes operators
  kReference,     // runs float32 on the samples
  kProbes,        // measures sensitivities of operators
  kSearch,        // measures plans
  kConfirmation,  // measures the members of the front again
  kHeldout,       // judges the front on held-out samples
  kReport,        // makes explanations and files
};

inline constexpr std::size_t kBudgetPhases = 9;

// Returns "loading", "calibration", "kernels", "float32", "probes", "search", "confirmation",
// "held-out samples" or "report".
std::string_view NameOf(BudgetPhase phase);

struct PhaseTime {
  BudgetPhase phase = BudgetPhase::kLoading;
  double seconds = 0;

  friend bool operator==(const PhaseTime&, const PhaseTime&) = default;
};

class TimeBudget;

// Part of a budget for one phase. A value; the default one has no end.
class TimeSlice {
 public:
  TimeSlice() = default;

  // `end_s`: end on the clock of `budget`, which must outlive the slice.
  TimeSlice(const TimeBudget& budget, double end_s) : budget_(&budget), end_s_(end_s) {}

  [[nodiscard]] bool limited() const { return end_s_ < std::numeric_limits<double>::infinity(); }

  // Seconds since the budget began; 0 without a budget.
  [[nodiscard]] double now_s() const;
  // Seconds until the end, at least 0; infinite without an end.
  [[nodiscard]] double left_s() const;

  // True if work of so many seconds ends within the slice.
  [[nodiscard]] bool Fits(double seconds) const { return seconds <= left_s(); }

 private:
  const TimeBudget* budget_ = nullptr;
  double end_s_ = std::numeric_limits<double>::infinity();
};

// Not thread safe.
class TimeBudget {
 public:
  // Seconds since any fixed moment; never goes back.
  using Clock = std::function<double()>;

  static Clock SystemClock();

  // Begins now, in phase kLoading. `limit_s`: seconds from now on; empty: no end.
  explicit TimeBudget(std::optional<double> limit_s = std::nullopt, Clock clock = SystemClock());

  // Sets the limit, counted from construction: a command knows its budget only after it has read
  // its options.
  void SetLimit(std::optional<double> limit_s) { limit_s_ = limit_s; }

  [[nodiscard]] const std::optional<double>& limit_s() const { return limit_s_; }

  [[nodiscard]] double elapsed_s() const { return clock_() - begin_s_; }

  // Seconds until the limit, at least 0; infinite without a limit.
  [[nodiscard]] double left_s() const;

  [[nodiscard]] bool IsOver() const { return left_s() <= 0; }

  // Returns a slice from now on: `share` of the whole budget, but no more than is left.
  [[nodiscard]] TimeSlice Slice(double share) const;

  // Time from now on is counted for `phase`.
  void Begin(BudgetPhase phase);

  [[nodiscard]] BudgetPhase phase() const { return phase_; }

  // Returns the time of each phase that took any so far, in the order of the enumerators.
  [[nodiscard]] std::vector<PhaseTime> Spent() const;

  // Seconds of one float32 run on one sample of the first input shape; 0: not measured yet.
  [[nodiscard]] double run_s() const { return run_s_; }

  void LearnRun(double seconds) { run_s_ = seconds; }

  // Length of the whole budget in float32 runs; infinite without a limit, and while run_s() is 0.
  [[nodiscard]] double runs() const;

 private:
  Clock clock_;
  double begin_s_;
  std::optional<double> limit_s_;
  BudgetPhase phase_ = BudgetPhase::kLoading;
  double phase_begin_s_;
  std::array<double, kBudgetPhases> spent_s_{};
  double run_s_ = 0;
};

// Counts time for a phase while the object exists; afterwards the previous phase goes on.
class PhaseScope {
 public:
  PhaseScope(TimeBudget& budget, BudgetPhase phase) : budget_(budget), before_(budget.phase()) {
    budget_.Begin(phase);
  }

  ~PhaseScope() { budget_.Begin(before_); }

  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;

 private:
  TimeBudget& budget_;
  BudgetPhase before_;
};

}  // namespace halftone
