#include "src/base/text_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/base/text.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;

std::size_t WidestLine(const std::string& text) {
  std::size_t widest = 0;
  for (const std::string_view line : Split(text, '\n')) {
    widest = std::max(widest, WidthOf(line));
  }
  return widest;
}

std::string WithoutBlanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

TEST(TextTableTest, ColumnsAreAsWideAsTheirCells) {
  EXPECT_EQ(
      AlignedTable({.header = {"node", "type"}, .rows = {{"a", "Conv"}, {"long name", "Relu"}}}),
      "node       type\n"
      "a          Conv\n"
      "long name  Relu\n");
}

TEST(TextTableTest, CharactersOfSeveralBytesTakeOneColumn) {
  EXPECT_EQ(AlignedTable({.header = {"a", "b"}, .rows = {{"\xC3\xA4\xC3\xB6", "1"}, {"xyz", "2"}}}),
            "a    b\n"
            "\xC3\xA4\xC3\xB6   1\n"
            "xyz  2\n");
}

TEST(TextTableTest, ForeignTextIsPrintable) {
  EXPECT_EQ(AlignedTable({.header = {"a"}, .rows = {{"x\ny\x1b[31m"}}}), "a\nx\\ny\\x1b[31m\n");
}

TEST(TextTableTest, LongCellsGoOnInTheNextLine) {
  EXPECT_EQ(AlignedTable({.header = {"node", "reason"},
                          .rows = {{"conv", "kept by keep_dtype, line 3"}, {"fc", "short"}}},
                         24),
            "node  reason\n"
            "conv  kept by\n"
            "      keep_dtype, line 3\n"
            "fc    short\n");
}

// One text a row, with the lines that it takes.
TEST(TextTableTest, RowsStayTogether) {
  EXPECT_THAT(
      AlignedRows({.header = {"a", "b"}, .rows = {{"1", "one two three four"}, {"2", "x"}}}, 13),
      ElementsAre("a  b\n", "1  one two\n   three four\n", "2  x\n"));
}

TEST(TextTableTest, FitsWhereColumnsAreNotTooMany) {
  TextTable table{.header = {"#", "speed-up", "configuration", "kept in float32", "reason"},
                  .rows = {}};
  for (int row = 0; row < 9; ++row) {
    table.rows.push_back({std::to_string(row), "1.234x [1.230, 1.238] tie",
                          "allow_mix_precision, high_performance for Conv2D, 5 customized lines",
                          "6 of 20: stem/conv, stem/bn, /model/layers.0/self_attn/q_proj/MatMul",
                          std::string(static_cast<std::size_t>(17 * row), 'x')});
  }
  const std::string whole = AlignedTable(table, 10'000);
  for (const std::size_t columns : {60, 80, 100, 132, 200}) {
    const std::string text = AlignedTable(table, columns);
    EXPECT_LE(WidestLine(text), columns);
    // Nothing is lost: the same letters, whatever their order.
    std::string letters = WithoutBlanks(text);
    std::string all = WithoutBlanks(whole);
    std::ranges::sort(letters);
    std::ranges::sort(all);
    EXPECT_EQ(letters, all);
  }
}

// What does not fit without cutting words is wider than the screen, and whole.
TEST(TextTableTest, ManyColumnsStayReadable) {
  TextTable table{.header = std::vector<std::string>(12, "a header"), .rows = {}};
  table.rows.emplace_back(12, "123456789");
  const std::string text = AlignedTable(table, 60);
  EXPECT_EQ(WidestLine(text), 12 * 9 + 11 * 2);
  EXPECT_THAT(text, ::testing::HasSubstr("\n123456789  123456789  "));
}

TEST(TextTableTest, WordsAndNumbersAreNotCut) {
  TextTable table{.header = {"node", "precision", "clipped"}, .rows = {}};
  table.rows.push_back({"a_long_name/of_a_node/in_the_network", "-12.3456789", "0.00041 %"});
  const std::string text = AlignedTable(table, 34);
  for (const char* whole : {"precision", "-12.3456789", "0.00041 %"}) {
    EXPECT_THAT(text, ::testing::HasSubstr(whole)) << text;
  }
  EXPECT_LE(WidestLine(text), 34);
}

}  // namespace
}  // namespace halftone
