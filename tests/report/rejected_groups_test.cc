#include "src/report/rejected_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/report/formats.h"
#include "src/report/report_tables.h"
#include "tests/support/example_summary.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;

TEST(RejectedGroups, ReasonsThatDifferInNamesAndNumbersAreOneGroup) {
  const std::vector<RejectedGroup> groups =
      RejectedGroups(std::vector<RejectedPoint>{{"a", "node 'exp' overflows in 3 of 8 samples"},
                                                {"b", "EZ3003: no engine found for [stem/conv]"},
                                                {"c", "EZ3003: no engine found for [head/fc2]"},
                                                {"d", "node 'x' overflows in 2 of 8 samples"},
                                                {"e", "EZ3003: no engine found for []"},
                                                {"f", "an apostrophe's tail"}});
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].configurations, 3U);
  EXPECT_EQ(groups[0].summary, "b");
  EXPECT_EQ(groups[0].reason, "EZ3003: no engine found for [stem/conv]");
  EXPECT_EQ(groups[1].configurations, 2U);
  EXPECT_EQ(groups[1].summary, "a");
  EXPECT_EQ(groups[2].summary, "f");
}

TEST(RejectedGroups, NoneOfNone) {
  EXPECT_TRUE(RejectedGroups({}).empty());
}

// 729 rejections for one reason were 285 KB of report.
TEST(RejectedGroups, AReportOfManyRejectionsStaysShort) {
  TuneSummary summary = ExampleSummary();
  summary.search.rejected.clear();
  const std::string before =
      FormatMarkdown(summary) + FormatHtml(summary) + FormatFrontJson(summary);
  for (int i = 0; i < 729; ++i) {
    summary.search.rejected.push_back(
        {"keep " + std::to_string(i) + " nodes",
         "EZ3003: no engine found for [node_" + std::to_string(i) + "]"});
  }
  const std::string after =
      FormatMarkdown(summary) + FormatHtml(summary) + FormatFrontJson(summary);
  EXPECT_LT(after.size(), before.size() + 2000);
  EXPECT_THAT(FormatMarkdown(summary), HasSubstr("| 729"));
  EXPECT_THAT(FormatConsole(summary),
              HasSubstr("rejected, 729 of 729 alike: keep 0 nodes: EZ3003"));
}

TEST(RejectedGroups, ManyReasonsAreCut) {
  TuneSummary summary = ExampleSummary();
  summary.search.rejected.clear();
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    summary.search.rejected.push_back({"plan", "reason " + std::string(1, letter)});
  }
  const TextTable table = RejectedTable(summary);
  ASSERT_EQ(table.rows.size(), kShownRejectedGroups + 1);
  EXPECT_EQ(table.rows.back()[0], "6");
  EXPECT_EQ(table.rows.back()[2], "6 further reasons, in front.json");
}

}  // namespace
}  // namespace halftone
