// The texts of `halftone bank`, and that what was imported or merged is used.
#include "src/api/bank/bank_upkeep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "knowledge_base/sqlite_store.h"
#include "src/api/bank/workload.h"
#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::SourceDir;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

class BankUpkeepTest : public ::testing::Test {
 protected:
  BankUpkeepTest() {
    fs::remove_all(folder_);
    const auto digits = SourceDir() / "examples/digits";
    options_.data = {.inputs = digits / "search_inputs.npy", .max_samples = 5};
    options_.max_trials = 2;
    options_.operator_tuning = OperatorTuningMode::kOff;
    options_.measure = {.threads = 1, .quick_budget_s = 0.002, .full_budget_s = 0.004};
    options_.strategy = "greedy";
    model_ = LoadModel({.path = digits / "model.onnx", .inputs = options_.data.inputs});
  }

  ~BankUpkeepTest() override { fs::remove_all(folder_); }

  TuneSummary TuneInto(const fs::path& bank) {
    options_.bank = bank;
    return Tune(model_, options_);
  }

  template <typename Body>
  static std::string ErrorOf(Body&& body) {
    try {
      body();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_ = ::testing::TempDir() + "halftone_bank_upkeep_test_" +
                     ::testing::UnitTest::GetInstance()->current_test_info()->name();
  fs::path a_ = folder_ / "a";
  fs::path b_ = folder_ / "b";
  TuneOptions options_;
  Model model_;
};

TEST_F(BankUpkeepTest, TuningOnAnImportedBankSpendsNothing) {
  const TuneSummary first = TuneInto(a_);
  EXPECT_THAT(ExportBank(a_, "host", folder_ / "a.jsonl"), StartsWith("exported "));
  EXPECT_THAT(
      ImportBank(folder_ / "a.jsonl", b_, "host"),
      MatchesRegex(
          "imported '.*a.jsonl': added 1 workload, [0-9]+ trials, 1 front(, 1 calibration)?; "
          "nothing known already\nknowledge base: .*/b/host/halftone.db\n"));
  ExportBank(b_, "host", folder_ / "b.jsonl");
  EXPECT_EQ(ReadFile(folder_ / "b.jsonl"), ReadFile(folder_ / "a.jsonl"));
  const TuneSummary second = TuneInto(b_);
  EXPECT_EQ(second.search.measured, 0U);
  EXPECT_EQ(second.search.known, first.search.measured);
  ASSERT_EQ(second.front.points.size(), first.front.points.size());
  EXPECT_EQ(second.front.points[0].measurement().latency,
            first.front.points[0].measurement().latency);
}

TEST_F(BankUpkeepTest, TuningOnAMergedBankSpendsNothing) {
  const TuneSummary first = TuneInto(a_);
  OpenSqliteStore(DatabasePath(b_, "host"), OpenMode::kReadWrite);
  EXPECT_THAT(MergeBanks({a_}, b_, "host"), HasSubstr(": added 1 workload, "));
  EXPECT_THAT(MergeBanks({DatabasePath(a_, "host")}, b_, "host"),
              HasSubstr(": added nothing; 1 workload, "));
  EXPECT_EQ(TuneInto(b_).search.measured, 0U);
}

TEST_F(BankUpkeepTest, ErrorsOfMerging) {
  EXPECT_THAT(ErrorOf([&] { MergeBanks({a_}, b_, "host"); }),
              StartsWith("there is no knowledge base '"));
  EXPECT_FALSE(fs::exists(b_)) << "all are looked at first";
  OpenSqliteStore(DatabasePath(a_, "host"), OpenMode::kReadWrite);
  EXPECT_EQ(ErrorOf([&] { MergeBanks({a_}, a_, "host"); }),
            "'" + a_.string() + "' is the bank to merge into; name others");
}

// A bank with a workload and a timing that this CPU measured.
void FillAsMeasuredOn(const fs::path& bank, const std::string& cpu) {
  const auto store = OpenSqliteStore(DatabasePath(bank, "host"), OpenMode::kReadWrite);
  Workload workload;
  workload.model_name = "net";
  workload.target = "host";
  workload.cpu = cpu;
  const Hash128 key = store->AddWorkload(workload);
  Trial rejected;
  rejected.outcome = Rejection{"too big"};
  store->AddTrial(key, rejected);
}

std::vector<std::string> Listed(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    names.push_back(entry.path().lexically_relative(folder).string());
  }
  std::ranges::sort(names);
  return names;
}

TEST_F(BankUpkeepTest, EachSourceHasAnOutcomeAndADamagedOneIsSkipped) {
  FillAsMeasuredOn(a_, CpuName());
  WriteFileAtomically(DatabasePath(folder_ / "broken", "host"), "no bank at all, not even nearly");
  std::vector<fs::path> seen;
  const MergeOptions options{
      .on_source = [&](const MergeOutcome& outcome) { seen.push_back(outcome.source); }};
  const auto outcomes =
      MergeEach({a_, folder_ / "broken", folder_ / "missing", a_, b_}, b_, "host", options);
  ASSERT_EQ(outcomes.size(), 5U);
  using Counts = std::array<std::int64_t, kRecordKinds>;
  EXPECT_EQ(outcomes[0].records.added, (Counts{1, 1, 0, 0, 0, 0}));
  EXPECT_FALSE(outcomes[0].error);
  EXPECT_EQ(outcomes[0].source, DatabasePath(a_, "host"));
  ASSERT_TRUE(outcomes[1].error);
  EXPECT_THAT(outcomes[1].error->what(), HasSubstr("is not a knowledge base (not an SQLite file)"));
  EXPECT_EQ(outcomes[1].records.added, Counts{});
  ASSERT_TRUE(outcomes[2].error);
  EXPECT_THAT(outcomes[2].error->what(), StartsWith("there is no knowledge base '"));
  EXPECT_EQ(outcomes[3].records.added, Counts{});
  EXPECT_EQ(outcomes[3].records.known, (Counts{1, 1, 0, 0, 0, 0}));
  ASSERT_TRUE(outcomes[4].error);
  EXPECT_EQ(outcomes[4].error->kind(), ErrorKind::kUsage) << "the bank itself";
  EXPECT_EQ(seen.size(), 5U);
  EXPECT_TRUE(CheckBank(b_, "host").intact);
}

// A row that does not match its checksum ends its source, of which nothing stays.
TEST_F(BankUpkeepTest, ASourceWithADamagedRowLeavesTheBankAsItWas) {
  FillAsMeasuredOn(a_, CpuName());
  FillAsMeasuredOn(folder_ / "c", "Other (Vendor 1.2)");
  const fs::path database = DatabasePath(a_, "host");
  std::string bytes = ReadFile(database);
  const auto at = bytes.find("too big");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'T';
  WriteFileAtomically(database, bytes);
  const auto outcomes = MergeEach({a_, folder_ / "c"}, b_, "host");
  ASSERT_TRUE(outcomes[0].error);
  EXPECT_THAT(outcomes[0].error->what(), HasSubstr("does not match its checksum"));
  EXPECT_THAT(outcomes[0].error->what(), HasSubstr(database.string()));
  EXPECT_FALSE(outcomes[1].error);
  EXPECT_THAT(CheckBank(b_, "host").text, HasSubstr("checked 1 workload, 1 trial: intact"));
}

TEST_F(BankUpkeepTest, MeasurementsOfAnotherCpuAreWarnedOfOrRefused) {
  const fs::path other = folder_ / "other";
  FillAsMeasuredOn(other, "Other (Vendor 1.2); onnxruntime 1.0");
  FillAsMeasuredOn(folder_ / "predicted", "predicted for Ascend310");
  FillAsMeasuredOn(folder_ / "unknown", "");
  EXPECT_EQ(ErrorOf([&] { MergeBanks({other}, b_, "host", true); }),
            "'" + DatabasePath(other, "host").string() +
                "' holds measurements of 'Other (Vendor 1.2)', and this bank is for '" + CpuName() +
                "': keep a bank for each model of CPU, or merge without --same_cpu");
  EXPECT_FALSE(fs::exists(b_));
  FillAsMeasuredOn(a_, CpuName());
  MergeBanks({a_, folder_ / "predicted", folder_ / "unknown"}, b_, "host", true);
  const std::string before = ReadFile(DatabasePath(b_, "host"));
  EXPECT_THAT(ErrorOf([&] {
                MergeBanks({a_, other}, b_, "host", true);
              }),
              HasSubstr("the bank those of '" + CpuName() + "'"));
  EXPECT_EQ(ReadFile(DatabasePath(b_, "host")), before);
  EXPECT_THAT(MergeBanks({other}, b_, "host"),
              HasSubstr("\nwarning: '" + DatabasePath(other, "host").string() +
                        "' holds measurements of 'Other (Vendor 1.2)', the bank those of '" +
                        CpuName() + "': "));
  EXPECT_THAT(MergeBanks({other, a_}, b_, "host"), Not(HasSubstr("warning"))) << "it holds both";
}

TEST_F(BankUpkeepTest, ACallerMayExpectAnotherCpuThanThisMachines) {
  const fs::path other = folder_ / "other";
  FillAsMeasuredOn(other, "Other (Vendor 1.2)");
  FillAsMeasuredOn(a_, CpuName());
  const auto outcomes = MergeEach({other, a_}, b_, "host",
                                  {.same_cpu = true, .cpu = "Other (Vendor 1.2)", .on_source = {}});
  EXPECT_FALSE(outcomes[0].error);
  ASSERT_TRUE(outcomes[1].error);
  EXPECT_EQ(outcomes[1].other_cpus, std::vector{CpuName()});
}

TEST_F(BankUpkeepTest, ACopyIsOfOneMomentAndHasNothingBesideIt) {
  FillAsMeasuredOn(a_, CpuName());
  // Another process: rows that are in the log only.
  const auto writer = OpenSqliteStore(DatabasePath(a_, "host"), OpenMode::kReadWrite);
  Workload later;
  later.model_name = "later";
  writer->AddWorkload(later);
  CopyBank(a_, "", folder_ / "copy");
  EXPECT_EQ(Listed(folder_ / "copy"), (std::vector<std::string>{"host", "host/halftone.db"}));
  EXPECT_THAT(Listed(folder_), Not(::testing::Contains(HasSubstr(".part"))));
  EXPECT_THAT(CheckBank(folder_ / "copy", "host").text,
              HasSubstr("checked 2 workloads, 1 trial: intact"));
  EXPECT_THAT(ListBank(folder_ / "copy", "host"), HasSubstr("later"));
}

TEST_F(BankUpkeepTest, CopiesBesideAWriterAreWhole) {
  FillAsMeasuredOn(a_, CpuName());
  std::atomic<bool> stop = false;
  std::atomic<int> written = 0;
  std::thread writer([&] {
    const auto store = OpenSqliteStore(DatabasePath(a_, "host"), OpenMode::kReadWrite);
    Workload workload;
    workload.model_name = "later";
    const Hash128 key = store->AddWorkload(workload);
    while (!stop) {
      Trial rejected;
      rejected.outcome = Rejection{std::string(5000, 'x') + std::to_string(written)};
      store->AddTrial(key, rejected);
      ++written;
    }
  });
  int before = 0;
  for (int i = 0; i < 5; ++i) {
    while (written < before + 3) {
      std::this_thread::yield();
    }
    const fs::path copy = folder_ / ("copy" + std::to_string(i));
    before = written;
    CopyBank(a_, "host", copy);
    const BankVerdict verdict = CheckBank(copy, "host");
    EXPECT_TRUE(verdict.intact) << verdict.text;
    const auto store = OpenSqliteStore(DatabasePath(copy, "host"), OpenMode::kReadOnly);
    EXPECT_GE(store->Workloads().back().records, before) << "what was stored before the copy began";
  }
  stop = true;
  writer.join();
}

TEST_F(BankUpkeepTest, ACopyOfABankInUseIsReadWhereNothingCanBeWritten) {
  FillAsMeasuredOn(a_, CpuName());
  CopyBank(a_, "host", folder_ / "copy");
  const std::string before = ReadFile(DatabasePath(folder_ / "copy", "host"));
  const auto names = Listed(folder_ / "copy");
  const auto store = OpenSqliteStore(DatabasePath(folder_ / "copy", "host"), OpenMode::kReadOnly,
                                     {.immutable = true});
  EXPECT_EQ(store->Workloads().size(), 1U);
  EXPECT_EQ(Listed(folder_ / "copy"), names) << "nothing beside it, while it is open";
  EXPECT_EQ(ReadFile(DatabasePath(folder_ / "copy", "host")), before);
}

TEST_F(BankUpkeepTest, ACopyThatFailsLeavesNothing) {
  FillAsMeasuredOn(a_, CpuName());
  EXPECT_THAT(ErrorOf([&] { CopyBank(a_, "Ascend310P3", folder_ / "copy"); }),
              StartsWith("there is no knowledge base '"));
  EXPECT_THAT(ErrorOf([&] { CopyBank(folder_ / "none", "", folder_ / "copy"); }),
              StartsWith("there is no knowledge base below '"));
  CopyBank(a_, "host", folder_ / "copy");
  EXPECT_EQ(ErrorOf([&] { CopyBank(a_, "host", folder_ / "copy/"); }),
            "'" + (folder_ / "copy").string() + "' is there already: name a folder that is not");
  for (const std::string& name : Listed(folder_)) {
    EXPECT_THAT(name, Not(HasSubstr(".part")));
  }
}

TEST_F(BankUpkeepTest, ErrorsOfExportingAndImporting) {
  EXPECT_THAT(ErrorOf([&] { ExportBank(a_, "host", folder_ / "a.jsonl"); }),
              StartsWith("there is no knowledge base '"));
  EXPECT_FALSE(fs::exists(folder_ / "a.jsonl"));
  EXPECT_FALSE(fs::exists(folder_ / "a.jsonl.part"));
  EXPECT_EQ(ErrorOf([&] { ImportBank(folder_ / "nothing.jsonl", b_, "host"); }),
            "cannot read '" + (folder_ / "nothing.jsonl").string() +
                "': expected a file of `halftone bank export`, or - for standard input");
  WriteFileAtomically(folder_ / "a.jsonl",
                      "{\"format\":1,\"halftone_bank\":\"export\"}\n{\"row\":\"song\"}\n");
  EXPECT_EQ(ErrorOf([&] { ImportBank(folder_ / "a.jsonl", b_, "host"); }),
            (folder_ / "a.jsonl").string() +
                ":2: the row 'song' is not known: it was exported by a newer halftone");
}

TEST_F(BankUpkeepTest, VerifyingAndPruning) {
  TuneInto(a_);
  const BankVerdict verdict = CheckBank(a_, "host");
  EXPECT_TRUE(verdict.intact);
  EXPECT_THAT(verdict.text,
              MatchesRegex("'.*/a/host/halftone.db': checked 1 workload, [0-9]+ trials, 1 front"
                           "(, 1 sensitivity)?(, 1 calibration)?: intact\n"));
  EXPECT_THAT(ErrorOf([&] { PruneBank(a_, "host", {}); }),
              StartsWith("bank prune: nothing says what may go; give "));
  EXPECT_EQ(PruneBank(a_, "host", {.other_versions = true}), "nothing to prune\n");
  const std::string would = PruneBank(a_, "host", {.older_than_days = -1, .dry_run = true});
  EXPECT_THAT(would, StartsWith("would remove 1 workload:\n  "));
  EXPECT_THAT(would, HasSubstr("  digits  "));
  EXPECT_THAT(PruneBank(a_, "host", {.older_than_days = -1}), StartsWith("removed 1 workload:\n"));
  EXPECT_THAT(ListBank(a_, "host"), HasSubstr("the knowledge base is empty"));
  EXPECT_THAT(ErrorOf([&] { PruneBank(b_, "host", {.superseded = true}); }),
              StartsWith("there is no knowledge base '"));
  EXPECT_FALSE(fs::exists(b_));
}

TEST_F(BankUpkeepTest, PrunesProfilesOfOtherKernels) {
  const ProfiledCall call{.shape = {.family = "Conv", .sizes = {}}, .seconds = {{"kernel", 1}}};
  const OperatorProfile profile{.op = "Conv", .threads = 1, .calls = {call}};
  const KernelVersion now = CurrentKernels({OpKind::kConv});
  {
    const auto store = OpenSqliteStore(DatabasePath(a_, "host"), OpenMode::kReadWrite);
    store->AddOperatorProfile(now, profile);
    store->AddOperatorProfile(CurrentKernels({OpKind::kGemm}), profile);
  }
  EXPECT_THAT(CheckBank(a_, "host").text, HasSubstr("checked 2 operator profiles: intact"));
  EXPECT_THAT(PruneBank(a_, "host", {.other_versions = true}),
              StartsWith("removed of what stays: 1 operator profile\n"));
  EXPECT_EQ(OpenSqliteStore(DatabasePath(a_, "host"), OpenMode::kReadOnly)
                ->FindOperatorProfile(now, "Conv", 1),
            profile);
}

}  // namespace
}  // namespace halftone
