#include "search/strategies/global_points.h"

#include <algorithm>

namespace halftone {

bool IsSingleType(const SearchSpace& space, std::size_t impl_mode_set) {
  const auto& modes = space.impl_mode_sets[impl_mode_set].by_type;
  const auto fast = std::ranges::count_if(
      modes, [](const auto& line) { return line.second == ImplMode::kHighPerformance; });
  return modes.size() > 1 && fast == 1;
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
