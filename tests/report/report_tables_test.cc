// Order and grouping of the rows of tables that every report shows.
#include "src/report/report_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "src/report/formats.h"
#include "tests/support/example_summary.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> ColumnOf(const TextTable& table, std::size_t column) {
  std::vector<std::string> cells;
  for (const std::vector<std::string>& row : table.rows) {
    cells.push_back(row[column]);
  }
  return cells;
}

std::size_t CountOf(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

KeptOperator Kept(std::string node, std::string cause, double saved_time,
                  std::string refusal = {}) {
  return {.node = std::move(node),
          .choice = "float16",
          .refusal = std::move(refusal),
          .saved_time = saved_time,
          .cause = std::move(cause),
          .evidence = "numbers"};
}

TEST(ReportTables, KeptOperatorsAreGroupedByCauseAndSortedByPrice) {
  TuneSummary summary = ExampleSummary();
  summary.insight.kept = {Kept("a", "rounding", 0.01),
                          Kept("b", "overflow", 0.02),
                          Kept("c", "rounding", 0.05),
                          Kept("d", "overflow", 0.01),
                          Kept("e", "rounding", 0.09, "no kernel"),
                          Kept("f", "slow", -0.5)};
  const TextTable table = KeptTable(summary);
  EXPECT_THAT(ColumnOf(table, 0),
              ElementsAre("rounding", "rounding", "rounding", "overflow", "overflow", "slow"));
  EXPECT_THAT(ColumnOf(table, 1), ElementsAre("c", "a", "e", "b", "d", "f"));
}

TEST(ReportTables, PointsRefusedForOneReasonAreOneRow) {
  TuneSummary summary = ExampleSummary();
  ASSERT_GE(summary.front.points.size(), 2U);
  const FrontPoint point = summary.front.points.front();
  summary.front.points.assign(6, point);
  summary.outcome.verdict.refused = {{0, "an SQNR of 20 dB is below 40 dB"},
                                     {1, "an SQNR of 25 dB is below 40 dB"},
                                     {2, "an SQNR of 31 dB is below 40 dB"},
                                     {3, "not tested"},
                                     {4, "not tested"},
                                     {5, "less accurate"}};
  const TextTable table = RefusedTable(summary);
  EXPECT_THAT(ColumnOf(table, 0), ElementsAre("1 to 3", "4 to 5", "6"));
  EXPECT_THAT(ColumnOf(table, 2), ElementsAre("point 3: an SQNR of 31 dB is below 40 dB",
                                              "not tested", "less accurate"));
}

TEST(ReportTables, AWarningStandsOnceOnThePage) {
  TuneSummary summary = ExampleSummary();
  summary.warnings = {"the samples are odd", "another", "the samples are odd"};
  EXPECT_EQ(CountOf(FormatHtml(summary), "<p class=\"warning\">the samples are odd</p>"), 1U);
  EXPECT_EQ(CountOf(FormatMarkdown(summary), "the samples are odd"), 1U);
  EXPECT_EQ(CountOf(FormatConsole(summary), "the samples are odd"), 1U);
}

}  // namespace
}  // namespace halftone
