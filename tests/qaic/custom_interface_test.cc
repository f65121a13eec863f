#include "src/qaic/custom_interface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/net.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using testing::Net;

CustomIo Int8(const std::string& name, float scale, std::int32_t offset) {
  return {.name = name,
          .layout = {},
          .precision = IoPrecision::kInt8,
          .scale = IoScale{.scale = scale, .offset = offset}};
}

CustomIo Float16(const std::string& name) {
  return {.name = name, .layout = {}, .precision = IoPrecision::kFloat16, .scale = {}};
}

std::vector<float> Rounded(const CustomIo& entry, const std::vector<float>& values) {
  const Tensor rounded =
      RoundedAs(entry, Tensor::From<float>({static_cast<std::int64_t>(values.size())}, values));
  const auto floats = rounded.values<float>();
  return {floats.begin(), floats.end()};
}

TEST(CustomInterfaceTest, Int8RoundsHalfToEvenAndSaturates) {
  // With scale 0.5 and offset 10: q = rint(2 x) + 10 from -128 to 127.
  EXPECT_THAT(Rounded(Int8("x", 0.5F, 10), {0, 0.25F, 0.75F, -0.25F, 0.3F, 58.4F, 59, -68.9F, -70}),
              ElementsAre(0, 0, 1, 0, 0.5F, 58.5F, 58.5F, -69, -69));
  EXPECT_TRUE(
      std::isnan(Rounded(Int8("x", 0.5F, 10), {std::numeric_limits<float>::quiet_NaN()})[0]));
}

TEST(CustomInterfaceTest, Float16RoundsHalfToEven) {
  EXPECT_THAT(Rounded(Float16("x"), {1.0F, 2049, 2051, 70000}),
              ElementsAre(1, 2048, 2052, std::numeric_limits<float>::infinity()));
}

Graph Network() {
  Net net;
  return net.Finish({net.Add(OpKind::kRelu, "y", {net.Input("x", {4})})});
}

TEST(CustomInterfaceTest, EntriesThatChangeNothingAreNone) {
  const Graph graph = Network();
  EXPECT_TRUE(CustomInterface(graph, {}).empty());
  const std::vector<CustomIo> same = {
      {.name = "x", .layout = IoLayout::kNhwc, .precision = IoPrecision::kFloat, .scale = {}}};
  EXPECT_TRUE(CustomInterface(graph, same).empty());
  const std::vector<CustomIo> half = {Float16("x")};
  EXPECT_EQ(CustomInterface(graph, half).Summary(), "x as float16");
}

// Relu in float32 is exact, so that all error is of the interface.
TEST(CustomInterfaceTest, AccuracyHasTheErrorOfInputsAndOutputs) {
  const Graph graph = Network();
  const std::string& y = graph.value(graph.outputs[0]).name;
  const std::vector<float> x = {0.3F, 1.1F, -2, 3};
  const Dataset samples({{.name = "s", .inputs = {Tensor::From<float>({4}, x)}}});
  const auto max_abs = [&](const std::vector<CustomIo>& entries) {
    return AccuracyThrough(CustomInterface(graph, entries), graph, ReferencePlan(graph), samples, 1)
        .Mean("max_abs");
  };
  EXPECT_EQ(max_abs({}), 0);
  // The input in steps of 1: 0.3 becomes 0.
  EXPECT_FLOAT_EQ(static_cast<float>(max_abs({Int8("x", 1, 0)})), 0.3F);
  // The output in steps of 2: 1.1 becomes 2, 3 becomes 4 (1.5 to even).
  EXPECT_FLOAT_EQ(static_cast<float>(max_abs({Int8(y, 2, 0)})), 1.0F);
  // Both: 1.1 becomes 1, then 0 (0.5 to even).
  EXPECT_FLOAT_EQ(static_cast<float>(max_abs({Int8("x", 1, 0), Int8(y, 2, 0)})), 1.1F);
}

}  // namespace
}  // namespace halftone
