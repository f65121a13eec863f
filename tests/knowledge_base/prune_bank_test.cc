#include "knowledge_base/prune_bank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knowledge_base/checksum.h"
#include "knowledge_base/sqlite_store.h"
#include "knowledge_base/verify_bank.h"
#include "src/base/file.h"
#include "tests/knowledge_base/bank_folder.h"
#include "tests/knowledge_base/edit_bank.h"
#include "tests/knowledge_base/sample_trials.h"

namespace halftone {
namespace {

using testing::BankFolder;
using testing::EditBank;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MeasuredTrial;
using testing::SampleWorkload;
using testing::SetTimes;

Trial WithNumbers(std::uint64_t number, double ratio, double rel_l2) {
  Trial trial = MeasuredTrial(number);
  auto& measurement = std::get<Measurement>(trial.outcome);
  measurement.latency.ratio = ratio;
  measurement.latency.ratio_interval = {ratio - 0.01, ratio + 0.01};
  measurement.accuracy.metrics = {{"rel_l2", rel_l2, rel_l2, 0}};
  return trial;
}

class PruneBankTest : public ::testing::Test {
 protected:
  std::unique_ptr<TrialStore> Open() { return OpenSqliteStore(database_, OpenMode::kReadWrite); }

  static Workload OfVersion(const std::string& tool_version) {
    Workload workload = SampleWorkload();
    workload.tool_version = tool_version;
    return workload;
  }

  // The versions of the workloads that are left.
  std::vector<std::string> Versions() {
    std::vector<std::string> versions;
    for (const WorkloadSummary& summary : Open()->Workloads()) {
      versions.push_back(summary.workload.tool_version);
    }
    return versions;
  }

  static StoredFront FrontOf(const Hash128& key, const std::vector<Trial>& trials) {
    StoredFront front = testing::SampleFront(key, trials);
    front.chosen.reset();
    return front;
  }

  // Three versions of one network and one of another, to which something was added on 1., 2., 3.
  // and 4. of January.
  void FillVersions() {
    const auto store = Open();
    for (const char* version : {"0.1", "0.2", "0.3"}) {
      store->AddTrial(store->AddWorkload(OfVersion(version)), MeasuredTrial(1));
    }
    Workload other = OfVersion("other network");
    other.model_hash = {9, 9};
    store->AddTrial(store->AddWorkload(other), MeasuredTrial(1));
    SetTimes(database_, "workload", "printf('2026-01-%02dT00:00:00.000Z', id)");
    SetTimes(database_, "trial", "printf('2026-01-%02dT00:00:00.000Z', id)");
  }

  BankFolder folder_;
  std::filesystem::path database_ = folder_.database();
};

TEST_F(PruneBankTest, WorkloadsTimingsAndProfilesOfOtherVersions) {
  FillVersions();
  KernelVersion kernels = testing::SampleKernels();
  Open()->AddOperatorTimings(kernels, {{testing::SampleTiming(1), testing::SampleTiming(2)}});
  Open()->AddOperatorProfile(kernels, testing::SampleProfile(2));
  kernels.tool_version = "0.3";
  Open()->AddOperatorTimings(kernels, {{testing::SampleTiming(1)}});
  Open()->AddOperatorProfile(kernels, testing::SampleProfile(3));
  const PruneResult result = PruneBank(database_, {.other_than = testing::MeasuredWith(kernels)});
  ASSERT_EQ(result.workloads.size(), 3U);
  EXPECT_EQ(result.workloads[0].workload.tool_version, "0.1");
  EXPECT_EQ(result.timings, 2);
  EXPECT_EQ(result.profiles, 1);
  EXPECT_THAT(Versions(), ElementsAre("0.3"));
  EXPECT_EQ(Open()->OperatorTimings(kernels).size(), 1U);
  EXPECT_THAT(Open()->OperatorTimings(testing::SampleKernels()), IsEmpty());
  EXPECT_EQ(Open()->FindOperatorProfile(kernels, "MatMul", 3), testing::SampleProfile(3));
  EXPECT_EQ(Open()->FindOperatorProfile(testing::SampleKernels(), "MatMul", 2), std::nullopt);
  EXPECT_THAT(VerifyBank(database_).findings, IsEmpty());
}

TEST_F(PruneBankTest, OldWorkloads) {
  FillVersions();
  PruneBank(database_, {.before = "2026-01-03T00:00:00.000Z"});
  EXPECT_THAT(Versions(), ElementsAre("0.3", "other network"));
}

TEST_F(PruneBankTest, AllButTheNewestOfEachNetwork) {
  FillVersions();
  PruneBank(database_, {.keep_newest = 2});
  EXPECT_THAT(Versions(), ElementsAre("0.2", "0.3", "other network"));
}

TEST_F(PruneBankTest, TheNewestStayWhateverElseIsSelected) {
  FillVersions();
  PruneBank(database_, {.before = "2027-01-01T00:00:00.000Z", .keep_newest = 1});
  EXPECT_THAT(Versions(), ElementsAre("0.3", "other network"));
}

TEST_F(PruneBankTest, ADryRunChangesNothing) {
  FillVersions();
  const std::string before = ReadFile(database_);
  const PruneResult result = PruneBank(database_, {.keep_newest = 1, .dry_run = true});
  EXPECT_EQ(result.workloads.size(), 2U);
  EXPECT_EQ(result.bytes_after, result.bytes_before);
  EXPECT_EQ(ReadFile(database_), before);
  EXPECT_EQ(Versions().size(), 4U);
}

TEST_F(PruneBankTest, WhatWasMeasuredAgainUnlessTheNewestFrontNamesIt) {
  Hash128 key;
  const Trial named = WithNumbers(1, 0.5, 0.1);
  {
    const auto store = Open();
    key = store->AddWorkload(SampleWorkload());
    store->AddTrial(key, WithNumbers(1, 0.6, 0.1));  // of the older front
    store->AddFront(FrontOf(key, {WithNumbers(1, 0.6, 0.1)}));
    store->AddTrial(key, named);
    store->AddTrial(key, WithNumbers(2, 0.7, 0.01));
    store->AddFront(FrontOf(key, {named}));
    store->AddTrial(key, WithNumbers(1, 0.55, 0.1));
    store->AddSensitivity(key, {1, 1}, {.other_time = 0.5});
    store->AddSensitivity(key, {1, 1}, {.other_time = 0.25});
    store->AddOperatorTimings(testing::SampleKernels(), {{testing::SampleTiming(1)}});
    store->AddOperatorTimings(testing::SampleKernels(), {{testing::SampleTiming(1)}});
    OperatorProfile older = testing::SampleProfile(2);
    older.calls.pop_back();
    store->AddOperatorProfile(testing::SampleKernels(), older);
    store->AddOperatorProfile(testing::SampleKernels(), testing::SampleProfile(2));
    store->AddOperatorProfile(testing::SampleKernels(), testing::SampleProfile(3));
  }
  const PruneResult result = PruneBank(database_, {.superseded = true});
  EXPECT_EQ(result.fronts, 1);
  EXPECT_EQ(result.trials, 1);
  EXPECT_EQ(result.sensitivities, 1);
  EXPECT_EQ(result.timings, 1);
  EXPECT_EQ(result.profiles, 1);
  const auto store = Open();
  const auto history = store->History(key);
  ASSERT_EQ(history.size(), 3U);
  EXPECT_EQ(history[0].trial, named);
  EXPECT_EQ(store->Fronts(key).size(), 1U);
  EXPECT_EQ(store->FindSensitivity(key, {1, 1})->other_time, 0.25);
  for (const int threads : {2, 3}) {
    EXPECT_EQ(store->FindOperatorProfile(testing::SampleKernels(), "MatMul", threads),
              testing::SampleProfile(threads));
  }
  EXPECT_THAT(VerifyBank(database_).findings, IsEmpty());
  EXPECT_TRUE(PruneBank(database_, {.superseded = true}).nothing());
}

TEST_F(PruneBankTest, WhatTheNewestFrontBeatsBeyondItsIntervals) {
  Hash128 key;
  const Trial member = WithNumbers(1, 0.5, 0.1);
  {
    const auto store = Open();
    key = store->AddWorkload(SampleWorkload());
    store->AddTrial(key, member);
    store->AddTrial(key, WithNumbers(2, 0.6, 0.2));    // beaten
    store->AddTrial(key, WithNumbers(3, 0.515, 0.2));  // perhaps as fast
    store->AddTrial(key, WithNumbers(4, 0.6, 0.05));   // more accurate
    store->AddTrial(key, testing::RejectedTrial(5));
    store->AddFront(FrontOf(key, {member}));
  }
  EXPECT_EQ(PruneBank(database_, {.dominated = true}).trials, 1);
  std::vector<std::uint64_t> left;
  for (const StoredTrial& stored : Open()->Trials(key)) {
    left.push_back(stored.trial.plan_digest.low);
  }
  EXPECT_THAT(left, ElementsAre(1, 3, 4, 5));
}

std::vector<Hash128> KeysOfCalibrations(const std::filesystem::path& database) {
  std::vector<Hash128> keys;
  ReadBank(database, [&](const BankRecord& record) {
    if (const auto* row = std::get_if<CalibrationRow>(&record)) {
      keys.push_back(row->calibration.key);
    }
  });
  return keys;
}

TEST_F(PruneBankTest, CalibrationsOfOtherVersionsAndThoseThatDoNotCount) {
  BankCalibration calibration = testing::SampleCalibration(1);
  const Hash128 key = calibration.key;
  {
    const auto store = Open();
    calibration.cut = "on fewer samples";
    store->AddCalibration(calibration);
    calibration.cut = "";
    store->AddCalibration(calibration);
    store->AddCalibration(testing::SampleCalibration(2));
    calibration.key = {8, 8};
    calibration.kernels.tool_version = "0.2";
    store->AddCalibration(calibration);
  }
  EXPECT_EQ(PruneBank(database_, {.superseded = true, .dry_run = true}).calibrations, 1);
  EXPECT_EQ(PruneBank(database_, {.superseded = true}).calibrations, 1);
  EXPECT_TRUE(Open()->FindCalibration(calibration.model_hash, key)->cut.empty());
  KernelVersion now = testing::SampleKernels();
  now.tool_version = "0.2";
  EXPECT_EQ(PruneBank(database_, {.other_than = testing::MeasuredWith(now)}).calibrations, 2);
  EXPECT_THAT(KeysOfCalibrations(database_), ElementsAre(calibration.key));
  EXPECT_THAT(VerifyBank(database_).findings, IsEmpty());
}

// A network that is still tuned keeps its calibrations.
TEST_F(PruneBankTest, OldCalibrationsGoWithTheLastWorkloadOfTheirNetwork) {
  FillVersions();
  BankCalibration of_other = testing::SampleCalibration(2);
  of_other.model_hash = {9, 9};
  Open()->AddCalibration(testing::SampleCalibration(1));
  Open()->AddCalibration(of_other);
  SetTimes(database_, "calibration", "'2026-01-01T00:00:00.000Z'");
  EXPECT_EQ(PruneBank(database_, {.before = "2026-01-03T00:00:00.000Z"}).calibrations, 0);
  EXPECT_EQ(PruneBank(database_, {.before = "2026-01-04T00:00:00.000Z"}).calibrations, 1);
  EXPECT_THAT(KeysOfCalibrations(database_), ElementsAre(of_other.key));
}

TEST_F(PruneBankTest, TheSpaceIsGivenBack) {
  {
    const auto store = Open();
    const Hash128 key = store->AddWorkload(OfVersion("0.1"));
    for (std::uint64_t i = 0; i < 200; ++i) {
      store->AddTrial(key, MeasuredTrial(i));
    }
    store->AddWorkload(OfVersion("0.2"));
  }
  SetTimes(database_, "workload",
           "CASE id WHEN 2 THEN '2100-01-01T00:00:00.000Z' ELSE recorded_at END");
  const PruneResult result = PruneBank(database_, {.keep_newest = 1});
  EXPECT_LT(result.bytes_after, result.bytes_before / 2);
  EXPECT_EQ(std::filesystem::file_size(database_), result.bytes_after);
}

}  // namespace
}  // namespace halftone
