// Why the operators of a trial stayed in float32, and what each of them costs.
#pragma once

#include <string>
#include <vector>

#include "search/strategies/strategy.h"
#include "search/trial/trial.h"

namespace halftone {

struct KeptOperator {
  std::string node;
  std::string choice;  // the fastest one that is not made: "float16 high_performance"
  // Why it cannot be made; empty: it can, and the figures below are those of this choice alone.
  std::string refusal;
  double local_sqnr_db = 0;  // of what the operator makes
  double sqnr_db = 0;        // of the network's outputs
  double largest_value = 0;  // magnitude of what it makes in float32
  double saved_time = 0;     // share of float32's time that it would save, casts left out
  std::string cause;         // a name of AllCauses()
  std::string evidence;      // a clause with numbers

  friend bool operator==(const KeptOperator&, const KeptOperator&) = default;
};

// Of a relative error power; kExactSqnrDb at most.
double DecibelsOf(double error_power);

// Error power at the outputs, mean over the samples, when only this choice of the group is made:
// its operands come from float32 and are rounded to its dtype.
double ErrorAtOutputs(const GroupSensitivity& group, const Choice& choice,
                      const ChoiceSensitivity& sensitivity);

// In the order of the network; nodes that the probes did not look at are left out.
std::vector<KeptOperator> KeptOperatorsOf(const SearchInsight& insight, const Trial& trial);

}  // namespace halftone
