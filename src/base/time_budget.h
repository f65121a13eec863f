// Time budget of a command: one clock and one end for all of its phases. A phase asks it before
// every piece of work that can be left out. The budget records where the time went.
//
// Wall time counts, including time in which other programs use the machine.
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
  kLoading,       // network, samples
  kCalibration,   // ranges of 8-bit tensors, factors, biases
  kKernels,       // machine profile, operator tuning
  kReference,     // float32 on the samples
  kProbes,        // sensitivities of operators
  kSearch,        // plans
  kConfirmation,  // members of the front
  kHeldout,       // held-out samples
  kReport,        // explanations, files
};

inline constexpr std::size_t kBudgetPhases = 9;

// "loading", "calibration", "kernels", "float32", "probes", "search", "confirmation", "held-out
// samples", "report".
std::string_view NameOf(BudgetPhase phase);

struct PhaseTime {
  BudgetPhase phase = BudgetPhase::kLoading;
  double seconds = 0;

  friend bool operator==(const PhaseTime&, const PhaseTime&) = default;
};

class TimeBudget;

// Part of a budget that one phase may take. A value; the default has no end.
class TimeSlice {
 public:
  TimeSlice() = default;

  // The budget must outlive it.
  TimeSlice(const TimeBudget& budget, double end_s) : budget_(&budget), end_s_(end_s) {}

  [[nodiscard]] bool limited() const { return end_s_ < std::numeric_limits<double>::infinity(); }

  // Seconds on the clock of the budget; 0 without one.
  [[nodiscard]] double now_s() const;
  // Infinite without an end; never below 0.
  [[nodiscard]] double left_s() const;

  // True if work of so many seconds ends within it.
  [[nodiscard]] bool Fits(double seconds) const { return seconds <= left_s(); }

 private:
  const TimeBudget* budget_ = nullptr;
  double end_s_ = std::numeric_limits<double>::infinity();
};

// Not thread safe: phases follow each other.
class TimeBudget {
 public:
  // Seconds since any fixed moment; never goes back.
  using Clock = std::function<double()>;

  static Clock SystemClock();

  // Begins now, with kLoading. `limit_s`: seconds; empty: there is no end.
  explicit TimeBudget(std::optional<double> limit_s = std::nullopt, Clock clock = SystemClock());

  // The end becomes so many seconds after the begin: a command knows its budget only when its
  // options are read.
  void SetLimit(std::optional<double> limit_s) { limit_s_ = limit_s; }

  [[nodiscard]] const std::optional<double>& limit_s() const { return limit_s_; }

  [[nodiscard]] double elapsed_s() const { return clock_() - begin_s_; }

  // Infinite without a limit; never below 0.
  [[nodiscard]] double left_s() const;

  [[nodiscard]] bool IsOver() const { return left_s() <= 0; }

  // A slice of at most this share of the whole, from now on, and at most what is left.
  [[nodiscard]] TimeSlice Slice(double share) const;

  // Time from now on belongs to the phase.
  void Begin(BudgetPhase phase);

  [[nodiscard]] BudgetPhase phase() const { return phase_; }

  // The phases that took any time until now, in their order.
  [[nodiscard]] std::vector<PhaseTime> Spent() const;

  // Seconds of one float32 run on one sample of the first input shape; 0: not measured yet.
  [[nodiscard]] double run_s() const { return run_s_; }

  void LearnRun(double seconds) { run_s_ = seconds; }

 private:
  Clock clock_;
  double begin_s_;
  std::optional<double> limit_s_;
  BudgetPhase phase_ = BudgetPhase::kLoading;
  double phase_begin_s_;
  std::array<double, kBudgetPhases> spent_s_{};
  double run_s_ = 0;
};

// Begins a phase for as long as the object lives; then the previous phase goes on.
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
