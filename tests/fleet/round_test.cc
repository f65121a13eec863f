// Submitting a round to an engine that notes what it is given.
#include "src/fleet/round.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/file_lock.h"
#include "src/base/text.h"
#include "tests/fleet/fleet_fixture.h"
#include "tests/fleet/noting_engine.h"

namespace halftone {
namespace {

using ::halftone::testing::NotingEngine;
using ::halftone::testing::SmallPlan;
using ::halftone::testing::SmallResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::StartsWith;

class RoundTest : public halftone::testing::FleetFixture {
 protected:
  std::size_t Submit(const FleetFolder& fleet, const ResumeMore& more = {},
                     const std::vector<std::string>& kinds = {}) {
    lines_.clear();
    engine_.jobs.clear();
    return SubmitRound(fleet, engine_, more,
                       {.program = "/opt/halftone",
                        .kinds = kinds,
                        .scratch = scratch_,
                        .say = [this](std::string_view line) { lines_.emplace_back(line); },
                        .stop_requested = [] { return false; }});
  }

  // The networks that the n-th job since the last Submit() has in its list.
  std::vector<std::string> Listed(const FleetFolder& fleet, std::size_t job) const {
    const std::string name = engine_.NameOfJob(job);
    for (const FleetJobRecord& record : fleet.Jobs()) {
      if (record.job == name) {
        return FleetFolder::ReadList(record.list);
      }
    }
    return {"no record"};
  }

  static std::string WordsOf(const EngineJob& job) { return Join(job.words, " "); }

  NotingEngine engine_;
  std::string scratch_;
  std::vector<std::string> lines_;
};

TEST_F(RoundTest, MergesComeBehindTasksAndTheReportBehindMerges) {
  FleetPlan plan = SmallPlan({"zen5", "npu"}, {"a", "b", "c"});
  plan.kinds[0].constraint = "zen5";
  plan.kinds[1].exclusive = false;
  plan.kinds[1].cpus = 2;
  plan.networks[2].kinds = {"npu"};
  const FleetFolder fleet = NewFleet(plan);
  const std::string path = fleet.path().string();
  EXPECT_EQ(Submit(fleet), 5U);
  EXPECT_THAT(lines_, ElementsAre("zen5: 2 networks in 2 tasks", "npu: 3 networks in 3 tasks"));
  ASSERT_EQ(engine_.jobs.size(), 5U);

  const EngineJob& tasks = engine_.jobs[0];
  EXPECT_EQ(tasks.name, "halftone-zen5");
  EXPECT_EQ(tasks.elements, 2U);
  EXPECT_EQ(tasks.constraint, "zen5");
  EXPECT_TRUE(tasks.exclusive);
  EXPECT_THAT(tasks.after, IsEmpty());
  EXPECT_EQ(tasks.log, fleet.RoundFolder() / "logs/tasks-zen5");
  EXPECT_TRUE(std::filesystem::is_directory(tasks.log.parent_path()));
  EXPECT_THAT(WordsOf(tasks), StartsWith("/opt/halftone fleet work " + path +
                                         " --round=1 --kind=zen5 --list=" + path));
  EXPECT_THAT(tasks.words.back(), "--stride=2");
  EXPECT_THAT(Listed(fleet, 0), ElementsAre("a", "b"));

  EXPECT_EQ(WordsOf(engine_.jobs[1]),
            "/opt/halftone fleet merge " + path + " --round=1 --kinds=zen5");
  EXPECT_EQ(engine_.jobs[1].elements, 0U);
  EXPECT_FALSE(engine_.jobs[1].exclusive);
  EXPECT_THAT(engine_.jobs[1].after, ElementsAre(engine_.NameOfJob(0)));

  EXPECT_EQ(engine_.jobs[2].cpus, 2);
  EXPECT_FALSE(engine_.jobs[2].exclusive);
  EXPECT_THAT(Listed(fleet, 2), ElementsAre("a", "b", "c"));
  EXPECT_THAT(engine_.jobs[3].after, ElementsAre(engine_.NameOfJob(2)));

  EXPECT_EQ(WordsOf(engine_.jobs[4]), "/opt/halftone fleet report " + path + " --round=1");
  EXPECT_THAT(engine_.jobs[4].after, ElementsAre(engine_.NameOfJob(1), engine_.NameOfJob(3)));

  std::vector<std::string> purposes;
  for (const FleetJobRecord& record : fleet.Jobs()) {
    purposes.push_back(record.purpose + " " + record.kind);
  }
  EXPECT_THAT(purposes,
              ElementsAre("tasks zen5", "merge zen5", "tasks npu", "merge npu", "report "));
}

TEST_F(RoundTest, TasksArePackedIntoWhatTheEngineTakes) {
  engine_.most = 2;
  scratch_ = "/local";
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a", "b", "c", "d", "e"}));
  EXPECT_EQ(Submit(fleet), 5U);
  EXPECT_THAT(lines_, ElementsAre("k: 5 networks in 2 tasks"));
  EXPECT_EQ(engine_.jobs[0].elements, 2U);
  EXPECT_THAT(WordsOf(engine_.jobs[0]), HasSubstr(" --stride=2 --scratch=/local"));
}

TEST_F(RoundTest, NothingIsSubmittedTwice) {
  engine_.most = 2;
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a", "b", "c", "d", "e"}));
  Submit(fleet);
  const std::string job = engine_.NameOfJob(0);
  // Element 0 has a, c, e; element 1, which waits, has b, d.
  engine_.active = {{.job = job, .element = 1, .state = EngineTask::State::kQueued}};
  PublishSmall(fleet, SmallResult({"k", "a"}));
  EXPECT_THAT(ActiveTasks(fleet, engine_),
              ElementsAre(Key(FleetItem{"k", "b"}), Key(FleetItem{"k", "d"})));
  EXPECT_EQ(Submit(fleet), 2U);
  EXPECT_THAT(Listed(fleet, 0), ElementsAre("c", "e"));

  engine_.active.push_back({.job = engine_.NameOfJob(0), .element = 0});
  engine_.active.push_back({.job = engine_.NameOfJob(0), .element = 1});
  EXPECT_EQ(Submit(fleet), 0U);
  EXPECT_THAT(engine_.jobs, IsEmpty());
  EXPECT_THAT(lines_, ElementsAre("k: nothing to submit: 1 done, 4 queued or running"));
}

TEST_F(RoundTest, TheEngineIsAskedForTasksOfTheRoundOnly) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  EXPECT_THAT(ActiveTasks(fleet, engine_), IsEmpty());
  EXPECT_THAT(engine_.asked, IsEmpty());
  Submit(fleet);
  const std::string tasks = engine_.NameOfJob(0);
  engine_.active = {{.job = "of others", .element = 0}, {.job = tasks, .element = std::nullopt}};
  EXPECT_THAT(ActiveTasks(fleet, engine_), IsEmpty());
  EXPECT_THAT(engine_.asked, ElementsAre(tasks));
  const FleetFolder next = FleetFolder::AddRound(fleet.path(), fleet.Plan(), false);
  EXPECT_EQ(Submit(next), 1U);
  EXPECT_THAT(WordsOf(engine_.jobs[0]), HasSubstr(" --round=2 "));
}

TEST_F(RoundTest, FailedAndBusyAreDoneAgainOnRequest) {
  const std::vector<std::string> networks = {"busy",   "damaged", "died", "done",
                                             "failed", "unknown", "unmet"};
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, networks));
  FleetResult busy = SmallResult({"k", "busy"});
  busy.other_cores = 0.9;
  PublishSmall(fleet, busy);
  PublishSmall(fleet, SmallResult({"k", "done"}));
  PublishSmall(fleet, SmallResult({"k", "died"}, TaskEnd::kDied));
  PublishSmall(fleet, SmallResult({"k", "failed"}, TaskEnd::kFailed));
  PublishSmall(fleet, SmallResult({"k", "unknown"}, TaskEnd::kInconclusive));
  PublishSmall(fleet, SmallResult({"k", "unmet"}, TaskEnd::kBoundsNotMet));
  fleet.Publish({"k", "damaged"}, [](const std::filesystem::path& folder) {
    WriteFileAtomically(folder / "result.json", "{");
  });
  WriteFileAtomically(fleet.RoundFolder() / "report.json", "{}");
  EXPECT_EQ(Submit(fleet), 0U);
  EXPECT_THAT(lines_, ElementsAre("k: nothing to submit: 7 done, 0 queued or running; 3 of them "
                                  "failed: --failed tries them again"));

  EXPECT_EQ(Submit(fleet, {.busy = true}), 2U);
  EXPECT_THAT(Listed(fleet, 0), ElementsAre("busy", "unknown"));
  EXPECT_FALSE(fleet.HasResult({"k", "busy"}));
  PublishSmall(fleet, busy);
  PublishSmall(fleet, SmallResult({"k", "unknown"}, TaskEnd::kInconclusive));

  EXPECT_EQ(Submit(fleet, {.failed = true}), 3U);
  EXPECT_THAT(Listed(fleet, 0), ElementsAre("damaged", "died", "failed"));
  EXPECT_THAT(NamesIn(fleet.RoundFolder() / "replaced/k"),
              ElementsAre("busy.1", "damaged.1", "died.1", "failed.1", "unknown.1"));
}

// A controller that lost its state, or Ctrl-C, can take away what comes behind the tasks.
TEST_F(RoundTest, MergeAndReportThatAreMissingAreQueuedAgain) {
  const FleetFolder fleet = NewFleet(SmallPlan({"a", "b"}, {"one"}));
  PublishSmall(fleet, SmallResult({"a", "one"}));
  PublishSmall(fleet, SmallResult({"b", "one"}));
  EXPECT_EQ(Submit(fleet), 0U);
  ASSERT_EQ(engine_.jobs.size(), 3U);
  EXPECT_THAT(WordsOf(engine_.jobs[0]), HasSubstr(" merge "));
  EXPECT_THAT(WordsOf(engine_.jobs[1]), HasSubstr(" merge "));
  EXPECT_THAT(WordsOf(engine_.jobs[2]), HasSubstr(" report "));
  EXPECT_THAT(engine_.jobs[2].after, ElementsAre(engine_.NameOfJob(0), engine_.NameOfJob(1)));
  engine_.active = {{.job = engine_.NameOfJob(2)}};  // they wait
  EXPECT_EQ(Submit(fleet), 0U);
  EXPECT_THAT(engine_.jobs, IsEmpty());
  engine_.active.clear();
  WriteFileAtomically(fleet.RoundFolder() / "report.json", "{}");
  EXPECT_EQ(Submit(fleet), 0U);
  EXPECT_THAT(engine_.jobs, IsEmpty());
}

// A report made by hand does not stand for the merge before it.
TEST_F(RoundTest, AMergeThatIsMissingIsQueuedAgainBesideAReport) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"one"}));
  fleet.Publish({"k", "one"}, [](const std::filesystem::path& folder) {
    WriteFileAtomically(folder / "result.json", ResultToJson(SmallResult({"k", "one"})));
    WriteFileAtomically(folder / "bank/host/halftone.db", "");
  });
  WriteFileAtomically(fleet.RoundFolder() / "report.json", "{}");
  EXPECT_EQ(Submit(fleet), 0U);
  ASSERT_EQ(engine_.jobs.size(), 2U);
  EXPECT_THAT(WordsOf(engine_.jobs[0]), HasSubstr(" merge "));
  EXPECT_THAT(WordsOf(engine_.jobs[1]), HasSubstr(" report "));
}

TEST_F(RoundTest, AFailureThatIsActiveIsLeftAlone) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  Submit(fleet);
  engine_.active = {{.job = engine_.NameOfJob(0), .element = 0}};
  PublishSmall(fleet, SmallResult({"k", "a"}, TaskEnd::kFailed));
  EXPECT_EQ(Submit(fleet, {.failed = true}), 0U);
  EXPECT_TRUE(fleet.HasResult({"k", "a"}));
}

TEST_F(RoundTest, WhatTheEngineHoldsIsSubmittedAnew) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k", "l"}, {"a", "b", "c"}));
  engine_.most = 2;
  Submit(fleet);
  const std::string tasks = engine_.NameOfJob(0);
  engine_.active = {{.job = tasks, .element = 0, .reason = "held", .is_held = true},
                    {.job = tasks, .element = 1, .reason = "Resources"},
                    {.job = engine_.NameOfJob(2), .element = 0, .reason = "held", .is_held = true}};
  EXPECT_EQ(Submit(fleet, {}, {"k"}), 2U);
  EXPECT_THAT(lines_,
              ElementsAre("k: 2 networks taken out of the queue, where the engine held what "
                          "it could not start: held",
                          "k: 2 networks in 2 tasks"));
  ASSERT_EQ(engine_.withdrawn.size(), 1U);
  EXPECT_EQ(engine_.withdrawn[0].job, tasks);
  EXPECT_EQ(engine_.withdrawn[0].element, 0U);
  EXPECT_THAT(Listed(fleet, 0), ElementsAre("a", "c"));
}

TEST_F(RoundTest, OnlyKindsThatWereNamed) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k", "l"}, {"a"}));
  EXPECT_EQ(Submit(fleet, {}, {"l"}), 1U);
  ASSERT_EQ(engine_.jobs.size(), 3U);
  EXPECT_EQ(engine_.jobs[0].name, "halftone-l");
  EXPECT_EQ(Message(ErrorKind::kUsage,
                    [&] {
                      Submit(fleet, {}, {"k", "m"});
                    }),
            "the fleet has no kind 'm'; it has k, l");
  EXPECT_THAT(engine_.jobs, IsEmpty());
}

TEST_F(RoundTest, AnEngineOfThisMachineStandsForNamedKindsOnly) {
  FleetPlan plan = SmallPlan({"zen5", "any"}, {"a"});
  plan.kinds[0].constraint = "zen5";
  const FleetFolder fleet = NewFleet(plan);
  engine_.is_this_machine = true;
  EXPECT_EQ(Message(ErrorKind::kUsage, [&] { Submit(fleet); }),
            "kind 'zen5' is for machines with 'zen5', and the engine has this machine only: name "
            "the kinds that it may stand for, --kinds=zen5");
  EXPECT_EQ(Submit(fleet, {}, {"any"}), 1U);
  EXPECT_EQ(Submit(fleet, {}, {"zen5"}), 1U);
}

TEST_F(RoundTest, TwoSubmitsAtOnceAreRefused) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  const FileLock other(fleet.path() / "submit.lock");
  EXPECT_THAT(Message(ErrorKind::kUsage, [&] { Submit(fleet); }),
              HasSubstr("is held by another process"));
  EXPECT_THAT(engine_.jobs, IsEmpty());
}

TEST_F(RoundTest, WhatAnEngineRefusesStaysAsItWas) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  PublishSmall(fleet, SmallResult({"k", "a"}, TaskEnd::kFailed));
  engine_.refusal = "no machine fits";
  EXPECT_EQ(Message(ErrorKind::kUsage, [&] { Submit(fleet, {.failed = true}); }),
            "no machine fits");
  EXPECT_THAT(fleet.Jobs(), IsEmpty());
  EXPECT_TRUE(fleet.HasResult({"k", "a"})) << "the failure is no reason to lose what it said";
  engine_.refusal.clear();
  EXPECT_EQ(Submit(fleet, {.failed = true}), 1U);
  EXPECT_FALSE(fleet.HasResult({"k", "a"}));
}

// In whose place nothing could be published.
TEST_F(RoundTest, AResultWithoutItsFileIsDoneAgain) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  PublishSmall(fleet, SmallResult({"k", "a"}));
  std::filesystem::remove(fleet.ResultFolder({"k", "a"}) / "result.json");
  EXPECT_EQ(Submit(fleet), 1U);
  EXPECT_FALSE(std::filesystem::exists(fleet.ResultFolder({"k", "a"})));
  EXPECT_EQ(fleet.Generation({"k", "a"}), 1);
}

// 10,000 elements of one job: the list is read once.
TEST_F(RoundTest, ActiveTasksOfALargeFleet) {
  std::vector<std::string> networks;
  for (int i = 0; i < 10000; ++i) {
    networks.push_back("network_" + std::to_string(i));
  }
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, networks));
  engine_.most = networks.size();
  Submit(fleet);
  for (std::size_t i = 0; i < networks.size(); ++i) {
    engine_.active.push_back({.job = engine_.NameOfJob(0), .element = i});
  }
  EXPECT_EQ(ActiveTasks(fleet, engine_).size(), 10000U);
  EXPECT_EQ(Submit(fleet), 0U);
}

}  // namespace
}  // namespace halftone
