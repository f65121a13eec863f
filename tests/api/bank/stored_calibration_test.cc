// A calibration is kept in the bank: counted by its runs, as progress says them.
#include "src/api/bank/stored_calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "knowledge_base/sqlite_store.h"
#include "src/api/bank/bank_upkeep.h"
#include "src/api/tune/prepare.h"
#include "src/base/file.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::SourceDir;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class StoredCalibrationTest : public ::testing::Test {
 protected:
  StoredCalibrationTest() {
    const auto digits = SourceDir() / "examples/digits";
    options_.data = {.inputs = digits / "search_inputs.npy", .max_samples = 24};
    options_.operator_tuning = OperatorTuningMode::kOff;
    options_.measure = {.threads = 1, .quick_budget_s = 0.01, .full_budget_s = 0.02};
    options_.quantize.mode = QuantizeMode::kOn;
    options_.bank = folder_ / "bank";
    model_ = LoadModel({.path = digits / "model.onnx", .inputs = options_.data.inputs});
  }

  ~StoredCalibrationTest() override { std::filesystem::remove_all(folder_); }

  // Each float32 run of a calibration takes run_s_; nothing else takes any time.
  struct Made {
    SharedQuantization quantization;
    std::shared_ptr<const CalibrationRecord> record;
    std::vector<std::string> warnings;
  };

  Made PrepareOnce(std::optional<double> budget_s = std::nullopt) {
    runs_ = 0;
    now_s_ = 0;
    TimeBudget budget(budget_s, [this] { return now_s_; });
    TuneCallbacks callbacks;
    callbacks.on_probes = [this](const ProbeProgress& progress) {
      if (progress.stage == "calibration") {
        ++runs_;
        now_s_ += run_s_;
      }
    };
    const Prepared prepared = Prepare(model_, options_, callbacks, budget);
    return {prepared.space.quantization, prepared.scales.record, prepared.warnings};
  }

  std::filesystem::path folder_ = ::testing::TempDir() + "halftone_stored_calibration_" +
                                  ::testing::UnitTest::GetInstance()->current_test_info()->name();
  TuneOptions options_;
  Model model_;
  std::size_t runs_ = 0;
  double run_s_ = 0;
  double now_s_ = 0;
};

TEST_F(StoredCalibrationTest, TheSecondRunCalibratesNothing) {
  const Made first = PrepareOnce();
  EXPECT_GT(runs_, 0U);
  const Made second = PrepareOnce();
  EXPECT_EQ(runs_, 0U);
  EXPECT_EQ(second.quantization.digest(), first.quantization.digest());
  EXPECT_EQ(second.quantization.source(), first.quantization.source());
  ASSERT_NE(second.record, nullptr);
  EXPECT_EQ(second.record->tensors.size(), first.record->tensors.size());
}

TEST_F(StoredCalibrationTest, AnotherMethodOrOtherSamplesAreAnotherCalibration) {
  PrepareOnce();
  options_.quantize.method = "minmax";
  PrepareOnce();
  EXPECT_GT(runs_, 0U);
  options_.data.max_samples = 20;
  PrepareOnce();
  EXPECT_GT(runs_, 0U);
  PrepareOnce();
  EXPECT_EQ(runs_, 0U);
}

TEST_F(StoredCalibrationTest, WhatIsDamagedIsMadeAgain) {
  const Made first = PrepareOnce();
  const auto database = DatabasePath(options_.bank, "host");
  std::string bytes = ReadFile(database);
  const std::size_t at = bytes.find("\"data_hash\"");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 1] = 'C';
  WriteFileAtomically(database, bytes);
  const Made again = PrepareOnce();
  EXPECT_GT(runs_, 0U);
  EXPECT_THAT(again.warnings,
              Contains(AllOf(HasSubstr("the network is calibrated again, because its calibration "
                                       "in the knowledge base cannot be used: "),
                             HasSubstr("calibration 1 does not match its checksum"))));
  EXPECT_EQ(again.quantization.digest(), first.quantization.digest());
  PrepareOnce();
  EXPECT_EQ(runs_, 0U);
}

// 3 s a run: a fifth of 60 s is four of them.
TEST_F(StoredCalibrationTest, OneThatTimeCutShortAnswersForAsLittleTime) {
  run_s_ = 3;
  const Made cut = PrepareOnce(60);
  EXPECT_LE(runs_, 4U);
  EXPECT_LE(now_s_, 12);
  EXPECT_THAT(cut.warnings, Contains(HasSubstr("8-bit tensors are calibrated on ")));
  const Made same = PrepareOnce(60);
  EXPECT_EQ(runs_, 0U);
  EXPECT_EQ(same.quantization.digest(), cut.quantization.digest());
  EXPECT_THAT(same.warnings, Contains(HasSubstr("8-bit tensors are calibrated on ")));
  run_s_ = 0.001;
  const Made whole = PrepareOnce(600);
  EXPECT_GT(runs_, 4U) << "there is time for all of it now";
  EXPECT_THAT(whole.warnings, Not(Contains(HasSubstr("8-bit tensors are calibrated on "))));
  PrepareOnce(60);
  EXPECT_EQ(runs_, 0U);
}

// A bank that was merged, imported or only read brings it; another target has none.
TEST_F(StoredCalibrationTest, ItGoesWithTheBank) {
  const Made first = PrepareOnce();
  const auto bank = options_.bank;
  const auto expect_known = [&](const std::filesystem::path& other) {
    options_.bank = other;
    EXPECT_EQ(PrepareOnce().quantization.digest(), first.quantization.digest()) << other;
    EXPECT_EQ(runs_, 0U) << other;
  };
  MergeBanks({bank}, folder_ / "merged", "host");
  expect_known(folder_ / "merged");
  ExportBank(bank, "host", folder_ / "export.jsonl");
  ImportBank(folder_ / "export.jsonl", folder_ / "imported", "host");
  expect_known(folder_ / "imported");
  CopyBank(bank, "host", folder_ / "copied");
  expect_known(folder_ / "copied");
  options_.seed_bank = bank;
  expect_known(folder_ / "seeded");
  options_.seed_bank.clear();
  EXPECT_THAT(ListBank(bank, "host"), HasSubstr("  1 network  1 calibration  "));
  EXPECT_THAT(CheckBank(bank, "host").text, HasSubstr("1 calibration: intact"));
  EXPECT_EQ(PruneBank(bank, "host", {.other_versions = true, .superseded = true}),
            "nothing to prune\n");
}

TEST_F(StoredCalibrationTest, WithoutABankNothingIsWritten) {
  options_.bank.clear();
  PrepareOnce();
  PrepareOnce();
  EXPECT_GT(runs_, 0U);
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

}  // namespace
}  // namespace halftone
