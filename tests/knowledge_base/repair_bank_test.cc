// Banks whose fronts name measurements that were never stored.
#include "knowledge_base/repair_bank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "knowledge_base/bank_records.h"
#include "knowledge_base/checksum.h"
#include "knowledge_base/front_trials.h"
#include "knowledge_base/sqlite_store.h"
#include "knowledge_base/verify_bank.h"
#include "tests/knowledge_base/bank_folder.h"
#include "tests/knowledge_base/sample_trials.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using testing::BankFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MeasuredTrial;
using testing::SampleWorkload;
using ::testing::SizeIs;
using testing::SourceDir;

class RepairBankTest : public ::testing::Test {
 protected:
  // The bank that version 0.1.0 made of digits: `tune --max_trials=5`, Ctrl-C after three trials,
  // the same command again.
  void UseBankOfAnInterruptedSearch() {
    std::filesystem::create_directories(database_.parent_path());
    std::filesystem::copy_file(SourceDir() / "tests/data/bank_0_1_0_interrupted.db", database_);
  }

  [[nodiscard]] std::unique_ptr<TrialStore> Open(OpenMode mode = OpenMode::kReadWrite) const {
    return OpenSqliteStore(database_, mode);
  }

  BankFolder folder_;
  std::filesystem::path database_ = folder_.database();
};

TEST_F(RepairBankTest, ABankThatAnInterruptedSearchLeftLoadsWithAWarning) {
  UseBankOfAnInterruptedSearch();
  const auto store = Open();  // which brings it to the schema of now
  ASSERT_THAT(VerifyBank(database_).findings, SizeIs(1));
  EXPECT_THAT(
      VerifyBank(database_).findings[0],
      HasSubstr("of which there is no such trial: a search that was interrupted and run again "
                "left it so before schema 8; `halftone bank verify --repair`"));
  const Hash128 key = store->Workloads().at(0).key;
  const std::vector<StoredTrial> history = store->History(key);
  const StoredFront front = store->Fronts(key).at(0);
  const FrontTrials trials = TrialsOf(front, history, database_);
  ASSERT_EQ(trials.members.size(), front.members.size());
  for (std::size_t i = 0; i < front.members.size(); ++i) {
    EXPECT_EQ(trials.members[i]->trial.plan_digest, front.members[i].plan_digest);
    EXPECT_TRUE(trials.members[i]->trial.measurement()->confirmed);
  }
  ASSERT_THAT(trials.warnings, SizeIs(1));
  EXPECT_THAT(trials.warnings[0],
              HasSubstr("names 1 measurement that was never stored; the newest of the same plan "
                        "serves: `halftone bank verify --repair` makes that permanent"));
}

TEST_F(RepairBankTest, RepairMakesItWhole) {
  UseBankOfAnInterruptedSearch();
  EXPECT_THAT(RepairBank(database_),
              ElementsAre(HasSubstr("named 1 measurement that was never stored: repaired with the "
                                    "newest trial of the same plan")));
  EXPECT_THAT(VerifyBank(database_).findings, IsEmpty());
  const auto store = Open(OpenMode::kReadOnly);
  const Hash128 key = store->Workloads().at(0).key;
  const std::vector<StoredTrial> history = store->History(key);
  const std::vector<StoredFront> fronts = store->Fronts(key);
  ASSERT_THAT(fronts, SizeIs(2));
  EXPECT_GT(fronts[0].recorded_at, fronts[1].recorded_at) << "the repaired one keeps its time";
  for (const StoredFront& front : fronts) {
    EXPECT_THAT(TrialsOf(front, history, database_).warnings, IsEmpty());
    for (const FrontMember& member : front.members) {
      EXPECT_GT(member.trial_id, 0) << "members stored before schema 8 get their rows";
    }
  }
  EXPECT_THAT(RepairBank(database_), IsEmpty()) << "once is enough";
}

TEST_F(RepairBankTest, AnIntactBankStaysAsItIs) {
  {
    const auto store = Open();
    const Hash128 key = store->AddWorkload(SampleWorkload());
    store->AddTrial(key, MeasuredTrial(1));
    store->AddFront(testing::SampleFront(key, {MeasuredTrial(1)}));
  }
  const auto before = Open()->Fronts(KeyOf(SampleWorkload()));
  EXPECT_THAT(RepairBank(database_), IsEmpty());
  EXPECT_EQ(Open()->Fronts(KeyOf(SampleWorkload())), before);
}

// Nothing can stand for a plan that was never measured.
TEST_F(RepairBankTest, APlanWithoutAnyTrialIsSaidAndStays) {
  Open()->AddWorkload(SampleWorkload());
  StoredFront front = testing::SampleFront(KeyOf(SampleWorkload()), {MeasuredTrial(1)});
  front.recorded_at = "2026-01-01T00:00:00.000Z";
  AddToBank(database_, [&](const RecordVisitor& visit) { visit(FrontRecord{front}); });
  EXPECT_THAT(RepairBank(database_), IsEmpty());
  EXPECT_THAT(
      VerifyBank(database_).findings,
      ElementsAre(HasSubstr("of which there is no such trial: the file was damaged, restore "
                            "it from a copy")));
}

// A front that refers to a measurement which was never stored, from an export of such a bank.
TEST_F(RepairBankTest, AMergedFrontWithoutItsTrialIsFoundAndRepaired) {
  {
    const auto store = Open();
    store->AddTrial(store->AddWorkload(SampleWorkload()), MeasuredTrial(1));
  }
  Trial refilled = MeasuredTrial(1);
  std::get<Measurement>(refilled.outcome).peak_arena_bytes = 1;
  StoredFront front = testing::SampleFront(KeyOf(SampleWorkload()), {refilled});
  front.recorded_at = "2026-01-01T00:00:00.000Z";
  const auto add = [&] {
    return AddToBank(database_, [&](const RecordVisitor& visit) { visit(FrontRecord{front}); });
  };
  EXPECT_EQ(add().added[2], 1);
  EXPECT_EQ(add().added[2], 0) << "known";
  EXPECT_THAT(VerifyBank(database_).findings, SizeIs(1));
  EXPECT_THAT(RepairBank(database_), SizeIs(1));
  EXPECT_THAT(VerifyBank(database_).findings, IsEmpty());
}

}  // namespace
}  // namespace halftone
