// Best plans of a search so far, in a few numbers: the fastest of all, the fastest that meets the
// goal, and the fastest at each of a fixed list of bounds on accuracy. The list serves to compare
// searches with different goals.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/trial/constraints.h"
#include "search/trial/trial.h"

namespace halftone {

struct BestPlan {
  double latency_ratio = 1;       // to float32
  double loss = 0;                // of ObjectivesOf()
  std::optional<double> sqnr_db;  // mean; empty: no output is floating, or the mean is not finite

  friend bool operator==(const BestPlan&, const BestPlan&) = default;
};

// The fastest plan that meets one bound.
struct BestAtBound {
  std::string bound;  // as a goal states it: "min_sqnr_db=40"
  BestPlan plan;

  friend bool operator==(const BestAtBound&, const BestAtBound&) = default;
};

struct BestSoFar {
  std::uint64_t front_points = 0;   // of ParetoFront()
  std::optional<BestPlan> any;      // the fastest of all; empty: nothing was measured
  std::optional<BestPlan> meeting;  // the fastest that meets the goal's bounds; empty: none does
  // One for each bound of the fixed list that some plan meets, in the order of the list.
  std::vector<BestAtBound> at_bounds;

  friend bool operator==(const BestSoFar&, const BestSoFar&) = default;
};

// The fixed list: "min_sqnr_db=20" to 60 in steps of 10, "min_agreement=0.9", 0.99, 0.999.
std::vector<std::string> BoundsOfBest();

// The fastest plan has the least latency ratio, and among equal ratios the least loss. Plans whose
// ratio or loss is no finite number are passed over. `reference_top1` is as in Violation().
BestSoFar BestSoFarOf(std::span<const Trial> trials, const Constraints& constraints,
                      std::optional<double> reference_top1);

}  // namespace halftone
