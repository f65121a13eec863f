#include "src/api/progress_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/base/error.h"
#include "src/base/file.h"

namespace halftone {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

ProgressRecord Example() {
  return {.phase = RunPhase::kDone,
          .steps = PhaseSteps{.done = 3, .planned = 7},
          .plans_measured = 30,
          .plans_known = 4,
          .plans_planned = 120,
          .elapsed_s = 12.5,
          .best = {.front_points = 5,
                   .any = BestPlan{0.5, 0.01, 40},
                   .meeting = BestPlan{0.625, -0.5, std::nullopt},
                   .at_bounds = {{"min_sqnr_db=20", {0.5, 0.01, 40}},
                                 {"min_sqnr_db=40", {0.5, 0.01, 40}}}},
          .outcome = RunOutcome{"failed", 1, "cannot read 'a\nb\xc3\xa9\x1b'"}};
}

std::string ErrorOf(const std::string& text) {
  try {
    ParseProgress(text, "p.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "no error";
}

// The error after a value of the example was replaced.
std::string ErrorWith(const std::string& pointer, const json& value) {
  json document = json::parse(FormatProgress(Example()));
  document[json::json_pointer(pointer)] = value;
  return ErrorOf(document.dump());
}

TEST(ProgressRecordTest, IsReadAsItWasWritten) {
  EXPECT_EQ(ParseProgress(FormatProgress(Example()), "p.json"), Example());
  EXPECT_EQ(ParseProgress(FormatProgress({}), "p.json"), ProgressRecord());
  for (const RunPhase phase : {RunPhase::kPrepare, RunPhase::kOperators, RunPhase::kProbes,
                               RunPhase::kSearch, RunPhase::kConfirm}) {
    const ProgressRecord record = {.phase = phase, .steps = PhaseSteps{.done = 1, .planned = {}}};
    EXPECT_EQ(ParseProgress(FormatProgress(record), "p.json"), record) << NameOf(phase);
  }
}

// The page of docs/reference/output.md.
TEST(ProgressRecordTest, IsOneLineOfJson) {
  ProgressRecord record;
  record.phase = RunPhase::kSearch;
  record.steps = PhaseSteps{.done = 1, .planned = 9};
  record.best.any = BestPlan{0.5, 0.25, std::nullopt};
  EXPECT_EQ(FormatProgress(record),
            R"({"format":1,"phase":"search","steps":{"done":1,"planned":9},)"
            R"("plans":{"measured":0,"known":0,"planned":null},"elapsed_s":0.0,)"
            R"("best":{"front_points":0,"any":{"latency_ratio":0.5,"loss":0.25,"sqnr_db":null},)"
            R"("meeting_goal":null,"at_bounds":[]},"outcome":null})"
            "\n");
}

TEST(ProgressRecordTest, FieldsThatAreNotKnownArePassedOver) {
  json document = json::parse(FormatProgress(Example()));
  for (const char* pointer :
       {"", "/steps", "/plans", "/best", "/best/any", "/best/at_bounds/0", "/outcome"}) {
    document[json::json_pointer(pointer)]["later"] = {{"a", {1, 2}}};
  }
  EXPECT_EQ(ParseProgress(document.dump(), "p.json"), Example());
}

TEST(ProgressRecordTest, WhatIsDamagedIsAnErrorInOneSentence) {
  EXPECT_THAT(ErrorOf(""), StartsWith("p.json"));
  EXPECT_THAT(ErrorOf(FormatProgress(Example()).substr(0, 100)), StartsWith("p.json:1:"));
  EXPECT_EQ(ErrorOf("[]"), "p.json: expected the object that --progress_file writes, found array");
  EXPECT_EQ(ErrorOf("{}"), "p.json: format: expected a whole number from 0 up, found null");
  EXPECT_EQ(ErrorWith("/format", 2),
            "p.json: format: expected 1 (another version of halftone wrote it), found 2");
  EXPECT_THAT(ErrorWith("/phase", "later"), HasSubstr("phase: expected one of prepare, operators"));
  EXPECT_THAT(ErrorWith("/phase", nullptr), HasSubstr("phase: expected a text, found null"));
  EXPECT_THAT(ErrorWith("/phase", "search"), HasSubstr("outcome: expected one in the phase"));
  EXPECT_THAT(ErrorWith("/outcome", nullptr), HasSubstr("outcome: expected one in the phase"));
  EXPECT_THAT(ErrorWith("/plans", 7), HasSubstr("plans: expected an object, found 7"));
  EXPECT_THAT(ErrorWith("/plans/measured", -1), HasSubstr("measured: expected a whole number"));
  EXPECT_THAT(ErrorWith("/plans/known", 1.5), HasSubstr("known: expected a whole number"));
  EXPECT_THAT(ErrorWith("/plans/planned", true), HasSubstr("planned: expected a whole number"));
  EXPECT_THAT(ErrorWith("/elapsed_s", -1), HasSubstr("elapsed_s: expected a number from 0 up"));
  EXPECT_THAT(ErrorWith("/elapsed_s", "1"), HasSubstr("elapsed_s: expected a number, found"));
  EXPECT_THAT(ErrorWith("/best/any/latency_ratio", nullptr), HasSubstr("expected a number"));
  EXPECT_THAT(ErrorWith("/best/any", {1}), HasSubstr("any: expected an object"));
  EXPECT_THAT(ErrorWith("/best/at_bounds", nullptr), HasSubstr("at_bounds: expected an array"));
  EXPECT_THAT(ErrorWith("/best/at_bounds/0", 1), HasSubstr("at_bounds: expected objects"));
  EXPECT_THAT(ErrorWith("/outcome/exit_code", 256), HasSubstr("expected a number from 0 to 255"));
}

TEST(ProgressRecordTest, AFileThatCannotBeReadHoldsNoRecord) {
  const std::filesystem::path path = ::testing::TempDir() + "halftone_progress_record_test.json";
  std::filesystem::remove(path);
  EXPECT_FALSE(ReadProgressFile(path).has_value()) << "none is there";
  WriteFileAtomically(path, FormatProgress(Example()));
  EXPECT_EQ(ReadProgressFile(path), Example());
  WriteFileAtomically(path, FormatProgress(Example()).substr(0, 50));
  EXPECT_FALSE(ReadProgressFile(path).has_value()) << "half of one";
  WriteFileAtomically(path, FormatProgress(Example()) + std::string(2U << 20U, ' '));
  EXPECT_FALSE(ReadProgressFile(path).has_value()) << "far larger than one";
  EXPECT_FALSE(ReadProgressFile(path.parent_path()).has_value()) << "a folder";
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace halftone
