#include "search/model/assignment_draws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace halftone {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Groups of three choices, of which the last is refused.
Sensitivity Groups(std::size_t count) {
  Sensitivity sensitivity;
  for (std::size_t g = 0; g < count; ++g) {
    sensitivity.groups.push_back({.choices = {{}, {}, {.refusal = "no kernel"}}});
  }
  return sensitivity;
}

std::size_t Different(const Assignment& a, const Assignment& b) {
  std::size_t different = 0;
  for (std::size_t g = 0; g < a.size(); ++g) {
    different += a[g] != b[g] ? 1 : 0;
  }
  return different;
}

TEST(AssignmentDrawsTest, MakesNoRefusedChoiceAndNoneTwice) {
  AssignmentDraws draws(1);
  std::set<Assignment> tried;
  for (int round = 0; round < 20; ++round) {
    for (Assignment& assignment : draws.Draw({}, Groups(6), tried, 3)) {
      ASSERT_THAT(assignment, SizeIs(6));
      EXPECT_EQ(std::ranges::count(assignment, 2U), 0);
      EXPECT_TRUE(tried.insert(std::move(assignment)).second);
    }
  }
  EXPECT_GE(tried.size(), 45U) << "three of four that were asked for";
}

// Two draws of three that are no recombination, which one base has none of, are exchanges: a share
// of 0.67 with a standard deviation of 0.06 in 60 draws, more than two of them from both limits.
// The seed is fixed.
TEST(AssignmentDrawsTest, ExchangesAreNearTheirBases) {
  const Assignment base(40, 1);
  AssignmentDraws draws(2);
  const auto drawn = draws.Draw({&base, 1}, Groups(40), {}, 60);
  const auto near = std::ranges::count_if(
      drawn, [&](const Assignment& assignment) { return Different(assignment, base) <= 3; });
  const double share = static_cast<double>(near) / static_cast<double>(drawn.size());
  EXPECT_GT(share, 0.5);
  EXPECT_LT(share, 0.9) << "the others are restarts";
}

// One draw of four: a stretch of one base in another. Of these two bases no exchange makes one of
// four groups or more.
TEST(AssignmentDrawsTest, RecombinationsAreStretchesOfTwoBases) {
  const std::vector<Assignment> bases = {Assignment(40, 0), Assignment(40, 1)};
  AssignmentDraws draws(4);
  const auto drawn = draws.Draw(bases, Groups(40), {}, 80);
  const auto recombined = std::ranges::count_if(drawn, [](const Assignment& assignment) {
    std::size_t changes = 0;
    for (std::size_t g = 1; g < assignment.size(); ++g) {
      changes += assignment[g] != assignment[g - 1] ? 1 : 0;
    }
    const auto ones = std::ranges::count(assignment, 1U);
    return changes <= 2 && ones >= 4 && ones <= 36;
  });
  // Half of these draws take both parents from the same base and give it back; of the others a
  // stretch of four to 36 groups is the rule: about 8 of 80.
  EXPECT_GE(recombined, 3);
  EXPECT_LE(recombined, 20);
}

TEST(AssignmentDrawsTest, EndsWhenNothingIsLeft) {
  AssignmentDraws draws(3);
  EXPECT_THAT(draws.Draw({}, Groups(1), {{0}, {1}}, 5), IsEmpty());
  EXPECT_THAT(draws.Draw({}, Groups(0), {{}}, 5), IsEmpty());
}

TEST(AssignmentDrawsTest, TheSameSeedDrawsTheSame) {
  EXPECT_EQ(AssignmentDraws(7).Draw({}, Groups(9), {}, 10),
            AssignmentDraws(7).Draw({}, Groups(9), {}, 10));
  EXPECT_NE(AssignmentDraws(7).Draw({}, Groups(9), {}, 10),
            AssignmentDraws(8).Draw({}, Groups(9), {}, 10));
}

}  // namespace
}  // namespace halftone
