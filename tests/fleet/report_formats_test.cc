// Files and screen of a fleet's report: golden files, hostile names, size.
#include "src/fleet/report/report_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/base/file.h"
#include "src/base/text.h"
#include "src/base/text_table.h"
#include "src/fleet/report/report_sections.h"
#include "tests/fleet/example_fleet.h"
#include "tests/support/golden.h"

namespace halftone {
namespace {

using ::halftone::testing::ExampleReport;
using ::halftone::testing::HostileReport;
using ::halftone::testing::LargeReport;
using ::halftone::testing::MatchesGolden;
using ::halftone::testing::RetuneReport;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(FleetReportFiles, ExampleIsAsItWas) {
  const FleetReport report = ExampleReport();
  for (const FleetReportFormat& format : AllFleetReportFormats()) {
    std::string text = format.format(report);
    if (format.file_name == "report.html") {  // from where the words begin
      text = text.substr(text.find("<body>"), text.find("<script>") - text.find("<body>"));
    }
    EXPECT_TRUE(MatchesGolden(text, "fleet/" + std::string(format.file_name)));
  }
  EXPECT_TRUE(MatchesGolden(FormatFleetTable(report), "fleet/screen.txt"));
  EXPECT_TRUE(MatchesGolden(FormatFleetMarkdown(RetuneReport()), "fleet/retune.md"));
}

TEST(FleetReportFiles, VerdictsOfARetuneStandFirst) {
  const std::vector<ReportSection> sections = SectionsOf(RetuneReport());
  EXPECT_EQ(sections[0].id, "retune");
  EXPECT_THAT(sections[0].sentences, ElementsAre("Verdicts: 1 failed, 1 searched again, 1 holds."));
  ASSERT_EQ(sections[0].table.rows.size(), 2U);
  EXPECT_EQ(sections[0].table.rows[0][0], "broken");
  EXPECT_EQ(sections[0].table.rows[1][3], "Speed-up 1.40x before, 1.20x now.");
}

TEST(FleetReportFiles, AreWrittenIntoTheFolder) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "fleet_report_files";
  WriteFleetReport(ExampleReport(), folder);
  for (const FleetReportFormat& format : AllFleetReportFormats()) {
    EXPECT_EQ(ReadFile(folder / format.file_name), format.format(ExampleReport()));
  }
}

// Without what the program itself writes in these characters.
TEST(FleetReportFiles, HostileNamesStayText) {
  const FleetReport report = HostileReport();
  for (const FleetReportFormat& format : AllFleetReportFormats()) {
    const std::string text = format.format(report);
    for (const std::string_view raw : {"\x1b", "\x80\xe2", "\xe2\x80\xae", "line\nbreak"}) {
      EXPECT_THAT(text, Not(HasSubstr(std::string(raw)))) << format.file_name;
    }
  }
  const std::string html = FormatFleetHtml(report);
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;|a|&quot;b&quot;"));
  EXPECT_THAT(html, HasSubstr("<a href=results/%3Cscript%3Ealert%28%27x%27%29%3C/script%3E%7Ca"));
  const std::string markdown = FormatFleetMarkdown(report);
  EXPECT_THAT(markdown, Not(HasSubstr("<script>")));
  EXPECT_THAT(markdown, Not(HasSubstr("[a](javascript")));
  EXPECT_THAT(markdown, Not(HasSubstr("*b*")));
  // Bars of names are escaped: each row of a table has as many as its heading.
  std::size_t bars = 0;
  for (const std::string_view line : Split(markdown, '\n')) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      count += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
    }
    if (line.starts_with("|")) {
      EXPECT_TRUE(bars == 0 || count == bars) << line;
      bars = count;
    } else {
      bars = 0;
    }
  }
  const nlohmann::json json = nlohmann::json::parse(FormatFleetJson(report));
  EXPECT_EQ(json["fleet"], "<script>alert('x')</script>|a|\"b\",c");
  const std::string csv = FormatFleetCsv(report);
  for (const std::string_view line : Split(Trim(csv), '\n')) {
    bool quoted = false;
    std::size_t commas = 0;
    for (const char c : line) {
      quoted = quoted != (c == '"');
      commas += c == ',' && !quoted ? 1 : 0;
    }
    EXPECT_EQ(commas, 20U) << line;
  }
  EXPECT_THAT(FormatFleetTable(report), Not(HasSubstr("\x1b")));
}

TEST(FleetReportFiles, TenThousandNetworksOnTwoKindsFitAPage) {
  const FleetReport report = LargeReport(10000);
  const std::string html = FormatFleetHtml(report);
  EXPECT_LT(html.size(), 3'500'000U);
  std::size_t rows = 0;
  for (std::size_t at = html.find("<tr>"); at != std::string::npos;
       at = html.find("<tr>", at + 1)) {
    ++rows;
  }
  EXPECT_GE(rows, 20000U);
  EXPECT_THAT(html, HasSubstr("network_09999"));
  EXPECT_THAT(html, HasSubstr("1.50 (47)"));
}

TEST(FleetReportFiles, ScreenHasTwentyRowsOfEightyColumns) {
  for (const FleetReport& report :
       {LargeReport(50), ExampleReport(), RetuneReport(), HostileReport()}) {
    const std::string text = FormatFleetTable(report);
    for (const std::string_view line : Split(text, '\n')) {
      EXPECT_LE(WidthOf(line), 80U) << line;
    }
  }
  const std::string large = FormatFleetTable(LargeReport(50));
  EXPECT_THAT(large, HasSubstr("... and 80 more in report.md\n"));
  EXPECT_THAT(FormatFleetTable(ExampleReport()), Not(HasSubstr("more in report.md")));
}

}  // namespace
}  // namespace halftone
