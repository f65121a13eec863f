#include "src/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/enum_table.h"

namespace halftone {
namespace {

using ::testing::MatchesRegex;

TEST(ErrorTest, ContextReadsFromTheOutsideIn) {
  try {
    WithContext([] { return "reading 'm.onnx'"; },
                [] {
                  WithContext([] { return "node 'conv1'"; },
                              [] { throw Error(ErrorKind::kModel, "got 5 inputs"); });
                });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    EXPECT_STREQ(error.what(), "reading 'm.onnx': node 'conv1': got 5 inputs");
  }
}

TEST(ErrorTest, ContextIsNotBuiltOnSuccess) {
  const int value = WithContext(
      [] {
        ADD_FAILURE();
        return "";
      },
      [] { return 7; });
  EXPECT_EQ(value, 7);
}

TEST(ErrorTest, CheckNamesThePosition) {
  EXPECT_NO_THROW(Check(true, "fine"));
  try {
    Check(false, "two is odd");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInternal);
    EXPECT_THAT(error.what(),
                MatchesRegex("internal error: two is odd \\(.*error_test.cc:[0-9]+\\)"));
  }
}

// A binary file given as a configuration file must not reach the terminal.
TEST(ErrorTest, MessagesArePrintable) {
  Error error(ErrorKind::kUsage, std::string_view("line 1: found '\x1b[31m\n\0'", 23));
  error.AddContext("reading 'a\nb'");
  EXPECT_STREQ(error.what(), "reading 'a\\nb': line 1: found '\\x1b[31m\\n\\x00'");
}

enum class Fruit { kApple, kPear, kPlum };

constexpr EnumRow<Fruit> kFruits[] = {{Fruit::kApple, "apple", "red"}, {Fruit::kPear, "pear", ""}};

TEST(EnumTableTest, NamesAndValues) {
  EXPECT_EQ(NameIn(kFruits, Fruit::kPear), "pear");
  EXPECT_EQ(NameIn(kFruits, Fruit::kPlum), "?");
  EXPECT_EQ(ValueIn(kFruits, "apple"), Fruit::kApple);
  EXPECT_EQ(ValueIn(kFruits, "Apple"), std::nullopt);
  EXPECT_EQ(NamesIn(kFruits), "apple, pear");
}

}  // namespace
}  // namespace halftone
