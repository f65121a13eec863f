// Tasks: what becomes of each end of the program, attempts over restarts, checkpoints,
// interruption.
#include "src/fleet/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/api/bank/bank_upkeep.h"
#include "tests/fleet/task_fixture.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::DigitsRuns;
using ::halftone::testing::SmallPlan;
using ::halftone::testing::SmallResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class TaskTest : public halftone::testing::TaskFixture {};

TEST_F(TaskTest, AnAnswerIsPublishedWithItsFilesAndItsBank) {
  Program(std::string(kWritesBank) + kWritesFront +
          "mkdir $out/point_1; echo p > $out/point_1/p; "
          "pwd; echo \"bank of mine: '$TUNE_BANK_PATH'\"");
  FleetPlan plan = SmallPlan({"k"}, {"a"});
  plan.networks[0].options = {{"budget", "1 s"}};
  const FleetFolder fleet = NewFleet(plan);
  EXPECT_TRUE(Work(fleet));
  const FleetResult result = fleet.Result(item_).value();
  EXPECT_EQ(result.end, TaskEnd::kDone);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.attempts, 1);
  EXPECT_EQ(result.network, "a");
  EXPECT_EQ(result.kind, "k");
  EXPECT_THAT(result.points, Not(IsEmpty()));
  EXPECT_EQ(result.target, "host");
  const fs::path folder = fleet.ResultFolder(item_);
  EXPECT_THAT(NamesIn(folder), ElementsAre("bank", "front.json", "log", "point_1", "result.json"));
  EXPECT_TRUE(CheckBank(folder / "bank", "host").intact);
  EXPECT_EQ(ReadFile(folder / "point_1/p"), "p\n");
  EXPECT_THAT(ReadFile(folder / "log"),
              StartsWith("$ " + Here("halftone").string() +
                         " tune --model=/models/a/model.onnx --export=none --budget='1 s' "));
  EXPECT_THAT(ReadFile(folder / "log"), HasSubstr("\n/\nbank of mine: ''\n"));
  EXPECT_FALSE(fs::exists(fleet.PartialFolder(item_)));
  EXPECT_FALSE(fs::exists(fleet.ProgressFile(item_)));
  EXPECT_FALSE(fs::exists(Scratch(fleet, item_)));
  EXPECT_THAT(said_, HasSubstr("a: begins on "));
  EXPECT_THAT(said_, HasSubstr("a: done: "));
}

TEST_F(TaskTest, EachExitCodeThatAnswers) {
  const std::vector<std::pair<int, TaskEnd>> rows = {{1, TaskEnd::kFailed},
                                                     {2, TaskEnd::kFailed},
                                                     {3, TaskEnd::kBoundsNotMet},
                                                     {4, TaskEnd::kGateFailed}};
  Program(
      "case \"$*\" in *n1*) echo 'error: no network' >&2; exit 1 ;; *n2*) exit 2 ;; *n3*) exit "
      "3 ;; *) exit 4 ;; esac");
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"n1", "n2", "n3", "n4"}));
  EXPECT_TRUE(Work(fleet));
  EXPECT_THAT(Calls(), SizeIs(4));
  for (const auto& [exit_code, end] : rows) {
    const FleetResult result = fleet.Result({"k", fmt::format("n{}", exit_code)}).value();
    EXPECT_EQ(result.end, end);
    EXPECT_EQ(result.exit_code, exit_code);
    EXPECT_EQ(result.attempts, 1);
    EXPECT_THAT(result.points, IsEmpty());
  }
  EXPECT_EQ(fleet.Result({"k", "n1"})->reason, "no network");
}

TEST_F(TaskTest, WhatDiesIsRunThreeTimes) {
  Program("case \"$*\" in *bug*) echo 'error: a bug' >&2; exit 70 ;; *) kill -9 $$ ;; esac");
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"bug", "killed"}));
  EXPECT_TRUE(Work(fleet));
  EXPECT_THAT(Calls(), SizeIs(6));
  const FleetResult bug = fleet.Result({"k", "bug"}).value();
  EXPECT_EQ(bug.end, TaskEnd::kDied);
  EXPECT_EQ(bug.exit_code, 70);
  EXPECT_EQ(bug.attempts, 3);
  EXPECT_EQ(bug.reason, "ended with exit code 70: a bug");
  const FleetResult killed = fleet.Result({"k", "killed"}).value();
  EXPECT_EQ(killed.end, TaskEnd::kDied);
  EXPECT_EQ(killed.exit_code, 137);
  EXPECT_EQ(killed.reason, "ended by signal 9");
}

TEST_F(TaskTest, AnAnswerAtTheThirdAttemptCounts) {
  Program("[ $(wc -l < $here/calls) -ge 3 ] || kill -SEGV $$; exit 3");
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  EXPECT_TRUE(Work(fleet));
  EXPECT_EQ(fleet.Result(item_)->end, TaskEnd::kBoundsNotMet);
  EXPECT_EQ(fleet.Result(item_)->attempts, 3);
}

// The machine, or the job, ended with the task twice.
TEST_F(TaskTest, AttemptsCountOverRestarts) {
  Program("exit 70");
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  WriteFileAtomically(fleet.PartialFolder(item_) / "attempts.json",
                      "{\"attempts\":2,\"spent_s\":1}");
  EXPECT_TRUE(Work(fleet));
  EXPECT_THAT(Calls(), SizeIs(1));
  EXPECT_EQ(fleet.Result(item_)->attempts, 3);
}

TEST_F(TaskTest, WhatEndedWithItsMachineThreeTimesIsNotBegunAgain) {
  Program("exit 0");
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  WriteFileAtomically(fleet.PartialFolder(item_) / "attempts.json",
                      "{\"attempts\":3,\"spent_s\":1}");
  EXPECT_TRUE(Work(fleet));
  EXPECT_THAT(Calls(), IsEmpty());
  EXPECT_EQ(fleet.Result(item_)->end, TaskEnd::kDied);
  EXPECT_EQ(fleet.Result(item_)->reason,
            "begun 3 times, and ended each time with its machine or job");
}

TEST_F(TaskTest, ADamagedCountOfAttemptsIsNamed) {
  Program("exit 0");
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  WriteFileAtomically(fleet.PartialFolder(item_) / "attempts.json", "{\"attempts\":3}");
  EXPECT_TRUE(Work(fleet));
  EXPECT_THAT(said_, HasSubstr("attempts.json' is damaged: attempts count from 1 again"));
  EXPECT_EQ(fleet.Result(item_)->attempts, 1);
}

TEST_F(TaskTest, AnInterruptedTaskGoesOnElsewhereFromItsBank) {
  Program(std::string(kWritesBank) + kWritesFront + kWaits);
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a", "b"}));
  EXPECT_FALSE(Work(fleet));
  EXPECT_THAT(said_, HasSubstr("a: interrupted; its measurements are kept"));
  EXPECT_THAT(Calls(), SizeIs(1));
  EXPECT_FALSE(fleet.HasResult(item_));
  EXPECT_FALSE(fs::exists(fleet.ProgressFile(item_)));
  EXPECT_THAT(ReadFile(fleet.PartialFolder(item_) / "attempts.json"),
              StartsWith("{\"attempts\":0,\"spent_s\":"));
  EXPECT_THAT(NamesIn(fleet.PartialFolder(item_)),
              ElementsAre("attempts.json", StartsWith("bank.")));

  fs::remove(Here("waits"));
  fs::remove_all(Here("scratch"));  // another machine
  Program("[ -e $bank/host/halftone.db ] || exit 1; exit 3");
  EXPECT_TRUE(Work(fleet));
  EXPECT_EQ(fleet.Result(item_)->end, TaskEnd::kBoundsNotMet);
  EXPECT_EQ(fleet.Result(item_)->attempts, 1);
  EXPECT_TRUE(CheckBank(fleet.ResultFolder(item_) / "bank", "host").intact);
}

// What the run before wrote until it was interrupted is not the answer of this one.
TEST_F(TaskTest, AFrontOfAnInterruptedRunIsNoAnswer) {
  Program(std::string(kWritesFront) + kWaits);
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  EXPECT_FALSE(Work(fleet));
  fs::remove(Here("waits"));
  Program("echo 'error: no data' >&2; exit 1");
  EXPECT_TRUE(Work(fleet));
  EXPECT_THAT(fleet.Result(item_)->points, IsEmpty());
  EXPECT_EQ(fleet.Result(item_)->reason, "no data");
}

TEST_F(TaskTest, BankAndProgressAreCopiedWhileItRuns) {
  FleetPlan plan = SmallPlan({"k"}, {"a"});
  plan.checkpoint_s = 0;
  const FleetFolder fleet = NewFleet(plan);
  const std::string round = fleet.RoundFolder().string();
  Program(std::string(kWritesBank) + "echo '{\"of\": \"a test\"}' > $progress\n" + "until ls " +
          round + "/partial/k/a/bank.*/host/halftone.db; do :; done\n" +
          "until grep '\"attempt\":1.*of.*a test' " + round + "/running/k/a.json; do :; done\n");
  EXPECT_TRUE(Work(fleet));
  EXPECT_EQ(fleet.Result(item_)->end, TaskEnd::kDone);
}

TEST_F(TaskTest, DamagedCheckpointsAreLeftOutAndNamed) {
  Program(std::string(kWritesBank) + "exit 0");
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  Damage(fleet.PartialFolder(item_) / "bank.n0.1.1");
  EXPECT_TRUE(Work(fleet));
  EXPECT_THAT(said_, HasSubstr("a: a checkpoint is left out: "));
  EXPECT_EQ(fleet.Result(item_)->end, TaskEnd::kDone);
}

TEST_F(TaskTest, ADamagedBankOnTheDiskIsLeftOutAndNamed) {
  Program("[ ! -e $bank ] || exit 1");
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  Damage(Scratch(fleet, item_) / "bank");
  EXPECT_TRUE(Work(fleet));
  EXPECT_THAT(said_, HasSubstr("a: the bank on this machine's disk is left out: "));
  EXPECT_EQ(fleet.Result(item_)->end, TaskEnd::kDone);
}

TEST_F(TaskTest, AResultIsPublishedWithoutABankThatCannotBeRead) {
  Program("mkdir -p $bank/host; echo no bank > $bank/host/halftone.db");
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  EXPECT_TRUE(Work(fleet));
  EXPECT_THAT(said_, HasSubstr("a: published without its bank: "));
  EXPECT_THAT(NamesIn(fleet.ResultFolder(item_)), ElementsAre("log", "result.json"));
}

TEST_F(TaskTest, AProgramThatCannotBeStartedIsAnError) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  EXPECT_THAT(Message(ErrorKind::kUsage, [&] { Work(fleet); }), HasSubstr("halftone"));
  EXPECT_FALSE(fleet.HasResult(item_));
}

class RetuneTaskTest : public halftone::testing::TaskFixture {
 protected:
  // A second round that asks whether the real front of the first still holds.
  FleetFolder SecondRound() {
    FleetPlan plan = SmallPlan({"k"}, {"a"});
    const FleetFolder first = NewFleet(plan);
    first.Publish(item_, [&](const fs::path& folder) {
      fs::copy(DigitsRuns::Once().tuned(), folder, fs::copy_options::recursive);
      WriteFileAtomically(folder / "result.json", ResultToJson(SmallResult(item_)));
      WriteFileAtomically(folder / "log", "of round 1");
    });
    plan.task = RoundTask::kRetune;
    return FleetFolder::AddRound(first.path(), plan, false);
  }
};

TEST_F(RetuneTaskTest, WhatHoldsGoesOnWithFiguresOfNow) {
  Program("cp $runs/retuned/retune.json $out/");
  const FleetFolder fleet = SecondRound();
  EXPECT_TRUE(Work(fleet));
  ASSERT_THAT(Calls(), SizeIs(1));
  EXPECT_THAT(Calls()[0], StartsWith("retune --model="));
  EXPECT_THAT(Calls()[0], HasSubstr("--front=" + fleet.AtRound(1).ResultFolder(item_).string()));
  const FleetResult result = fleet.Result(item_).value();
  EXPECT_EQ(result.end, TaskEnd::kHolds);
  EXPECT_THAT(result.points, Not(IsEmpty()));
  EXPECT_EQ(result.reason, result.retune_verdict);
  const fs::path folder = fleet.ResultFolder(item_);
  EXPECT_TRUE(fs::exists(folder / "front.json"));
  EXPECT_TRUE(fs::exists(folder / result.points[0].folder));
  EXPECT_THAT(ReadFile(folder / "log"), StartsWith("$ "));
}

// A busy machine: a search would be as uncertain.
TEST_F(RetuneTaskTest, WhatIsNotKnownStaysShippedAndIsNotGood) {
  auto found = nlohmann::json::parse(ReadFile(DigitsRuns::Once().retuned() / "retune.json"));
  found["failures"] = nlohmann::json::array();
  found["undecided"] = {"point 1: too wide"};
  WriteFileAtomically(Here("found.json"), found.dump());
  Program("cp $here/found.json $out/retune.json; exit 5");
  const FleetFolder fleet = SecondRound();
  EXPECT_TRUE(Work(fleet));
  EXPECT_THAT(Calls(), SizeIs(1)) << "it is not searched again";
  const FleetResult result = fleet.Result(item_).value();
  EXPECT_EQ(result.end, TaskEnd::kInconclusive);
  EXPECT_FALSE(IsGood(result.end));
  EXPECT_TRUE(HasFrontOnly(result.end));
  EXPECT_THAT(result.retune_verdict, HasSubstr("point 1: too wide"));
  EXPECT_THAT(result.points, Not(IsEmpty()));
  EXPECT_TRUE(fs::exists(fleet.ResultFolder(item_) / "front.json"));
}

TEST_F(RetuneTaskTest, WhatDoesNotHoldIsSearchedAgain) {
  Program(std::string("if [ $command = retune ]; then cp $runs/retuned/retune.json $out/; exit 3; "
                      "fi; ") +
          kWritesFront);
  const FleetFolder fleet = SecondRound();
  EXPECT_TRUE(Work(fleet));
  ASSERT_THAT(Calls(), SizeIs(2));
  EXPECT_THAT(Calls()[1], StartsWith("tune "));
  const FleetResult result = fleet.Result(item_).value();
  EXPECT_EQ(result.end, TaskEnd::kSearchedAgain);
  EXPECT_NE(result.retune_verdict, "");
  EXPECT_EQ(result.attempts, 1);
  EXPECT_THAT(said_, HasSubstr("a: what was shipped does not hold: "));
}

TEST_F(RetuneTaskTest, WhatCannotBeMeasuredAgainIsSearchedAgain) {
  Program(std::string(
              "if [ $command = retune ]; then echo 'error: another network' >&2; exit 1; fi; ") +
          kWritesFront);
  const FleetFolder fleet = SecondRound();
  EXPECT_TRUE(Work(fleet));
  EXPECT_EQ(fleet.Result(item_)->end, TaskEnd::kSearchedAgain);
  EXPECT_EQ(fleet.Result(item_)->retune_verdict, "another network");
}

TEST_F(RetuneTaskTest, WithoutAFrontBeforeItIsTuned) {
  Program("exit 3");
  FleetPlan plan = SmallPlan({"k"}, {"a"});
  const fs::path path = NewFleet(plan).path();
  plan.task = RoundTask::kRetune;
  const FleetFolder fleet = FleetFolder::AddRound(path, plan, false);
  EXPECT_TRUE(Work(fleet));
  ASSERT_THAT(Calls(), SizeIs(1));
  EXPECT_THAT(Calls()[0], StartsWith("tune "));
}

}  // namespace
}  // namespace halftone
