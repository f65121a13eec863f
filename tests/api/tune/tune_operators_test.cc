// Operator tuning on networks, with budgets that suit a test: what is measured, stored and used,
// not which kernel wins. Banks that say which one won are filled by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "knowledge_base/sqlite_store.h"
#include "src/api/bank/kernel_bank.h"
#include "src/api/bank/workload.h"
#include "src/api/operator_tuning.h"
#include "src/exec/operator_signature.h"
#include "src/exec/tunable_steps.h"
#include "src/precision/resolve/resolve.h"
#include "tests/api/tune/products_model.h"
#include "tests/support/planted_kernels.h"

namespace halftone {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class TuneOperatorsTest : public ::testing::Test {
 protected:
  TuneOperatorsTest() {
    std::filesystem::remove_all(options_.bank);
    options_.measure = {.threads = 1, .full_budget_s = 0.01};
    options_.budget_s = 0.01;
  }

  ~TuneOperatorsTest() override { std::filesystem::remove_all(options_.bank); }

  OperatorTuningResult Tune(const Model& model) {
    rounds_ = 0;
    return TuneOperators(model, LoadTarget("host"), precision_, options_,
                         {.on_progress = [&](const OperatorTunerProgress&) { ++rounds_; },
                          .stop_requested = [&] { return stop_; }});
  }

  [[nodiscard]] std::vector<TunableStep> Steps(const Model& model, int threads = 1) const {
    return TunableSteps(model.graph, ResolvePrecision(model.graph, precision_, LoadTarget("host")),
                        threads);
  }

  std::unique_ptr<TrialStore> Store() {
    return OpenSqliteStore(DatabasePath(options_.bank, "host"), OpenMode::kReadWrite);
  }

  // The timings that count now, of its operators.
  std::vector<StoredTiming> Stored(const Model& model) {
    std::vector<StoredTiming> timings;
    for (const OpKind op : OperatorsOf(model.graph)) {
      for (StoredTiming& stored : Store()->OperatorTimings(CurrentKernels({op}))) {
        timings.push_back(std::move(stored));
      }
    }
    return timings;
  }

  // As if the second kernel of each operator had won.
  void FillBank(const Model& model, std::string_view version = "", int threads = 1) {
    for (const TunableStep& step : Steps(model, threads)) {
      const OperatorTiming timing{.signature = step.signature,
                                  .static_kernel = step.kernels[0],
                                  .kernel = step.kernels[1],
                                  .ratio = 0.8,
                                  .ratio_interval = {0.79, 0.81},
                                  .rounds = 20,
                                  .static_s = 1e-4};
      KernelVersion kernels = KernelsTimed(timing.signature);
      kernels.tool_version += version;
      Store()->AddOperatorTimings(kernels, {{timing}});
    }
  }

  testing::PlantedKernels planted_ = testing::PlantProducts();
  PrecisionOptions precision_ = {.precision_mode = "must_keep_origin_dtype"};
  OperatorTuningOptions options_{
      .bank = ::testing::TempDir() + "halftone_tune_operators_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name()};
  bool stop_ = false;
  int rounds_ = 0;
};

TEST_F(TuneOperatorsTest, TheSecondTimeNothingIsMeasured) {
  const Model model = Products({64, 48, 32});
  const OperatorTuningResult first = Tune(model);
  ASSERT_THAT(first.operators, SizeIs(2));
  EXPECT_THAT(first.operators, Each(Field(&TunedOperator::known, false)));
  EXPECT_GE(rounds_, 10);
  const auto stored = Stored(model);
  EXPECT_GE(stored.size(), 2U);

  const OperatorTuningResult second = Tune(model);
  EXPECT_EQ(rounds_, 0);
  ASSERT_THAT(second.operators, SizeIs(2));
  EXPECT_THAT(second.operators, Each(Field(&TunedOperator::known, true)));
  for (std::size_t i = 0; i < second.operators.size(); ++i) {
    EXPECT_EQ(second.operators[i].timing, first.operators[i].timing);
  }
  EXPECT_EQ(second.network, first.dropped ? std::nullopt : first.network) << "nor is the network";
  EXPECT_EQ(Stored(model).size(), stored.size());
}

TEST_F(TuneOperatorsTest, NetworksShareTheirOperators) {
  Tune(Products({64, 48, 32}));
  const OperatorTuningResult second = Tune(Products({64, 48, 40}));
  ASSERT_THAT(second.operators, SizeIs(2));
  EXPECT_TRUE(second.operators[0].known) << "64 x 48 is in both";
  EXPECT_FALSE(second.operators[1].known);
  EXPECT_THAT(second.operators[1].nodes, ElementsAre("mm1"));
}

TEST_F(TuneOperatorsTest, EqualOperatorsAreOne) {
  const OperatorTuningResult result = Tune(Products({64, 64, 64, 32}));
  ASSERT_THAT(result.operators, SizeIs(2));
  EXPECT_THAT(result.operators[0].nodes, ElementsAre("mm0", "mm1"));
}

TEST_F(TuneOperatorsTest, ABudgetWithoutEndIsAnError) {
  options_.budget_s = std::numeric_limits<double>::infinity();
  try {
    Tune(Products({64, 48}));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.what(),
              std::string("--operator_budget=inf: expected a number from 0 to 86400"));
  }
}

TEST_F(TuneOperatorsTest, OnlyIncludedNodesAreTuned) {
  options_.include = [](const Node& node) { return node.name == "mm1"; };
  const OperatorTuningResult result = Tune(Products({64, 48, 32}));
  ASSERT_THAT(result.operators, SizeIs(1));
  EXPECT_THAT(result.operators[0].nodes, ElementsAre("mm1"));
}

TEST_F(TuneOperatorsTest, AStopStoresNothingUndecided) {
  stop_ = true;
  const OperatorTuningResult result = Tune(Products({64, 64, 64, 32}));
  EXPECT_THAT(result.operators, IsEmpty());
  EXPECT_THAT(result.undecided, ElementsAre(ElementsAre("mm0", "mm1"), ElementsAre("mm2")));
  EXPECT_EQ(FormatOperatorTable(result),
            "operator tuning: 2 operators with a choice of kernels, 0 known from the bank; 0 "
            "faster with another kernel; interrupted with 2 undecided\n");
  EXPECT_THAT(Store()->OperatorTimingSummaries(), IsEmpty());
}

TEST_F(TuneOperatorsTest, WithoutABankNothingIsKept) {
  const std::filesystem::path bank = std::exchange(options_.bank, {});
  EXPECT_THAT(Tune(Products({64, 48})).operators, SizeIs(1));
  EXPECT_FALSE(std::filesystem::exists(bank));
  options_.bank = bank;
}

TEST_F(TuneOperatorsTest, AKnownChoiceIsUsedFromThenOn) {
  const Model model = Products({64, 48, 32});
  FillBank(model);
  const KernelChoices choices = LoadKernelChoices(model, options_.bank, "host", 1);
  EXPECT_THAT(choices.kernels(), SizeIs(2));
  const RunResult run = RunConfiguration(model, {LoadTarget("host"), precision_, {}, {&choices, 1}},
                                         options_.measure);
  EXPECT_EQ(run.steps, 2U);
  EXPECT_EQ(run.tuned_steps, 2U);
  EXPECT_EQ(
      RunConfiguration(model, {LoadTarget("host"), precision_, {}}, options_.measure).tuned_steps,
      0U);
  for (const KernelUse& use : ExplainKernels(model, LoadTarget("host"), precision_, choices)) {
    ASSERT_FALSE(use.passed_over.empty());
    EXPECT_THAT(use.passed_over.back(), HasSubstr(": was slower here (operator tuning)"));
  }
}

TEST_F(TuneOperatorsTest, ChoicesOfOtherKernelsThreadsAndNetworksAreNot) {
  const Model model = Products({64, 48, 32});
  FillBank(model, "x");
  FillBank(model, "", 3);
  FillBank(Products({24, 80}));
  EXPECT_TRUE(LoadKernelChoices(model, options_.bank, "host", 1).empty());
}

// A misspelt bank would say that nothing is tuned.
TEST_F(TuneOperatorsTest, ABankThatIsNotThereIsAnError) {
  try {
    LoadKernelChoices(Products({64, 48}), "nowhere", "host", 1);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDatabase);
    EXPECT_EQ(error.what(), std::string("there is no knowledge base 'nowhere/host/halftone.db': "
                                        "check --op_bank_path and --soc_version, or fill it with "
                                        "`halftone tune`"));
  }
}

// A measurement made with other kernels is another measurement; without choices, the old one.
TEST_F(TuneOperatorsTest, ChoicesArePartOfTheWorkload) {
  const Model model = Products({64, 48, 32});
  TuneOptions tune;
  tune.measure = {.threads = 1, .quick_budget_s = 0.002, .full_budget_s = 0.01};
  tune.modes = {"must_keep_origin_dtype"};
  tune.max_trials = 1;
  tune.operator_tuning = OperatorTuningMode::kOff;
  tune.bank = options_.bank;
  const TuneSummary before = halftone::Tune(model, tune);
  EXPECT_EQ(before.run.kernel_choices, 0U);
  EXPECT_GT(before.search.measured, 0U);
  EXPECT_EQ(Store()->Workloads().at(0).workload.kernel_choices, Hash128{});

  FillBank(Products({24, 80}));
  EXPECT_EQ(halftone::Tune(model, tune).search.measured, 0U) << "of another network";
  FillBank(model);
  const TuneSummary after = halftone::Tune(model, tune);
  EXPECT_EQ(after.run.kernel_choices, 2U);
  EXPECT_GT(after.search.measured, 0U);
  EXPECT_EQ(halftone::Tune(model, tune).search.measured, 0U);
  ASSERT_THAT(Store()->Workloads(), SizeIs(2));
  EXPECT_EQ(Store()->Workloads()[1].workload.kernel_choices,
            LoadKernelChoices(model, options_.bank, "host", 1).Digest());
  for (const std::string& text :
       {ListBank(options_.bank, "host"), ShowBank(options_.bank, "host", "")}) {
    EXPECT_THAT(text, HasSubstr("3 operators (3 with another kernel)  0 networks"));
    EXPECT_THAT(text, HasSubstr("  tuned kernels "));
  }
}

TEST_F(TuneOperatorsTest, TheFlagOfTuneComesFirst) {
  const Model model = Products({64, 48, 32});
  TuneOptions tune;
  tune.measure = {.threads = 1, .quick_budget_s = 0.002, .full_budget_s = 0.01};
  tune.modes = {"must_keep_origin_dtype"};
  tune.max_trials = 1;
  tune.bank = options_.bank;
  tune.operator_tuning = OperatorTuningMode::kFull;
  tune.operator_budget_s = 0.01;
  int rounds = 0;
  TuneCallbacks callbacks;
  callbacks.on_operators = [&](const OperatorTunerProgress&) { ++rounds; };
  halftone::Tune(model, tune, callbacks);
  EXPECT_GE(rounds, 10);
  EXPECT_THAT(Tune(model).operators, Each(Field(&TunedOperator::known, true)));
  rounds = 0;
  halftone::Tune(model, tune, callbacks);
  EXPECT_EQ(rounds, 0);
}

}  // namespace
}  // namespace halftone
