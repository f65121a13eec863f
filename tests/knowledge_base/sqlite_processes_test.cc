// Several processes at one bank, and processes that die while they write.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <thread>

#include "knowledge_base/bank_records.h"
#include "knowledge_base/prune_bank.h"
#include "knowledge_base/sqlite_store.h"
#include "knowledge_base/verify_bank.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "tests/knowledge_base/bank_folder.h"
#include "tests/knowledge_base/sample_trials.h"

namespace halftone {
namespace {

using testing::BankFolder;
using testing::MeasuredTrial;
using testing::SampleWorkload;

// Runs `body` in a new process, which ends with status 0 unless it throws.
template <typename Body>
pid_t Fork(Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      body();
    } catch (const Error& error) {
      ::dprintf(2, "child: %s\n", error.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  return child;
}

TEST(SqliteProcessesTest, NoTrialOfEightWritersIsLost) {
  constexpr std::uint64_t kWriters = 8;
  constexpr std::uint64_t kTrials = 25;
  const BankFolder folder;
  std::vector<pid_t> children;
  for (std::uint64_t writer = 0; writer < kWriters; ++writer) {
    children.push_back(Fork([&] {  // all create the bank, the workload and the trials
      const auto store = OpenSqliteStore(folder.database(), OpenMode::kReadWrite,
                                         {.busy_timeout_s = 600});  // slow disks lose nothing
      const Hash128 key = store->AddWorkload(SampleWorkload());
      for (std::uint64_t i = 0; i < kTrials; ++i) {
        store->AddTrial(key, MeasuredTrial(writer * 1000 + i));
      }
    }));
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const auto store = OpenSqliteStore(folder.database(), OpenMode::kReadOnly);
  ASSERT_EQ(store->Workloads().size(), 1U);
  const auto trials = store->Trials(store->Workloads()[0].key);
  EXPECT_EQ(trials.size(), kWriters * kTrials);
  std::set<Hash128> plans;
  for (const StoredTrial& stored : trials) {
    EXPECT_EQ(stored.trial, MeasuredTrial(stored.trial.plan_digest.low));
    plans.insert(stored.trial.plan_digest);
  }
  EXPECT_EQ(plans.size(), kWriters * kTrials);
}

// Kills `child` after it has said `steps` times that something is done, and a random while later.
// Returns how often it said so.
std::uint64_t KillAfter(pid_t child, int said, std::uint64_t steps, double most_us, Rng& rng) {
  std::uint64_t committed = 0;
  char byte = 0;
  while (committed < steps && ::read(said, &byte, 1) == 1) {
    ++committed;
  }
  std::this_thread::sleep_for(
      std::chrono::microseconds(static_cast<std::int64_t>(rng.Uniform(0, most_us))));
  EXPECT_EQ(::kill(child, SIGKILL), 0);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "must not end by itself";
  while (::read(said, &byte, 1) == 1) {
    ++committed;
  }
  return committed;
}

// A writer says over a pipe which trials AddTrial() has returned for, and is killed at a random
// moment: all of those are there afterwards, at most one more, and the bank works. The first is
// killed while the bank is made.
TEST(SqliteProcessesTest, AKilledWriterLosesNothingCommittedAtTwoHundredMoments) {
  const BankFolder folder;
  Rng rng(2024);
  std::uint64_t first = 0;  // number of the first trial of this repetition
  Hash128 key;
  for (int repetition = 0; repetition < 200; ++repetition) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = Fork([&] {
      const auto store = OpenSqliteStore(folder.database(), OpenMode::kReadWrite);
      const Hash128 workload = store->AddWorkload(SampleWorkload());
      for (std::uint64_t i = first;; ++i) {
        store->AddTrial(workload, MeasuredTrial(i));
        if (::write(ends[1], "+", 1) != 1) {
          ::_exit(2);
        }
      }
    });
    ::close(ends[1]);
    const auto steps = static_cast<std::uint64_t>(repetition % 5);
    const std::uint64_t committed = KillAfter(child, ends[0], steps, 2000, rng);
    ::close(ends[0]);
    EXPECT_GE(committed, steps);

    const auto store = OpenSqliteStore(folder.database(), OpenMode::kReadWrite);
    key = store->AddWorkload(SampleWorkload());
    const std::size_t stored = store->Trials(key).size();
    ASSERT_GE(stored, first + committed) << "moment " << repetition;
    ASSERT_LE(stored, first + committed + 1) << "the one whose message was still to come";
    first = stored;
  }
  const auto trials = OpenSqliteStore(folder.database(), OpenMode::kReadOnly)->Trials(key);
  ASSERT_EQ(trials.size(), first);
  for (std::uint64_t i = 0; i < first; ++i) {
    EXPECT_EQ(trials[i].trial, MeasuredTrial(i));
  }
  EXPECT_GE(first, 400U);
  EXPECT_TRUE(VerifyBank(folder.database()).findings.empty());
}

// A union is there as a whole or not at all, and so is what pruning leaves.
TEST(SqliteProcessesTest, AKilledMergeOrPruneLeavesTheBankBeforeOrAfterIt) {
  const BankFolder folder;
  const std::filesystem::path source = folder.path() / "source.db";
  Workload other = SampleWorkload();
  other.tool_version = "0.2.0";
  {
    const auto store = OpenSqliteStore(source, OpenMode::kReadWrite);
    const Hash128 key = store->AddWorkload(other);
    for (std::uint64_t i = 0; i < 60; ++i) {
      store->AddTrial(key, MeasuredTrial(i));
    }
    const auto bank = OpenSqliteStore(folder.database(), OpenMode::kReadWrite);
    bank->AddTrial(bank->AddWorkload(SampleWorkload()), MeasuredTrial(1));
  }
  Rng rng(77);
  for (int repetition = 0; repetition < 40; ++repetition) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = Fork([&] {
      const KernelVersion kept{.isa = SampleWorkload().isa,
                               .kernel_table_hash = SampleWorkload().kernel_table_hash,
                               .tool_version = SampleWorkload().tool_version,
                               .cpu = SampleWorkload().cpu};
      while (::write(ends[1], "+", 1) == 1) {
        AddToBank(folder.database(), [&](const RecordVisitor& visit) { ReadBank(source, visit); });
        PruneBank(folder.database(), {.other_than = testing::MeasuredWith(kept)});
      }
    });
    ::close(ends[1]);
    KillAfter(child, ends[0], 1, 30e3, rng);
    ::close(ends[0]);
    const auto store = OpenSqliteStore(folder.database(), OpenMode::kReadWrite);
    EXPECT_EQ(store->Trials(KeyOf(SampleWorkload())).size(), 1U);
    const std::size_t merged = store->Trials(KeyOf(other)).size();
    ASSERT_TRUE(merged == 0 || merged == 60) << merged << " of 60 at moment " << repetition;
    ASSERT_TRUE(VerifyBank(folder.database()).findings.empty());
  }
}

}  // namespace
}  // namespace halftone
