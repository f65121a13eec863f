#include "src/api/dynamic_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;

TEST(DynamicShapesTest, InputShapesAreTakenAsTheyAre) {
  EXPECT_THAT(InputShapesOf(DynamicShapes{}), ElementsAre(""));
  EXPECT_THAT(InputShapesOf(DynamicShapes{.input_shape = {"x:1,3", "x:2,3"}}),
              ElementsAre("x:1,3", "x:2,3"));
}

TEST(DynamicShapesTest, BatchesAreInFront) {
  EXPECT_THAT(
      InputShapesOf({.input_shape = {"x:-1,3,8; y:-1;z:4"}, .dynamic_batch_size = "1, 2,8"}),
      ElementsAre("x:1,3,8;y:1;z:4", "x:2,3,8;y:2;z:4", "x:8,3,8;y:8;z:4"));
}

TEST(DynamicShapesTest, ImagesHaveHeightAndWidth) {
  EXPECT_THAT(InputShapesOf({.input_shape = {"x:1,3,-1,-1"}, .dynamic_image_size = "8,16;32,64;"}),
              ElementsAre("x:1,3,8,16", "x:1,3,32,64"));
}

TEST(DynamicShapesTest, SizesFillAllInputsInOrder) {
  EXPECT_THAT(
      InputShapesOf({.input_shape = {"a:b:-1,4;s:;c:2,-1,-1"}, .dynamic_dims = "1,2,3;4,5,6"}),
      ElementsAre("a:b:1,4;s:;c:2,2,3", "a:b:4,4;s:;c:2,5,6"));
}

TEST(DynamicShapesTest, RangesBecomeTheirEnds) {
  EXPECT_THAT(InputShapesOf({.input_shape = {"x:1~8,3, 224 ~ 448;a~b:2"}}),
              ElementsAre("x:1,3,224;a~b:2", "x:8,3,448;a~b:2"));
  EXPECT_THAT(InputShapesOf({.input_shape = {"x:1~8;y:0~1", "x:2;y:2"}}),
              ElementsAre("x:1;y:0", "x:8;y:1", "x:2;y:2"));
  EXPECT_THAT(InputShapesOf({.input_shape = {"x:4~4,3"}}), ElementsAre("x:4,3"));
}

struct ErrorCase {
  const char* name;
  DynamicShapes shapes;
  const char* message;
};

class DynamicShapesErrorTest : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(DynamicShapesErrorTest, IsOneSentence) {
  try {
    static_cast<void>(InputShapesOf(GetParam().shapes));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

const ErrorCase kErrors[] = {
    {"TwoOptions",
     {.input_shape = {"x:-1"}, .dynamic_batch_size = "1", .dynamic_dims = "1"},
     "E10001: --dynamic_batch_size and --dynamic_dims exclude each other; leave one of them out"},
    {"OpenWithoutASize",
     {.input_shape = {"x:2,3", "y:3,-1"}},
     "E10001: --input_shape=\"y:3,-1\": nothing says what the -1 of input 'y' is; expected "
     "--dynamic_batch_size, --dynamic_image_size or --dynamic_dims"},
    {"NoInputShape",
     {.dynamic_dims = "1"},
     "E10001: --dynamic_dims fills the -1 of one --input_shape, found 0; expected for example "
     "--input_shape=\"x:-1,3,224,224\""},
    {"SeveralInputShapes",
     {.input_shape = {"x:-1", "x:2"}, .dynamic_dims = "1"},
     "E10001: --dynamic_dims fills the -1 of one --input_shape, found 2; expected for example "
     "--input_shape=\"x:-1,3,224,224\""},
    {"NothingOpen",
     {.input_shape = {"x:1,2"}, .dynamic_batch_size = "1"},
     "E10001: --dynamic_batch_size: --input_shape=\"x:1,2\" has no -1 to fill"},
    {"NoNumber",
     {.input_shape = {"x:-1"}, .dynamic_batch_size = "1,two"},
     "E10001: --dynamic_batch_size=two: 'two' is no size; expected a whole number from 0 to "
     "1099511627776"},
    {"BatchNotInFront",
     {.input_shape = {"x:1,-1"}, .dynamic_batch_size = "4"},
     "E10001: --dynamic_batch_size: '4': expected one -1 in input 'x', in front, found 1 in "
     "\"1,-1\""},
    {"OneImageSize",
     {.input_shape = {"x:1,3,-1,-1"}, .dynamic_image_size = "8"},
     "E10001: --dynamic_image_size: '8': expected a height and a width, as in \"224,224\""},
    {"OneOpenInAnImage",
     {.input_shape = {"x:-1,3,8,8"}, .dynamic_image_size = "8,8"},
     "E10001: --dynamic_image_size: '8,8': expected two -1 in input 'x', its height and width, "
     "found 1 in \"-1,3,8,8\""},
    {"TooFewSizes",
     {.input_shape = {"x:-1;y:-1,-1"}, .dynamic_dims = "1,2"},
     "E10001: --dynamic_dims: '1,2': expected a size for each -1 of --input_shape, 3 in all, "
     "found 2"},
    {"RangeAndSizes",
     {.input_shape = {"x:-1,1~8"}, .dynamic_batch_size = "1"},
     "E10001: --dynamic_batch_size and ranges in --input_shape=\"x:-1,1~8\" exclude each other; "
     "leave one of them out"},
    {"RangeBackwards",
     {.input_shape = {"x:8~1"}},
     "E10001: --input_shape=\"x:8~1\": '8~1' is no range of extents; expected its least and its "
     "greatest, as in 1~8"},
    {"RangeWithoutEnd",
     {.input_shape = {"x:1~-1"}},
     "E10001: --input_shape=\"x:1~-1\": '1~-1' is no range of extents; expected its least and its "
     "greatest, as in 1~8"},
    {"RangeOfThree",
     {.input_shape = {"x:1~2~3"}},
     "E10001: --input_shape=\"x:1~2~3\": '1~2~3' is no range of extents; expected its least and "
     "its greatest, as in 1~8"},
};
INSTANTIATE_TEST_SUITE_P(Table, DynamicShapesErrorTest, ::testing::ValuesIn(kErrors),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halftone
