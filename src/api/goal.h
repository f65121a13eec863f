// --goal, --confidence and --budget: bounds on the result of a search, how sure they are to hold,
// and bounds on its cost.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "search/trial/constraints.h"

namespace halftone {

// "front" (no bound), or bounds by the names of AllBounds(): "min_sqnr_db=40",
// "min_sqnr_db=40@95%", "max_top1_drop=0.005, max_latency_ratio=0.8". They join those of `given`.
// Error kUsage: another name, no number, a number that the bound cannot have, a bound that is given
// twice.
Constraints ParseGoal(std::string_view text, const Constraints& given);

// Range of --confidence.
inline constexpr double kLeastConfidence = 0.5;
inline constexpr double kMostConfidence = 0.999;

// "0.95"; "none" is empty: bounds are met on the samples, and nothing is promised of others. Error
// kUsage: anything else.
std::optional<double> ParseConfidence(std::string_view text);

// The text that ParseConfidence() reads.
std::string ConfidenceText(const std::optional<double>& confidence);

// Error kUsage: a confidence out of range.
void CheckConfidence(const std::optional<double>& confidence);

struct Budget {
  // Measured plans; probes count as the plans that would take as many runs.
  std::optional<std::size_t> evaluations;
  std::optional<std::chrono::duration<double>> time;
};

// The budget of a search without any other limit.
inline constexpr std::string_view kDefaultBudget = "10min";

// "120" (evaluations), "90s", "10min", "2h". Error kUsage: anything else, or nothing.
Budget ParseBudget(std::string_view text);

}  // namespace halftone
