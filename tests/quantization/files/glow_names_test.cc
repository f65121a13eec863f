#include "src/quantization/files/glow_names.h"

#include <gtest/gtest.h>

namespace halftone {
namespace {

TEST(GlowNamesTest, Identifiers) {
  EXPECT_EQ(GlowIdentifier("conv_1"), "conv_1");
  EXPECT_EQ(GlowIdentifier("/layer.1/conv"), "_layer_1_conv");
  EXPECT_EQ(GlowIdentifier("168"), "A168");
  EXPECT_EQ(GlowIdentifier(""), "A");
  EXPECT_EQ(GlowIdentifier("é"), "__");  // two bytes
  EXPECT_EQ(GlowNodeName("conv", "Conv", "y"), "conv");
  EXPECT_EQ(GlowNodeName("", "Conv", "12"), "Conv_12");
}

using Targets = std::vector<GlowTarget>;

TEST(GlowNamesTest, MatchesUniqueNames) {
  const std::vector<GlowCandidate> candidates = {
      {.name = "/a/conv"}, {.name = "split", .results = 2}, {.name = "0"}, {.name = "b__1"}};
  const std::vector<std::string> records = {"split:1", "_a_conv:0", "A0:0", "split:0", "b__1:0"};
  const GlowMatches matches = MatchGlowRecords(records, candidates);
  const std::vector<Targets> expected = {{{1, 1}}, {{0, 0}}, {{2, 0}}, {{1, 0}}, {{3, 0}}};
  EXPECT_EQ(matches.targets, expected);
  EXPECT_TRUE(matches.unmatched.empty());
  EXPECT_TRUE(matches.ambiguous.empty());
}

TEST(GlowNamesTest, ListsWhatHasNoResult) {
  const std::vector<GlowCandidate> candidates = {{.name = "conv"}};
  const std::vector<std::string> records = {
      "other:0", "conv:1", "conv", "conv:", "conv:0x", "conv:-1", "Conv:0", "conv_1:0"};
  const GlowMatches matches = MatchGlowRecords(records, candidates);
  EXPECT_EQ(matches.unmatched.size(), records.size());
  EXPECT_TRUE(matches.ambiguous.empty());
}

TEST(GlowNamesTest, NumberedNamesAreMatchedWhereThereIsOneOnly) {
  // A lone number: whatever Glow numbered, this is the only record of the node.
  const std::vector<GlowCandidate> candidates = {{.name = "conv"}, {.name = "relu"}};
  const GlowMatches lone = MatchGlowRecords(std::vector<std::string>{"conv__2:0"}, candidates);
  EXPECT_EQ(lone.targets[0], (Targets{{0, 0}}));
  EXPECT_TRUE(lone.ambiguous.empty());
  // A convolution and the transposes around it.
  const GlowMatches several = MatchGlowRecords(
      std::vector<std::string>{"conv:0", "relu:0", "conv__1:0", "conv__2:0"}, candidates);
  EXPECT_EQ(several.targets[2], (Targets{{0, 0}}));
  EXPECT_EQ(several.ambiguous, (std::vector<std::size_t>{0, 2, 3}));
}

TEST(GlowNamesTest, NamesThatBecomeOneAreAmbiguous) {
  const std::vector<GlowCandidate> candidates = {{.name = "a.b"}, {.name = "a/b"}, {.name = "c"}};
  const GlowMatches matches =
      MatchGlowRecords(std::vector<std::string>{"a_b:0", "a_b__1:0", "c:0"}, candidates);
  EXPECT_EQ(matches.targets[0], (Targets{{0, 0}, {1, 0}}));
  EXPECT_EQ(matches.targets[1], (Targets{{0, 0}, {1, 0}}));
  EXPECT_EQ(matches.ambiguous, (std::vector<std::size_t>{0, 1}));
}

TEST(GlowNamesTest, ManyNodesOfOneName) {
  constexpr std::size_t kCount = 20000;  // all pairs would take minutes
  const std::vector<GlowCandidate> candidates(kCount, {.name = "n"});
  std::vector<std::string> records;
  for (std::size_t i = 0; i < kCount; ++i) {
    records.push_back("n__" + std::to_string(i) + ":0");
  }
  const GlowMatches matches = MatchGlowRecords(records, candidates);
  EXPECT_EQ(matches.ambiguous.size(), kCount);
  EXPECT_EQ(matches.targets[0].size(), kMostGlowTargets);
}

}  // namespace
}  // namespace halftone
