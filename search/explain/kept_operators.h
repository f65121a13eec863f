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
  // Reason why the choice is impossible; empty if it is possible. The figures below are for this
  // choice alone.
  std::string refusal;
  double local_sqnr_db = 0;  // SQNR of the operator's results
  double sqnr_db = 0;        // SQNR of the network's outputs
  double largest_value = 0;  // largest magnitude of its float32 results
  double saved_time = 0;     // share of float32's time that the choice would save, without casts
  std::string cause;         // a name of AllCauses()
  std::string evidence;      // a clause with numbers

  friend bool operator==(const KeptOperator&, const KeptOperator&) = default;
};

// SQNR of a relative error power in dB: at most kMostInexactDb, or kExactSqnrDb for an error power
// of 0.
double DecibelsOf(double error_power);

// Error power at the outputs, mean over the samples, of a plan in which only this group leaves the
// reference and makes this choice. The operands of the group come from float32 and are rounded to
// the format of the choice.
double ErrorAtOutputs(const GroupSensitivity& group, const Choice& choice,
                      const ChoiceSensitivity& sensitivity);

// The fastest possible choice of a group in a reduced format, with the reason why it is rejected;
// if no such choice is possible, the fastest of the impossible ones. `node` is the name of the
// group. Empty if the group has no reduced choice.
std::optional<KeptOperator> RejectedChoice(const DecisionGroup& group,
                                           const GroupSensitivity& sensitivity);

// Operators that the trial keeps in float32, in the order of the network. Operators that were not
// probed or have no reduced choice are left out.
std::vector<KeptOperator> KeptOperatorsOf(const SearchInsight& insight, const Trial& trial);

}  // namespace halftone
