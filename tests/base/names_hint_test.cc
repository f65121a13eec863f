#include "src/base/names_hint.h"

#include <gtest/gtest.h>

namespace halftone {
namespace {

TEST(NamesHintTest, NearNamesThenThoseThatContainTheWord) {
  EXPECT_EQ(NamesHint("stem/convv", {"stem/conv", "head/pool"}), "; close: stem/conv");
  EXPECT_EQ(NamesHint("pool", {"stem/conv", "head/pool"}), "; close: head/pool");
  EXPECT_EQ(NamesHint("x", {}), "");
}

TEST(NamesHintTest, WithoutOneTheFirstNamesAndHowManyThereAre) {
  EXPECT_EQ(NamesHint("nope", {"stem/conv", "head/\npool"}), "; it has stem/conv, head/\\npool");
  EXPECT_EQ(NamesHint("nope", std::vector<std::string>(10, "stem")),
            "; it has stem, stem, stem, stem, stem, stem, stem, stem and 2 more");
}

}  // namespace
}  // namespace halftone
