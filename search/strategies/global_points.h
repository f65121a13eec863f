// Global points: start points of every search, which have one setting for the whole network.
#pragma once

#include <vector>

#include "search/space/space_point.h"

namespace halftone {

// Every mode with the default implementations and with each implementation-mode set that is not
// IsSingleType(); no node is kept.
std::vector<SpacePoint> GlobalPoints(const SearchSpace& space);

// True if the set gives modes to several operator types and high_performance to exactly one of
// them.
bool IsSingleType(const SearchSpace& space, std::size_t impl_mode_set);

}  // namespace halftone
