// Which formats pay, by a planted machine profile.
#include "src/api/explain_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "knowledge_base/sqlite_store.h"
#include "src/api/bank/stored_profile.h"
#include "src/api/halftone.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

OperatorProfile ProfileOf(std::map<std::string, double> seconds) {
  return {
      .op = std::string(kFormatTimes),
      .threads = 1,
      .calls = {{.shape = {.family = "products", .sizes = {8, 9}}, .seconds = std::move(seconds)}}};
}

TEST(FormatTimesTest, AreSharesOfFloat32TheFastestFirst) {
  const auto times =
      FormatTimesIn(ProfileOf({{"float32", 0.5}, {"bfloat16", 0.25}, {"qint8", 0.75}}));
  EXPECT_THAT(times, ElementsAre(FormatTime{"bfloat16", 0.5}, FormatTime{"int8", 1.5}));
  EXPECT_TRUE(times[0].pays());
  EXPECT_FALSE(times[1].pays());
  EXPECT_EQ(WhatPays(times),
            "products pay in bfloat16 (2.00 times as fast as float32); not in others: int8 takes "
            "1.50 times as long");
  EXPECT_THAT(FormatTimesIn(ProfileOf({{"bfloat16", 0.25}})), IsEmpty()) << "of what?";
  EXPECT_EQ(WhatPays({}), "");
}

class ExplainMachineTest : public ::testing::Test {
 protected:
  ~ExplainMachineTest() override { std::filesystem::remove_all(bank_); }

  std::filesystem::path bank_ = ::testing::TempDir() + "halftone_explain_machine_test";
};

TEST_F(ExplainMachineTest, ReadsTheProfileOfTheBank) {
  OpenSqliteStore(DatabasePath(bank_, "host"), OpenMode::kReadWrite)
      ->AddOperatorProfile(
          KernelsOfFormatTimes(),
          ProfileOf({{"float32", 1}, {"bfloat16", 1.5}, {"float16", 1.25}, {"qint8", 1.125}}));
  const std::string text = ExplainMachine({.bank = bank_, .threads = 1});
  EXPECT_THAT(text, HasSubstr("from " + DatabasePath(bank_, "host").string()));
  EXPECT_THAT(text, HasSubstr("bfloat16  1.50            no"));
  EXPECT_THAT(text, HasSubstr("this CPU has no units that make 8-bit or 16-bit products faster"));
}

TEST_F(ExplainMachineTest, WithoutABankItMeasuresAndMakesNone) {
  const std::string text = ExplainMachine({.bank = bank_, .threads = 1});
  EXPECT_THAT(text, HasSubstr("measured now"));
  EXPECT_THAT(text, HasSubstr("int8"));
  EXPECT_FALSE(std::filesystem::exists(bank_));
}

}  // namespace
}  // namespace halftone
