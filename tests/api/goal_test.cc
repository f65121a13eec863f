// What --goal and --budget may be, and the sentence for each thing that they may not.
#include "src/api/goal.h"

#include <gtest/gtest.h>

#include <functional>

#include "src/base/error.h"

namespace halftone {
namespace {

TEST(GoalTest, Bounds) {
  EXPECT_EQ(ParseGoal("front", {}), Constraints{});
  EXPECT_EQ(ParseGoal("min_sqnr_db=40", {}), Constraints{.min_sqnr_db = 40});
  EXPECT_EQ(ParseGoal(" max_rel_l2 = 1e-3 , max_latency_ratio=0.8", {}),
            (Constraints{.max_rel_l2 = 1e-3, .max_latency_ratio = 0.8}));
  EXPECT_EQ(ParseGoal("max_top1_drop=0", {.min_sqnr_db = 30}),
            (Constraints{.min_sqnr_db = 30, .max_top1_drop = 0}));
}

TEST(BudgetTest, EvaluationsAndTimes) {
  EXPECT_EQ(ParseBudget("120").evaluations, 120U);
  EXPECT_FALSE(ParseBudget("120").time);
  EXPECT_EQ(ParseBudget("90s").time->count(), 90);
  EXPECT_EQ(ParseBudget("10min").time->count(), 600);
  EXPECT_EQ(ParseBudget("1.5 h").time->count(), 5400);
  EXPECT_FALSE(ParseBudget("2h").evaluations);
}

struct ErrorCase {
  const char* name;
  std::function<void()> parse;
  const char* message;
};

void PrintTo(const ErrorCase& row, std::ostream* out) {
  *out << row.name;
}

class GoalErrorTest : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(GoalErrorTest, SaysWhatWasExpected) {
  try {
    GetParam().parse();
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

constexpr char kNames[] =
    " is none of front, min_sqnr_db=NUMBER, max_rel_l2=NUMBER, max_top1_drop=NUMBER, "
    "min_agreement=NUMBER, max_latency_ratio=NUMBER";
const std::string kUnknownName = "--goal=sqnr=40: 'sqnr=40'" + std::string(kNames);
const std::string kNoNumber = "--goal=min_sqnr_db: 'min_sqnr_db'" + std::string(kNames);
const std::string kEmpty = "--goal=: ''" + std::string(kNames);
const std::string kInfinite = "--goal=min_sqnr_db=inf: 'min_sqnr_db=inf'" + std::string(kNames);

INSTANTIATE_TEST_SUITE_P(
    Rows, GoalErrorTest,
    ::testing::Values(
        ErrorCase{"UnknownName", [] { ParseGoal("sqnr=40", {}); }, kUnknownName.c_str()},
        ErrorCase{"NoNumber", [] { ParseGoal("min_sqnr_db", {}); }, kNoNumber.c_str()},
        ErrorCase{"Nothing", [] { ParseGoal("", {}); }, kEmpty.c_str()},
        ErrorCase{"Infinite", [] { ParseGoal("min_sqnr_db=inf", {}); }, kInfinite.c_str()},
        ErrorCase{"Twice", [] { ParseGoal("min_sqnr_db=40", {.min_sqnr_db = 30}); },
                  "--goal=min_sqnr_db=40: min_sqnr_db is given twice, as 30 and 40"},
        ErrorCase{"OutOfRange", [] { ParseGoal("max_top1_drop=2", {}); },
                  "--goal=max_top1_drop=2: expected a fraction from 0 to 1 (0.005 is half a "
                  "percent)"},
        ErrorCase{"BudgetOfNothing", [] { ParseBudget(""); },
                  "--budget=: expected evaluations or a time, such as 120, 90s, 10min, 2h"},
        ErrorCase{"BudgetUnit", [] { ParseBudget("5days"); },
                  "--budget=5days: expected evaluations or a time, such as 120, 90s, 10min, 2h"},
        ErrorCase{"BudgetZero", [] { ParseBudget("0"); },
                  "--budget=0: expected evaluations or a time, such as 120, 90s, 10min, 2h"},
        ErrorCase{"BudgetHalf", [] { ParseBudget("1.5"); },
                  "--budget=1.5: expected evaluations or a time, such as 120, 90s, 10min, 2h"}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace halftone
