// Times of every operator and every cast of several plans, measured within the network.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "search/measure/network_setup.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Times of one plan. TimeSteps() gives shares of the run of the first plan, as medians over the
// rounds.
struct StepTimes {
  std::map<std::string, double> nodes;           // time by name of the node
  std::vector<std::pair<double, double>> casts;  // number of elements and time of each cast
  double total = 0;
};

struct StepTimesOptions {
  int min_rounds = 5;     // fewest rounds
  int fewest_rounds = 2;  // fewest rounds once the runs have taken twice the budget
  int max_rounds = 25;
  double budget_s = 3.0;  // seconds of all runs together
  std::uint64_t seed = 1;
};

// Runs all plans in turns: in shuffled order, and in the next round in the reverse order. Empty if
// `stop_requested` returned true. Errors: those of Compile().
std::vector<StepTimes> TimeSteps(const NetworkSetup& network, std::span<const PrecisionPlan> plans,
                                 const StepTimesOptions& options,
                                 const std::function<bool()>& stop_requested);

}  // namespace halftone
