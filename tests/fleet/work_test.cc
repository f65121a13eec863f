// Elements: which items they run, two of them on one item, and folders that cannot be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <thread>

#include "src/fleet/scratch_folder.h"
#include "tests/fleet/task_fixture.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::SmallPlan;
using ::halftone::testing::SmallResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class WorkTest : public halftone::testing::TaskFixture {};

TEST_F(WorkTest, AnElementTakesEveryNthThatIsNotDone) {
  Program("exit 0");
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a", "b", "c", "d", "e", "f"}));
  PublishSmall(fleet, SmallResult({"k", "d"}));
  const fs::path list = fleet.WriteList("k", {"f", "e", "d", "c", "b"});
  EXPECT_TRUE(RunElement(fleet, "k", list, 0, 2, Settings()));
  EXPECT_THAT(NamesIn(fleet.RoundFolder() / "results/k"), ElementsAre("b", "d", "f"));
  EXPECT_TRUE(RunElement(fleet, "k", list, 7, 2, Settings()));
  EXPECT_THAT(Calls(), SizeIs(2));
}

TEST_F(WorkTest, AListOfAnotherPlanIsRefused) {
  Program("exit 0");
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  const fs::path list = fleet.WriteList("k", {"x"});
  EXPECT_THAT(Message(ErrorKind::kUsage, [&] { RunElement(fleet, "k", list, 0, 1, Settings()); }),
              HasSubstr("names network 'x' of kind 'k', which the plan of round 1 does not have"));
  EXPECT_THAT(
      Message(ErrorKind::kUsage,
              [&] { RunElement(fleet, "l", fleet.WriteList("l", {"a"}), 0, 1, Settings()); }),
      HasSubstr("names network 'a' of kind 'l'"));
  EXPECT_THAT(Calls(), IsEmpty());
}

// The shared folder is lost while the program runs, and there again for the next run.
TEST_F(WorkTest, AResultThatCannotBePublishedStaysForTheNextRun) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  const std::string results = (fleet.RoundFolder() / "results").string();
  const std::string partial = (fleet.RoundFolder() / "partial").string();
  Program(std::string(kWritesBank) + "rm -rf " + partial + "; : > " + results + "; : > " + partial +
          "; exit 3");
  const std::string message = Message(ErrorKind::kIo, [&] { Work(fleet); });
  EXPECT_THAT(message, HasSubstr("the result of 'a' could not be published: "));
  EXPECT_THAT(message, HasSubstr("it stays in '" + (Scratch(fleet, item_) / "out").string() + "'"));
  fs::remove(results);
  fs::remove(partial);
  EXPECT_TRUE(Work(fleet));
  EXPECT_THAT(Calls(), SizeIs(1));
  EXPECT_EQ(fleet.Result(item_)->end, TaskEnd::kBoundsNotMet);
  EXPECT_TRUE(fs::exists(fleet.ResultFolder(item_) / "bank/host/halftone.db"));
  EXPECT_FALSE(fs::exists(Scratch(fleet, item_)));
}

// What waits on the disk was found before the network's result, which another machine had
// published, was taken away: it is found anew, and not answered by the bank.
TEST_F(WorkTest, AResultThatWaitsIsNoneAfterTheNetworkIsDoneAgain) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  const std::string results = (fleet.RoundFolder() / "results").string();
  Program(std::string(kWritesBank) + ": > " + results + "; exit 1");
  Message(ErrorKind::kIo, [&] { Work(fleet); });
  ASSERT_TRUE(fs::exists(Scratch(fleet, item_) / "out/result.json"));
  fs::remove(results);
  PublishSmall(fleet, SmallResult(item_, TaskEnd::kFailed));
  fleet.SetAside(item_);
  Program("exit 3");
  EXPECT_TRUE(Work(fleet));
  EXPECT_EQ(fleet.Result(item_)->end, TaskEnd::kBoundsNotMet);
  ASSERT_THAT(Calls(), SizeIs(2));
  EXPECT_THAT(Calls()[0], ::testing::Not(HasSubstr("--search_again")));
  EXPECT_THAT(Calls()[1], HasSubstr("--search_again"));
}

// An error of one network is none of the next; three in a row are of the machine.
TEST_F(WorkTest, TheNextNetworksAreTriedUntilThreeInARowHaveNoResult) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a", "b", "c", "d", "e", "f"}));
  Program("exit 3");
  for (const char* network : {"b", "d", "e", "f"}) {
    WriteFileAtomically(fleet.PartialFolder({"k", network}), "no folder");
  }
  EXPECT_THAT(Message(ErrorKind::kIo,
                      [&] {
                        RunElement(fleet, "k", fleet.WriteList("k", {"a", "b", "c", "d", "e", "f"}),
                                   0, 1, Settings());
                      }),
              HasSubstr("4 networks have no result; the last: "));
  for (const char* network : {"a", "c"}) {
    EXPECT_TRUE(fleet.HasResult({"k", network})) << network;
  }
  EXPECT_THAT(said_, HasSubstr("b: no result: "));
}

TEST_F(WorkTest, ACheckpointThatCannotBeWrittenIsSaidOnceAndNoEnd) {
  FleetPlan plan = SmallPlan({"k"}, {"a"});
  plan.checkpoint_s = 0;
  const FleetFolder fleet = NewFleet(plan);
  const std::string partial = (fleet.RoundFolder() / "partial").string();
  // A checkpoint may make the folder anew between the two.
  Program("until rm -rf " + partial + " && true > " + partial + "; do true; done 2> /dev/null; " +
          kWritesBank + kWaits);
  EXPECT_FALSE(Work(fleet));
  const std::string sentence = "a: no checkpoint: ";
  const std::size_t at = said_.find(sentence);
  ASSERT_NE(at, std::string::npos) << said_;
  EXPECT_EQ(said_.find(sentence, at + 1), std::string::npos) << said_;
  EXPECT_TRUE(fs::exists(Scratch(fleet, item_) / "bank/host/halftone.db"));
}

// The second asks whether to go on waiting while the first holds the item.
TEST_F(WorkTest, TwoOnOneMachineRunAnItemOnce) {
  Program(": > $here/begun; until [ -e $here/asked ]; do :; done; exit 3");
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  bool first = false;
  std::thread other([&] { first = Work(fleet); });
  while (!fs::exists(Here("begun"))) {
    std::this_thread::yield();
  }
  WorkSettings settings = Settings();
  settings.say = [](std::string_view) {};
  settings.stop_requested = [this] {
    WriteFileAtomically(Here("asked"), "");
    return false;
  };
  const TaskOutcome outcome = RunTask(fleet, fleet.Plan(), item_, {.node = "n1"}, settings);
  other.join();
  EXPECT_TRUE(first);
  EXPECT_EQ(outcome, TaskOutcome::kThereAlready);
  EXPECT_THAT(Calls(), SizeIs(1));
}

// Two machines: the first result counts, and nothing is left of the second.
TEST_F(WorkTest, TwoOnTwoMachinesHaveOneResult) {
  Program("until [ $(wc -l < $here/calls) -ge 2 ]; do :; done; exit 3");
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  const FleetPlan plan = fleet.Plan();
  pid_t machines[2] = {};
  for (int i = 0; i < 2; ++i) {
    machines[i] = ::fork();
    if (machines[i] == 0) {
      WorkSettings settings = Settings();
      settings.scratch = Here(fmt::format("scratch_{}", i));
      const TaskPlace place = {.node = fmt::format("n{}", i)};
      try {
        ::_exit(static_cast<int>(RunTask(fleet, plan, item_, place, settings)));
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        ::_exit(70);
      }
    }
  }
  int published = -1;
  int others = 0;
  for (int i = 0; i < 2; ++i) {
    int status = 0;
    ::waitpid(machines[i], &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    const int outcome = WEXITSTATUS(status);
    published = outcome == static_cast<int>(TaskOutcome::kPublished) ? i : published;
    others += outcome == static_cast<int>(TaskOutcome::kThereAlready) ? 1 : 0;
  }
  EXPECT_EQ(others, 1);
  EXPECT_EQ(fleet.Result(item_)->node, fmt::format("n{}", published));
  EXPECT_THAT(Calls(), SizeIs(2));
  EXPECT_THAT(NamesIn(fleet.RoundFolder() / "results/k"), ElementsAre("a"));
}

TEST_F(WorkTest, NamesOfNetworksAreNoneOfLocksAndFiles) {
  Program("exit 3");
  const std::vector<std::string> names = {"a", "a.lock", "a.json", "lock", "result.json"};
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, names));
  EXPECT_TRUE(Work(fleet));
  EXPECT_THAT(NamesIn(fleet.RoundFolder() / "results/k"),
              ::testing::ElementsAreArray({"a", "a.json", "a.lock", "lock", "result.json"}));
}

TEST_F(WorkTest, OnlyAFolderOfThisUserIsScratch) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  const fs::path own = Here("scratch") / fmt::format("halftone-fleet-{}", ::geteuid());
  const auto never = [] { return true; };
  fs::create_directories(Here("elsewhere"));
  fs::create_directories(Here("scratch"));
  fs::create_directory_symlink(Here("elsewhere"), own);
  EXPECT_THAT(Message(ErrorKind::kIo, [&] { ScratchFolder(Here("scratch"), fleet, item_, never); }),
              HasSubstr("is not a folder of this user; set TMPDIR or --scratch"));
  fs::remove(own);
  WriteFileAtomically(own, "");
  EXPECT_THAT(Message(ErrorKind::kIo, [&] { ScratchFolder(Here("scratch"), fleet, item_, never); }),
              HasSubstr("is not a folder of this user"));
  fs::remove(own);
  const ScratchFolder held(Here("scratch"), fleet, item_, never);
  EXPECT_TRUE(held.held());
  EXPECT_EQ(fs::status(own).permissions(), fs::perms::owner_all);
  EXPECT_FALSE(ScratchFolder(Here("scratch"), fleet, item_, never).held());
  EXPECT_TRUE(ScratchFolder(Here("scratch"), fleet, {"k", "b"}, never).held());
}

}  // namespace
}  // namespace halftone
