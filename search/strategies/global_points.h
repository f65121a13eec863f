// Start points of every search: whole-network settings.
#pragma once

#include <vector>

#include "search/space/space_point.h"

namespace halftone {

// Every mode with the default and with the implementation-mode sets of several types, nothing kept.
std::vector<SpacePoint> GlobalPoints(const SearchSpace& space);

// True if a set changes one type of several.
bool IsSingleType(const SearchSpace& space, std::size_t impl_mode_set);

}  // namespace halftone
