// Merging the banks of a kind.
#include "src/fleet/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/api/bank/bank_upkeep.h"
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
using ::testing::SizeIs;

class FleetMergeTest : public halftone::testing::FleetFixture {
 protected:
  static void PublishWithBank(const FleetFolder& fleet, const std::string& network,
                              const FleetResult& result) {
    fleet.Publish({"k", network}, [&](const fs::path& folder) {
      WriteFileAtomically(folder / "result.json", ResultToJson(result));
      fs::copy(DigitsRuns::Once().bank(), folder / "bank", fs::copy_options::recursive);
    });
  }

  static void PublishWithBank(const FleetFolder& fleet, const std::string& network) {
    PublishWithBank(fleet, network, SmallResult({"k", network}));
  }

  static fs::path BankOf(const FleetFolder& fleet, const std::string& network) {
    return fleet.ResultFolder({"k", network}) / "bank";
  }

  static void Damage(const fs::path& bank) {
    WriteFileAtomically(bank / "host/halftone.db", std::string(8192, 'x'));
  }
};

TEST_F(FleetMergeTest, OnlyWhatIsNewIsMerged) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k", "l"}, {"a", "b", "c"}));
  PublishWithBank(fleet, "a");
  const MergeOfKind first = MergeKind(fleet, "k");
  EXPECT_EQ(first.merged, 1U);
  EXPECT_EQ(first.known, 0U);
  EXPECT_FALSE(HasUnmerged(fleet, "k"));
  EXPECT_THAT(first.missing, ElementsAre(FleetItem{"k", "b"}, FleetItem{"k", "c"}));
  EXPECT_TRUE(CheckBank(fleet.MergedBank("k"), "host").intact);
  EXPECT_EQ(FormatMerge("k", first),
            "k: 1 bank merged, 0 known before, 2 without a result: b, c\n");

  PublishSmall(fleet, SmallResult({"k", "c"}, TaskEnd::kFailed));  // which has no bank
  EXPECT_FALSE(HasUnmerged(fleet, "k"));
  PublishWithBank(fleet, "b");
  EXPECT_TRUE(HasUnmerged(fleet, "k"));
  const MergeOfKind second = MergeKind(fleet, "k");
  EXPECT_EQ(second.merged, 1U);
  EXPECT_EQ(second.known, 1U);
  EXPECT_THAT(second.missing, IsEmpty());
  const fs::path merged = fleet.MergedBank("k");
  const MergeOfKind third = MergeKind(fleet, "k");
  EXPECT_EQ(third.merged, 0U);
  EXPECT_EQ(third.known, 2U);
  EXPECT_EQ(fleet.MergedBank("k"), merged);
  EXPECT_EQ(fleet.MergedBank("l"), "");
}

TEST_F(FleetMergeTest, AResultThatWasDoneAgainIsNew) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  PublishWithBank(fleet, "a");
  MergeKind(fleet, "k");
  fleet.SetAside({"k", "a"});
  FleetResult again = SmallResult({"k", "a"});
  again.begin = "2026-11-26T13:00:00Z";
  PublishWithBank(fleet, "a", again);
  EXPECT_EQ(MergeKind(fleet, "k").merged, 1U);
}

TEST_F(FleetMergeTest, ALaterRoundAddsToTheSameBank) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  PublishWithBank(fleet, "a");
  MergeKind(fleet, "k");
  const FleetFolder next = FleetFolder::AddRound(fleet.path(), fleet.Plan(), false);
  EXPECT_THAT(MergeKind(next, "k").missing, SizeIs(1));
  PublishWithBank(next, "a");
  EXPECT_EQ(MergeKind(next, "k").merged, 1U);
  EXPECT_EQ(MergeKind(fleet, "k").known, 1U);
  EXPECT_EQ(next.MergedBank("k"), fleet.path() / "merged/k/2");
}

TEST_F(FleetMergeTest, ADamagedBankIsSetAsideAndTheOthersMerge) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a", "b", "c"}));
  for (const char* network : {"a", "b", "c"}) {
    PublishWithBank(fleet, network);
  }
  Damage(BankOf(fleet, "a"));
  fs::remove_all(BankOf(fleet, "b"));
  WriteFileAtomically(BankOf(fleet, "b"), "a file");
  const MergeOfKind merge = MergeKind(fleet, "k");
  EXPECT_EQ(merge.merged, 1U);
  const fs::path aside = fleet.path() / "set_aside/k";
  ASSERT_THAT(merge.damaged, SizeIs(2));
  EXPECT_THAT(merge.damaged[0], HasSubstr("the bank of 'a' is damaged and lies in '" +
                                          (aside / "a.1.1").string() + "' now: "));
  EXPECT_THAT(merge.damaged[1], HasSubstr("' now: it is no folder"));
  EXPECT_THAT(NamesIn(aside), ElementsAre("a.1.1", "b.1.1"));
  EXPECT_TRUE(CheckBank(fleet.MergedBank("k"), "host").intact);
  EXPECT_THAT(FormatMerge("k", merge), HasSubstr("\nwarning: the bank of 'a' is damaged"));
  EXPECT_THAT(MergeKind(fleet, "k").damaged, IsEmpty());
}

TEST_F(FleetMergeTest, ADamagedResultIsNamedAndTheOthersMerge) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a", "b"}));
  PublishWithBank(fleet, "a");
  PublishWithBank(fleet, "b");
  WriteFileAtomically(fleet.ResultFolder({"k", "a"}) / "result.json", "{");
  const MergeOfKind merge = MergeKind(fleet, "k");
  EXPECT_EQ(merge.merged, 1U);
  EXPECT_THAT(merge.damaged, ElementsAre(HasSubstr("the result of 'a' is damaged, and its bank is "
                                                   "not merged: ")));
}

TEST_F(FleetMergeTest, TwoMergesOfAKindAtOnceAreRefused) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k", "l"}, {"a"}));
  PublishWithBank(fleet, "a");
  const FileLock other(fleet.path() / "merged/.k.lock");
  EXPECT_THAT(Message(ErrorKind::kUsage, [&] { MergeKind(fleet, "k"); }),
              HasSubstr("is held by another process"));
  EXPECT_EQ(MergeKind(fleet, "l").merged, 0U);
}

// Behind the 1st, 2nd, 4th, 8th result: all such merges together copy about two banks of the end.
TEST_F(FleetMergeTest, BetweenTasksItMergesWhereResultsHaveDoubled) {
  const FleetFolder fleet =
      NewFleet(SmallPlan({"k"}, {"a", "b", "c", "d", "e", "f", "g", "h", "i"}));
  std::vector<std::string> lines;
  std::vector<std::string> merged_behind;
  fs::path last;
  for (const char* network : {"a", "b", "c", "d", "e", "f", "g", "h", "i"}) {
    PublishWithBank(fleet, network);
    MergeBetweenTasks(fleet, "k", [&](std::string_view line) { lines.emplace_back(line); });
    if (const fs::path now = fleet.MergedBank("k"); now != last) {
      merged_behind.emplace_back(network);
      last = now;
    }
  }
  EXPECT_THAT(merged_behind, ElementsAre("a", "b", "d", "h"));
  EXPECT_THAT(lines, IsEmpty());
  const MergeOfKind end = MergeKind(fleet, "k");
  EXPECT_EQ(end.merged, 1U);
  EXPECT_EQ(end.known, 8U);
}

TEST_F(FleetMergeTest, BetweenTasksADamagedBankIsLeftForTheMergeOfTheKind) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a", "b"}));
  PublishWithBank(fleet, "a");
  Damage(BankOf(fleet, "a"));
  std::vector<std::string> lines;
  const auto say = [&](std::string_view line) { lines.emplace_back(line); };
  MergeBetweenTasks(fleet, "k", say);
  PublishWithBank(fleet, "b");
  MergeBetweenTasks(fleet, "k", say);
  EXPECT_THAT(lines, IsEmpty());
  EXPECT_TRUE(fs::exists(BankOf(fleet, "a")));
  const MergeOfKind end = MergeKind(fleet, "k");
  EXPECT_EQ(end.known, 1U);
  EXPECT_THAT(end.damaged, ElementsAre(HasSubstr("the bank of 'a' is damaged")));
}

TEST_F(FleetMergeTest, BetweenTasksItGivesWayToAnotherMerge) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  PublishWithBank(fleet, "a");
  const FileLock lock(fleet.path() / "merged/.k.lock");
  MergeBetweenTasks(fleet, "k", [](std::string_view line) { ADD_FAILURE() << line; });
  EXPECT_TRUE(fleet.MergedBank("k").empty());
}

TEST_F(FleetMergeTest, NamesOfKindsAreNoneOfItsFiles) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k", "k.lock", "k.list"}, {"a"}));
  for (const char* kind : {"k", "k.lock", "k.list"}) {
    fleet.Publish({kind, "a"}, [&](const fs::path& folder) {
      WriteFileAtomically(folder / "result.json", ResultToJson(SmallResult({kind, "a"})));
      fs::copy(DigitsRuns::Once().bank(), folder / "bank", fs::copy_options::recursive);
    });
    EXPECT_EQ(MergeKind(fleet, kind).merged, 1U) << kind;
  }
}

TEST_F(FleetMergeTest, ADamagedMergedBankIsAnErrorThatNamesIt) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k"}, {"a"}));
  Damage(fleet.path() / "merged/k/1");
  PublishWithBank(fleet, "a");
  EXPECT_THAT(Message(ErrorKind::kDatabase, [&] { MergeKind(fleet, "k"); }),
              HasSubstr("merged/k/1"));
  EXPECT_TRUE(fs::exists(BankOf(fleet, "a")));
}

TEST_F(FleetMergeTest, OtherCpusAndManyThatAreMissingAreNamed) {
  MergeOfKind merge = {.merged = 2, .known = 3, .cpus = {"A", "B"}};
  for (int i = 0; i < 6; ++i) {
    merge.missing.push_back({"k", "n" + std::to_string(i)});
  }
  EXPECT_EQ(FormatMerge("k", merge),
            "k: 2 banks merged, 3 known before, 6 without a result: n0, n1, n2, n3, n4, ...\n"
            "warning: the kind 'k' ran on 2 models of CPU, whose latencies do not compare: A; B; "
            "give each a kind of its own\n");
}

TEST_F(FleetMergeTest, TheCommandEndsWithOneWhereABankIsDamaged) {
  const FleetFolder fleet = NewFleet(SmallPlan({"k", "l"}, {"a"}));
  PublishWithBank(fleet, "a");
  Damage(BankOf(fleet, "a"));
  const auto merge = [&] {
    return halftone::testing::RunProcess(
        {HALFTONE_BINARY, "fleet", "merge", fleet.path().string(), "--kinds=k"});
  };
  const halftone::testing::ProcessResult damaged = merge();
  EXPECT_EQ(damaged.exit_code, 1) << damaged.err;
  EXPECT_THAT(damaged.out, HasSubstr("warning: the bank of 'a' is damaged"));
  EXPECT_EQ(merge().exit_code, 0);
}

}  // namespace
}  // namespace halftone
