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
  // Two of four draws are exchanges: a member of `bases` with one to three groups changed to other
  // choices that the probes did not refuse. One is a recombination: a member of `bases` with a run
  // of neighbouring groups, in the order of the network, copied from another member, which
  // preserves the gain of neighbours in one format. One is a restart: each group takes a random
  // possible choice with a probability that is drawn once for the assignment. Without `bases`, all
  // draws are restarts.
  std::vector<Assignment> Draw(std::span<const Assignment> bases, const Sensitivity& sensitivity,
                               const std::set<Assignment>& tried, std::size_t count);

 private:
  Rng rng_;
};

}  // namespace halftone
