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
