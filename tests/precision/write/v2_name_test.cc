// Newer names of modes in written options: the mode stays.
#include "src/precision/write/v2_name.h"

#include <gtest/gtest.h>

#include "src/precision/resolve/modes.h"
#include "tests/support/plain_graph_builder.h"

namespace halftone {
namespace {

TEST(WithV2Name, IsAnotherNameOfTheSameMode) {
  TargetSpec target = testing::MakeTarget({});
  target.has_bfloat16 = true;
  int renamed = 0;
  for (const PrecisionMode& mode : AllPrecisionModes()) {
    for (const std::string_view name : {mode.name, mode.alias}) {
      if (name.empty() || mode.narrow == nullptr) {
        continue;
      }
      const PrecisionOptions before{.precision_mode = std::string(name), .keep_dtype = {"conv"}};
      const PrecisionOptions after = WithV2Name(before);
      EXPECT_EQ(after.precision_mode_v2, mode.v2_name) << name;
      EXPECT_EQ(after.precision_mode.empty(), !mode.v2_name.empty()) << name;
      EXPECT_EQ(after.keep_dtype, before.keep_dtype);
      EXPECT_EQ(&EffectiveMode(after, target), &mode) << name;
      renamed += mode.v2_name.empty() ? 0 : 1;
    }
  }
  EXPECT_GE(renamed, 5);
}

TEST(WithV2Name, LeavesWhatHasNone) {
  EXPECT_EQ(WithV2Name({}), PrecisionOptions{});
  const PrecisionOptions typed{.precision_mode_v2 = "origin"};
  EXPECT_EQ(WithV2Name(typed), typed);
}

}  // namespace
}  // namespace halftone
