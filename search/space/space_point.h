// Candidates as indices into a SearchSpace, as strategies represent them, and the enumeration of
// all candidates.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <vector>

#include "search/space/space.h"
#include "search/trial/candidate.h"

namespace halftone {

struct SpacePoint {
  std::size_t mode = 0;
  std::size_t impl_mode_set = 0;
  std::vector<std::size_t> kept;  // ascending, without duplicates

  // NOLINTNEXTLINE(modernize-use-nullptr): no pointer is here
  friend auto operator<=>(const SpacePoint&, const SpacePoint&) = default;
};

Candidate CandidateAt(const SearchSpace& space, const SpacePoint& point);

// Enumerates all points of a space, each once. Keep sets come in the order of their size, from the
// empty set on, and in lexicographic order within a size. Each keep set is combined with every
// mode, and each mode with every implementation-mode set. So the configurations with the shortest
// files come first.
class PointWalk {
 public:
  explicit PointWalk(const SearchSpace& space);

  // The next point; empty after the last one.
  std::optional<SpacePoint> Next();

 private:
  bool NextKeepSet();

  std::size_t mode_count_;
  std::size_t set_count_;
  std::size_t node_count_;
  SpacePoint next_;
  bool done_;
};

}  // namespace halftone
