// Golden files: expected text under tests/golden/. UPDATE_GOLDEN=1 ctest rewrites them; the diff is
// reviewed like code.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace halftone::testing {

// Success when `actual` equals tests/golden/<name>; a failure shows the first line that differs.
::testing::AssertionResult MatchesGolden(std::string_view actual, const std::string& name);

}  // namespace halftone::testing
