// Assignments drawn at random, for a search whose model has nothing more that it expects to gain
// from.
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

  // At most `count` distinct assignments without those of `tried`. Two of four are exchanges: one
  // of `bases` with one to three groups in another choice that the probes did not refuse. One is a
  // recombination: a stretch of neighbouring groups, in the order of the network, as another of
  // `bases` has it; stretches keep what neighbours gain by running in one format. One is a restart:
  // each group in a possible choice with a probability that is drawn for all. Fewer than `count`
  // where draws begin to repeat; without `bases` restarts only.
  std::vector<Assignment> Draw(std::span<const Assignment> bases, const Sensitivity& sensitivity,
                               const std::set<Assignment>& tried, std::size_t count);

 private:
  Rng rng_;
};

}  // namespace halftone
