// Several processes at one bank, and processes that die while they write.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <thread>

#include "knowledge_base/sqlite_store.h"
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

TEST(SqliteProcessesTest, NoTrialOfFourWritersIsLost) {
  constexpr std::uint64_t kWriters = 4;
  constexpr std::uint64_t kTrials = 50;
  const BankFolder folder;
  std::vector<pid_t> children;
  for (std::uint64_t writer = 0; writer < kWriters; ++writer) {
    children.push_back(Fork([&] {  // all create the bank, the workload and the trials
      const auto store = OpenSqliteStore(folder.database(), OpenMode::kReadWrite);
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

// A writer says over a pipe which trials AddTrial() has returned for, and is killed at a random
// moment: all of those are there afterwards, at most one more, and the bank works.
TEST(SqliteProcessesTest, AKilledWriterLosesNothingCommitted) {
  const BankFolder folder;
  Rng rng(2024);
  std::uint64_t first = 0;  // number of the first trial of this repetition
  Hash128 key;
  for (int repetition = 0; repetition < 20; ++repetition) {
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
    std::this_thread::sleep_for(
        std::chrono::microseconds(static_cast<std::int64_t>(rng.Uniform(1e3, 60e3))));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "must not end by itself";
    std::uint64_t committed = 0;
    for (char byte = 0; ::read(ends[0], &byte, 1) == 1;) {
      ++committed;
    }
    ::close(ends[0]);

    const auto store = OpenSqliteStore(folder.database(), OpenMode::kReadWrite);
    key = store->AddWorkload(SampleWorkload());
    const std::size_t stored = store->Trials(key).size();
    EXPECT_GE(stored, first + committed);
    EXPECT_LE(stored, first + committed + 1) << "the one whose message was still to come";
    first = stored;
  }
  const auto trials = OpenSqliteStore(folder.database(), OpenMode::kReadOnly)->Trials(key);
  ASSERT_EQ(trials.size(), first);
  for (std::uint64_t i = 0; i < first; ++i) {
    EXPECT_EQ(trials[i].trial, MeasuredTrial(i));
  }
  EXPECT_GT(first, 20U) << "the writers must have got somewhere";
}

}  // namespace
}  // namespace halftone
