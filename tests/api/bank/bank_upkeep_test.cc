// The texts of `halftone bank`, and that what was imported or merged is used.
#include "src/api/bank/bank_upkeep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

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
  EXPECT_THAT(ImportBank(folder_ / "a.jsonl", b_, "host"),
              MatchesRegex("imported '.*a.jsonl': added 1 workload, [0-9]+ trials, 1 front; "
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
                           "(, 1 sensitivity)?: intact\n"));
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
