// Banks as each version wrote them; docs/internals/bank.md says how they are made. Never edited.
#include <gtest/gtest.h>

#include "knowledge_base/bank_export.h"
#include "knowledge_base/bank_records.h"
#include "knowledge_base/checksum.h"
#include "knowledge_base/record_json.h"
#include "knowledge_base/schema.h"
#include "knowledge_base/sqlite_store.h"
#include "knowledge_base/verify_bank.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "tests/knowledge_base/bank_folder.h"
#include "tests/knowledge_base/sample_trials.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using testing::BankFolder;
using testing::MeasuredTrial;
using testing::SampleFront;
using testing::SampleWorkload;

class OldBank : public ::testing::TestWithParam<int> {
 protected:
  OldBank() {
    fs::create_directories(database_.parent_path());
    fs::copy_file(testing::SourceDir() / "tests" / "data" /
                      ("bank_schema_" + std::to_string(GetParam()) + ".db"),
                  database_);
    fs::permissions(database_, fs::perms::owner_write, fs::perm_options::add);
  }

  BankFolder folder_;
  fs::path database_ = folder_.database();
};

// What banks of the version hold in place of SampleWorkload() and SampleKernels().
Workload WorkloadOfThen(int schema) {
  Workload workload = SampleWorkload();
  if (schema < 11) {  // which did not name them
    workload.operators.clear();
  }
  if (schema < 12) {  // nor this
    workload.cpu.clear();
  }
  return workload;
}

KernelVersion KernelsOfThen(int schema) {
  KernelVersion kernels = testing::SampleKernels();
  if (schema < 12) {
    kernels.cpu.clear();
  }
  return kernels;
}

OperatorTiming TimingOfThen(int schema, int number) {
  OperatorTiming timing = testing::SampleTiming(number);
  if (schema < 13) {  // which did not name them
    timing.compared.clear();
  }
  return timing;
}

TEST_P(OldBank, IsReadInWhole) {
  const auto store = OpenSqliteStore(database_, OpenMode::kReadWrite);
  const auto workloads = store->Workloads();
  ASSERT_EQ(workloads.size(), 1U);
  EXPECT_EQ(workloads[0].workload, WorkloadOfThen(GetParam()));
  const auto trials = store->Trials(workloads[0].key);
  ASSERT_EQ(trials.size(), 3U);
  Trial measured = MeasuredTrial(1);
  if (GetParam() < 6) {  // which did not know it
    std::get<Measurement>(measured.outcome).latency.other_cores.reset();
  }
  if (GetParam() < 7) {  // likewise
    for (MetricValue& metric : std::get<Measurement>(measured.outcome).accuracy.metrics) {
      metric.values.clear();
    }
  }
  EXPECT_EQ(trials[0].trial, measured);
  EXPECT_EQ(trials[1].trial, testing::RejectedTrial(2));
  EXPECT_EQ(trials[2].trial, testing::UnresolvedTrial());
  const auto fronts = store->Fronts(workloads[0].key);
  ASSERT_EQ(fronts.size(), 1U);
  // Invented: what made the files did not check them.
  std::vector<FrontMember> expected = {{.plan_digest = {100, 2}, .measurement_hash = Hash128{7, 8}},
                                       {.plan_digest = {100, 1}, .measurement_hash = {}}};
  if (GetParam() == 1) {  // which did not know measurements
    expected[0].measurement_hash.reset();
  }
  if (GetParam() >= 8) {  // which stores no front of trials that it does not have
    expected = {{.plan_digest = {100, 1},
                 .measurement_hash = MeasurementHashOf(MeasuredTrial(1)),
                 .trial_id = trials[0].id}};
  }
  EXPECT_EQ(fronts[0].members, expected);
  Constraints bounds = SampleFront({}).constraints;
  if (GetParam() < 5) {  // which did not know this one
    bounds.max_rel_l2.reset();
  }
  if (GetParam() < 10) {  // nor these this one
    bounds.min_agreement.reset();
  }
  if (GetParam() < 14) {  // nor these that
    bounds.max_rel_l2_share.reset();
  }
  if (GetParam() < 15) {  // nor these a bound on the user's metric
    bounds.min_metric.reset();
  }
  EXPECT_EQ(fronts[0].constraints, bounds);
  const auto timings = store->OperatorTimings(KernelsOfThen(GetParam()));
  ASSERT_EQ(timings.size(), GetParam() < 3 ? 0U : 2U) << "schema 3 brought them";
  for (std::size_t i = 0; i < timings.size(); ++i) {
    EXPECT_EQ(timings[i].timing, TimingOfThen(GetParam(), static_cast<int>(i) + 1));
  }
  const auto profile = store->FindOperatorProfile(KernelsOfThen(GetParam()), "MatMul", 2);
  EXPECT_EQ(profile, GetParam() < 13 ? std::nullopt : std::optional(testing::SampleProfile(2)));
  const BankCalibration calibration = testing::SampleCalibration(2);
  EXPECT_EQ(store->FindCalibration(calibration.model_hash, calibration.key),
            GetParam() < 18 ? std::nullopt : std::optional(calibration));
}

// An old bank takes what the new schemas are for.
// What the probes of then recorded.
Sensitivity WithoutEvidence() {
  Sensitivity sensitivity = testing::SampleSensitivity();
  sensitivity.weights = {0.5, 0.5};
  for (GroupSensitivity& group : sensitivity.groups) {
    for (auto& [format, of_format] : group.formats) {
      of_format.rounding = {};
    }
    group.largest_sample = 0;
    group.longest_sum = 1;
    for (ChoiceSensitivity& choice : group.choices) {
      choice.not_finite = false;
    }
  }
  return sensitivity;
}

TEST_P(OldBank, TakesTimingsProfilesAndSensitivities) {
  const auto store = OpenSqliteStore(database_, OpenMode::kReadWrite);
  const OperatorTiming timing[] = {testing::SampleTiming(8)};
  store->AddOperatorTimings(testing::SampleKernels(), timing);
  EXPECT_EQ(store->OperatorTimings(testing::SampleKernels()).back().timing, timing[0]);
  store->AddOperatorProfile(testing::SampleKernels(), testing::SampleProfile(7));
  EXPECT_EQ(store->FindOperatorProfile(testing::SampleKernels(), "MatMul", 7),
            testing::SampleProfile(7));
  const Hash128 key = KeyOf(WorkloadOfThen(GetParam()));
  const auto stored = store->FindSensitivity(key, {4, 4});
  const Sensitivity sensitivity = GetParam() < 6 ? WithoutEvidence() : testing::SampleSensitivity();
  EXPECT_EQ(stored, GetParam() < 4 ? std::nullopt : std::optional(sensitivity));
  store->AddSensitivity(key, {4, 4}, {.other_time = 0.5});
  EXPECT_EQ(store->FindSensitivity(key, {4, 4})->other_time, 0.5);
  Workload with_choices = WorkloadOfThen(GetParam());
  with_choices.kernel_choices = {7, 7};
  EXPECT_NE(store->AddWorkload(with_choices), key);
  ASSERT_EQ(store->Workloads().size(), 2U);
  EXPECT_EQ(store->Workloads()[1].workload, with_choices);
}

// What an unknown CPU measured is kept, and is no measurement of this one.
TEST_P(OldBank, LatenciesOfAnUnknownCpuAreNotThoseOfThisOne) {
  const auto store = OpenSqliteStore(database_, OpenMode::kReadWrite);
  const Hash128 then = KeyOf(WorkloadOfThen(GetParam()));
  const Hash128 now = store->AddWorkload(SampleWorkload());
  EXPECT_EQ(now == then, GetParam() >= 12);
  EXPECT_EQ(store->Trials(now).empty(), GetParam() < 12);
  EXPECT_EQ(store->Trials(then).size(), 3U);
  EXPECT_EQ(store->OperatorTimings(testing::SampleKernels()).empty(), GetParam() < 12);
}

// `halftone run` refused a bank until `tune` had been there to upgrade it.
TEST_P(OldBank, IsReadWithoutAChange) {
  const std::string before = ReadFile(database_);
  {
    const auto store = OpenSqliteStore(database_, OpenMode::kReadOnly);
    const auto workloads = store->Workloads();
    ASSERT_EQ(workloads.size(), 1U);
    EXPECT_EQ(store->Trials(workloads[0].key).size(), 3U);
    EXPECT_EQ(store->Fronts(workloads[0].key).size(), 1U);
    EXPECT_THROW(store->AddTrial(workloads[0].key, testing::UnresolvedTrial()), Error);
  }
  EXPECT_EQ(VerifyBank(database_).records[1], 3);
  EXPECT_EQ(ReadFile(database_), before);
}

// An upgrade gives the tables of today, of which every row stands up to its checksum but for the
// members that were invented.
TEST_P(OldBank, IsUpgradedWhenItIsOpenedForWriting) {
  OpenSqliteStore(database_, OpenMode::kReadWrite);
  const BankCheck check = VerifyBank(database_);
  EXPECT_EQ(check.records[1], 3);
  for (const std::string& finding : check.findings) {
    EXPECT_TRUE(finding.starts_with("front 1 names plan ")) << finding;
  }
}

// What an upgraded bank holds goes into a new one and back.
TEST_P(OldBank, IsMergedIntoANewBank) {
  OpenSqliteStore(database_, OpenMode::kReadWrite);
  const fs::path other = folder_.path() / "other.db";
  const AddedRecords result =
      AddToBank(other, [&](const RecordVisitor& visit) { ReadBank(database_, visit); });
  EXPECT_EQ(result.added, (std::array<std::int64_t, kRecordKinds>{
                              1, 3, 1, GetParam() < 4 ? 0 : 1, GetParam() < 3 ? 0 : 2,
                              GetParam() < 13 ? 0 : 1, GetParam() < 18 ? 0 : 1}));
  const auto text = [](const fs::path& bank) {
    std::string lines;
    ReadBank(bank, [&](const BankRecord& record) { lines += RecordToJson(record) + "\n"; });
    return lines;
  };
  EXPECT_EQ(text(other), text(database_));
}

INSTANTIATE_TEST_SUITE_P(Schemas, OldBank, ::testing::Range(1, SchemaVersion() + 1),
                         [](const auto& param) { return std::to_string(param.param); });

}  // namespace
}  // namespace halftone
