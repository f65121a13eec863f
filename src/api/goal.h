// --goal and --budget: bounds on the result of a search, and on its cost.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

#include "search/trial/constraints.h"

namespace halftone {

// "front" (no bound), or bounds by the names of AllBounds(): "min_sqnr_db=40",
// "max_top1_drop=0.005, max_latency_ratio=0.8". They join those of `given`. Error kUsage: another
// name, no number, a number that the bound cannot have, a bound that is given twice.
Constraints ParseGoal(std::string_view text, const Constraints& given);

struct Budget {
  // Measured plans; probes count as the plans that run as often.
  std::optional<std::size_t> evaluations;
  std::optional<std::chrono::duration<double>> time;
};

// "120" (evaluations), "90s", "10min", "2h". Error kUsage: anything else, or nothing.
Budget ParseBudget(std::string_view text);

}  // namespace halftone
