// Configurations and texts out of a bank that was filled by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "knowledge_base/checksum.h"
#include "knowledge_base/sqlite_store.h"
#include "src/api/bank/workload.h"
#include "src/api/halftone.h"

namespace halftone {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class BankQueriesTest : public ::testing::Test {
 protected:
  BankQueriesTest() {
    std::filesystem::remove_all(bank_);
    model_.name = "net";
    model_.hash = {1, 2};
    model_.input_shapes = "x:1,8";
  }

  ~BankQueriesTest() override { std::filesystem::remove_all(bank_); }

  std::unique_ptr<TrialStore> Open() {
    return OpenSqliteStore(DatabasePath(bank_, "host"), OpenMode::kReadWrite);
  }

  [[nodiscard]] Workload workload() const {
    return {.model_name = model_.name,
            .model_hash = model_.hash,
            .input_shapes = model_.input_shapes,
            .data_hash = {},
            .target = "host",
            .isa = "avx2",
            .kernel_table_hash = {},
            .tool_version = std::string(Version()),
            .threads = 1,
            .cpu = CpuName()};
  }

  static Trial Measured(double ratio) {
    Trial trial;
    trial.candidate.options.precision_mode = "force_fp16";
    trial.plan_digest = {3, 4};
    Measurement measurement;
    measurement.latency.ratio = ratio;
    measurement.latency.ratio_interval = {ratio, ratio};
    measurement.accuracy.metrics = {{"sqnr_db", 40, 40, 0}};
    measurement.confirmed = true;
    trial.outcome = measurement;
    return trial;
  }

  // A bank's workload with this trial and a front of it; the key.
  static Hash128 AddFrontOf(TrialStore& store, const Workload& workload, const Trial& trial) {
    const Hash128 key = store.AddWorkload(workload);
    store.AddTrial(key, trial);
    store.AddFront(FrontOf(key, trial));
    return key;
  }

  static StoredFront FrontOf(const Hash128& key, const Trial& trial) {
    StoredFront front;
    front.workload_key = key;
    front.strategy = "greedy";
    front.members = {
        {.plan_digest = trial.plan_digest, .measurement_hash = MeasurementHashOf(trial)}};
    return front;
  }

  std::filesystem::path bank_ = ::testing::TempDir() + "halftone_stored_test_" +
                                ::testing::UnitTest::GetInstance()->current_test_info()->name();
  Model model_;
};

// Two `tune` processes on one bank: the stored front showed the numbers of the other one.
TEST_F(BankQueriesTest, TheFrontShowsItsOwnNumbersThoughAnotherProcessMeasuredLater) {
  const Trial first = Measured(0.5);
  const Trial second = Measured(0.8);
  const auto writer = Open();
  const auto other_writer = Open();
  const Hash128 key = writer->AddWorkload(workload());
  other_writer->AddWorkload(workload());
  writer->AddTrial(key, first);
  other_writer->AddTrial(key, second);
  writer->AddFront(FrontOf(key, first));

  EXPECT_EQ(LoadStored(model_, bank_, "host", "fastest").trial, first);
  EXPECT_THAT(ShowBank(bank_, "host", ""), HasSubstr("  1   2.000x"));
  EXPECT_THAT(ListBank(bank_, "host"), HasSubstr("  avx2 1 thread  halftone "));
  EXPECT_THAT(ListBank(bank_, "host"), HasSubstr("  1 trial (2 records)  1 front  "));

  other_writer->AddFront(FrontOf(key, second));
  EXPECT_EQ(LoadStored(model_, bank_, "host", "fastest").trial, second);
  EXPECT_THAT(ShowBank(bank_, "host", ""), HasSubstr("  1   1.250x"));
}

// A merged bank answered with the latencies of another machine where these were the newest.
TEST_F(BankQueriesTest, AFrontOfThisCpuComesBeforeANewerOneOfAnother) {
  const Trial mine = Measured(0.5);
  const Trial theirs = Measured(0.8);
  Workload of_another = workload();
  of_another.cpu = "Intel(R) Xeon(R) Processor (GenuineIntel 6.143)";
  const auto store = Open();
  const Hash128 another = AddFrontOf(*store, of_another, theirs);
  const StoredConfiguration alone = LoadStored(model_, bank_, "host", "fastest");
  EXPECT_EQ(alone.trial, theirs);
  EXPECT_THAT(alone.warnings,
              Contains("measured on another CPU, '" + of_another.cpu + "', this one is '" +
                       CpuName() + "': latencies are of that machine, tune again on this one"));
  EXPECT_THAT(ListBank(bank_, "host"),
              HasSubstr("  avx2 1 thread  on " + of_another.cpu + "  halftone "));

  AddFrontOf(*store, workload(), mine);
  store->AddFront(FrontOf(another, theirs));
  const StoredConfiguration merged = LoadStored(model_, bank_, "host", "fastest");
  EXPECT_EQ(merged.trial, mine);
  EXPECT_THAT(merged.warnings, Not(Contains(HasSubstr("another CPU"))));
}

TEST_F(BankQueriesTest, AFrontOfAnUnknownCpuIsTakenWithAWarning) {
  const Trial trial = Measured(0.5);
  Workload unknown = workload();
  unknown.cpu.clear();
  AddFrontOf(*Open(), unknown, trial);
  const StoredConfiguration stored = LoadStored(model_, bank_, "host", "fastest");
  EXPECT_EQ(stored.trial, trial);
  EXPECT_THAT(stored.warnings, Contains("measured on an unknown CPU, by a halftone that did not "
                                        "record it: tune again on this machine"));
  EXPECT_THAT(ListBank(bank_, "host"), HasSubstr("  avx2 1 thread  on an unknown CPU  halftone "));
}

TEST_F(BankQueriesTest, TunedOperatorsAreShownWithTheLargestGainFirst) {
  const auto store = Open();
  const KernelVersion kernels = CurrentKernels({OpKind::kMatMul});
  Workload with = workload();
  with.operators = "MatMul";
  with.isa = kernels.isa;
  with.kernel_table_hash = kernels.kernel_table_hash;
  store->AddTrial(store->AddWorkload(with), Measured(0.5));
  const auto timing = [](const std::string& signature, double ratio) {
    return OperatorTiming{.signature = signature,
                          .static_kernel = "matmul.f32.highway",
                          .kernel = ratio < 1 ? "matmul.f32.onednn" : "matmul.f32.highway",
                          .ratio = ratio,
                          .ratio_interval = {ratio / 1.01, ratio * 1.01}};
  };
  store->AddOperatorTimings(
      kernels, {{timing("MatMul 1", 0.8), timing("MatMul 2", 1), timing("MatMul 3", 0.5)}});
  // Of other kernels than the workload was measured with.
  store->AddOperatorTimings({.isa = "avx512", .cpu = CpuName()}, {{timing("MatMul 4", 0.1)}});
  EXPECT_THAT(ShowBank(bank_, "host", ""),
              HasSubstr("operators with another kernel, the largest gain first:\n"
                        "  2.00x [1.98, 2.02]  matmul.f32.highway -> matmul.f32.onednn  MatMul 3\n"
                        "  1.25x [1.24, 1.26]  matmul.f32.highway -> matmul.f32.onednn  MatMul 1\n"
                        "operator tuning  " +
                        kernels.isa + "  "));
}

TEST_F(BankQueriesTest, ProfilesOfAMachineAndVersionAreOneLine) {
  const auto store = Open();
  const auto add = [&](const KernelVersion& kernels, const std::string& op, int threads) {
    const ProfiledCall call{.shape = {.family = op, .sizes = {}}, .seconds = {{"kernel", 1}}};
    store->AddOperatorProfile(kernels, {.op = op, .threads = threads, .calls = {call, call}});
  };
  add(CurrentKernels({OpKind::kMatMul}), "MatMul", 1);
  add(CurrentKernels({OpKind::kConv}), "Conv", 1);
  add(CurrentKernels({OpKind::kConv}), "Conv", 2);
  add({.isa = "avx2", .tool_version = "0.0", .cpu = "Intel Xeon"}, "Conv", 1);
  const std::string text = ListBank(bank_, "host");
  EXPECT_THAT(text, HasSubstr("operator profiles  " + CurrentKernels({OpKind::kConv}).isa +
                              "  halftone " + std::string(Version()) + "  Conv,MatMul  6 calls  "));
  EXPECT_THAT(text, HasSubstr("operator profiles  avx2  on Intel Xeon  halftone 0.0  Conv  2 calls"
                              "  "));
}

// Every kernel that changed made the measurements of every network void.
TEST_F(BankQueriesTest, AWorkloadIsCurrentByTheKernelsOfItsOwnOperators) {
  const std::set<OpKind> ops = {OpKind::kConv, OpKind::kRelu};
  const KernelVersion now = CurrentKernels(ops);
  Workload mine = workload();
  mine.operators = OperatorNames(ops);
  mine.isa = now.isa;
  mine.kernel_table_hash = now.kernel_table_hash;
  EXPECT_EQ(OperatorsNamed(mine.operators), ops);
  EXPECT_TRUE(IsCurrent(mine));
  EXPECT_NE(CurrentKernels({OpKind::kConv}), now);
  const auto changed = [&](auto change) {
    Workload other = mine;
    change(other);
    return IsCurrent(other);
  };
  EXPECT_FALSE(changed([](Workload& other) { other.kernel_table_hash.low ^= 1; }));
  EXPECT_FALSE(changed([](Workload& other) { other.operators = "Conv"; }));
  EXPECT_FALSE(changed([](Workload& other) { other.operators.clear(); })) << "unknown";
  EXPECT_FALSE(changed([](Workload& other) { other.isa += "+another"; }));
  EXPECT_FALSE(changed([](Workload& other) { other.tool_version = "0.0"; }));
  EXPECT_FALSE(changed([](Workload& other) { other.cpu = "Intel Xeon"; }));
  EXPECT_FALSE(changed([](Workload& other) { other.cpu.clear(); })) << "unknown";
}

TEST_F(BankQueriesTest, ATimingIsCurrentByTheKernelsOfItsOperatorOrNetwork) {
  const std::string conv = "Conv 1x8x8x16: float32 1x16x8x8 -> float32 1x16x8x8; ; 1 thread";
  const std::string network =
      NetworkSignature("12ab: inputs x:1,8", {OpKind::kConv, OpKind::kGemm}, 2);
  EXPECT_EQ(network, "network 12ab: inputs x:1,8; operators Conv,Gemm; 2 threads");
  EXPECT_TRUE(IsCurrent(CurrentKernels({OpKind::kConv}), conv));
  EXPECT_FALSE(IsCurrent(CurrentKernels({OpKind::kGemm}), conv));
  EXPECT_TRUE(IsCurrent(CurrentKernels({OpKind::kConv, OpKind::kGemm}), network));
  EXPECT_FALSE(IsCurrent(CurrentKernels({OpKind::kConv}), network));
  EXPECT_FALSE(IsCurrent(CurrentKernels({}), "network 12ab: inputs x:1,8; 2 threads"));
}

}  // namespace
}  // namespace halftone
