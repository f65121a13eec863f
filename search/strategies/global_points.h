// Start points of every search: whole-network settings.
#pragma once

#include <vector>

#include "search/space/space_point.h"

namespace halftone {

// Every mode with the default implementations, and with each implementation-mode set that changes
// several types; nothing is kept.
std::vector<SpacePoint> GlobalPoints(const SearchSpace& space);

// True if a set changes one type of several.
bool IsSingleType(const SearchSpace& space, std::size_t impl_mode_set);

}  // namespace halftone
