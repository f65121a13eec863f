#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "src/base/error.h"
#include "src/onnx/reader.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

TEST(ParseInputShapes, ReadsNamesAndExtents) {
  EXPECT_EQ(ParseInputShapes("x:1,3,224,224; b : 1, 10;"),
            (InputShapes{{"x", {1, 3, 224, 224}}, {"b", {1, 10}}}));
  EXPECT_EQ(ParseInputShapes("serving:0:1,2"), (InputShapes{{"serving:0", {1, 2}}}));
  EXPECT_EQ(ParseInputShapes("scalar:"), (InputShapes{{"scalar", {}}}));
  EXPECT_EQ(ParseInputShapes("past:1,0,32"), (InputShapes{{"past", {1, 0, 32}}}));
  EXPECT_EQ(ParseInputShapes(""), InputShapes{});
}

TEST(ParseInputShapes, SaysWhatWasExpected) {
  const auto message = [](std::string_view text) {
    return ErrorOf([&] { ParseInputShapes(text); });
  };
  EXPECT_THAT(message("1,2"),
              HasSubstr("input shape '1,2': the input's name and a colon are missing"));
  EXPECT_THAT(message("x:1,a"), HasSubstr("'a' is no extent; expected a whole number from 0"));
  EXPECT_THAT(message("x:1,,2"), HasSubstr("'' is no extent"));
  EXPECT_THAT(message("x:-1"), HasSubstr("'-1' is no extent; expected a whole number from 0"));
  EXPECT_THAT(message("x:99999999999999999999"), HasSubstr("is no extent"));
  EXPECT_THAT(message("x:1;x:2"), HasSubstr("the input is named twice"));
  EXPECT_THAT(message(":1"), HasSubstr("expected \"name:1,3,224,224;other:1,10\""));
}

}  // namespace
}  // namespace halftone
