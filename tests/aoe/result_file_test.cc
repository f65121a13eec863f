#include "src/aoe/result_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/aoe/result_text.h"
#include "src/base/error.h"
#include "tests/support/golden.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;

AoeModelResult Sample() {
  return {.job = "OPAT",
          .tuning_name = "resnet50",
          .tuning_time_s = 1827,
          .baseline_ms = 12.5,
          .result_ms = 10,
          .improvement = "25.00%",
          .tuning_result = "tuning successful",
          .modified_operators = {{"Conv_125",
                                  "Conv2D",
                                  {{"Schedule", 80, 64, "25.00%", "add"},
                                   {"Format", 80.5, 70.25, "14.59%", "update"}}}},
          .failed_operators = {"Conv_7"},
          .summary = AoeRepoSummary{
              .total = 19, .hit = 17, .add = 2, .update = 2, .reserved = 15, .unsatisfied = 0}};
}

TEST(AoeResultFileTest, RoundTripOfOneModel) {
  const std::string text = FormatAoeResult({{{"", Sample()}}});
  EXPECT_TRUE(testing::MatchesGolden(text, "aoe/result_opat.json"));
  // Kinds come back in order of their names.
  AoeModelResult expected = Sample();
  std::swap(expected.modified_operators[0].performance[0],
            expected.modified_operators[0].performance[1]);
  EXPECT_THAT(ParseAoeResult(text, "f").tasks, ElementsAre(AoeTask{"", expected}));
}

TEST(AoeResultFileTest, RoundTripOfSubgraphTuning) {
  const AoeModelResult result{.job = "SGAT",
                              .tuning_name = "m",
                              .tuning_time_s = 1,
                              .baseline_ms = 2,
                              .result_ms = 1,
                              .improvement = "100.00%",
                              .tuning_result = "tuning successful"};
  const std::string text = FormatAoeResult({{{"", result}}});
  EXPECT_TRUE(testing::MatchesGolden(text, "aoe/result_sgat.json"));
  EXPECT_THAT(ParseAoeResult(text, "f").tasks, ElementsAre(AoeTask{"", result}));
}

TEST(AoeResultFileTest, RoundTripOfSeveralModels) {
  const AoeModelResult running{.tuning_name = "b", .tuning_result = "tuning incomplete"};
  AoeModelResult first = Sample();
  first.modified_operators[0].performance.pop_back();
  const AoeResultFile file{
      {{"report_20260102030405678_1", first}, {"report_20260102030405678_2", running}}};
  EXPECT_EQ(ParseAoeResult(FormatAoeResult(file), "f").tasks, file.tasks);
}

TEST(AoeResultFileTest, ReadsTheOlderForm) {
  const AoeResultFile file = ParseAoeResult(R"j([
    {"basic": {"tuning_name": "a", "other": 1}},
    {"OPAT": {"opat_tune_result": "tune success", "unknown": [],
      "repo_modified_operators": {
        "add_repo_operators": [{"op_name": "x", "op_type": "Add",
          "performance_before_tune(us)": 134, "performance_after_tune(us)": 99,
          "performance_improvement": "35.35%"}],
        "update_repo_operators": [{"op_name": "y", "op_type": "Mul",
          "performance_before_tune(us)": 4.06, "performance_after_tune(us)": 3.06}]
}
}
}])j",
                                            "f");
  ASSERT_EQ(file.tasks.size(), 1U);
  const AoeModelResult& result = file.tasks[0].result;
  EXPECT_EQ(result.tuning_result, "tune success");
  EXPECT_THAT(result.modified_operators,
              ElementsAre(AoeOperatorResult{"x", "Add", {{"Schedule", 134, 99, "35.35%", "add"}}},
                          AoeOperatorResult{"y", "Mul", {{"Schedule", 4.06, 3.06, "", "update"}}}));
  EXPECT_FALSE(result.summary.has_value());
}

TEST(AoeResultTextTest, ShowsWhatTheFileHolds) {
  AoeModelResult result = Sample();
  result.modified_operators = {
      AoeOperatorResult{"x", "Add", {{"Schedule", 10, 8, "", "add"}}},
      AoeOperatorResult{"y", "Mul", {{"Schedule", 134, 99, "35.35%", "update"}}}};
  result.failed_operators = {"z"};
  const std::string text = AoeResultText({{{"", result}}}, 100);
  EXPECT_EQ(text,
            "resnet50 (operator tuning): tuning successful\n"
            "12.5 ms before, 10 ms after, improved by 25.00%\n"
            "operator  type  kind      before us  after us  improvement  bank\n"
            "y         Mul   Schedule  134        99        35.35%       update\n"
            "x         Add   Schedule  10         8         25.00%       add\n"
            "failed: z\n"
            "operators: total_num 19, repo_hit_num 17, repo_add_num 2, repo_update_num 2, "
            "repo_reserved_num 15, repo_unsatisfied_num 0\n");
  result.job = "SGAT";
  result.tuning_result = "tuning incomplete";
  result.result_ms.reset();
  result.modified_operators.clear();
  result.failed_operators.clear();
  result.summary->hit = 1;
  EXPECT_EQ(AoeResultText({{{"report_1_1", result}, {"report_1_2", AoeModelResult{}}}}, 100),
            "report_1_1: resnet50 (subgraph tuning): tuning incomplete\n"
            "12.5 ms before\n"
            "operators: total_num 19, repo_hit_num 1, repo_add_num 2, repo_update_num 2, "
            "repo_reserved_num 15, repo_unsatisfied_num 0 (which do not add up)\n"
            "\n"
            "report_1_2:  (operator tuning): no result\n");
}

// The two published samples, and the edges.
TEST(AoeResultFileTest, ImprovementIsASpeedUp) {
  EXPECT_EQ(AoeImprovement(134, 99), "35.35%");
  EXPECT_EQ(AoeImprovement(4.06, 3.06), "32.68%");
  EXPECT_EQ(AoeImprovement(12.5, 10), "25.00%");
  EXPECT_EQ(AoeImprovement(1, 1), "0.00%");
  EXPECT_EQ(AoeImprovement(1, 1.00000001), "0.00%");
  EXPECT_EQ(AoeImprovement(8, 10), "-20.00%");
  EXPECT_EQ(AoeImprovement(1, 0), "0.00%");
  EXPECT_EQ(AoeImprovement(0.0000154, 0.0000096), "50.00%") << "of 0.000015 and 0.000010";
}

TEST(AoeResultFileTest, OnlyWhatTheFileShowsIsAnImprovement) {
  EXPECT_TRUE(IsAoeImprovement(12.5, 10));
  EXPECT_TRUE(IsAoeImprovement(1.0001, 1)) << "0.01%";
  EXPECT_FALSE(IsAoeImprovement(1.00004, 1)) << "0.00%";
  EXPECT_FALSE(IsAoeImprovement(1, 1));
  EXPECT_FALSE(IsAoeImprovement(9.222, 10)) << "-7.78%";
  EXPECT_FALSE(IsAoeImprovement(1, 0));
}

TEST(AoeResultFileTest, CountsAddUpOrAreNotWritten) {
  AoeModelResult result = Sample();
  result.summary->hit = 16;
  EXPECT_FALSE(IsConsistent(*result.summary));
  EXPECT_THROW(FormatAoeResult({{{"", result}}}), Error);
  result.summary->hit = 17;
  result.summary->unsatisfied = 1;
  EXPECT_FALSE(IsConsistent(*result.summary));
  result.summary->total = 20;
  EXPECT_TRUE(IsConsistent(*result.summary));
}

TEST(AoeResultFileTest, Names) {
  EXPECT_EQ(AoeResultFileName("OPAT", "20260102030405678", 42),
            "aoe_result_opat_20260102030405678_pid42.json");
  EXPECT_EQ(AoeResultFileName("SGAT", "1", 2), "aoe_result_sgat_1_pid2.json");
}

struct BadCase {
  const char* name;
  std::string text;
  std::string message;
};

class BadResultTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadResultTest, SaysWhere) {
  try {
    ParseAoeResult(GetParam().text, "r.json");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.what(), GetParam().message);
  }
}

std::string Opat(const std::string& fields) {
  return "[{\"OPAT\": {" + fields + "}}]";
}

const BadCase kBad[] = {
    {"Empty", "", "r.json: expected JSON, found an empty file"},
    {"Text", "\"x\"", "r.json: the document: expected an array or an object, found string"},
    {"NoReport", "{\"basic\": {}}",
     "r.json: expected an array for one model, or keys report_... for several; found neither"},
    {"ReportNoArray", "{\"report_1_1\": {}}", "r.json: a task: expected an array, found object"},
    {"PartNoObject", "[1]", "r.json: a part of a task: expected an object, found number"},
    {"NoJob", "[{\"basic\": {}}]",
     "r.json: a task: expected an object with the key OPAT or SGAT, found none"},
    {"BasicNoObject", "[{\"basic\": 1}]", "r.json: basic: expected an object, found number"},
    {"JobNoObject", "[{\"OPAT\": []}]", "r.json: OPAT: expected an object, found array"},
    {"TimeIsText", R"j([{"basic": {"tuning_time(s)": "1827"}}, {"OPAT": {}}])j",
     "r.json: tuning_time(s): expected a number, found string"},
    {"LatencyIsText", Opat(R"j("model_baseline_performance(ms)": "12")j"),
     "r.json: model_baseline_performance(ms): expected a number, found string"},
    {"ImprovementIsNumber", Opat(R"j("model_performance_improvement": 25)j"),
     "r.json: model_performance_improvement: expected a string, found number"},
    {"OperatorsIsNumber", Opat(R"j("repo_modified_operators": 1)j"),
     "r.json: repo_modified_operators: expected an array or an object, found number"},
    {"OperatorIsText", Opat(R"j("repo_modified_operators": ["x"])j"),
     "r.json: repo_modified_operators: expected objects, found string"},
    {"OldListIsText", Opat(R"j("repo_modified_operators": {"add_repo_operators": "x"})j"),
     "r.json: add_repo_operators: expected an array, found string"},
    {"OldItemIsText", Opat(R"j("repo_modified_operators": {"add_repo_operators": ["x"]})j"),
     "r.json: add_repo_operators: expected objects, found string"},
    {"OtherUnit", Opat(R"j("repo_modified_operators": [{"tune_performance": {"Schedule":
            {"performance_before_tune(ms)": 1, "performance_after_tune(us)": 1
}
}
}])j"),
     "r.json: Schedule: performance_before_tune(us) is missing"},
    {"KindIsText",
     Opat(R"j("repo_modified_operators": [{"tune_performance": {"Schedule": "x"}}])j"),
     "r.json: Schedule: expected an object, found string"},
    {"FailedIsText", Opat(R"j("tune_failed_operators": "x")j"),
     "r.json: tune_failed_operators: expected an array, found string"},
    {"FailedHoldsNumbers", Opat(R"j("tune_failed_operators": [1])j"),
     "r.json: tune_failed_operators: expected strings, found number"},
    {"HugeNumber", Opat(R"j("model_baseline_performance(ms)": 1e300)j"),
     "r.json: model_baseline_performance(ms): expected a number of at most 1e+12, found 1e+300"},
    {"HugeCount", Opat(R"j("repo_summary": {"total_num": 18446744073709551615})j"),
     "r.json: total_num: expected a count of at most 1000000000000, found 18446744073709551615"},
    {"ControlCharacterInAKind",
     Opat(R"j("repo_modified_operators": [{"tune_performance": {"\u001b[2J": "x"}}])j"),
     "r.json: \\x1b[2J: expected an object, found string"},
    {"SummaryIsText", Opat(R"j("repo_summary": "x")j"),
     "r.json: repo_summary: expected an object, found string"},
    {"CountNegative", Opat(R"j("repo_summary": {"total_num": -1})j"),
     "r.json: total_num: expected a count, found number"},
    {"CountFraction", Opat(R"j("repo_summary": {"repo_hit_num": 1.5})j"),
     "r.json: repo_hit_num: expected a count, found number"},
};

INSTANTIATE_TEST_SUITE_P(Files, BadResultTest, ::testing::ValuesIn(kBad),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
