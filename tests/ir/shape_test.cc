#include "src/ir/shape.h"

#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

TEST(ShapeTest, CountsElements) {
  EXPECT_EQ(Shape{}.ElementCount(), 1);
  EXPECT_EQ((Shape{2, 3, 4}).ElementCount(), 24);
  EXPECT_EQ((Shape{2, 0, 4}).ElementCount(), 0);
  EXPECT_EQ((Shape{2, 3, 4}).ElementCount(1, 3), 12);
}

TEST(ShapeTest, RefusesOverflowAndNegativeExtents) {
  EXPECT_THROW((void)(Shape{std::int64_t{1} << 40, std::int64_t{1} << 40}).ElementCount(), Error);
  EXPECT_THROW((void)(Shape{2, -1}).ElementCount(), Error);
  EXPECT_EQ((Shape{std::int64_t{1} << 40, std::int64_t{1} << 40, 0}).ElementCount(), 0);
}

struct BroadcastCase {
  const char* name;
  Shape a, b, expected;
};

class BroadcastTest : public ::testing::TestWithParam<BroadcastCase> {};

TEST_P(BroadcastTest, GivesTheCommonShape) {
  EXPECT_EQ(BroadcastShapes(GetParam().a, GetParam().b), GetParam().expected);
  EXPECT_EQ(BroadcastShapes(GetParam().b, GetParam().a), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Shapes, BroadcastTest,
                         ::testing::Values(BroadcastCase{"Equal", {2, 3}, {2, 3}, {2, 3}},
                                           BroadcastCase{"Scalar", {2, 3}, {}, {2, 3}},
                                           BroadcastCase{"Row", {2, 3}, {3}, {2, 3}},
                                           BroadcastCase{"Column", {2, 3}, {2, 1}, {2, 3}},
                                           BroadcastCase{"Both", {4, 1, 3}, {5, 1}, {4, 5, 3}},
                                           BroadcastCase{"Empty", {0, 3}, {1, 3}, {0, 3}}),
                         [](const auto& row) { return row.param.name; });

TEST(BroadcastTest, RefusesShapesThatDoNotFit) {
  EXPECT_THROW(BroadcastShapes({2, 3}, {4}), Error);
}

TEST(NormalizeAxisTest, CountsFromTheBack) {
  EXPECT_EQ(NormalizeAxis(-1, 4), 3);
  EXPECT_EQ(NormalizeAxis(-4, 4), 0);
  EXPECT_EQ(NormalizeAxis(3, 4), 3);
  EXPECT_THROW(NormalizeAxis(4, 4), Error);
  EXPECT_THROW(NormalizeAxis(-5, 4), Error);
}

}  // namespace
}  // namespace halftone
