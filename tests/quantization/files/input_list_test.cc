#include "src/quantization/files/input_list.h"

#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

using Samples = std::vector<std::vector<std::string>>;

TEST(InputListTest, ALineIsASample) {
  EXPECT_EQ(ParseInputList("a/0.raw, a/0 mask.raw\r\n\n  \na/1.raw,a/1.raw", "f"),
            (Samples{{"a/0.raw", "a/0 mask.raw"}, {"a/1.raw", "a/1.raw"}}));
  EXPECT_EQ(ParseInputList("x\n", "f"), (Samples{{"x"}}));
}

std::string MessageOf(std::string_view text) {
  try {
    ParseInputList(text, "list.txt");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

TEST(InputListTest, ErrorsNameTheLine) {
  EXPECT_EQ(MessageOf(" \n\n"),
            "list.txt:1: expected a list of files, a line for each sample; found an empty file");
  EXPECT_EQ(
      MessageOf("a\n\nb,,c\n"),
      "list.txt:3: expected a file for each input, separated by commas; found nothing in place "
      "2 of 'b,,c'");
  EXPECT_EQ(
      MessageOf("a,b,\n"),
      "list.txt:1: expected a file for each input, separated by commas; found nothing in place "
      "3 of 'a,b,'");
  EXPECT_EQ(MessageOf("a,b\nc\n"), "list.txt:2: expected 2 files, as in the first line; found 1");
  EXPECT_EQ(MessageOf(std::string_view("a\0b", 3)),
            "list.txt:1: expected a list of files, a line for each sample; found a binary file");
  EXPECT_EQ(MessageOf(std::string(kMostInputListBytes + 1, 'a')),
            "list.txt:1: expected at most 16777216 bytes of a list of files, found 16777217");
}

}  // namespace
}  // namespace halftone
