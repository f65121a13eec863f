// Verdict of retune: every format and the exit code say the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "src/api/retune/retune.h"
#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kUndecided = "point 1: latency: too wide to tell whether it is slower";
constexpr const char* kFailure = "point 1: it is slow";

Trial Timed(double median_s) {
  Measurement measurement;
  measurement.latency = {.ratio = 1, .ratio_interval = {1, 1}, .median_s = median_s};
  Trial trial;
  trial.outcome = measurement;
  return trial;
}

// Float32 became ten times as slow, the shipped point twelve times.
RetuneResult Result() {
  RetuneResult result{.model_name = "net"};
  result.front.members = {Timed(1e-3)};
  result.front.chosen = 0;
  result.max_slowdown = 20;
  result.anchor = {.before_s = 2e-3, .after_s = 20e-3};
  result.points = {{.before = Timed(1e-3), .after = Timed(12e-3), .shipped = true, .slowdown = 12}};
  return result;
}

RetuneResult With(const std::vector<std::string>& failures,
                  const std::vector<std::string>& undecided) {
  RetuneResult result = Result();
  result.failures = failures;
  result.undecided = undecided;
  return result;
}

TEST(RetuneVerdictTest, WhatFailsComesBeforeWhatIsNotKnown) {
  EXPECT_EQ(With({}, {}).verdict(), RetuneVerdict::kHolds);
  EXPECT_EQ(With({}, {kUndecided}).verdict(), RetuneVerdict::kInconclusive);
  EXPECT_EQ(With({kFailure}, {}).verdict(), RetuneVerdict::kDoesNotHold);
  EXPECT_EQ(With({kFailure}, {kUndecided}).verdict(), RetuneVerdict::kDoesNotHold);
  RetuneResult interrupted = With({kFailure}, {});
  interrupted.interrupted = true;
  EXPECT_EQ(interrupted.verdict(), RetuneVerdict::kInterrupted);
}

TEST(RetuneVerdictTest, AllFormatsSayTheSame) {
  for (const RetuneResult& result :
       {With({}, {}), With({}, {kUndecided}), With({kFailure}, {kUndecided})}) {
    const std::string sentence = HoldsLine(result);
    const std::string name(NameIn(kRetuneVerdicts, result.verdict()));
    SCOPED_TRACE(name);
    EXPECT_THAT(FormatRetune(result, 1000), HasSubstr(sentence));
    EXPECT_THAT(FormatRetuneMarkdown(result), HasSubstr("**" + sentence + ".**"));
    const auto json = nlohmann::json::parse(FormatRetuneJson(result));
    EXPECT_EQ(json.at("verdict"), name);
    EXPECT_EQ(json.at("verdict_sentence"), sentence);
    EXPECT_EQ(json.at("holds"), result.holds());
    EXPECT_EQ(json.at("undecided"), result.undecided);
    EXPECT_EQ(json.at("points").at(0).at("slowdown"), 12);
    EXPECT_EQ(json.at("reference").at("slowdown"), 10);
    const std::string junit = FormatRetuneJUnit(result);
    EXPECT_THAT(junit, HasSubstr("name=\"verdict\" value=\"" + sentence + "\""));
    EXPECT_THAT(junit, HasSubstr("name=\"verdict_kind\" value=\"" + name + "\""));
    EXPECT_EQ(AnnotationsOf(result).back().message, sentence);
    for (const std::string& latency : LatencyLines(result)) {
      EXPECT_THAT(FormatRetune(result, 1000), HasSubstr(latency));
      EXPECT_THAT(json.at("latency").dump(), HasSubstr(latency));
    }
  }
}

TEST(RetuneVerdictTest, WhatIsNotKnownIsAnErrorOfJUnitAndAWarning) {
  const RetuneResult unknown = With({}, {kUndecided});
  const std::string junit = FormatRetuneJUnit(unknown);
  EXPECT_THAT(junit, HasSubstr("failures=\"0\" errors=\"1\""));
  EXPECT_THAT(junit, HasSubstr("<error type=\"inconclusive\" message=\""));
  EXPECT_THAT(junit, Not(HasSubstr("<failure")));
  EXPECT_EQ(AnnotationsOf(unknown).back().severity, Severity::kWarning);
  EXPECT_EQ(AnnotationsOf(With({kFailure}, {})).back().severity, Severity::kError);
  EXPECT_EQ(AnnotationsOf(With({}, {})).back().severity, Severity::kNotice);
}

TEST(RetuneVerdictTest, LatenciesThenAndNow) {
  EXPECT_THAT(LatencyLines(Result()),
              ::testing::ElementsAre(
                  HasSubstr(", 10 times as long"),
                  HasSubstr(", 12 times as long as when it was shipped; up to 20 times is accepted "
                            "(--max_slowdown)")));
}

TEST(MaxSlowdownTest, IsANumberOfAtLeastOneOrNone) {
  EXPECT_EQ(ParseMaxSlowdown(" 1.5 "), 1.5);
  EXPECT_EQ(ParseMaxSlowdown("none"), std::nullopt);
  for (const char* text : {"", "0.9", "nan", "inf", "2x", "-3", "1e999"}) {
    EXPECT_THROW(ParseMaxSlowdown(text), Error) << text;
  }
}

}  // namespace
}  // namespace halftone
