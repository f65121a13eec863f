#include "knowledge_base/candidate_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;

TEST(CandidateJsonTest, Golden) {
  Candidate candidate;
  candidate.options = {.precision_mode = "force_fp16",
                       .precision_mode_v2 = {},
                       .keep_dtype = {"conv1", "\"q\""},
                       .op_precision_given = true,
                       .impl_mode_by_node = {{"exp1", ImplMode::kHighPerformance}},
                       .impl_mode_by_type = {{"Conv2D", ImplMode::kHighPrecision}},
                       .op_select_implmode = "high_precision",
                       .optypelist_for_implmode = {"Pow"}};
  const std::string text =
      R"({"impl_mode_by_node":{"exp1":"high_performance"},)"
      R"("impl_mode_by_type":{"Conv2D":"high_precision"},"keep_dtype":["conv1","\"q\""],)"
      R"("op_precision_given":true,"op_select_implmode":"high_precision",)"
      R"("optypelist_for_implmode":["Pow"],"precision_mode":"force_fp16","schema":1})";
  EXPECT_EQ(CandidateToJson(candidate), text);
  EXPECT_EQ(CandidateFromJson(text), candidate);
}

TEST(CandidateJsonTest, DefaultsAreLeftOut) {
  EXPECT_EQ(CandidateToJson({}), R"({"schema":1})");
  EXPECT_EQ(CandidateFromJson(R"({"schema":1})"), Candidate{});
  Candidate v2;
  v2.options.precision_mode_v2 = "origin";
  EXPECT_EQ(CandidateFromJson(CandidateToJson(v2)), v2);
}

struct BadCase {
  const char* name;
  const char* text;
  const char* message;
};

class BadCandidateJson : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadCandidateJson, IsRefused) {
  try {
    CandidateFromJson(GetParam().text);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDatabase);
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadCandidateJson,
    ::testing::Values(BadCase{"NotJson", "{", "a stored candidate is damaged"},
                      BadCase{"NoSchema", "{}", "a stored candidate is damaged"},
                      BadCase{"NewerSchema", R"({"schema":2})", "has schema 2, expected 1"},
                      BadCase{"UnknownKey", R"({"schema":1,"customize_dtypes":[]})",
                              "unknown option 'customize_dtypes'"},
                      BadCase{"WrongType", R"({"schema":1,"keep_dtype":"conv1"})", "is damaged"},
                      BadCase{"UnknownMode", R"({"schema":1,"impl_mode_by_type":{"Exp":"magic"}})",
                              "unknown implementation mode 'magic' for 'Exp'"}),
    [](const auto& param) { return param.param.name; });

TEST(NamesJsonTest, RoundTrip) {
  const std::vector<std::string> names = {"", "a,b", "\"", "\xC3\xA4"};
  EXPECT_EQ(NamesFromJson(NamesToJson(names)), names);
  EXPECT_EQ(NamesToJson({}), "[]");
  EXPECT_THROW(NamesFromJson("{\"a\":1}"), Error);
}

}  // namespace
}  // namespace halftone
