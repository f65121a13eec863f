// Names of models and nodes in Markdown and CSV: text, whatever they hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/csv.h"
#include "src/base/text.h"
#include "src/report/formats.h"
#include "src/report/markdown_text.h"
#include "tests/support/example_summary.h"

namespace halftone {
namespace {

using ::halftone::testing::AllExampleSummaries;

// What a reader of Markdown does not take for text: without code spans and escaped characters.
std::string OutsideOfCode(std::string_view text) {
  std::string outside;
  while (!text.empty()) {
    const std::size_t run = std::min(text.find_first_not_of('`'), text.size());
    if (text[0] == '\\') {
      text.remove_prefix(std::min<std::size_t>(2, text.size()));
      continue;
    }
    if (run == 0) {
      outside += text[0];
      text.remove_prefix(1);
      continue;
    }
    text.remove_prefix(run);
    for (std::size_t end = text.find('`'); end != std::string_view::npos;) {
      const std::size_t stop = std::min(text.find_first_not_of('`', end), text.size());
      if (stop - end == run) {
        // A bar ends a cell in code, too, but for an escaped one.
        for (std::size_t i = 0; i < end; ++i) {
          outside += text[i] == '|' && (i == 0 || text[i - 1] != '\\') ? "|" : "";
        }
        text.remove_prefix(stop);
        break;
      }
      end = text.find('`', stop);
    }
  }
  return outside;
}

TEST(MarkdownTextTest, NamesDoNotBecomePartsOfTheMarkdown) {
  for (const auto& [name, summary] : AllExampleSummaries()) {
    std::size_t bars = 0;
    const std::string markdown = FormatMarkdown(summary);
    for (const std::string_view whole : Split(markdown, '\n')) {
      const std::string line = OutsideOfCode(whole);
      EXPECT_EQ(line.find('<'), std::string::npos) << name << ": " << whole;
      EXPECT_EQ(line.find("]("), std::string::npos) << name << ": " << whole;
      EXPECT_EQ(line.find("]["), std::string::npos) << name << ": " << whole;
      EXPECT_EQ(line.find('`'), std::string::npos) << name << ": " << whole;
      const auto of_line = static_cast<std::size_t>(std::ranges::count(line, '|'));
      if (bars > 0 && whole.starts_with('|')) {
        EXPECT_EQ(of_line, bars) << name << ": " << whole;
      }
      bars = whole.starts_with('|') ? of_line : 0;
    }
  }
}

TEST(MarkdownTextTest, EscapesWhatIsNoText) {
  EXPECT_EQ(MarkdownText("a|b\\c`d*e~f<g>&h"), "a\\|b\\\\c\\`d\\*e\\~f&lt;g>&amp;h");
  EXPECT_EQ(MarkdownText("conv_1/w __init__ _x"), "conv_1/w \\_\\_init\\_\\_ \\_x");
  EXPECT_EQ(MarkdownText("[0.9, 1.1] [a](b) [c][d]"), "[0.9, 1.1] [a]\\(b) [c]\\[d]");
  EXPECT_EQ(MarkdownText("http://a https://b www.c"), "http\\://a https\\://b www\\.c");
  EXPECT_EQ(MarkdownText("# a"), "\\# a");
  EXPECT_EQ(MarkdownText("> a"), "\\> a");
  EXPECT_EQ(MarkdownText("- a"), "\\- a");
  EXPECT_EQ(MarkdownText("12. a"), "12\\. a");
  EXPECT_EQ(MarkdownText("-1.5 dB"), "-1.5 dB");
  EXPECT_EQ(MarkdownText("1.5 dB"), "1.5 dB");
  EXPECT_EQ(MarkdownCode("a"), "`a`");
  EXPECT_EQ(MarkdownCode("a``b`"), "``` a``b` ```");
}

// Cells of a line of CSV as a reader has them.
std::vector<std::string> CellsOf(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      const bool escaped = quoted && i + 1 < line.size() && line[i + 1] == '"';
      cells.back() += escaped ? "\"" : "";
      i += escaped ? 1 : 0;
      quoted = escaped == quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

TEST(CsvLineTest, NoCellIsAFormula) {
  const std::vector<std::string> names = {"=1+1",          "+1+1",     "-1+1",  "@SUM(A1)", "'a",
                                          "\357\274\2351", "a,b;c\"d", "plain", ""};
  const std::string line = CsvLine(names);
  const std::vector<std::string> cells = CellsOf(std::string_view(line).substr(0, line.size() - 1));
  ASSERT_EQ(cells.size(), names.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EXPECT_EQ(std::string_view("=+-@").find(cells[i].empty() ? ' ' : cells[i][0]),
              std::string_view::npos)
        << cells[i];
    EXPECT_EQ(cells[i].starts_with('\'') ? cells[i].substr(1) : cells[i], names[i]);
  }
  EXPECT_EQ(CsvLine({"-1.5", "+3", "-inf", "1e-9", "-", "a;b"}), "-1.5,+3,-inf,1e-9,'-,\"a;b\"\n");
}

}  // namespace
}  // namespace halftone
