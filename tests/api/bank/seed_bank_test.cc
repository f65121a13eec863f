// Runs that start from a bank which is only read.
#include "src/api/bank/seed_bank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "knowledge_base/bank_records.h"
#include "knowledge_base/sqlite_store.h"
#include "src/api/bank/bank_upkeep.h"
#include "src/api/bank/workload.h"
#include "src/api/halftone.h"
#include "src/api/retune/retune.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::SourceDir;
using ::testing::HasSubstr;
using ::testing::IsSubsetOf;
using ::testing::MatchesRegex;
using ::testing::UnorderedElementsAre;

class FromBankTest : public ::testing::Test {
 protected:
  FromBankTest() {
    fs::remove_all(folder_);
    const auto digits = SourceDir() / "examples/digits";
    options_.data = {.inputs = digits / "search_inputs.npy", .max_samples = 5};
    options_.max_trials = 2;
    options_.operator_tuning = OperatorTuningMode::kOff;
    options_.measure = {.threads = 1, .quick_budget_s = 0.002, .full_budget_s = 0.004};
    options_.strategy = "greedy";
    model_ = LoadModel({.path = digits / "model.onnx", .inputs = options_.data.inputs});
  }

  ~FromBankTest() override { fs::remove_all(folder_); }

  TuneSummary TuneInto(const fs::path& bank, const fs::path& other = {}) {
    options_.bank = bank;
    options_.seed_bank = other;
    TuneCallbacks callbacks;
    callbacks.on_seed_bank = [this](const std::string& note) { note_ = note; };
    return Tune(model_, options_, callbacks);
  }

  // Operator timings: signatures with the times when they were recorded.
  static std::vector<std::string> TimingsIn(const fs::path& bank) {
    std::vector<std::string> timings;
    ReadBank(DatabasePath(bank, "host"), [&](const BankRecord& record) {
      if (const auto* timing = std::get_if<TimingRecord>(&record)) {
        timings.push_back(timing->recorded_at + " " + timing->timing.signature);
      }
    });
    return timings;
  }

  template <typename Body>
  static std::string ErrorOf(Body&& body, ErrorKind kind) {
    try {
      body();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "no error";
  }

  fs::path folder_ = ::testing::TempDir() + "halftone_seed_bank_test_" +
                     ::testing::UnitTest::GetInstance()->current_test_info()->name();
  fs::path a_ = folder_ / "a";
  fs::path b_ = folder_ / "b";
  TuneOptions options_;
  Model model_;
  std::string note_;
};

TEST_F(FromBankTest, TheSameNetworkGoesOnWithItsTrialsKnown) {
  const TuneSummary first = TuneInto(a_);
  const std::string before = ReadFile(DatabasePath(a_, "host"));
  options_.search_again = true;  // else it is answered
  const TuneSummary second = TuneInto(b_, a_);
  EXPECT_EQ(second.search.measured, 0U);
  EXPECT_EQ(second.search.known, first.search.measured);
  EXPECT_THAT(note_, MatchesRegex("read '.*/a/host/halftone.db': added 1 workload, [0-9]+ trials, "
                                  "1 front(, 1 calibration)?; nothing known already"));
  EXPECT_EQ(ReadFile(DatabasePath(a_, "host")), before);
  // Nothing of the database is left beside its file, and nothing else.
  std::vector<std::string> beside;
  for (const fs::directory_entry& entry : fs::directory_iterator(a_ / "host")) {
    beside.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(beside, UnorderedElementsAre(DatabasePath(a_, "host").filename().string()));
  TuneInto(b_, a_);
  EXPECT_THAT(note_, HasSubstr("': added nothing; 1 workload, "));
  EXPECT_TRUE(CheckBank(b_, "host").intact);
}

TEST_F(FromBankTest, TheSameNetworkIsAnsweredByAnotherBanksFront) {
  TuneInto(a_);
  const TuneSummary second = TuneInto(b_, a_);
  EXPECT_EQ(second.search.measured, 0U);
  EXPECT_FALSE(second.front.points.empty());
}

TEST_F(FromBankTest, ASecondNetworkStartsWithTheTimingsOfTheFirst) {
  options_.operator_tuning = OperatorTuningMode::kFull;
  options_.operator_budget_s = 30;  // each operator has its rounds: none is left for the second
  options_.modes = {"must_keep_origin_dtype"};
  TuneInto(a_);
  const std::vector<std::string> timed = TimingsIn(a_);
  ASSERT_FALSE(timed.empty());
  model_.hash = {1, 2};  // other weights
  TuneInto(b_, a_);
  EXPECT_THAT(note_, MatchesRegex("read '.*': added [0-9]+ operator timings.*"));
  std::vector<std::string> of_operators;
  for (const std::string& timing : TimingsIn(b_)) {
    if (timing.find(" network ") == std::string::npos) {  // the whole network is compared anew
      of_operators.push_back(timing);
    }
  }
  EXPECT_FALSE(of_operators.empty());
  EXPECT_THAT(of_operators, IsSubsetOf(timed)) << "no operator was timed again";
  EXPECT_EQ(OpenSqliteStore(DatabasePath(b_, "host"), OpenMode::kReadOnly)->Workloads().size(), 1U)
      << "the workload of the first is not its";
}

TEST_F(FromBankTest, OnlyTheNewestTimingsOfThisNetworksOperatorsAndThreadsAreRead) {
  TuneInto(b_);
  auto store = OpenSqliteStore(DatabasePath(a_, "host"), OpenMode::kReadWrite);
  const auto add = [&](const std::string& signature, const std::string& kernel,
                       const std::string& cpu) {
    KernelVersion kernels = KernelsTimed(signature);
    kernels.cpu = cpu;
    const OperatorTiming timing{.signature = signature,
                                .static_kernel = "a",
                                .kernel = kernel,
                                .ratio = 0.5,
                                .ratio_interval = {0.25, 0.75},
                                .rounds = 9,
                                .static_s = 0.125,
                                .compared = ""};
    store->AddOperatorTimings(kernels, {&timing, 1});
  };
  const std::string here = "Gemm 1x10: float32 1x64; 1 thread";
  add(here, "older", CpuName());
  add(here, "newer", CpuName());
  add(here, "elsewhere", "Other (Vendor 1.2)");
  add("Gemm 1x10: float32 1x64; 2 threads", "b", CpuName());
  add("Gemm 7x7777: float32 1x64; 1 thread", "b", CpuName());
  add("Conv 1x10: float32 1x64; 1 thread", "b", CpuName());
  const KernelVersion kernels = KernelsTimed(here);
  const ProfiledCall call{.shape = {.family = "Gemm float32", .sizes = {5, 0.5}},
                          .seconds = {{"a", 0.25}, {"b", 0.125}}};
  store->AddOperatorProfile(kernels, {.op = "Gemm", .threads = 1, .calls = {call}});
  store->AddOperatorProfile(kernels, {.op = "Gemm", .threads = 2, .calls = {call}});
  store.reset();
  EXPECT_THAT(TakeFromSeedBank({&model_, 1}, a_, b_, "host", 1),
              HasSubstr("': added 1 operator timing, 1 operator profile; nothing known already"));
  const auto taken =
      OpenSqliteStore(DatabasePath(b_, "host"), OpenMode::kReadOnly)->OperatorTimings(kernels);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].timing.kernel, "newer");
}

TEST_F(FromBankTest, AFolderWithoutABankOfTheTargetIsANote) {
  fs::create_directories(a_ / "Ascend310P3");
  TuneInto(b_, a_);
  EXPECT_EQ(note_,
            "'" + DatabasePath(a_, "host").string() + "' is not there: nothing is known from it");
}

TEST_F(FromBankTest, ABankOrAFolderThatIsWrongIsRefusedInOneSentence) {
  EXPECT_EQ(ErrorOf([&] { TuneInto({}, a_); }, ErrorKind::kUsage),
            "--seed_bank adds to the knowledge base of --op_bank_path: leave --no_bank out, or "
            "--seed_bank");
  EXPECT_EQ(ErrorOf([&] { TuneInto(b_, a_); }, ErrorKind::kDatabase),
            "--seed_bank=" + a_.string() +
                ": expected the folder of a knowledge base, above <soc_version>, but it does not "
                "exist");
  EXPECT_FALSE(fs::exists(b_));
  WriteFileAtomically(a_, "");
  EXPECT_THAT(ErrorOf([&] { TuneInto(b_, a_); }, ErrorKind::kDatabase),
              HasSubstr("but it is no folder"));
  TuneInto(b_);
  EXPECT_THAT(ErrorOf([&] { TuneInto(b_, b_); }, ErrorKind::kUsage),
              HasSubstr("it is the knowledge base of --op_bank_path itself"));
  WriteFileAtomically(DatabasePath(folder_ / "broken", "host"), "no bank at all, not even nearly");
  EXPECT_THAT(ErrorOf([&] { TuneInto(b_, folder_ / "broken"); }, ErrorKind::kDatabase),
              HasSubstr("broken/host/halftone.db' is not a knowledge base"));
  EXPECT_TRUE(CheckBank(b_, "host").intact);
}

TEST_F(FromBankTest, ABankInUseIsRefused) {
  TuneInto(b_);
  const auto writer = OpenSqliteStore(DatabasePath(a_, "host"), OpenMode::kReadWrite);
  Workload workload;
  workload.model_name = "later";
  writer->AddWorkload(workload);
  EXPECT_THAT(ErrorOf([&] { TuneInto(b_, a_); }, ErrorKind::kDatabase),
              HasSubstr("a/host/halftone.db' is in use, or was not closed properly ('"));
}

TEST_F(FromBankTest, RetuneFindsTheFrontOfAnotherBank) {
  TuneInto(a_);
  RetuneOptions retune;
  retune.data = options_.data;
  retune.measure = options_.measure;
  retune.operator_tuning = OperatorTuningMode::kOff;
  retune.search = false;
  retune.bank = b_;
  retune.seed_bank = a_;
  const RetuneResult result = Retune(model_, retune, {});
  EXPECT_FALSE(result.points.empty());
  EXPECT_THAT(result.front.source, HasSubstr(b_.string()));
}

}  // namespace
}  // namespace halftone
