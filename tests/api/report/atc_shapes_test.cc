#include "src/api/report/atc_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/api/dynamic_shapes.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Arguments(const std::vector<std::string>& shapes) {
  return AtcShapeArguments(shapes);
}

TEST(AtcShapesTest, OneShapeStaysAsItIs) {
  EXPECT_THAT(Arguments({"x:1,3,8,8;y:1,10"}), ElementsAre("--input_shape=x:1,3,8,8;y:1,10"));
  EXPECT_THAT(Arguments({}), ElementsAre());
}

TEST(AtcShapesTest, BatchesImagesAndOtherExtents) {
  EXPECT_THAT(Arguments({"x:1,3,8,8;y:1,10", "x:4,3,8,8;y:4,10"}),
              ElementsAre("--input_shape=x:-1,3,8,8;y:-1,10", "--dynamic_batch_size=1,4"));
  EXPECT_THAT(Arguments({"x:1,3,224,224", "x:1,3,448,320"}),
              ElementsAre("--input_shape=x:1,3,-1,-1", "--dynamic_image_size=224,224;448,320"));
  EXPECT_THAT(Arguments({"a:0:1,20;m:1,20", "a:0:8,40;m:8,40", "a:0:8,20;m:8,20"}),
              ElementsAre("--input_shape=a:0:-1,-1;m:-1,-1", "--input_format=ND",
                          "--dynamic_dims=1,20,1,20;8,40,8,40;8,20,8,20"));
  EXPECT_THAT(
      Arguments({"x:1,4;y:2,4", "x:2,4;y:3,4"}),
      ElementsAre("--input_shape=x:-1,4;y:-1,4", "--input_format=ND", "--dynamic_dims=1,2;2,3"))
      << "two batches are no batch";
}

// Our own reading of the options of ATC gives the shapes back.
TEST(AtcShapesTest, ReadAgainTheyAreTheSameShapes) {
  const std::vector<std::vector<std::string>> all = {
      {"x:1,3,8,8;y:1,10", "x:4,3,8,8;y:4,10"},
      {"x:1,3,224,224", "x:1,3,448,320", "x:1,3,64,64"},
      {"ids:1,20;mask:1,20", "ids:8,40;mask:8,40"},
      {"x:1,4;y:2,4", "x:2,4;y:3,4"}};
  for (const std::vector<std::string>& shapes : all) {
    DynamicShapes read;
    for (const std::string& argument : Arguments(shapes)) {
      const auto equals = argument.find('=');
      const std::string value = argument.substr(equals + 1);
      if (argument.starts_with("--input_shape=")) {
        read.input_shape.push_back(value);
      } else if (argument.starts_with("--dynamic_batch_size=")) {
        read.dynamic_batch_size = value;
      } else if (argument.starts_with("--dynamic_image_size=")) {
        read.dynamic_image_size = value;
      } else if (argument.starts_with("--dynamic_dims=")) {
        read.dynamic_dims = value;
      }
    }
    EXPECT_EQ(InputShapesOf(read), shapes);
  }
}

}  // namespace
}  // namespace halftone
