// Exports of older programs, and records that cannot be read: the rest is taken, and it is said.
#include "knowledge_base/bank_export.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "knowledge_base/checksum.h"
#include "knowledge_base/sqlite_store.h"
#include "knowledge_base/verify_bank.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "tests/knowledge_base/bank_folder.h"
#include "tests/knowledge_base/sample_trials.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::BankFolder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MeasuredTrial;
using testing::SampleWorkload;
using Counts = std::array<std::int64_t, kRecordKinds>;

constexpr const char* kTime = "2026-01-01T00:00:00.000Z";

struct Imported {
  AddedRecords records;
  ExportLosses losses;
};

Imported Import(const std::string& text, const fs::path& into) {
  Imported imported;
  imported.records = AddToBank(into, [&](const RecordVisitor& visit) {
    ExportReader reader;
    for (const std::string_view line : Split(text, '\n')) {
      if (line.empty()) {
        continue;
      }
      if (const auto record = reader.Read(line)) {
        visit(*record);
      }
    }
    reader.Finish();
    imported.losses = reader.losses();
  });
  return imported;
}

// What a program of that time exported of the samples (tests/knowledge_base/sample_trials.h).
struct OldExport {
  int schema;  // of its bank
  Counts added;
  Counts left_out;
  const char* first;  // of what is left out
};

const OldExport kOldExports[] = {
    // The fronts of the samples named measurements that were never stored, until schema 8; the
    // sensitivities of this hour were of a form of their own.
    {4,
     {1, 3, 0, 0, 2, 0, 0},
     {0, 0, 1, 1, 0, 0, 0},
     "line 6: it names plan 00000000000000640000000000000002, of which the export holds no "
     "measurement"},
    {5,
     {1, 3, 0, 1, 2, 0, 0},
     {0, 0, 1, 0, 0, 0, 0},
     "line 6: it names plan 00000000000000640000000000000002, of which the export holds no "
     "measurement"},
    {7,
     {1, 3, 0, 1, 2, 0, 0},
     {0, 0, 1, 0, 0, 0, 0},
     "line 6: it names plan 00000000000000640000000000000002, of which the export holds no "
     "measurement"},
    {11, {1, 3, 1, 1, 2, 0, 0}, {}, ""},
    {18, {1, 3, 1, 1, 2, 1, 1}, {}, ""},
};

class OldExportTest : public ::testing::TestWithParam<OldExport> {
 protected:
  OldExportTest() {
    if (schema_ < 11) {  // which did not name them
      workload_.operators.clear();
    }
    if (schema_ < 12) {  // nor this
      workload_.cpu.clear();
      kernels_.cpu.clear();
    }
  }

  int schema_ = GetParam().schema;
  std::string text_ = ReadFile(testing::SourceDir() /
                               fmt::format("tests/data/bank_exports/schema_{}.jsonl", schema_));
  Workload workload_ = SampleWorkload();  // as of then
  KernelVersion kernels_ = testing::SampleKernels();
  BankFolder folder_;
  fs::path database_ = folder_.database();
};

TEST_P(OldExportTest, IsAddedOnceAndVerifies) {
  const Imported first = Import(text_, database_);
  EXPECT_EQ(first.records.added, GetParam().added);
  EXPECT_EQ(first.losses.left_out, GetParam().left_out);
  EXPECT_EQ(first.losses.first, GetParam().first);
  EXPECT_EQ(first.losses.mended_fronts, 0);
  const BankCheck check = VerifyBank(database_);
  EXPECT_THAT(check.findings, IsEmpty());
  EXPECT_EQ(check.records, GetParam().added);
  EXPECT_EQ(Import(text_, database_).records.added, Counts{});
}

TEST_P(OldExportTest, IsReadAsItWasMeant) {
  Import(text_, database_);
  const auto store = OpenSqliteStore(database_, OpenMode::kReadOnly);
  const auto workloads = store->Workloads();
  ASSERT_EQ(workloads.size(), 1U);
  EXPECT_EQ(workloads[0].workload, workload_);
  const Hash128 key = workloads[0].key;
  const auto trials = store->Trials(key);
  ASSERT_EQ(trials.size(), 3U);
  Trial measured = MeasuredTrial(1);
  Measurement& measurement = std::get<Measurement>(measured.outcome);
  if (schema_ < 6) {  // which did not know it
    measurement.latency.other_cores.reset();
  }
  if (schema_ < 7) {  // likewise
    measurement.accuracy.metrics[0].values.clear();
  }
  EXPECT_EQ(trials[0].trial, measured);
  EXPECT_EQ(trials[1].trial, testing::RejectedTrial(2));
  EXPECT_EQ(trials[2].trial, testing::UnresolvedTrial());
  const auto timings = store->OperatorTimings(kernels_);
  ASSERT_EQ(timings.size(), 2U);
  OperatorTiming tuned = testing::SampleTiming(2);
  if (schema_ < 13) {  // which did not name them
    tuned.compared.clear();
  }
  EXPECT_EQ(timings[0].timing, testing::SampleTiming(1));
  EXPECT_EQ(timings[1].timing, tuned);
}

TEST_P(OldExportTest, ItsSensitivityIsRead) {
  Import(text_, database_);
  const Hash128 key = KeyOf(workload_);
  const auto found = OpenSqliteStore(database_, OpenMode::kReadOnly)->FindSensitivity(key, {4, 4});
  ASSERT_EQ(found.has_value(), GetParam().added[3] == 1);
  if (!found) {
    return;
  }
  Sensitivity then = testing::SampleSensitivity();
  if (schema_ < 7) {  // which knew equal weights only
    then.weights = {0.5, 0.5};
  }
  EXPECT_EQ(*found, then);
}

TEST_P(OldExportTest, ItsFrontLeadsToItsTrials) {
  Import(text_, database_);
  const auto store = OpenSqliteStore(database_, OpenMode::kReadOnly);
  const auto fronts = store->Fronts(KeyOf(workload_));
  ASSERT_EQ(std::ssize(fronts), GetParam().added[2]);
  if (fronts.empty()) {
    return;
  }
  Constraints bounds = testing::SampleFront({}).constraints;
  if (schema_ < 14) {  // which did not know these
    bounds.max_rel_l2_share.reset();
    bounds.min_metric.reset();
  }
  EXPECT_EQ(fronts[0].constraints, bounds);
  const FrontMember member = {.plan_digest = {100, 1},
                              .measurement_hash = MeasurementHashOf(MeasuredTrial(1)),
                              .trial_id = store->Trials(KeyOf(workload_))[0].id};
  EXPECT_EQ(fronts[0].members, std::vector{member});
}

TEST_P(OldExportTest, AChangedNumberIsNoticed) {
  for (const auto& [from, to] :
       {std::pair("0.1,0.2,0.3", "0.1,0.2,0.4"), std::pair("\"rounds\":41", "\"rounds\":42"),
        std::pair("\"keep_dtype\":[\"conv", "\"keep_dtype\":[\"cons")}) {
    std::string changed = text_;
    ASSERT_NE(changed.find(from), std::string::npos) << from;
    changed.replace(changed.find(from), std::string_view(from).size(), to);
    try {
      Import(changed, database_);
      ADD_FAILURE() << from;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("the record does not match its checksum"));
    }
  }
  EXPECT_TRUE(OpenSqliteStore(database_, OpenMode::kReadWrite)->Workloads().empty());
}

INSTANTIATE_TEST_SUITE_P(Schemas, OldExportTest, ::testing::ValuesIn(kOldExports),
                         [](const auto& row) { return std::to_string(row.param.schema); });

class BankExportTest : public ::testing::Test {
 protected:
  void Add(const BankRecord& record) { lines_.push_back(json::parse(RecordToJson(record))); }

  void AddTrial(const Trial& trial) { Add(TrialRecord{KeyOf(SampleWorkload()), kTime, trial}); }

  void AddFront(const std::vector<Trial>& members) {
    StoredFront front = testing::SampleFront(KeyOf(SampleWorkload()), members);
    front.recorded_at = kTime;
    Add(FrontRecord{front});
  }

  [[nodiscard]] std::string Text() const {
    std::string text = ExportHeader() + "\n";
    for (const json& line : lines_) {
      text += line.dump() + "\n";
    }
    return text + ExportEnd(std::ssize(lines_)) + "\n";
  }

  std::string ErrorOfImport() {
    try {
      Import(Text(), database_);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kDatabase) << error.what();
      return error.what();
    }
    return "no error";
  }

  BankFolder folder_;
  fs::path database_ = folder_.database();
  std::vector<json> lines_;
};

TEST_F(BankExportTest, ATrialOfAnUnknownFormIsLeftOutAndTheOthersAreTaken) {
  Add(WorkloadRecord{kTime, SampleWorkload()});
  AddTrial(MeasuredTrial(1));
  lines_.back()["candidate"]["no_option"] = 1;
  AddTrial(MeasuredTrial(3));
  AddFront({MeasuredTrial(3)});
  AddFront({MeasuredTrial(3), MeasuredTrial(1)});
  const Imported imported = Import(Text(), database_);
  EXPECT_EQ(imported.records.added, (Counts{1, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(imported.losses.left_out, (Counts{0, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(imported.losses.first,
            "line 3: a stored candidate has the unknown option 'no_option': it was written by a "
            "newer halftone");
  EXPECT_THAT(VerifyBank(database_).findings, IsEmpty());
}

TEST_F(BankExportTest, AFieldThatIsMissingIsAMatterOfForm) {
  Add(WorkloadRecord{kTime, SampleWorkload()});
  AddTrial(MeasuredTrial(1));
  lines_.back()["measurement"].erase("median_s");
  const ExportLosses losses = Import(Text(), database_).losses;
  EXPECT_EQ(losses.left_out, (Counts{0, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(losses.first, "line 3: key 'median_s' not found");
}

TEST_F(BankExportTest, WhatBelongsToAWorkloadThatIsLeftOutIsLeftOut) {
  Add(WorkloadRecord{kTime, SampleWorkload()});
  lines_.back()["isa"] = 7;
  AddTrial(MeasuredTrial(1));
  AddFront({MeasuredTrial(1)});
  Add(TimingRecord{testing::SampleKernels(), kTime, testing::SampleTiming(1)});
  const Imported imported = Import(Text(), database_);
  EXPECT_EQ(imported.records.added, (Counts{0, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(imported.losses.left_out, (Counts{1, 1, 1, 0, 0, 0, 0}));
  EXPECT_THAT(imported.losses.first, HasSubstr("line 2: "));
}

// A search that was interrupted and run again named measurements that were never stored.
TEST_F(BankExportTest, TheNewestConfirmedTrialOfThePlanStandsInForOneThatIsNotThere) {
  Trial confirmed = MeasuredTrial(1);
  Trial refilled = confirmed;
  std::get<Measurement>(refilled.outcome).peak_arena_bytes = 1;
  Trial quick = confirmed;
  std::get<Measurement>(quick.outcome).confirmed = false;
  std::get<Measurement>(quick.outcome).accuracy.metrics[0].values.clear();
  Add(WorkloadRecord{kTime, SampleWorkload()});
  AddTrial(confirmed);
  AddTrial(quick);
  AddFront({refilled});
  AddFront({quick});
  const Imported imported = Import(Text(), database_);
  EXPECT_EQ(imported.losses.mended_fronts, 1);
  EXPECT_FALSE(imported.losses.any_left_out());
  EXPECT_THAT(VerifyBank(database_).findings, IsEmpty());
  const auto fronts =
      OpenSqliteStore(database_, OpenMode::kReadOnly)->Fronts(KeyOf(SampleWorkload()));
  ASSERT_EQ(fronts.size(), 2U);
  EXPECT_EQ(fronts[0].members[0].measurement_hash, MeasurementHashOf(quick));
  EXPECT_EQ(fronts[1].members[0].measurement_hash, MeasurementHashOf(confirmed));
  EXPECT_EQ(Import(Text(), database_).records.added, Counts{}) << "twice adds nothing";
}

// The first fronts named plans alone.
TEST_F(BankExportTest, AMemberWithoutAMeasurementIsTheNewestOfItsPlan) {
  StoredFront front = testing::SampleFront(KeyOf(SampleWorkload()), {MeasuredTrial(1)});
  front.members[0].measurement_hash.reset();
  front.recorded_at = kTime;
  Add(WorkloadRecord{kTime, SampleWorkload()});
  AddTrial(MeasuredTrial(1));
  Add(FrontRecord{front});
  const Imported imported = Import(Text(), database_);
  EXPECT_EQ(imported.records.added[2], 1);
  EXPECT_EQ(imported.losses.mended_fronts, 0);
  EXPECT_THAT(VerifyBank(database_).findings, IsEmpty());
}

// The first exports did not say that a measurement was raced, and their checksums covered it.
TEST_F(BankExportTest, AMeasurementThatDoesNotSayThatItWasRaced) {
  for (const std::uint64_t number : {1, 2, 4}) {  // confirmed, raced, neither
    json line = json::parse(
        RecordToJson(TrialRecord{KeyOf(SampleWorkload()), kTime, MeasuredTrial(number)}));
    line["measurement"].erase("raced");
    const auto read = RecordFromJson(line.dump());
    EXPECT_EQ(std::get<TrialRecord>(std::get<BankRecord>(read)).trial, MeasuredTrial(number));
    line["measurement"]["median_s"] = 0.5;
    EXPECT_THROW(RecordFromJson(line.dump()), Error);
  }
}

TEST_F(BankExportTest, WhatNoProgramStoresIsRefused) {
  Add(WorkloadRecord{kTime, SampleWorkload()});
  AddTrial(MeasuredTrial(1));
  lines_.back()["measurement"]["anchor_samples_s"] = {1.5};
  EXPECT_EQ(ErrorOfImport(), "the record is of nothing that is stored: unpaired samples");
  lines_.pop_back();
  AddTrial(MeasuredTrial(1));
  lines_.back()["plan_digest"] = Hash128{}.ToHex();
  EXPECT_EQ(ErrorOfImport(),
            "the record is of nothing that is stored: a measured trial without a plan");
  lines_.pop_back();
  AddTrial(MeasuredTrial(1));
  AddFront({MeasuredTrial(1)});
  lines_.back()["chosen"] = 1;
  EXPECT_EQ(ErrorOfImport(),
            "the record is of nothing that is stored: a front whose chosen member does not exist");
}

TEST_F(BankExportTest, AnEndlessNestIsRefused) {
  Add(WorkloadRecord{kTime, SampleWorkload()});
  const std::string nest(100'000, '[');
  const std::string text =
      ExportHeader() + "\n{\"row\":\"trial\",\"candidate\":" + nest + "\n" + ExportEnd(1) + "\n";
  try {
    Import(text, database_);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "not a line of `halftone bank export`: it has more levels of brackets than any "
                 "record");
  }
}

}  // namespace
}  // namespace halftone
