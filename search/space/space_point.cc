#include "search/space/space_point.h"

#include <numeric>

namespace halftone {

Candidate CandidateAt(const SearchSpace& space, const SpacePoint& point) {
  return MakeCandidate(space, point.mode, point.kept, point.impl_mode_set);
}

PointWalk::PointWalk(const SearchSpace& space)
    : mode_count_(space.modes.size()),
      set_count_(space.impl_mode_sets.size()),
      node_count_(space.keepable_nodes.size()),
      done_(mode_count_ == 0 || set_count_ == 0) {}

std::optional<SpacePoint> PointWalk::Next() {
  if (done_) {
    return std::nullopt;
  }
  SpacePoint point = next_;
  if (++next_.impl_mode_set == set_count_) {
    next_.impl_mode_set = 0;
    if (++next_.mode == mode_count_) {
      next_.mode = 0;
      done_ = !NextKeepSet();
    }
  }
  return point;
}

// Moves to the lexicographic successor among the sets of one size; after the last one, to the first
// set of the next size.
bool PointWalk::NextKeepSet() {
  std::vector<std::size_t>& kept = next_.kept;
  const std::size_t size = kept.size();
  for (std::size_t i = size; i > 0; --i) {
    const std::size_t last_value = node_count_ - size + (i - 1);
    if (kept[i - 1] < last_value) {
      std::iota(kept.begin() + static_cast<std::ptrdiff_t>(i - 1), kept.end(), kept[i - 1] + 1);
      return true;
    }
  }
  if (size == node_count_) {
    return false;
  }
  kept.resize(size + 1);
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  return true;
}

}  // namespace halftone
