// What every store promises (knowledge_base/store.h): one suite over memory and SQLite.
#include "knowledge_base/store.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knowledge_base/checksum.h"
#include "knowledge_base/front_trials.h"
#include "knowledge_base/sqlite_store.h"
#include "src/base/error.h"
#include "tests/knowledge_base/sample_trials.h"

namespace halftone {
namespace {

using testing::MeasuredTrial;
using testing::RejectedTrial;
using testing::SampleFront;
using testing::SampleKernels;
using testing::SampleProfile;
using testing::SampleSensitivity;
using testing::SampleTiming;
using testing::SampleWorkload;
using testing::UnresolvedTrial;

enum class Kind { kMemory, kSqlite, kSqliteReopened };

class StoreConformance : public ::testing::TestWithParam<Kind> {
 protected:
  StoreConformance() {
    std::filesystem::remove_all(folder_);
    if (GetParam() == Kind::kMemory) {
      store_ = MakeMemoryStore();
    } else {
      Open();
    }
  }

  ~StoreConformance() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  // Called between writing and reading: one row of the suite closes and opens the file here.
  void Reopen() {
    if (GetParam() == Kind::kSqliteReopened) {
      Open();
    }
  }

  std::unique_ptr<TrialStore> store_;

 private:
  void Open() {
    store_.reset();
    store_ = OpenSqliteStore(DatabasePath(folder_, "host"), OpenMode::kReadWrite);
  }

  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / "halftone_store_conformance";
};

TEST_P(StoreConformance, KeepsEveryFieldOfATrial) {
  const Hash128 key = store_->AddWorkload(SampleWorkload());
  const std::vector<Trial> trials = {MeasuredTrial(1), RejectedTrial(2), UnresolvedTrial()};
  for (const Trial& trial : trials) {
    store_->AddTrial(key, trial);
  }
  Reopen();
  const auto stored = store_->Trials(key);
  ASSERT_EQ(stored.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(stored[i].trial, trials[i]);
    EXPECT_GT(stored[i].id, i == 0 ? 0 : stored[i - 1].id);
    EXPECT_EQ(stored[i].recorded_at.size(), std::string("2026-01-01T00:00:00.000Z").size());
    EXPECT_EQ(stored[i].recorded_at.back(), 'Z');
  }
}

TEST_P(StoreConformance, KeepsThatATrialWasRaced) {
  const Hash128 key = store_->AddWorkload(SampleWorkload());
  Trial raced = MeasuredTrial(2);
  std::get<Measurement>(raced.outcome).latency.raced = true;
  store_->AddTrial(key, raced);
  Reopen();
  const auto stored = store_->Trials(key);
  ASSERT_EQ(stored.size(), 1U);
  EXPECT_EQ(stored[0].trial, raced);
}

TEST_P(StoreConformance, TheNewestTrialOfAPlanCounts) {
  const Hash128 key = store_->AddWorkload(SampleWorkload());
  Trial confirmed = MeasuredTrial(2);
  std::get<Measurement>(confirmed.outcome).confirmed = true;
  std::get<Measurement>(confirmed.outcome).latency.raced = false;
  for (const Trial& trial :
       {MeasuredTrial(2), MeasuredTrial(4), UnresolvedTrial(), confirmed, UnresolvedTrial()}) {
    store_->AddTrial(key, trial);
  }
  Reopen();
  const auto stored = store_->Trials(key);
  ASSERT_EQ(stored.size(), 3U);
  EXPECT_EQ(stored[0].trial, MeasuredTrial(4)) << "oldest first";
  EXPECT_EQ(stored[1].trial, confirmed);
  EXPECT_EQ(stored[2].trial, UnresolvedTrial());
  EXPECT_EQ(store_->Workloads()[0].trials, 3);
  EXPECT_EQ(store_->Workloads()[0].records, 5) << "older measurements are kept";
}

TEST_P(StoreConformance, KeepsEveryFieldOfAFront) {
  const Hash128 key = store_->AddWorkload(SampleWorkload());
  StoredFront first = SampleFront(key, {MeasuredTrial(2), MeasuredTrial(1)});
  first.members[1].trial_id = store_->AddTrial(key, MeasuredTrial(1));
  first.members[0].trial_id = store_->AddTrial(key, MeasuredTrial(2));
  StoredFront second;
  second.workload_key = key;
  second.strategy = "random";
  store_->AddFront(first);
  store_->AddFront(second);
  Reopen();
  const auto fronts = store_->Fronts(key);
  ASSERT_EQ(fronts.size(), 2U);
  EXPECT_GT(fronts[0].id, fronts[1].id) << "the newest first";
  for (StoredFront front : fronts) {
    const StoredFront& expected = front.strategy == "greedy" ? first : second;
    EXPECT_FALSE(front.recorded_at.empty());
    front.id = expected.id;
    front.recorded_at = expected.recorded_at;
    EXPECT_EQ(front, expected);
  }
}

// Two runs measure the same plan on one bank; each front keeps the numbers of its own run.
TEST_P(StoreConformance, AFrontRefersToTheMeasurementsItWasMadeOf) {
  const Hash128 key = store_->AddWorkload(SampleWorkload());
  const Trial here = MeasuredTrial(1);
  Trial there = MeasuredTrial(1);
  std::get<Measurement>(there.outcome).latency.ratio = 0.75;
  Trial proposed_otherwise = here;
  proposed_otherwise.candidate.options.keep_dtype.clear();
  StoredFront front = SampleFront(key);
  const std::int64_t first = store_->AddTrial(key, here);
  const std::int64_t second = store_->AddTrial(key, there);
  store_->AddTrial(key, RejectedTrial(1));
  front.members = {{here.plan_digest, MeasurementHashOf(proposed_otherwise)},
                   {there.plan_digest, MeasurementHashOf(there)},
                   {here.plan_digest, std::nullopt},
                   {.plan_digest = here.plan_digest, .trial_id = first}};
  store_->AddFront(front);
  Reopen();
  const auto history = store_->History(key);
  const auto members = store_->Fronts(key).at(0).members;
  ASSERT_EQ(members.size(), 4U);
  const FrontMember of_here{here.plan_digest, MeasurementHashOf(here), first};
  const FrontMember of_there{there.plan_digest, MeasurementHashOf(there), second};
  EXPECT_EQ(members[0], of_here);
  EXPECT_EQ(members[1], of_there);
  EXPECT_EQ(members[2], of_there) << "the newest measured one";
  EXPECT_EQ(members[3], of_here) << "the row says what the measurement is";
  EXPECT_EQ(FindMember(history, of_here)->trial, here);
  EXPECT_EQ(FindMember(history, {here.plan_digest, MeasurementHashOf(here), second}), nullptr);
  EXPECT_EQ(FindMember(history, {here.plan_digest, Hash128{1, 1}}), nullptr)
      << "another measurement is not it";
}

// A member whose measurement no row has: such a bank could not be loaded.
TEST_P(StoreConformance, AFrontOfTrialsThatAreNotThereIsNotStored) {
  const Hash128 key = store_->AddWorkload(SampleWorkload());
  const std::int64_t row = store_->AddTrial(key, MeasuredTrial(1));
  Trial refilled = MeasuredTrial(1);
  std::get<Measurement>(refilled.outcome).peak_arena_bytes = 1;
  EXPECT_THROW(store_->AddFront(SampleFront(key, {refilled})), Error);
  StoredFront front = SampleFront(key, {MeasuredTrial(1)});
  front.members[0].trial_id = row + 100;
  EXPECT_THROW(store_->AddFront(front), Error);
  const Hash128 other = store_->AddWorkload({.model_name = "other"});
  front.members[0].trial_id = row;
  front.workload_key = other;
  EXPECT_THROW(store_->AddFront(front), Error) << "a row of another workload";
  EXPECT_TRUE(store_->Fronts(key).empty());
  EXPECT_TRUE(store_->Fronts(other).empty());
}

// Another process may prune the rows between the measurement and the front.
TEST_P(StoreConformance, TrialsOfAFrontThatAreGoneAreStoredAgain) {
  const Hash128 key = store_->AddWorkload(SampleWorkload());
  const std::int64_t row = store_->AddTrial(key, MeasuredTrial(1));
  StoredFront front = SampleFront(key, {MeasuredTrial(1), MeasuredTrial(3)});
  front.members[0].trial_id = row;
  front.members[1].trial_id = row + 100;
  const std::vector<Trial> trials = {MeasuredTrial(1), MeasuredTrial(3)};
  store_->AddFront(front, trials);
  Reopen();
  const auto history = store_->History(key);
  const auto members = store_->Fronts(key).at(0).members;
  ASSERT_EQ(history.size(), 2U);
  EXPECT_EQ(members[0].trial_id, row);
  EXPECT_EQ(FindMember(history, members[1])->trial, MeasuredTrial(3));
}

TEST_P(StoreConformance, KeepsEveryFieldOfAnOperatorTiming) {
  const OperatorTiming timings[] = {SampleTiming(2), SampleTiming(1)};
  store_->AddOperatorTimings(SampleKernels(), timings);
  Reopen();
  const auto stored = store_->OperatorTimings(SampleKernels());
  ASSERT_EQ(stored.size(), 2U);
  EXPECT_EQ(stored[0].timing, SampleTiming(1)) << "by signature";
  EXPECT_EQ(stored[1].timing, SampleTiming(2));
  EXPECT_EQ(stored[0].recorded_at.back(), 'Z');
}

TEST_P(StoreConformance, TheNewestTimingOfAnOperatorCounts) {
  OperatorTiming again = SampleTiming(2);
  again.kernel = again.static_kernel;
  OperatorTiming network = SampleTiming(4);
  network.signature = "network 1234: a whole one; 1 thread";
  const OperatorTiming first[] = {SampleTiming(1), SampleTiming(2), SampleTiming(4), network};
  const OperatorTiming second[] = {again};
  store_->AddOperatorTimings(SampleKernels(), first);
  store_->AddOperatorTimings(SampleKernels(), second);
  Reopen();
  const auto stored = store_->OperatorTimings(SampleKernels());
  ASSERT_EQ(stored.size(), 4U);
  EXPECT_EQ(stored[1].timing, again);
  const auto summaries = store_->OperatorTimingSummaries();
  ASSERT_EQ(summaries.size(), 1U);
  EXPECT_EQ(summaries[0].kernels, SampleKernels());
  EXPECT_EQ(summaries[0].operators, 3);
  EXPECT_EQ(summaries[0].tuned, 1) << "4; 2 is back to the static order";
  EXPECT_EQ(summaries[0].networks, 1);
}

// Of another instruction set, kernel table, tool or CPU: measured again.
TEST_P(StoreConformance, TimingsOfOtherKernelsAreApart) {
  std::vector<KernelVersion> versions(5, SampleKernels());
  versions[1].isa = "avx2";
  versions[2].kernel_table_hash = {5, 7};
  versions[3].tool_version = "0.2.0";
  versions[4].cpu = "Intel(R) Xeon(R) Processor (GenuineIntel 6.143)";
  for (int i = 0; i < 5; ++i) {
    OperatorTiming timing = SampleTiming(2);
    timing.rounds = i;
    store_->AddOperatorTimings(versions[static_cast<std::size_t>(i)], {{timing}});
  }
  Reopen();
  const auto summaries = store_->OperatorTimingSummaries();
  ASSERT_EQ(summaries.size(), 5U);
  for (int i = 0; i < 5; ++i) {
    const auto& version = versions[static_cast<std::size_t>(i)];
    EXPECT_EQ(summaries[static_cast<std::size_t>(i)].kernels, version);
    const auto stored = store_->OperatorTimings(version);
    ASSERT_EQ(stored.size(), 1U);
    EXPECT_EQ(stored[0].timing.rounds, i);
  }
}

TEST_P(StoreConformance, TheNewestProfileOfAnOperatorCounts) {
  OperatorProfile older = SampleProfile(2);
  older.calls.pop_back();
  store_->AddOperatorProfile(SampleKernels(), older);
  store_->AddOperatorProfile(SampleKernels(), SampleProfile(3));
  store_->AddOperatorProfile(SampleKernels(), SampleProfile(2));
  KernelVersion other = SampleKernels();
  other.kernel_table_hash = {5, 7};
  store_->AddOperatorProfile(other, older);
  Reopen();
  EXPECT_EQ(store_->FindOperatorProfile(SampleKernels(), "MatMul", 2), SampleProfile(2));
  EXPECT_EQ(store_->FindOperatorProfile(SampleKernels(), "MatMul", 3), SampleProfile(3));
  EXPECT_EQ(store_->FindOperatorProfile(other, "MatMul", 2), older);
  const auto summaries = store_->OperatorProfileSummaries();
  ASSERT_EQ(summaries.size(), 3U);
  EXPECT_EQ(summaries[0].threads, 3) << "oldest first";
  EXPECT_EQ(summaries[1].op, "MatMul");
  EXPECT_EQ(summaries[1].calls, 3);
  EXPECT_EQ(summaries[1].recorded_at.back(), 'Z');
  EXPECT_EQ(summaries[2].kernels, other);
}

TEST_P(StoreConformance, ProfilesOfOtherKernelsOperatorsAndThreadsAreApart) {
  store_->AddOperatorProfile(SampleKernels(), SampleProfile(2));
  Reopen();
  std::vector<KernelVersion> versions(4, SampleKernels());
  versions[0].isa = "avx2";
  versions[1].kernel_table_hash = {5, 7};
  versions[2].tool_version = "0.2.0";
  versions[3].cpu.clear();
  for (const KernelVersion& version : versions) {
    EXPECT_EQ(store_->FindOperatorProfile(version, "MatMul", 2), std::nullopt);
  }
  EXPECT_EQ(store_->FindOperatorProfile(SampleKernels(), "Conv", 2), std::nullopt);
  EXPECT_EQ(store_->FindOperatorProfile(SampleKernels(), "MatMul", 1), std::nullopt);
}

TEST_P(StoreConformance, RefusesProfilesWithAFlaw) {
  std::vector<OperatorProfile> flawed(6, SampleProfile(2));
  flawed[0].op.clear();
  flawed[1].threads = 0;
  flawed[2].calls[1].shape.sizes.pop_back();
  flawed[3].calls[0].seconds["matmul.f32.highway"] = 0;
  flawed[4].calls[0].shape.sizes[0] = INFINITY;
  flawed[5].calls[0].seconds.clear();
  for (const OperatorProfile& profile : flawed) {
    EXPECT_THROW(store_->AddOperatorProfile(SampleKernels(), profile), Error);
  }
  EXPECT_TRUE(store_->OperatorProfileSummaries().empty());
}

TEST_P(StoreConformance, TheNewestWholeCalibrationOfAKeyCounts) {
  BankCalibration first = testing::SampleCalibration(1);
  first.cut = "on 1 sample";
  first.had_s = 2.5;
  store_->AddCalibration(first);
  store_->AddCalibration(testing::SampleCalibration(2));
  Reopen();
  EXPECT_EQ(store_->FindCalibration(first.model_hash, first.key), first);
  store_->AddCalibration(testing::SampleCalibration(1));
  store_->AddCalibration(first);
  Reopen();
  EXPECT_EQ(store_->FindCalibration(first.model_hash, first.key), testing::SampleCalibration(1));
  EXPECT_EQ(store_->FindCalibration({1, 1}, first.key), std::nullopt);
  EXPECT_EQ(store_->FindCalibration(first.model_hash, {1, 1}), std::nullopt);
  const auto summaries = store_->CalibrationSummaries();
  ASSERT_EQ(summaries.size(), 2U);
  EXPECT_EQ(summaries[0].model_hash, first.model_hash);
  EXPECT_EQ(summaries[0].kernels, first.kernels);
  EXPECT_GT(summaries[0].bytes, 0);
}

TEST_P(StoreConformance, RefusesCalibrationsWithAFlaw) {
  std::vector<BankCalibration> flawed(3, testing::SampleCalibration(1));
  flawed[0].quantization.clear();
  flawed[1].had_s = -1;
  flawed[2].had_s = INFINITY;
  for (const BankCalibration& calibration : flawed) {
    EXPECT_THROW(store_->AddCalibration(calibration), Error);
  }
  EXPECT_TRUE(store_->CalibrationSummaries().empty());
}

TEST_P(StoreConformance, AKernelChoiceIsPartOfTheWorkload) {
  Workload with_choices = SampleWorkload();
  with_choices.kernel_choices = {1, 2};
  const Hash128 without = store_->AddWorkload(SampleWorkload());
  const Hash128 with = store_->AddWorkload(with_choices);
  EXPECT_NE(with, without);
  store_->AddTrial(with, MeasuredTrial(1));
  Reopen();
  EXPECT_TRUE(store_->Trials(without).empty());
  EXPECT_EQ(store_->Trials(with).size(), 1U);
  EXPECT_EQ(store_->Workloads().at(1).workload, with_choices);
}

TEST_P(StoreConformance, WorkloadsAreApartAndAddedOnce) {
  Workload other = SampleWorkload();
  other.threads = 2;
  const Hash128 first = store_->AddWorkload(SampleWorkload());
  const Hash128 second = store_->AddWorkload(other);
  Workload renamed = SampleWorkload();
  renamed.model_name = "another name";
  EXPECT_EQ(store_->AddWorkload(renamed), first) << "the name is not part of the key";
  EXPECT_NE(first, second);
  store_->AddTrial(second, MeasuredTrial(1));
  Reopen();
  EXPECT_TRUE(store_->Trials(first).empty());
  EXPECT_EQ(store_->Trials(second).size(), 1U);
  const auto workloads = store_->Workloads();
  ASSERT_EQ(workloads.size(), 2U);
  EXPECT_EQ(workloads[0].workload, SampleWorkload());
  EXPECT_EQ(workloads[1].workload, other);
  EXPECT_EQ(workloads[1].key, second);
  EXPECT_EQ(workloads[1].trials, 1);
  EXPECT_EQ(workloads[1].fronts, 0);
  EXPECT_FALSE(workloads[0].last_recorded_at.empty());
}

TEST_P(StoreConformance, UnknownWorkload) {
  EXPECT_TRUE(store_->Trials({7, 7}).empty());
  EXPECT_TRUE(store_->Fronts({7, 7}).empty());
  EXPECT_TRUE(store_->Workloads().empty());
  EXPECT_THROW(store_->AddTrial({7, 7}, MeasuredTrial(1)), Error);
  EXPECT_THROW(store_->AddFront(SampleFront({7, 7})), Error);
}

TEST_P(StoreConformance, RefusesNumbersThatAreNotFinite) {
  const Hash128 key = store_->AddWorkload(SampleWorkload());
  Trial trial = MeasuredTrial(1);
  std::get<Measurement>(trial.outcome).accuracy.metrics[0].mean = std::nan("");
  EXPECT_THROW(store_->AddTrial(key, trial), Error);
  StoredFront front = SampleFront(key);
  front.chosen = 2;
  EXPECT_THROW(store_->AddFront(front), Error);
  EXPECT_TRUE(store_->Trials(key).empty());
  OperatorTiming timing = SampleTiming(2);
  timing.ratio_interval.high = INFINITY;
  EXPECT_THROW(store_->AddOperatorTimings(SampleKernels(), {{SampleTiming(1), timing}}), Error);
  EXPECT_THROW(
      store_->AddVersionedTimings({{{.kernels = {.isa = "avx2"}, .timing = SampleTiming(1)},
                                    {.kernels = SampleKernels(), .timing = timing}}}),
      Error);
  EXPECT_TRUE(store_->OperatorTimingSummaries().empty()) << "all or none";
}

TEST_P(StoreConformance, SensitivitiesComeBackTheNewestFirst) {
  const Hash128 key = store_->AddWorkload(SampleWorkload());
  const Hash128 decisions{1, 2};
  EXPECT_EQ(store_->FindSensitivity(key, decisions), std::nullopt);
  store_->AddSensitivity(key, decisions, {.other_time = 0.5});
  store_->AddSensitivity(key, decisions, SampleSensitivity());
  store_->AddSensitivity(key, {1, 3}, {.other_time = 0.25});
  Reopen();
  EXPECT_EQ(store_->FindSensitivity(key, decisions), SampleSensitivity());
  EXPECT_EQ(store_->FindSensitivity(key, {1, 3})->other_time, 0.25);
  EXPECT_EQ(store_->FindSensitivity({9, 9}, decisions), std::nullopt);
  EXPECT_THROW(store_->AddSensitivity({9, 9}, decisions, {}), Error);
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreConformance,
                         ::testing::Values(Kind::kMemory, Kind::kSqlite, Kind::kSqliteReopened),
                         [](const auto& param) {
                           return param.param == Kind::kMemory   ? "memory"
                                  : param.param == Kind::kSqlite ? "sqlite"
                                                                 : "sqlite_reopened";
                         });

}  // namespace
}  // namespace halftone
