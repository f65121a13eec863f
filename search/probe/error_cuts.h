// Cuts of the order of steps, which make the probes of errors cheaper. To carry the error of every
// group to the outputs of the network costs half a run for each group. With cuts, an error is
// carried to the next cut, and its power is measured there. One run from the cut to the outputs for
// each value at the cut measures the gain of this value. The error power of the group at the
// outputs is the sum over the values at the cut of power x gain. The sum is exact for one value
// whose gain does not depend on the error; the error of the sum is what the gains of different
// errors differ by. N groups in a chain cost about sqrt(N) runs instead of N / 2. The functions are
// pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "search/space/decisions.h"
#include "src/ir/graph.h"

namespace halftone {

struct ErrorCuts {
  // Per segment: the first step after it; ascending. The last is the number of steps, so the errors
  // of the last segment are carried to the outputs.
  std::vector<NodeId> ends;
  // Cost to carry one error of every group of one sample, in runs of the network. All steps weigh
  // the same.
  double runs = 0;

  // The end of the segment of a group: the first one after the last of its steps.
  [[nodiscard]] NodeId EndOf(const DecisionGroup& group) const;
};

// Returns the values that steps before `end` produce and that a step from `end` on reads or that
// are graph outputs; ascending. These are the values at a cut.
std::vector<ValueId> ValuesAt(const Graph& steps, NodeId end);

// Returns the fewest cuts whose cost is at most `most_runs`, and of as many cuts those with the
// least cost; if the cost of all is larger, the cuts with the least cost. `steps` is StepGraph().
// No cut has a value of an integer or boolean dtype. The time is proportional to the square of the
// number of steps.
ErrorCuts PlanErrorCuts(const Graph& steps, std::span<const DecisionGroup> groups,
                        double most_runs);

}  // namespace halftone
