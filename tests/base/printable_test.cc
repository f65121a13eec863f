#include "src/base/printable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace halftone {
namespace {

struct PrintableCase {
  const char* name;
  std::string text;
  const char* shown;
};

class PrintableTest : public ::testing::TestWithParam<PrintableCase> {};

TEST_P(PrintableTest, EscapesWhatCannotBeShown) {
  EXPECT_EQ(Printable(GetParam().text), GetParam().shown);
  EXPECT_EQ(Printable(Printable(GetParam().text)), GetParam().shown) << "once is enough";
}

INSTANTIATE_TEST_SUITE_P(
    Cases, PrintableTest,
    ::testing::Values(
        PrintableCase{"Nothing", "", ""}, PrintableCase{"Plain", "conv 1:'\"\\~", "conv 1:'\"\\~"},
        PrintableCase{"Lines", "a\tb\r\n", "a\\tb\\r\\n"},
        PrintableCase{"Terminal", std::string("\x1b[2J\0\x7f\a", 7), "\\x1b[2J\\x00\\x7f\\x07"},
        // U+00A0, U+00E4, U+20AC, U+1F600, U+10FFFD
        PrintableCase{"Utf8", "\xC2\xA0\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\xF4\x8F\xBF\xBD",
                      "\xC2\xA0\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\xF4\x8F\xBF\xBD"},
        PrintableCase{"ControlOfTwoBytes", "\xC2\x9B", "\\u009b"},  // U+009B begins a sequence
        PrintableCase{"RightToLeft",
                      "a\xE2\x80\xAE"
                      "b\xE2\x81\xA6\xD8\x9C",
                      "a\\u202eb\\u2066\\u061c"},
        PrintableCase{"LineSeparator", "\xE2\x80\xA8\xE2\x80\xA9", "\\u2028\\u2029"},
        PrintableCase{"JustOutside", "\xE2\x80\xA7\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xAA",
                      "\xE2\x80\xA7\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xAA"},
        PrintableCase{"Noncharacter", "\xEF\xBF\xBE\xEF\xB7\x90\xF0\x9F\xBF\xBF",
                      "\\ufffe\\ufdd0\\U0001ffff"},
        PrintableCase{"Alone", "\x80", "\\x80"}, PrintableCase{"CutOff", "\xE2\x82", "\\xe2\\x82"},
        PrintableCase{"CutOffBeforeText", "\xE2\x82z", "\\xe2\\x82z"},
        PrintableCase{"Overlong", "\xC0\xAF\xE0\x80\xAF\xF0\x80\x80\xAF",
                      "\\xc0\\xaf\\xe0\\x80\\xaf\\xf0\\x80\\x80\\xaf"},
        PrintableCase{"Surrogate", "\xED\xA0\x80", "\\xed\\xa0\\x80"},
        PrintableCase{"AboveUnicode", "\xF4\x90\x80\x80\xF5", "\\xf4\\x90\\x80\\x80\\xf5"}),
    [](const auto& param) { return param.param.name; });

TEST(PrintableTextTest, ShownCutsTheMiddle) {
  EXPECT_EQ(Shown("a\n"), "a\\n");
  EXPECT_EQ(Shown(std::string(80, 'x')), std::string(80, 'x'));
  const std::string shown = Shown("begin" + std::string(1'000'000, 'x') + "end");
  EXPECT_EQ(shown.size(), 80U);
  EXPECT_EQ(shown.substr(0, 6), "beginx");
  EXPECT_EQ(shown.substr(74), "xxxend");
  EXPECT_EQ(shown.substr(37, 5), "x...x");
}

TEST(PrintableTextTest, ALineStaysALine) {
  std::string text = "first\n";
  AddLine(text, "con\nv\x1b");
  AddLine(text, "");
  EXPECT_EQ(text, "first\ncon\\nv\\x1b\n\n");
}

TEST(PrintableTextTest, LinesKeepTheirBreaksAndWhereAskedForTheirColours) {
  const std::string text = "\x1b[1;31mno\x1b[0m\n\x1b]0;title\a\n\x1b[2J\x1b[31\n\x1b";
  EXPECT_EQ(PrintableLines(text, Colors::kNo),
            "\\x1b[1;31mno\\x1b[0m\n\\x1b]0;title\\x07\n\\x1b[2J\\x1b[31\n\\x1b");
  EXPECT_EQ(PrintableLines(text, Colors::kYes),
            "\x1b[1;31mno\x1b[0m\n\\x1b]0;title\\x07\n\\x1b[2J\\x1b[31\n\\x1b");
  EXPECT_EQ(PrintableLines("", Colors::kYes), "");
}

TEST(PrintableTextTest, JsonIsTheSameDocument) {
  // U+007F, U+009B, U+202E, U+1FFFF, U+00E4
  const nlohmann::json document = {{"k\x7f", "a\n\x1b\xC2\x9B\xE2\x80\xAE\xF0\x9F\xBF\xBF\xC3\xA4"},
                                   {"n", {1, 2}}};
  const std::string shown = PrintableJson(document.dump(2));
  EXPECT_EQ(nlohmann::json::parse(shown), document);
  EXPECT_EQ(PrintableLines(shown, Colors::kNo), shown) << "a terminal shows it as it is";
  EXPECT_NE(shown.find("\\u007f"), std::string::npos);
  EXPECT_NE(shown.find("\\u009b\\u202e\\ud83f\\udfff\xC3\xA4"), std::string::npos);
}

}  // namespace
}  // namespace halftone
