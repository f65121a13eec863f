// Plans of a fleet and their JSON.
#include "src/fleet/fleet_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/text.h"
#include "tests/fleet/fleet_fixture.h"

namespace halftone {
namespace {

using ::halftone::testing::SmallPlan;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class FleetPlanTest : public halftone::testing::FleetFixture {
 protected:
  static std::string Complaint(const std::string& text) {
    return Message(ErrorKind::kUsage, [&] { PlanFromJson(text, "plan.json"); });
  }

  static std::string Replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
};

FleetPlan AwkwardPlan() {
  FleetPlan plan = SmallPlan({"k", "l"}, {"a", "b"});
  plan.task = RoundTask::kRetune;
  plan.engine = "local";
  plan.engine_options = {{"comment", "a \"b\"\n\\ \u00e4 \U0001f600"}, {"nice", ""}};
  plan.checkpoint_s = 0.1;
  plan.start_folder = "/with space/\u00fc";
  plan.kinds[1] = {.name = "l",
                   .constraint = "a&b|c",
                   .exclusive = false,
                   .cpus = 65536,
                   .options = {{"x", "true"}, {"y", std::string(100000, 'y')}}};
  plan.networks[0].options = {{"z", "1"}, {"a", "\t"}};
  plan.networks[1].kinds = {"l"};
  return plan;
}

TEST_F(FleetPlanTest, JsonReadsBack) {
  for (const FleetPlan& plan : {FleetPlan{}, SmallPlan({"k"}, {"a"}), AwkwardPlan()}) {
    EXPECT_EQ(PlanFromJson(PlanToJson(plan), "plan.json"), plan);
  }
}

TEST_F(FleetPlanTest, UnknownMembersAreSkipped) {
  const FleetPlan plan = AwkwardPlan();
  EXPECT_EQ(PlanFromJson(Replaced(PlanToJson(plan), "{", "{\"of a later version\": [1],"), "p"),
            plan);
}

TEST_F(FleetPlanTest, EachPrefixIsAnError) {
  FleetPlan plan = AwkwardPlan();
  plan.kinds[1].options.pop_back();
  const std::string text(Trim(PlanToJson(plan)));
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_THROW(PlanFromJson(text.substr(0, size), "plan.json"), Error) << size;
  }
}

TEST_F(FleetPlanTest, DamagedPlansAreRefusedInOneSentence) {
  const std::string text = PlanToJson(SmallPlan({"k"}, {"a"}));
  EXPECT_EQ(Complaint(Replaced(text, "\"format\": 1", "\"format\": 2")),
            "plan.json: a plan of format 2; this halftone reads format 1");
  EXPECT_EQ(Complaint(Replaced(text, "\"tune\"", "\"dance\"")), "plan.json: unknown task 'dance'");
  EXPECT_THAT(Complaint(Replaced(text, "\"kinds\"", "\"kind\"")),
              HasSubstr("plan.json: no plan of a fleet: "));
  for (const char* other : {"3", "null", "[]", "{}", "\"x\"", "{\"format\": 1}"}) {
    EXPECT_THAT(Complaint(other), HasSubstr("plan.json: no plan of a fleet: ")) << other;
  }
  for (const auto& [from, to] : {std::pair("\"exclusive\": true", "\"exclusive\": 3"),
                                 {"\"cpus\": 0", "\"cpus\": \"0\""},
                                 {"\"checkpoint_s\": 30.0", "\"checkpoint_s\": null"},
                                 {"\"name\": \"a\"", "\"name\": 7"}}) {
    EXPECT_THAT(Complaint(Replaced(text, from, to)), HasSubstr("plan.json: ")) << to;
  }
}

// A shared folder's files are written by others: what FLEET.yaml may not say they may not.
TEST_F(FleetPlanTest, NamesThatLeadOutOfTheFolderAreRefused) {
  const std::string text = PlanToJson(SmallPlan({"k"}, {"net"}));
  for (const std::string& name :
       {std::string("../../victim"), std::string("/victim"), std::string("."), std::string(".."),
        std::string(".hidden"), std::string("-x"), std::string("a/b"), std::string("a\\\\b"),
        std::string("a b"), std::string("a\\n"), std::string("a\\u0000b"), std::string(121, 'n'),
        std::string()}) {
    const std::string to = "\"name\": \"" + name + "\"";
    EXPECT_THAT(Complaint(Replaced(text, "\"name\": \"net\"", to)), HasSubstr("plan.json: "))
        << name;
    EXPECT_THAT(Complaint(Replaced(text, "\"name\": \"k\"", to)), HasSubstr("plan.json: ")) << name;
  }
  EXPECT_EQ(Complaint(Replaced(text, "\"name\": \"net\"", "\"name\": \"../../victim\"")),
            "plan.json: the network '../../victim': expected at most 120 letters, digits, '.', "
            "'_', '-' and '+', not '.' or '-' first");
}

TEST_F(FleetPlanTest, WhatTheRunCannotUseIsRefused) {
  FleetPlan plan = SmallPlan({"k"}, {"net"});
  plan.networks[0].options = {{"budget", "1s"}};
  const std::string text = PlanToJson(plan);
  for (const auto& [from, to] : {std::pair("\"budget\"", "\"budget=1s\""),
                                 {"\"budget\"", "\"--budget\""},
                                 {"\"budget\"", "\"\""},
                                 {"\"1s\"", "\"1s\\u0000\""},
                                 {"\"start_folder\": \"/\"", "\"start_folder\": \"/\\u0000\""},
                                 {"/models/net", "/models/\\u0000"},
                                 {"\"engine\": \"slurm\"", "\"engine\": \"\\u0000\""},
                                 {"\"cpus\": 0", "\"cpus\": 1e300"},
                                 {"\"cpus\": 0", "\"cpus\": -1"},
                                 {"\"cpus\": 0", "\"cpus\": 4294967297"},
                                 {"\"checkpoint_s\": 30.0", "\"checkpoint_s\": -1"}}) {
    EXPECT_THAT(Complaint(Replaced(text, from, to)), HasSubstr("plan.json: ")) << to;
  }
  plan.networks[0].kinds = {"other"};
  EXPECT_THAT(Complaint(PlanToJson(plan)), HasSubstr("the kind 'other': expected one of"));
  EXPECT_THAT(Complaint(PlanToJson(SmallPlan({"k"}, {"a", "a"}))),
              HasSubstr("the network 'a': expected one of this name, found two"));
}

TEST_F(FleetPlanTest, WhatIsNotUtf8CannotBeKept) {
  FleetPlan plan = SmallPlan({"k"}, {"a"});
  plan.networks[0].model = "/models/\xff.onnx";
  EXPECT_THAT(Message(ErrorKind::kUsage, [&] { PlanToJson(plan); }),
              HasSubstr("a path or option of the fleet is not UTF-8"));
}

TEST_F(FleetPlanTest, ItemsComeByKindThenNetwork) {
  FleetPlan plan = SmallPlan({"k", "l"}, {"b", "a"});
  plan.networks[0].kinds = {"l"};
  EXPECT_THAT(ItemsOf(plan),
              ElementsAre(FleetItem{"k", "a"}, FleetItem{"l", "b"}, FleetItem{"l", "a"}));
  EXPECT_THAT(ItemsOf(FleetPlan{}), IsEmpty());
  EXPECT_EQ(plan.FindKind("m"), nullptr);
  EXPECT_EQ(plan.FindNetwork("a"), &plan.networks[1]);
}

TEST_F(FleetPlanTest, SetOptionsKeepsTheirPlaces) {
  OptionList options = {{"a", "1"}, {"b", "2"}};
  SetOptions({{"c", "3"}, {"a", "4"}}, options);
  EXPECT_THAT(options, ElementsAre(Pair("a", "4"), Pair("b", "2"), Pair("c", "3")));
}

}  // namespace
}  // namespace halftone
