// Operators that a trial keeps in float32, with the cause and the cost of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/strategies/strategy.h"
#include "search/trial/trial.h"

namespace halftone {

struct KeptOperator {
  std::string node;
  std::string choice;  // the fastest rejected choice: "float16 high_performance"
  // Reason why the choice is impossible; empty: it is possible, and the figures below are for this
  // choice alone.
  std::string refusal;
  double local_sqnr_db = 0;  // of the operator's results
  double sqnr_db = 0;        // of the network's outputs
  double largest_value = 0;  // largest magnitude of its float32 results
  double saved_time = 0;     // share of float32's time that the choice would save, without casts
  std::string cause;         // a name of AllCauses()
  std::string evidence;      // a clause with numbers

  friend bool operator==(const KeptOperator&, const KeptOperator&) = default;
};

// SQNR of a relative error power, at most kMostInexactDb; kExactSqnrDb for an error power of 0.
double DecibelsOf(double error_power);

// Error power at the outputs, mean over the samples, when only this choice of the group is made:
// its operands come from float32 and are rounded to its dtype.
double ErrorAtOutputs(const GroupSensitivity& group, const Choice& choice,
                      const ChoiceSensitivity& sensitivity);

// The fastest choice of a group in a reduced format, with the reason why it is rejected; the first
// such choice if none is possible. `node` is the group's name. Empty: the group has no reduced
// choice.
std::optional<KeptOperator> RejectedChoice(const DecisionGroup& group,
                                           const GroupSensitivity& sensitivity);

// Operators in the order of the network, without nodes that were not probed.
std::vector<KeptOperator> KeptOperatorsOf(const SearchInsight& insight, const Trial& trial);

}  // namespace halftone
