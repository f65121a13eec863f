#include "src/cli/wrap_lines.h"

#include <gtest/gtest.h>

namespace halftone {
namespace {

TEST(WrapLinesTest, LongLinesGoOnInTheNext) {
  EXPECT_EQ(WrappedLines("one two three\nfour\n", 9), "one two\n  three\nfour\n");
  EXPECT_EQ(WrappedLines("one two", 7), "one two");
  EXPECT_EQ(WrappedLines("", 7), "");
}

TEST(WrapLinesTest, WordsAndCommandLinesStayWhole) {
  EXPECT_EQ(WrappedLines("/a/very/long/path and more", 10), "/a/very/long/path\n  and more");
  EXPECT_EQ(WrappedLines("halftone tune --model=m.onnx --inputs=x.npy", 10),
            "halftone tune --model=m.onnx --inputs=x.npy");
  EXPECT_EQ(WrappedLines("give more with --budget or less", 14),
            "give more with\n  --budget or\n  less");
}

TEST(WrapLinesTest, ColoursAndContinuedCharactersTakeNoColumns) {
  EXPECT_EQ(WrappedLines("\x1b[1;31mone two\x1b[0m", 7), "\x1b[1;31mone two\x1b[0m");
  EXPECT_EQ(WrappedLines("\x1b[1;31mone two three\x1b[0m", 9), "\x1b[1;31mone two\n  three\x1b[0m");
  EXPECT_EQ(WrappedLines("\xC3\xA4\xC3\xA4\xC3\xA4 b", 5), "\xC3\xA4\xC3\xA4\xC3\xA4 b");
}

}  // namespace
}  // namespace halftone
