// Text that describes a valid bound, for messages about an invalid one.
#pragma once

#include <string>
#include <string_view>

#include "search/trial/constraints.h"

namespace halftone {

// Expected text of a bound, for the message when ParseBound() refuses `text`: "a fraction from 0 to
// 1 (0.005 is half a percent); 1% is 0.01".
std::string ExpectedOf(const BoundRow& row, std::string_view text);

}  // namespace halftone
