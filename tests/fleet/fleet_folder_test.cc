// The fleet's folder: rounds, results that appear whole, results set aside, jobs, merged banks.
#include "src/fleet/fleet_folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <tuple>

#include "src/api/bank/bank_upkeep.h"
#include "src/base/file.h"
#include "src/base/file_lock.h"
#include "tests/fleet/digits_runs.h"
#include "tests/fleet/fleet_fixture.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::DigitsRuns;
using ::halftone::testing::SmallPlan;
using ::halftone::testing::SmallResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FleetFolderTest : public halftone::testing::FleetFixture {
 protected:
  const FleetItem item_ = {"k", "a"};
};

TEST_F(FleetFolderTest, AFirstRoundThenOthers) {
  const FleetFolder first = NewFleet(SmallPlan({"k"}, {"a"}));
  EXPECT_EQ(first.round(), 1);
  EXPECT_EQ(first.path(), folder_.path() / "fleet");
  EXPECT_EQ(first.Plan(), SmallPlan({"k"}, {"a"}));

  const FleetFolder second = FleetFolder::AddRound(first.path(), SmallPlan({"l"}, {"b"}), false);
  EXPECT_EQ(second.round(), 2);
  EXPECT_EQ(second.id(), first.id());
  EXPECT_EQ(FleetFolder::Open(first.path()).round(), 2);
  EXPECT_EQ(second.AtRound(1).Plan(), SmallPlan({"k"}, {"a"}));
  EXPECT_EQ(first.round(), 1);
  EXPECT_THAT(Message(ErrorKind::kUsage, [&] { std::ignore = second.AtRound(3); }),
              HasSubstr("has no round 3; its rounds are 1 to 2"));
}

// Numbers between it and the last round were looked for one by one: 2^31 of them.
TEST_F(FleetFolderTest, AFolderWithAHugeNumberIsNoRound) {
  const FleetFolder first = NewFleet(SmallPlan({"k"}, {"a"}));
  for (const char* name : {"2147483647", "1000001", "999999", "99999999999999999999", "-1", "x"}) {
    fs::create_directories(first.path() / "rounds" / name);
  }
  WriteFileAtomically(first.path() / "rounds/2147483647/plan.json", PlanToJson(first.Plan()));
  EXPECT_EQ(FleetFolder::Open(first.path()).round(), 1);
  EXPECT_EQ(FleetFolder::AddRound(first.path(), SmallPlan({"l"}, {"b"}), false).round(), 2);
}

TEST_F(FleetFolderTest, ASlashAtTheEndIsNoPartOfTheName) {
  NewFleet(SmallPlan({"k"}, {"a"}));
  EXPECT_EQ(FleetFolder::Open(folder_.path() / "x/../fleet/").path(), folder_.path() / "fleet");
}

TEST_F(FleetFolderTest, ARoundThatWasRefusedLeavesNoTrace) {
  const fs::path path = folder_.path() / "fleet";
  FleetFolder::AddRound(path, SmallPlan({"k"}, {"a"}), true).RemoveUnusedRound();
  const FleetFolder first = FleetFolder::AddRound(path, SmallPlan({"k"}, {"a"}), true);
  EXPECT_EQ(first.round(), 1);
  FleetFolder::AddRound(path, SmallPlan({"k"}, {"a"}), false).RemoveUnusedRound();
  EXPECT_EQ(FleetFolder::Open(path).round(), 1);
  first.AddJob({.job = "7", .kind = "k", .purpose = "tasks"});
  first.RemoveUnusedRound();
  EXPECT_EQ(FleetFolder::Open(path).round(), 1) << "a job was submitted";
}

TEST_F(FleetFolderTest, RoundsWithoutTheirFleetAreNotAddedTo) {
  const fs::path path = folder_.path() / "fleet";
  FleetFolder::AddRound(path, SmallPlan({"k"}, {"a"}), true);
  fs::remove(path / "fleet.json");
  EXPECT_THAT(Message(ErrorKind::kUsage,
                      [&] { FleetFolder::AddRound(path, SmallPlan({"k"}, {"a"}), true); }),
              HasSubstr("has rounds of a fleet but no fleet.json"));
}

TEST_F(FleetFolderTest, WhatAKilledCopyLeftGoesAndThatOfOthersStays) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"net", "net.v2"}));
  const fs::path results = fleet.ResultFolder({"k", "net"}).parent_path();
  const fs::path own = results / ".net.0123456789abcdef.part";
  const fs::path other = results / ".net.v2.0123456789abcdef.part";
  fs::create_directories(own);
  fs::create_directories(other);
  PublishSmall(fleet, SmallResult({"k", "net"}));
  EXPECT_FALSE(fs::exists(own));
  EXPECT_TRUE(fs::exists(other));
}

TEST_F(FleetFolderTest, AResultThatWasTakenAwayCanComeBack) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  const FleetItem item = {"k", "a"};
  PublishSmall(fleet, SmallResult(item));
  EXPECT_EQ(fleet.Generation(item), 0);
  fleet.SetAside(item);
  EXPECT_EQ(fleet.Generation(item), 1);
  fleet.Restore(item);
  EXPECT_TRUE(fleet.HasResult(item));
  EXPECT_EQ(fleet.Generation(item), 0);
}

TEST_F(FleetFolderTest, AnotherFleetHasAnotherId) {
  const FleetFolder one = FleetFolder::AddRound(folder_.path() / "1", SmallPlan({}, {}), true);
  const FleetFolder two = FleetFolder::AddRound(folder_.path() / "2", SmallPlan({}, {}), true);
  EXPECT_NE(one.id(), two.id());
  EXPECT_EQ(one.id().size(), 16U);
}

TEST_F(FleetFolderTest, AFirstRoundWhereAFleetIsIsRefused) {
  NewFleet(SmallPlan({"k"}, {"a"}));
  EXPECT_THAT(Message(ErrorKind::kUsage, [&] { NewFleet(SmallPlan({"k"}, {"b"})); }),
              HasSubstr("holds a fleet: `halftone fleet resume "));
  EXPECT_EQ(FleetFolder::Open(folder_.path() / "fleet").Plan(), SmallPlan({"k"}, {"a"}));
}

TEST_F(FleetFolderTest, TwoThatBeginARoundAtOnceDoNotShareIt) {
  const fs::path path = folder_.path() / "fleet";
  const FileLock other(path / "submit.lock");
  EXPECT_THAT(Message(ErrorKind::kUsage, [&] { NewFleet(SmallPlan({"k"}, {"a"})); }),
              HasSubstr("is held by another process"));
  EXPECT_FALSE(fs::exists(path / "fleet.json"));
}

TEST_F(FleetFolderTest, WhatIsNoFleetIsNamed) {
  const fs::path path = folder_.path() / "fleet";
  const auto complaint = [&] {
    return Message(ErrorKind::kUsage, [&] { FleetFolder::Open(path); });
  };
  EXPECT_THAT(complaint(), HasSubstr("no fleet in '" + path.string() + "': it has no fleet.json"));
  WriteFileAtomically(path / "fleet.json", "{\"format\":1,\"id\":\"x\"}");
  EXPECT_THAT(complaint(), HasSubstr("was interrupted; remove the folder and submit again"));
  WriteFileAtomically(path / "fleet.json", "{\"format\":2,\"id\":\"x\"}");
  EXPECT_THAT(complaint(), HasSubstr("has format 2; this halftone reads format 1"));
  for (const char* text : {"{}", "3", "{\"format\":1}"}) {
    WriteFileAtomically(path / "fleet.json", text);
    WriteFileAtomically(path / "rounds/1/plan.json", PlanToJson({}));
    EXPECT_THAT(complaint(), HasSubstr("is no fleet.json of a fleet")) << text;
  }
}

// A submit that ended between its two files is begun again, with its id.
TEST_F(FleetFolderTest, AnInterruptedSubmitBeginsAgain) {
  const fs::path path = folder_.path() / "fleet";
  WriteFileAtomically(path / "fleet.json", "{\"format\":1,\"id\":\"x\"}");
  fs::create_directories(path / "rounds/1");
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  EXPECT_EQ(fleet.round(), 1);
  EXPECT_EQ(fleet.id(), "x");
  fs::create_directories(path / "rounds/2");
  fs::create_directories(path / "rounds/.3");
  EXPECT_EQ(FleetFolder::Open(path).round(), 1);
}

TEST_F(FleetFolderTest, ASecondResultLosesAndLeavesNoTrace) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  EXPECT_FALSE(fleet.HasResult(item_));
  EXPECT_EQ(fleet.Result(item_), std::nullopt);
  FleetResult slow = SmallResult(item_);
  slow.node = "slow";
  const bool was_first = fleet.Publish(item_, [&](const fs::path& folder) {
    WriteFileAtomically(folder / "result.json", ResultToJson(slow));
    EXPECT_TRUE(PublishSmall(fleet, SmallResult(item_)));  // while this one copies its files
  });
  EXPECT_FALSE(was_first);
  EXPECT_EQ(fleet.Result(item_)->node, "n0");
  bool called = false;
  EXPECT_FALSE(fleet.Publish(item_, [&](const fs::path&) { called = true; }));
  EXPECT_FALSE(called);
  EXPECT_THAT(NamesIn(fleet.ResultFolder(item_).parent_path()), ElementsAre("a"));
}

TEST_F(FleetFolderTest, AResultThatCannotBeFilledLeavesNoTrace) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  EXPECT_EQ(Message(ErrorKind::kIo,
                    [&] {
                      fleet.Publish(item_, [](const fs::path& folder) {
                        WriteFileAtomically(folder / "half", "x");
                        throw Error(ErrorKind::kIo, "disk full");
                      });
                    }),
            "disk full");
  EXPECT_FALSE(fleet.HasResult(item_));
  EXPECT_THAT(NamesIn(fleet.ResultFolder(item_).parent_path()), IsEmpty());
}

// What a process that was killed left beside a result is no result and in nobody's way.
TEST_F(FleetFolderTest, LeftoversOfACrashAreNoResult) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  WriteFileAtomically(
      fleet.ResultFolder(item_).parent_path() / ".a.0123456789abcdef.part/result.json",
      ResultToJson(SmallResult(item_, TaskEnd::kDied)));
  EXPECT_FALSE(fleet.HasResult(item_));
  EXPECT_TRUE(PublishSmall(fleet, SmallResult(item_)));
  EXPECT_EQ(fleet.Result(item_)->end, TaskEnd::kDone);
  EXPECT_THAT(NamesIn(fleet.ResultFolder(item_).parent_path()), ElementsAre("a"));
}

// Publishes "0", "1", ... each with the same files, and says so after each.
[[noreturn]] void PublishInALoop(const FleetFolder& fleet, int first, int say) {
  const std::string big(200000, 'x');
  for (int i = first;; ++i) {
    const FleetItem item = {"k", std::to_string(i)};
    fleet.Publish(item, [&](const fs::path& folder) {
      std::ofstream(folder / "result.json") << ResultToJson(SmallResult(item));
      std::ofstream(folder / "front.json") << big;
      fs::create_directory(folder / "point_1");
      std::ofstream(folder / "point_1/point.json") << big;
    });
    if (::write(say, "x", 1) != 1) {
      ::_exit(1);
    }
  }
}

// Whether a result that is being made in `folder` has at least `entries` files and folders by now.
bool IsInTheMiddle(const fs::path& folder, std::size_t entries) {
  std::error_code code;
  for (const auto& result : fs::directory_iterator(folder, code)) {
    if (result.path().filename().string().front() == '.') {
      std::size_t count = 0;
      for (fs::recursive_directory_iterator it(result.path(), code), end; it != end && !code;
           it.increment(code)) {
        ++count;
      }
      return count >= entries;
    }
  }
  return false;
}

// Kill -9 with none to all four of its files and folders written, or just behind its move.
TEST_F(FleetFolderTest, AProcessThatIsKilledLeavesCompleteResultsOnly) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  const fs::path results = fleet.RoundFolder() / "results/k";
  int first = 0;
  for (std::size_t run = 0; run < 50; ++run) {
    int ends[2] = {};
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      PublishInALoop(fleet, first, ends[1]);
    }
    ::close(ends[1]);
    char said = 0;
    ASSERT_EQ(::read(ends[0], &said, 1), 1);
    const int published = first + 1;
    while (!IsInTheMiddle(results, run % 5) &&
           !fs::exists(results / std::to_string(published + 1))) {
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ends[0]);
    for (const std::string& name : NamesIn(results)) {
      if (name.front() == '.') {
        fs::remove_all(results / name);  // else the next run would find it in the middle
        continue;
      }
      const FleetItem item = {"k", name};
      EXPECT_EQ(fleet.Result(item), SmallResult(item)) << name;
      EXPECT_EQ(fs::file_size(results / name / "front.json"), 200000U) << name;
      EXPECT_EQ(fs::file_size(results / name / "point_1/point.json"), 200000U) << name;
      first = std::max(first, std::stoi(name) + 1);
    }
  }
  EXPECT_GE(first, 50);
}

TEST_F(FleetFolderTest, ResultsSetAsideStayUnderNumbers) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  for (const TaskEnd end : {TaskEnd::kFailed, TaskEnd::kDied}) {
    PublishSmall(fleet, SmallResult(item_, end));
    fleet.SetAside(item_);
    EXPECT_FALSE(fleet.HasResult(item_));
  }
  EXPECT_TRUE(PublishSmall(fleet, SmallResult(item_)));
  const fs::path replaced = fleet.RoundFolder() / "replaced/k";
  EXPECT_THAT(NamesIn(replaced), ElementsAre("a.1", "a.2"));
  EXPECT_EQ(ResultFromJson(ReadFile(replaced / "a.2/result.json"), "r").end, TaskEnd::kDied);
  fleet.SetAside(item_);
  EXPECT_THAT(Message(ErrorKind::kIo, [&] { fleet.SetAside(item_); }), HasSubstr("cannot move '"));
}

TEST_F(FleetFolderTest, JobsComeInTheOrderOfTheirSubmission) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  EXPECT_THAT(fleet.Jobs(), IsEmpty());
  for (int i = 0; i < 12; ++i) {
    fleet.AddJob({.job = std::to_string(100 - i),
                  .kind = "k",
                  .purpose = "tasks",
                  .list = "/l",
                  .elements = static_cast<std::size_t>(i)});
  }
  const std::vector<FleetJobRecord> jobs = fleet.Jobs();
  ASSERT_EQ(jobs.size(), 12U);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(jobs[i].job, std::to_string(100 - i));
    EXPECT_EQ(jobs[i].elements, static_cast<std::size_t>(i));
  }
  EXPECT_EQ(jobs[3].kind, "k");
  EXPECT_EQ(jobs[3].purpose, "tasks");
  EXPECT_EQ(jobs[3].list, fleet.RoundFolder() / "lists/l");
  WriteFileAtomically(fleet.RoundFolder() / "jobs/000012.x.json", "{\"job\": 3}");
  EXPECT_THAT(Message(ErrorKind::kUsage, [&] { std::ignore = fleet.Jobs(); }),
              HasSubstr("is no record of a job of this fleet"));
}

// Links of a shared folder are those of others: nothing is written or moved behind them.
TEST_F(FleetFolderTest, ALinkOutOfTheFolderIsNotFollowed) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  const FleetItem item = {"k", "a"};
  const fs::path outside = folder_.path() / "outside";
  WriteFileAtomically(outside / "k/a/result.json", "of somebody else");
  fs::create_directory_symlink(outside, fleet.RoundFolder() / "partial");
  const auto complaint = [&](const auto& body) { return Message(ErrorKind::kUsage, body); };
  EXPECT_THAT(complaint([&] { PublishSmall(fleet, SmallResult(item)); }),
              HasSubstr("lies outside of the fleet's folder"));
  fs::remove(fleet.RoundFolder() / "partial");
  fs::create_directory_symlink(outside, fleet.RoundFolder() / "results");
  EXPECT_THAT(complaint([&] { fleet.SetAside(item); }),
              HasSubstr("lies outside of the fleet's folder"));
  EXPECT_EQ(ReadFile(outside / "k/a/result.json"), "of somebody else");
}

TEST_F(FleetFolderTest, AnIdIsAName) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  WriteFileAtomically(fleet.path() / "fleet.json", R"({"format":1,"id":"../../victim"})");
  EXPECT_THAT(Message(ErrorKind::kUsage, [&] { FleetFolder::Open(fleet.path()); }),
              HasSubstr("\"id\" is '../../victim': expected at most 120 letters"));
}

TEST_F(FleetFolderTest, ListsOfJobsLieInTheRound) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  fleet.AddJob({.job = "1", .kind = "k", .purpose = "tasks", .list = "/etc/passwd", .elements = 1});
  ASSERT_EQ(fleet.Jobs().size(), 1U);
  EXPECT_EQ(fleet.Jobs()[0].list, fleet.RoundFolder() / "lists/passwd");
}

TEST_F(FleetFolderTest, ListsReadBack) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  const fs::path one = fleet.WriteList("k", {"b", "a"});
  EXPECT_NE(one, fleet.WriteList("k", {"b"}));
  EXPECT_THAT(FleetFolder::ReadList(one), ElementsAre("b", "a"));
  EXPECT_THAT(
      Message(ErrorKind::kIo, [&] { std::ignore = FleetFolder::ReadList(one.string() + "x"); }),
      HasSubstr("cannot"));
}

TEST_F(FleetFolderTest, AReaderOfTheMergedBankBeforeGoesOn) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  const fs::path bank = DigitsRuns::Once().bank();
  EXPECT_EQ(fleet.MergedBank("k"), "");
  fleet.ReplaceMergedBank("k", bank);
  const fs::path first = fleet.MergedBank("k");
  EXPECT_EQ(first, fleet.path() / "merged/k/1");
  fleet.ReplaceMergedBank("k", bank);
  EXPECT_EQ(fleet.MergedBank("k"), fleet.path() / "merged/k/2");
  EXPECT_TRUE(CheckBank(first, "host").intact);
  fs::create_directories(fleet.path() / "merged/k/.4.part");  // of a merge that was killed
  fleet.ReplaceMergedBank("k", bank);
  EXPECT_FALSE(fs::exists(first));
  EXPECT_TRUE(CheckBank(fleet.path() / "merged/k/2", "host").intact);
  EXPECT_TRUE(CheckBank(fleet.MergedBank("k"), "host").intact);
  EXPECT_EQ(fleet.MergedBank("l"), "");
}

}  // namespace
}  // namespace halftone
