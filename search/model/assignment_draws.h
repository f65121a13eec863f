// Random assignments, for a search whose model predicts no further gain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "search/probe/sensitivity.h"
#include "search/space/decisions.h"
#include "src/base/rng.h"

namespace halftone {

class AssignmentDraws {
 public:
  explicit AssignmentDraws(std::uint64_t seed) : rng_(seed) {}

  // At most `count` distinct assignments that are not in `tried`; fewer when draws begin to repeat.
  // Each draw is of a random kind:
  // - exchange (probability 1/2): one to three groups of a member of `bases` take other choices
  //   that the probes did not refuse
  // - recombination (1/4): a member of `bases` takes the choices of another member for a run of
  //   neighbouring groups, in the order of the network; this preserves the gain of neighbours in
  //   one format
  // - restart (1/4): each group takes a random possible choice, with a probability that is drawn
  //   once for the assignment, and else the reference
  // Without `bases`, all draws are restarts.
  std::vector<Assignment> Draw(std::span<const Assignment> bases, const Sensitivity& sensitivity,
                               const std::set<Assignment>& tried, std::size_t count);

 private:
  Rng rng_;
};

}  // namespace halftone
