#include "src/cli/latency_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "src/base/error.h"

namespace halftone {
namespace {

// Sets or clears the variable for as long as it lives.
class Variable {
 public:
  explicit Variable(const char* text) {
    text != nullptr ? ::setenv(kName, text, 1) : ::unsetenv(kName);
  }

  ~Variable() { before_.empty() ? ::unsetenv(kName) : ::setenv(kName, before_.c_str(), 1); }

  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  static constexpr const char* kName = "HALFTONE_LATENCY_BUDGET";
  std::string before_ = std::getenv(kName) != nullptr ? std::getenv(kName) : "";
};

TEST(LatencyBudgetTest, AllBudgetsChangeInProportion) {
  const Variable variable("0.5");
  MeasureSettings measure;
  EXPECT_EQ(TakeLatencyBudget(measure), 0.25);
  EXPECT_EQ(measure.full_budget_s, 0.5);
  EXPECT_EQ(measure.quick_budget_s, 0.25 * MeasureSettings().quick_budget_s);
}

TEST(LatencyBudgetTest, WithoutTheVariableTheyStay) {
  for (const char* text : {static_cast<const char*>(nullptr), ""}) {
    const Variable variable(text);
    MeasureSettings measure;
    EXPECT_EQ(TakeLatencyBudget(measure), 1);
    EXPECT_EQ(measure.full_budget_s, MeasureSettings().full_budget_s);
    EXPECT_EQ(measure.quick_budget_s, MeasureSettings().quick_budget_s);
  }
}

TEST(LatencyBudgetTest, WhatIsNoTimeIsOneSentence) {
  for (const char* text : {"0", "-1", "1001", "nan", "inf", "1s", " 1", "x", "1e999"}) {
    const Variable variable(text);
    MeasureSettings measure;
    try {
      TakeLatencyBudget(measure);
      ADD_FAILURE() << text << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_EQ(std::string(error.what()), std::string("HALFTONE_LATENCY_BUDGET=") + text +
                                               ": expected a number above 0, at most 1000");
    }
    EXPECT_EQ(measure.full_budget_s, MeasureSettings().full_budget_s);
  }
}

}  // namespace
}  // namespace halftone
