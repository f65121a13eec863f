#include "search/strategies/global_points.h"

namespace halftone {

bool IsSingleType(const SearchSpace& space, std::size_t impl_mode_set) {
  const auto types = [&](std::size_t index) { return space.impl_mode_sets[index].by_type.size(); };
  if (types(impl_mode_set) != 1) {
    return false;
  }
  for (std::size_t other = 0; other < space.impl_mode_sets.size(); ++other) {
    if (types(other) > 1) {
      return true;
    }
  }
  return false;
}

std::vector<SpacePoint> GlobalPoints(const SearchSpace& space) {
  std::vector<SpacePoint> points;
  for (std::size_t set = 0; set < space.impl_mode_sets.size(); ++set) {
    for (std::size_t mode = 0; mode < space.modes.size() && !IsSingleType(space, set); ++mode) {
      points.push_back({mode, set, {}});
    }
  }
  return points;
}

}  // namespace halftone
