// Which elements count in the error that compares ranges.
#include "search/calibrate/relative_error.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace halftone {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kMask = std::numeric_limits<float>::lowest();

Tensor Of(const std::vector<float>& values) {
  return Tensor::From<float>({static_cast<std::int64_t>(values.size())}, values);
}

// Of 4 and 2 by 1 each: 2 / 20, exact in float32 and double.
TEST(RelativeErrorTest, IsPowerOfTheErrorOverThatOfTheResult) {
  EXPECT_EQ(RelativeError(ReferencePower(Of({4, 2})), Of({3, 3})), 2.0 / 20);
  EXPECT_EQ(RelativeError(ReferencePower(Of({0, 0})), Of({1, 2})), 5);
  EXPECT_EQ(RelativeError(ReferencePower(Of({})), Of({})), 0);
}

// 8 bits clip a mask to the end of their range, whichever range that is.
TEST(RelativeErrorTest, AMaskThatIsClippedDoesNotCount) {
  EXPECT_EQ(RelativeError(ReferencePower(Of({4, kMask, 2, kMask})), Of({3, -5, 3, -9})), 2.0 / 20);
}

TEST(RelativeErrorTest, ElementsThatAreNotFiniteDoNotCount) {
  EXPECT_EQ(RelativeError(ReferencePower(Of({4, kInfinity, 2})), Of({3, 9, 3})), 2.0 / 20);
  EXPECT_EQ(RelativeError(ReferencePower(Of({4, 7, 2})), Of({3, kInfinity, 3})), 2.0 / 20);
}

}  // namespace
}  // namespace halftone
