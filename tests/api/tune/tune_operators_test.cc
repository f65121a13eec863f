// Operator tuning on networks, with budgets that suit a test: what is measured, stored and used,
// not which kernel wins. Banks that say which one won are filled by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "knowledge_base/sqlite_store.h"
#include "src/api/bank/kernel_bank.h"
#include "src/api/bank/workload.h"
#include "src/exec/operator_signature.h"
#include "src/exec/tunable_steps.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/graph_builder.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// A chain of products [4, widths[0]] -> [4, widths[1]] -> ...
Model Products(const std::vector<std::int64_t>& widths) {
  GraphBuilder builder;
  ValueId x = builder.Input("x", {4, widths[0]});
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    const ValueId w = builder.Constant("w" + std::to_string(i),
                                       Tensor(DType::kFloat32, {widths[i], widths[i + 1]}));
    x = builder.Add(OpKind::kMatMul, "mm" + std::to_string(i), {x, w});
  }
  Model model;
  model.graph = builder.Finish({x});
  model.name = "products";
  model.hash = HashOf(model.graph);
  model.input_shapes = "x:4," + std::to_string(widths[0]);
  return model;
}

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
  EXPECT_THAT(second.operators, SizeIs(2));
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
              std::string("--operator_budget=inf: expected 0 to 86400 seconds, a day at most"));
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
  const RunResult run =
      RunConfiguration(model, LoadTarget("host"), precision_, {}, options_.measure, choices);
  EXPECT_EQ(run.steps, 2U);
  EXPECT_EQ(run.tuned_steps, 2U);
  EXPECT_EQ(
      RunConfiguration(model, LoadTarget("host"), precision_, {}, options_.measure).tuned_steps,
      0U);
  for (const KernelUse& use : ExplainKernels(model, LoadTarget("host"), precision_, choices)) {
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
  tune.tune_operators = true;
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

// What is found is planted: the second kernel of each operator wins with a ratio of 0.8.
class PlantedTuningTest : public ::testing::Test {
 protected:
  OperatorTuningResult Tune(const Model& model, Interval network_interval) {
    measured_.clear();
    compared_ = 0;
    const PlantedTimings planted{
        .operators =
            [&](std::span<const TunableStep> steps) {
              std::vector<OperatorTiming> timings;
              for (const TunableStep& step : steps) {
                measured_.push_back(step.node);
                timings.push_back({.signature = step.signature,
                                   .static_kernel = step.kernels[0],
                                   .kernel = step.kernels[1],
                                   .ratio = 0.8,
                                   .ratio_interval = {0.79, 0.81},
                                   .rounds = 20,
                                   .static_s = 1e-4});
              }
              return timings;
            },
        .network =
            [&](const KernelChoices&) {
              ++compared_;
              return Latency{.ratio = (network_interval.low + network_interval.high) / 2,
                             .ratio_interval = network_interval,
                             .anchor_median_s = 1e-3};
            }};
    const Sample sample{.name = "s", .inputs = {Tensor(model.graph.value(0).type)}};
    return OperatorTuning(model, sample, options_, {}, *store_, planted)
        .Tune(ReferencePlan(model.graph));
  }

  OperatorTuningOptions options_{.measure = {.threads = 1}};
  std::unique_ptr<TrialStore> store_ = MakeMemoryStore();
  std::vector<std::string> measured_;
  int compared_ = 0;
};

TEST_F(PlantedTuningTest, WinnersAreStoredAndUsed) {
  const Model model = Products({64, 48, 32});
  const OperatorTuningResult first = Tune(model, {0.84, 0.86});
  EXPECT_THAT(measured_, ElementsAre("mm0", "mm1"));
  EXPECT_EQ(compared_, 1);
  EXPECT_FALSE(first.network_known);
  EXPECT_NEAR(first.ratio(), 0.85, 1e-12);
  EXPECT_THAT(ChoicesFrom(*store_, model.graph, 1).kernels(), SizeIs(2));

  const OperatorTuningResult second = Tune(model, {9, 9});
  EXPECT_THAT(measured_, IsEmpty());
  EXPECT_EQ(compared_, 0);
  EXPECT_TRUE(second.network_known);
  EXPECT_EQ(second.network, first.network);
}

TEST_F(PlantedTuningTest, ASecondNetworkMeasuresOnlyWhatIsNew) {
  Tune(Products({64, 48, 32}), {0.84, 0.86});
  const Model other = Products({64, 48, 40});
  EXPECT_FALSE(ChoicesFrom(*store_, other.graph, 1).empty()) << "used before it is tuned itself";
  Tune(other, {0.84, 0.86});
  EXPECT_THAT(measured_, ElementsAre("mm1"));
  EXPECT_EQ(compared_, 1) << "as a whole it is another network";
}

TEST_F(PlantedTuningTest, KernelsThatSlowTheNetworkAreDropped) {
  const Model model = Products({64, 48, 32});
  const OperatorTuningResult result = Tune(model, {1.01, 1.05});
  EXPECT_TRUE(result.dropped);
  EXPECT_EQ(result.ratio(), 1);
  ASSERT_THAT(result.operators, SizeIs(2));
  for (const TunedOperator& op : result.operators) {
    EXPECT_FALSE(op.timing.tuned());
    EXPECT_EQ(op.timing.ratio, 1);
  }
  EXPECT_TRUE(ChoicesFrom(*store_, model.graph, 1).empty());
  const OperatorTuningResult second = Tune(model, {1.01, 1.05});
  EXPECT_THAT(measured_, IsEmpty()) << "that they lose is known";
  EXPECT_FALSE(second.network);
}

TEST_F(PlantedTuningTest, ATieOfTheNetworksKeepsTheKernels) {
  const Model model = Products({64, 48, 32});
  const OperatorTuningResult result = Tune(model, {0.98, 1.04});
  EXPECT_FALSE(result.dropped);
  EXPECT_EQ(result.ratio(), 1);
  EXPECT_THAT(ChoicesFrom(*store_, model.graph, 1).kernels(), SizeIs(2));
}

}  // namespace
}  // namespace halftone
