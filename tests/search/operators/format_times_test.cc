#include "search/operators/format_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/exec/host_target.h"

namespace halftone {
namespace {

using ::testing::Optional;

OperatorProfile Planted(std::map<std::string, double> seconds) {
  return {
      .op = std::string(kFormatTimes),
      .threads = 1,
      .calls = {{.shape = {.family = "products", .sizes = {1}}, .seconds = std::move(seconds)}}};
}

TEST(FormatTimesTest, ComparesTheFastestOfBothKinds) {
  EXPECT_THAT(
      ScaledSpeedIn(Planted({{"float32", 4}, {"float16", 3}, {"bfloat16", 2}, {"qint8", 3}})),
      Optional(ScaledSpeed{"int8", "bfloat16", 1.5}));
  EXPECT_THAT(ScaledSpeedIn(Planted({{"float32", 4}, {"qint8", 1}})),
              Optional(ScaledSpeed{"int8", "float32", 0.25}));
}

// Both run on bytes, and one option searches both.
TEST(FormatTimesTest, DynamicInt8IsOfTheFormatsWithAScale) {
  EXPECT_THAT(ScaledSpeedIn(Planted({{"float32", 4}, {"bfloat16", 2}, {"qint8", 3}, {"dint8", 1}})),
              Optional(ScaledSpeed{"dynamic int8", "bfloat16", 0.5}));
}

TEST(FormatTimesTest, KnowsNothingWithoutBothKinds) {
  EXPECT_EQ(ScaledSpeedIn(Planted({{"float32", 4}})), std::nullopt);
  EXPECT_EQ(ScaledSpeedIn(Planted({{"qint8", 4}})), std::nullopt);
  EXPECT_EQ(ScaledSpeedIn({.op = std::string(kFormatTimes), .threads = 1, .calls = {}}),
            std::nullopt);
  OperatorProfile other = Planted({{"float32", 4}, {"qint8", 1}});
  other.op = "MatMul";
  EXPECT_EQ(ScaledSpeedIn(other), std::nullopt);
}

TEST(FormatTimesTest, MeasuresEveryFormatOfTheHost) {
  const TargetSpec target = HostTarget();
  const OperatorProfile profile = MeasureFormatTimes(target, ThreadPool(1), 1);
  ASSERT_EQ(profile.calls.size(), 1U);
  EXPECT_TRUE(profile.calls[0].seconds.contains("float32"));
  for (const NumericFormat format : target.formats) {
    EXPECT_TRUE(profile.calls[0].seconds.contains(std::string(format.row().name)))
        << format.row().name;
  }
  EXPECT_TRUE(ScaledSpeedIn(profile).has_value());
}

}  // namespace
}  // namespace halftone
