// What --goal and --budget may be, and the sentence for each thing that they may not.
#include "halftone/goal.h"

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
  EXPECT_EQ(ParseGoal("min_sqnr_db=40@95%, max_rel_l2=0.1 @ 99.5 %", {}),
            (Constraints{.min_sqnr_db = 40,
                         .max_rel_l2 = 0.1,
                         .min_sqnr_db_share = 0.95,
                         .max_rel_l2_share = 0.995}));
}

TEST(ConfidenceTest, NumbersAndNone) {
  EXPECT_EQ(ParseConfidence("0.95"), 0.95);
  EXPECT_EQ(ParseConfidence(" 0.5"), 0.5);
  EXPECT_EQ(ParseConfidence("none"), std::nullopt);
  for (const auto& confidence : {std::optional<double>(0.999), std::optional<double>()}) {
    EXPECT_EQ(ParseConfidence(ConfidenceText(confidence)), confidence);
    EXPECT_NO_THROW(CheckConfidence(confidence));
  }
  for (const char* text : {"", "0.49", "1", "95", "None", "0.95 x", "nan"}) {
    EXPECT_THROW(ParseConfidence(text), Error) << text;
  }
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
    " is none of front, min_sqnr_db=NUMBER[@SHARE%], max_rel_l2=NUMBER[@SHARE%], "
    "max_top1_drop=NUMBER, min_agreement=NUMBER, min_metric=NUMBER, max_metric=NUMBER, "
    "max_latency_ratio=NUMBER";
const std::string kUnknownName = "--goal=sqnr=40: 'sqnr=40'" + std::string(kNames);
const std::string kNoNumber = "--goal=min_sqnr_db: 'min_sqnr_db'" + std::string(kNames);
const std::string kEmpty = "--goal=: ''" + std::string(kNames);

INSTANTIATE_TEST_SUITE_P(
    Rows, GoalErrorTest,
    ::testing::Values(
        ErrorCase{"UnknownName", [] { ParseGoal("sqnr=40", {}); }, kUnknownName.c_str()},
        ErrorCase{"NoNumber", [] { ParseGoal("min_sqnr_db", {}); }, kNoNumber.c_str()},
        ErrorCase{"Nothing", [] { ParseGoal("", {}); }, kEmpty.c_str()},
        ErrorCase{
            "Infinite", [] { ParseGoal("min_sqnr_db=inf", {}); },
            "--goal=min_sqnr_db=inf: expected a finite number of decibels, or that of a share "
            "of the samples, as in 40@95% behind min_sqnr_db, found 'inf'"},
        ErrorCase{"Twice", [] { ParseGoal("min_sqnr_db=40", {.min_sqnr_db = 30}); },
                  "--goal=min_sqnr_db=40: min_sqnr_db is given twice, as 30 and 40"},
        ErrorCase{"NoShare", [] { ParseGoal("min_sqnr_db=40@100%", {}); },
                  "--goal=min_sqnr_db=40@100%: expected more than 0 % and less than 100 % of the "
                  "samples"},
        ErrorCase{"Confidence", [] { ParseConfidence("95"); },
                  "--confidence=95: expected none or a number from 0.5 to 0.999"},
        ErrorCase{"OutOfRange", [] { ParseGoal("max_top1_drop=2", {}); },
                  "--goal=max_top1_drop=2: expected a fraction from 0 to 1 (0.005 is half a "
                  "percent)"},
        ErrorCase{"BudgetOfNothing", [] { ParseBudget(""); },
                  "--budget=: expected evaluations or a time, such as 120, 90s, 10min, 2h, of "
                  "a year at most"},
        ErrorCase{"BudgetUnit", [] { ParseBudget("5days"); },
                  "--budget=5days: expected evaluations or a time, such as 120, 90s, 10min, 2h, of "
                  "a year at most"},
        ErrorCase{"BudgetZero", [] { ParseBudget("0"); },
                  "--budget=0: expected evaluations or a time, such as 120, 90s, 10min, 2h, of "
                  "a year at most"},
        ErrorCase{"BudgetHalf", [] { ParseBudget("1.5"); },
                  "--budget=1.5: expected evaluations or a time, such as 120, 90s, 10min, 2h, of "
                  "a year at most"}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace halftone
