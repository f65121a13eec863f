// result.json of a task, and what it takes from front.json and retune.json.
#include "src/fleet/fleet_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "src/base/text.h"
#include "tests/fleet/digits_runs.h"
#include "tests/fleet/fleet_fixture.h"

namespace halftone {
namespace {

using ::halftone::testing::DigitsRuns;
using ::halftone::testing::SmallResult;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Pair;

class FleetResultTest : public halftone::testing::FleetFixture {
 protected:
  static std::string Complaint(const std::string& text) {
    return Message(ErrorKind::kUsage, [&] { ResultFromJson(text, "result.json"); });
  }

  static std::string Replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }

  std::filesystem::path File(const std::string& content) const {
    std::filesystem::path file = folder_.path() / "x.json";
    WriteFileAtomically(file, content);
    return file;
  }
};

FleetResult AwkwardResult() {
  FleetResult result = SmallResult({"k", "n"}, TaskEnd::kSearchedAgain);
  result.exit_code = 139;
  result.reason = "\"quoted\"\n\x1b[31m \u00e4 \U0001f600 \\";
  result.job = "17_3";
  result.attempts = 3;
  result.seconds = 1e300;
  result.version = "0.1.0";
  result.cpu = "AMD EPYC";
  result.isa = "avx2+avx512";
  result.target = "host";
  result.other_cores = 0;
  result.model_hash = "f00d";
  result.samples = std::numeric_limits<std::int64_t>::max();
  result.measured = -1;
  result.known = 7;
  result.search_s = std::numeric_limits<double>::denorm_min();
  result.reference_s = 0.1 + 0.2;
  result.points = {{.speed_up = 1.0 / 3,
                    .speed_up_low = 0.25,
                    .speed_up_high = std::numeric_limits<double>::max(),
                    .latency_s = 1e-9,
                    .chosen = true,
                    .accuracy = {{"sqnr_db", 300}, {"", -0.5}},
                    .digest = "d",
                    .folder = "point_1"},
                   {}};
  result.retune_verdict = std::string(100000, 'v');
  return result;
}

TEST_F(FleetResultTest, JsonReadsBack) {
  for (const FleetResult& result :
       {FleetResult{}, SmallResult({"k", "n"}, TaskEnd::kDied), AwkwardResult()}) {
    EXPECT_EQ(ResultFromJson(ResultToJson(result), "result.json"), result);
  }
}

// JSON has no number for them; the result still reads.
TEST_F(FleetResultTest, MetricsThatAreNotFiniteAreLeftOut) {
  FleetResult result = AwkwardResult();
  result.points[0].accuracy = {{"max_rel", std::numeric_limits<double>::infinity()},
                               {"rel_l2", std::numeric_limits<double>::quiet_NaN()},
                               {"sqnr_db", 40}};
  EXPECT_THAT(ResultFromJson(ResultToJson(result), "r").points[0].accuracy,
              ElementsAre(Pair("sqnr_db", 40)));
}

TEST_F(FleetResultTest, TextsThatAreNotUtf8ReadBackWithMarks) {
  FleetResult result = SmallResult({"k", "n"});
  result.reason =
      "a\xff"
      "b";
  EXPECT_EQ(ResultFromJson(ResultToJson(result), "r").reason,
            "a\xef\xbf\xbd"
            "b");
}

TEST_F(FleetResultTest, EachPrefixIsAnError) {
  FleetResult result = AwkwardResult();
  result.retune_verdict = "short";
  const std::string text(Trim(ResultToJson(result)));
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_THROW(ResultFromJson(text.substr(0, size), "result.json"), Error) << size;
  }
}

TEST_F(FleetResultTest, DamagedResultsAreRefusedInOneSentence) {
  const std::string text = ResultToJson(AwkwardResult());
  EXPECT_EQ(Complaint(Replaced(text, "\"format\": 1", "\"format\": 2")),
            "result.json: a result of format 2; this halftone reads format 1");
  EXPECT_THAT(Complaint(Replaced(text, "\"searched again\"", "\"lost\"")),
              HasSubstr("result.json: end 'lost'; expected one of done, bounds not met"));
  for (const char* other : {"3", "null", "[]", "{}", "{\"format\": 1}"}) {
    EXPECT_THAT(Complaint(other), HasSubstr("result.json: no result of a fleet's task: ")) << other;
  }
  for (const auto& [from, to] :
       {std::pair("\"attempts\": 3", "\"attempts\": \"3\""),
        {"\"seconds\": 1e+300", "\"seconds\": null"},
        {"\"speed_up_interval\": [", "\"speed_up_interval\": [], \"x\": ["},
        {"\"points\": [", "\"points\": [3, "},
        {"\"chosen\": true", "\"chosen\": 1"}}) {
    EXPECT_THAT(Complaint(Replaced(text, from, to)), HasSubstr("no result of a fleet's task"))
        << to;
  }
}

TEST_F(FleetResultTest, EachEndHasANameThatReadsBack) {
  int good = 0;
  for (const TaskEnd end :
       {TaskEnd::kDone, TaskEnd::kBoundsNotMet, TaskEnd::kGateFailed, TaskEnd::kHolds,
        TaskEnd::kInconclusive, TaskEnd::kSearchedAgain, TaskEnd::kFailed, TaskEnd::kDied}) {
    EXPECT_EQ(ResultFromJson(ResultToJson(SmallResult({"k", "n"}, end)), "r").end, end);
    good += IsGood(end) ? 1 : 0;
  }
  EXPECT_EQ(good, 3);
}

TEST_F(FleetResultTest, BusyIsMoreThanAQuarterOfACore) {
  FleetResult result;
  EXPECT_FALSE(IsBusy(result));
  result.other_cores = kBusyOtherCores;
  EXPECT_FALSE(IsBusy(result));
  result.other_cores = 0.26;
  EXPECT_TRUE(IsBusy(result));
}

TEST_F(FleetResultTest, TakesTheFrontOfARealRun) {
  FleetResult result = SmallResult({"k", "digits"});
  AddFront(DigitsRuns::Once().tuned() / "front.json", result);
  EXPECT_EQ(result.network, "digits");
  EXPECT_EQ(result.end, TaskEnd::kDone);
  EXPECT_NE(result.version, "");
  EXPECT_NE(result.cpu, "");
  EXPECT_EQ(result.target, "host");
  EXPECT_EQ(result.samples, 5);
  EXPECT_EQ(result.measured + result.known, 2);
  EXPECT_THAT(result.reference_s.value_or(0), Gt(0));
  EXPECT_EQ(result.model_hash.empty(), false);
  EXPECT_NE(result.reason, "of a test");
  ASSERT_FALSE(result.points.empty());
  const FleetPoint& point = result.points.front();
  EXPECT_THAT(point.speed_up, Gt(0));
  EXPECT_LE(point.speed_up_low, point.speed_up_high);
  EXPECT_THAT(point.latency_s, Gt(0));
  EXPECT_THAT(point.accuracy, Contains(Key("sqnr_db")));
  EXPECT_TRUE(std::filesystem::exists(DigitsRuns::Once().tuned() / point.folder));
  EXPECT_EQ(ResultFromJson(ResultToJson(result), "r"), result);
}

TEST_F(FleetResultTest, RetunePutsItsFiguresInPlace) {
  FleetResult shipped;
  AddFront(DigitsRuns::Once().tuned() / "front.json", shipped);
  FleetResult again = shipped;
  AddRetune(DigitsRuns::Once().retuned() / "retune.json", again);
  EXPECT_NE(again.retune_verdict, "");
  ASSERT_EQ(again.points.size(), shipped.points.size());
  for (std::size_t i = 0; i < again.points.size(); ++i) {
    EXPECT_NE(again.points[i].latency_s, shipped.points[i].latency_s);
    EXPECT_LE(again.points[i].speed_up_low, again.points[i].speed_up_high);
    EXPECT_EQ(again.points[i].folder, shipped.points[i].folder);
    EXPECT_THAT(again.points[i].accuracy, Contains(Key("sqnr_db")));
  }
}

TEST_F(FleetResultTest, AFolderWithoutAFrontLeavesTheResult) {
  FleetResult result = SmallResult({"k", "n"});
  AddFront(folder_.path() / "front.json", result);
  EXPECT_EQ(result, SmallResult({"k", "n"}));
}

TEST_F(FleetResultTest, DamagedFrontsAreNamed) {
  const std::string front = ReadFile(DigitsRuns::Once().tuned() / "front.json");
  const std::string retune = ReadFile(DigitsRuns::Once().retuned() / "retune.json");
  FleetResult result;
  const auto front_complaint = [&](const std::string& text) {
    return Message(ErrorKind::kUsage, [&] { AddFront(File(text), result); });
  };
  EXPECT_THAT(front_complaint(front.substr(0, front.size() / 2)), HasSubstr("x.json:"));
  EXPECT_THAT(front_complaint("{}"), HasSubstr("x.json: no front: "));
  EXPECT_THAT(front_complaint("3"), HasSubstr("x.json: no front: "));
  const auto retune_complaint = [&](const std::string& text) {
    FleetResult found;
    AddFront(DigitsRuns::Once().tuned() / "front.json", found);
    return Message(ErrorKind::kUsage, [&] { AddRetune(File(text), found); });
  };
  EXPECT_THAT(retune_complaint(retune.substr(0, retune.size() / 2)), HasSubstr("x.json:"));
  EXPECT_THAT(retune_complaint("{}"), HasSubstr("x.json: nothing of `halftone retune`: "));
  EXPECT_THAT(retune_complaint("{\"points\": []}"),
              HasSubstr("x.json: 0 points; the front that it measured again has "));
  EXPECT_THAT(retune_complaint(Replaced(retune, "\"after\": {\n        \"latency_ratio\": ",
                                        "\"after\": {\n        \"latency_ratio\": 0, \"x\": ")),
              HasSubstr("a latency ratio of 0; expected a number above 0"));
}

TEST_F(FleetResultTest, RefusedFiguresLeaveNothingHalf) {
  FleetResult result = SmallResult({"k", "n"});
  EXPECT_THROW(AddFront(File("{\"target\": {\"cpu\": 3}}"), result), Error);
  EXPECT_THAT(result.points, IsEmpty());
}

}  // namespace
}  // namespace halftone
