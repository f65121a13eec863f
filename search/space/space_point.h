// A candidate as indices into a SearchSpace, as strategies represent it, and the enumeration of all
// candidates.
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

  friend auto operator<=>(const SpacePoint&, const SpacePoint&) = default;
};

Candidate CandidateAt(const SearchSpace& space, const SpacePoint& point);

// Enumerates all points of a space, each once: nothing kept first, then keep sets of one node, of
// two, and so on, in lexicographic order; for each keep set all modes, for each mode all
// implementation-mode sets. So the configurations with the shortest files come first.
class PointWalk {
 public:
  explicit PointWalk(const SearchSpace& space);

  // Empty after the last one.
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
