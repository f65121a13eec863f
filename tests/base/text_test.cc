#include "src/base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TextTest, Trim) {
  EXPECT_EQ(Trim(" \ta b\r\n"), "a b");
  EXPECT_EQ(Trim("   "), "");
  EXPECT_EQ(Trim(""), "");
}

TEST(TextTest, Split) {
  EXPECT_THAT(Split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(Split("", ','), ElementsAre(""));
  EXPECT_THAT(Split(",", ','), ElementsAre("", ""));
}

TEST(TextTest, Join) {
  EXPECT_EQ(Join({"a", "b"}, ", "), "a, b");
  EXPECT_EQ(Join({}, ", "), "");
}

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
        PrintableCase{"Terminal", std::string("\x1b[2J\0\x7f", 6), "\\x1b[2J\\x00\\x7f"},
        // U+00E4, U+20AC, U+1F600, U+10FFFF
        PrintableCase{"Utf8", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF",
                      "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF"},
        PrintableCase{"ControlOfTwoBytes", "\xC2\x9B", "\\xc2\\x9b"},  // U+009B begins a sequence
        PrintableCase{"Alone", "\x80", "\\x80"}, PrintableCase{"CutOff", "\xE2\x82", "\\xe2\\x82"},
        PrintableCase{"Overlong", "\xC0\xAF\xE0\x80\xAF\xF0\x80\x80\xAF",
                      "\\xc0\\xaf\\xe0\\x80\\xaf\\xf0\\x80\\x80\\xaf"},
        PrintableCase{"Surrogate", "\xED\xA0\x80", "\\xed\\xa0\\x80"},
        PrintableCase{"AboveUnicode", "\xF4\x90\x80\x80\xF5", "\\xf4\\x90\\x80\\x80\\xf5"}),
    [](const auto& param) { return param.param.name; });

TEST(TextTest, ShownCutsTheMiddle) {
  EXPECT_EQ(Shown("a\n"), "a\\n");
  EXPECT_EQ(Shown(std::string(80, 'x')), std::string(80, 'x'));
  const std::string shown = Shown("begin" + std::string(1'000'000, 'x') + "end");
  EXPECT_EQ(shown.size(), 80U);
  EXPECT_EQ(shown.substr(0, 6), "beginx");
  EXPECT_EQ(shown.substr(74), "xxxend");
  EXPECT_EQ(shown.substr(37, 5), "x...x");
}

TEST(TextTest, Counted) {
  EXPECT_EQ(Counted(0, "node"), "0 nodes");
  EXPECT_EQ(Counted(1, "node"), "1 node");
  EXPECT_EQ(Counted(2, "node"), "2 nodes");
}

TEST(TextTest, ClosestNames) {
  EXPECT_THAT(ClosestNames("force_fp61", {"force_fp16", "force_fp32", "origin"}),
              ElementsAre("force_fp16", "force_fp32"));
  EXPECT_THAT(ClosestNames("conv", {"softmax"}), IsEmpty());
  EXPECT_THAT(ClosestNames("a", {"b", "c", "d", "e"}), ElementsAre("b", "c", "d")) << "at most 3";
}

struct FormatCase {
  double value;
  const char* text;
};

class FormatBytesTest : public ::testing::TestWithParam<FormatCase> {};

TEST_P(FormatBytesTest, ThreeDigits) {
  EXPECT_EQ(FormatBytes(GetParam().value), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(Cases, FormatBytesTest,
                         ::testing::Values(FormatCase{0, "0 B"}, FormatCase{1023, "1023 B"},
                                           FormatCase{1024, "1.00 KiB"},
                                           FormatCase{12.34 * 1024, "12.3 KiB"},
                                           FormatCase{1023.4 * 1024, "1023 KiB"},
                                           FormatCase{1023.6 * 1024, "1.00 MiB"},
                                           FormatCase{5e9, "4.66 GiB"}));

class FormatSecondsTest : public ::testing::TestWithParam<FormatCase> {};

TEST_P(FormatSecondsTest, ThreeDigits) {
  EXPECT_EQ(FormatSeconds(GetParam().value), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, FormatSecondsTest,
    ::testing::Values(FormatCase{0, "0 s"}, FormatCase{1, "1.00 s"}, FormatCase{0.0123, "12.3 ms"},
                      FormatCase{0.99951, "1.00 s"}, FormatCase{0.9994, "999 ms"},
                      FormatCase{99.96, "100 s"}, FormatCase{2.5e-6, "2.50 us"},
                      FormatCase{3e-9, "3.00 ns"}, FormatCase{1234, "1234 s"}));

}  // namespace
}  // namespace halftone
