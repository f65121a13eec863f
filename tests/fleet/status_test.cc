// Status of a round: every state, what the engine does not say, and damaged results.
#include "src/fleet/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "src/base/text.h"
#include "tests/fleet/fleet_fixture.h"
#include "tests/fleet/noting_engine.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::NotingEngine;
using ::halftone::testing::SmallPlan;
using ::halftone::testing::SmallResult;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class FleetStatusTest : public halftone::testing::FleetFixture {
 protected:
  // A job of `networks`, an element each.
  static void AddTasks(const FleetFolder& fleet, const std::vector<std::string>& networks,
                       std::size_t elements) {
    fleet.AddJob({.job = "7",
                  .kind = "k",
                  .purpose = "tasks",
                  .list = fleet.WriteList("k", networks),
                  .elements = elements});
  }

  static void ShowProgress(const FleetFolder& fleet, const std::string& network, bool is_fresh) {
    const fs::path file = fleet.ProgressFile({"k", network});
    WriteFileAtomically(file, R"({"node":"n3","job":"7_0","begin":"2026-11-26T12:00:00Z",
                                  "at":"","attempt":2,"progress":null})");
    if (!is_fresh) {
      fs::last_write_time(file, fs::file_time_type::min());
    }
  }

  static std::map<std::string, ItemStatus> ByNetwork(const RoundStatus& status) {
    std::map<std::string, ItemStatus> items;
    for (const ItemStatus& item : status.items) {
      items[item.item.network] = item;
    }
    return items;
  }

  NotingEngine engine_;
};

TEST_F(FleetStatusTest, ResultsByTheirEnd) {
  const std::vector<std::pair<TaskEnd, ItemState>> rows = {
      {TaskEnd::kDone, ItemState::kGood},          {TaskEnd::kHolds, ItemState::kGood},
      {TaskEnd::kSearchedAgain, ItemState::kGood}, {TaskEnd::kBoundsNotMet, ItemState::kNotGood},
      {TaskEnd::kGateFailed, ItemState::kNotGood}, {TaskEnd::kInconclusive, ItemState::kNotGood},
      {TaskEnd::kFailed, ItemState::kFailed},      {TaskEnd::kDied, ItemState::kFailed}};
  std::vector<std::string> networks;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    networks.push_back("n" + std::to_string(i));
  }
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, networks));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    PublishSmall(fleet, SmallResult({"k", networks[i]}, rows[i].first));
  }
  const RoundStatus status = StatusOf(fleet, nullptr);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(status.items[i].state, rows[i].second) << i;
    EXPECT_EQ(status.items[i].text, std::string(NameOf(rows[i].first)) + ": of a test");
  }
}

TEST_F(FleetStatusTest, WhatTheEngineHas) {
  const FleetFolder fleet =
      NewFleet(SmallPlan({"k"}, {"runs", "behind", "begins", "waits", "lost", "fresh", "new"}));
  AddTasks(fleet, {"runs", "begins", "waits", "behind"}, 3);
  engine_.active = {
      {.job = "7", .element = 0, .state = EngineTask::State::kRunning, .node = "n3"},
      {.job = "7", .element = 1, .state = EngineTask::State::kRunning, .node = "n4"},
      {.job = "7", .element = 2, .state = EngineTask::State::kQueued, .reason = "Resources"}};
  ShowProgress(fleet, "runs", false);  // the engine says that it runs
  ShowProgress(fleet, "lost", false);
  ShowProgress(fleet, "fresh", true);
  const RoundStatus status = StatusOf(fleet, &engine_);
  EXPECT_EQ(status.engine_error, "");
  auto items = ByNetwork(status);
  EXPECT_EQ(items["runs"].state, ItemState::kRunning);
  EXPECT_EQ(items["runs"].text, "on n3 since 2026-11-26T12:00:00Z, attempt 2");
  EXPECT_EQ(items["behind"].state, ItemState::kQueued);
  EXPECT_EQ(items["behind"].text, "behind others on n3");
  EXPECT_EQ(items["begins"].state, ItemState::kQueued);
  EXPECT_EQ(items["waits"].state, ItemState::kQueued);
  EXPECT_EQ(items["waits"].text, "Resources");
  EXPECT_EQ(items["lost"].state, ItemState::kNotSubmitted);
  EXPECT_EQ(items["lost"].text,
            "ended without a result: on n3 since 2026-11-26T12:00:00Z, attempt 2");
  EXPECT_EQ(items["fresh"].state, ItemState::kNotSubmitted) << "the engine knows what runs";
  EXPECT_EQ(items["new"].state, ItemState::kNotSubmitted);
  EXPECT_EQ(items["new"].text, "");
  EXPECT_THAT(FormatStatus(fleet, status, 20),
              AllOf(HasSubstr("k     7         1        3       3      0     0        0"),
                    HasSubstr("running k/runs: on n3 since"),
                    HasSubstr("queued: 1 (Resources), 1 (behind others on n3), 1 (behind others on "
                              "n4)\n"),
                    HasSubstr("3 to do and not in the queue: halftone fleet resume " +
                              fleet.path().string())));
}

// Engines of this machine run one item after the other while `submit` waits.
TEST_F(FleetStatusTest, WhatIsToDoFollowsWhatRunsOnThisMachine) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a", "b"}));
  engine_.is_this_machine = true;
  ShowProgress(fleet, "a", true);
  const RoundStatus status = StatusOf(fleet, &engine_);
  EXPECT_TRUE(status.has_follower);
  EXPECT_THAT(FormatStatus(fleet, status, 20), ::testing::EndsWith("\n1 to do behind what runs\n"));
}

TEST_F(FleetStatusTest, AnEngineThatDoesNotAnswerIsSaid) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a", "b"}));
  AddTasks(fleet, {"a", "b"}, 2);
  ShowProgress(fleet, "a", true);
  engine_.silence = "no slurmctld";
  const RoundStatus status = StatusOf(fleet, &engine_);
  EXPECT_EQ(status.engine_error, "no slurmctld");
  EXPECT_EQ(status.items[0].state, ItemState::kRunning);
  EXPECT_EQ(status.items[1].state, ItemState::kNotSubmitted);
  EXPECT_THAT(FormatStatus(fleet, status, 20),
              HasSubstr("the engine does not answer, so that what runs is known by files only: no "
                        "slurmctld\n"));
  EXPECT_THAT(FormatStatus(fleet, status, 20), ::testing::EndsWith("\n1 to do\n"));
}

TEST_F(FleetStatusTest, DamagedFilesDoNotEndIt) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a", "b", "c"}));
  fleet.Publish({"k", "a"}, [](const fs::path& folder) {
    WriteFileAtomically(folder / "result.json", "{\"format\": 1,");
  });
  for (const char* text : {"", "{", "[1]", "{\"node\":3}", R"({"node":"n","begin":"b","attempt":1,
                           "progress":{"of":"another program"}})"}) {
    WriteFileAtomically(fleet.ProgressFile({"k", "b"}), text);
    const RoundStatus status = StatusOf(fleet, nullptr);
    EXPECT_EQ(status.items[0].state, ItemState::kFailed);
    EXPECT_THAT(status.items[0].text, HasSubstr("result.json:1:14: expected JSON"));
    EXPECT_EQ(status.items[1].state, ItemState::kNotSubmitted) << text;
    EXPECT_EQ(status.items[2].state, ItemState::kNotSubmitted);
  }
}

TEST_F(FleetStatusTest, TextsOfResultsCannotBeLinesOrEscapes) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  FleetResult result = SmallResult({"k", "a"}, TaskEnd::kFailed);
  result.reason = "x\ndone k/a\x1b[2J";
  PublishSmall(fleet, result);
  const std::string text = FormatStatus(fleet, StatusOf(fleet, nullptr), 20);
  EXPECT_THAT(text, AllOf(Not(HasSubstr("\ndone k/a")), Not(HasSubstr("\x1b"))));
  EXPECT_EQ(Split(text, '\n').size(), 5U) << text;  // the last is empty
}

TEST_F(FleetStatusTest, LongListsAreCut) {
  std::vector<std::string> networks;
  for (int i = 0; i < 5; ++i) {
    networks.push_back("n" + std::to_string(i));
  }
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, networks));
  for (const std::string& network : networks) {
    PublishSmall(fleet, SmallResult({"k", network}, TaskEnd::kFailed));
  }
  const std::string text = FormatStatus(fleet, StatusOf(fleet, nullptr), 3);
  EXPECT_THAT(text, AllOf(HasSubstr("failed k/n2: "), Not(HasSubstr("failed k/n3")),
                          HasSubstr("... and 2 more failed\n")));
}

TEST_F(FleetStatusTest, JsonHasEveryItem) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a", "b"}));
  PublishSmall(fleet, SmallResult({"k", "a"}));
  engine_.silence = "mute";
  AddTasks(fleet, {"b"}, 1);
  const auto json = nlohmann::json::parse(StatusToJson(fleet, StatusOf(fleet, &engine_)));
  EXPECT_EQ(json, nlohmann::json::parse(R"({"format": 1, "round": 1, "engine_error": "mute",
      "fleet": ")" + fleet.path().string() +
                                        R"(", "items": [
      {"kind": "k", "network": "a", "state": "done", "text": "done: of a test"},
      {"kind": "k", "network": "b", "state": "to do", "text": ""}]})"));
}

}  // namespace
}  // namespace halftone
