// What an option or goal expects of a bound, said to a user who wrote another text.
#pragma once

#include <string>
#include <string_view>

#include "search/trial/constraints.h"

namespace halftone {

// For a text that ParseBound() refuses: "a fraction from 0 to 1 (0.005 is half a percent); 1% is
// 0.01".
std::string ExpectedOf(const BoundRow& row, std::string_view text);

}  // namespace halftone
