// Operator tuning with planted timings and a planted machine profile: what is timed, stored and
// used.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "knowledge_base/store.h"
#include "src/api/bank/kernel_bank.h"
#include "src/api/operator_tuning.h"
#include "src/exec/tunable_steps.h"
#include "tests/api/tune/products_model.h"
#include "tests/support/planted_kernels.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// What is found is planted: the second kernel of each operator wins with a ratio of 0.8.
class PlantedTuningTest : public ::testing::Test {
 protected:
  OperatorTuningResult Tune(const Model& model, Interval network_interval) {
    return TuneAll(model, {ReferencePlan(model.graph)}, network_interval);
  }

  // The plans one after the other; the result of the last.
  OperatorTuningResult TuneAll(const Model& model, const std::vector<PrecisionPlan>& plans,
                               Interval network_interval) {
    measured_.clear();
    kernels_.clear();
    compared_ = 0;
    const PlantedTimings planted{
        .operators =
            [&](std::span<const TunableStep> steps) {
              std::vector<OperatorTiming> timings;
              for (const TunableStep& step : steps) {
                measured_.push_back(step.node);
                kernels_.push_back(step.kernels);
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
            },
        .profile = [&](const std::set<OpKind>&) { return profile_; }};
    const Sample sample{.name = "s", .inputs = {Tensor(model.graph.value(0).type)}};
    const OperatorTunerHooks hooks;
    OperatorTuning tuning(model, sample, target_, options_, hooks, *store_, planted);
    OperatorTuningResult result;
    for (const PrecisionPlan& plan : plans) {
      result = tuning.Tune(plan);
    }
    return result;
  }

  // The profile knows the step's call: this many seconds by kernel.
  void Profile(const TunableStep& step, const std::vector<double>& seconds) {
    ProfiledCall call{.shape = *step.shape, .seconds = {}};
    for (std::size_t i = 0; i < step.kernels.size(); ++i) {
      call.seconds[step.kernels[i]] = seconds[std::min(i, seconds.size() - 1)];
    }
    profile_.Add({.op = step.op, .threads = 1, .calls = {call}});
  }

  testing::PlantedKernels planted_kernels_ = testing::PlantProducts();
  const TargetSpec target_ = LoadTarget("host");
  OperatorTuningOptions options_{.measure = {.threads = 1}};
  std::unique_ptr<TrialStore> store_ = MakeMemoryStore();
  MachineProfile profile_;
  std::vector<std::vector<std::string>> kernels_;  // parallel to measured_
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

// 7 rounds of at least two variants and of the winners: 28 runs.
TEST_F(PlantedTuningTest, NoRaceBeginsThatItsBudgetCannotEnd) {
  const Model model = Products({64, 48, 32});
  options_.mode = OperatorTuningMode::kProfile;
  options_.run_s = 0.2;
  options_.budget_s = 28 * 0.2 - 0.1;
  const OperatorTuningResult result = Tune(model, {0.84, 0.86});
  EXPECT_THAT(measured_, IsEmpty());
  EXPECT_THAT(result.undecided, SizeIs(2)) << "they keep the static order, and may be timed later";
  EXPECT_TRUE(ChoicesFrom(*store_, model.graph, 1).empty());
  options_.mode = OperatorTuningMode::kFull;
  EXPECT_THAT(Tune(model, {0.84, 0.86}).undecided, IsEmpty()) << "full tuning is asked for";
  EXPECT_THAT(measured_, ElementsAre("mm0", "mm1"));
}

TEST_F(PlantedTuningTest, ARaceBeginsThatItsBudgetCanEnd) {
  const Model model = Products({64, 48, 32});
  const auto steps = TunableSteps(model.graph, ReferencePlan(model.graph), 1);
  std::size_t variants = 0;
  for (const TunableStep& step : steps) {
    variants = std::max(variants, step.kernels.size());
  }
  options_.mode = OperatorTuningMode::kProfile;
  options_.run_s = 0.2;
  options_.budget_s = 7 * 0.2 * static_cast<double>(variants + 2) + 0.1;
  EXPECT_THAT(Tune(model, {0.84, 0.86}).undecided, IsEmpty());
  EXPECT_THAT(measured_, ElementsAre("mm0", "mm1"));
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

// MatMul in float32 of one matrix is one family: the profile has one call, so that all of them are
// predicted from it, the less surely the farther they lie from it.
TEST_F(PlantedTuningTest, WhatTheProfileDecidesIsNotTimed) {
  const Model model = Products({64, 48, 32});
  const auto steps = TunableSteps(model.graph, ReferencePlan(model.graph), 1);
  ASSERT_THAT(steps, SizeIs(2));
  Profile(steps[0], {1e-6, 3e-6});
  options_.mode = OperatorTuningMode::kProfile;
  const OperatorTuningResult result = Tune(model, {0.8, 0.9});
  EXPECT_THAT(measured_, IsEmpty());
  EXPECT_THAT(result.operators, IsEmpty());
  EXPECT_THAT(result.forecast, ElementsAre(ElementsAre("mm0"), ElementsAre("mm1")));
  EXPECT_THAT(result.undecided, IsEmpty());
  EXPECT_EQ(FormatOperatorTable(result),
            "operator tuning: 2 operators with a choice of kernels, 0 known from the bank, 2 by "
            "the machine profile; 0 faster with another kernel\n");
  EXPECT_TRUE(ChoicesFrom(*store_, model.graph, 1).empty());
}

TEST_F(PlantedTuningTest, AnotherKernelThatTheProfileFavoursIsConfirmedInTheNetwork) {
  const Model model = Products({64, 48});
  const auto steps = TunableSteps(model.graph, ReferencePlan(model.graph), 1);
  ASSERT_THAT(steps, SizeIs(1));
  Profile(steps[0], {3e-6, 1e-6, 9e-6});
  options_.mode = OperatorTuningMode::kProfile;
  const OperatorTuningResult result = Tune(model, {0.8, 0.9});
  ASSERT_THAT(kernels_, SizeIs(1));
  EXPECT_THAT(kernels_[0], ElementsAre(steps[0].kernels[0], steps[0].kernels[1]));
  EXPECT_EQ(compared_, 0) << "operators are timed in the network; the network is not";
  EXPECT_THAT(ChoicesFrom(*store_, model.graph, 1).kernels(), SizeIs(1));

  // Full tuning wants every kernel compared, and compares those that were not.
  options_.mode = OperatorTuningMode::kFull;
  Tune(model, {0.8, 0.9});
  EXPECT_THAT(measured_, SizeIs(steps[0].kernels.size() > 2 ? 1 : 0));
}

TEST_F(PlantedTuningTest, WhatTheProfileLeavesOpenOrDoesNotKnowIsTimed) {
  const Model model = Products({64, 48});
  const auto steps = TunableSteps(model.graph, ReferencePlan(model.graph), 1);
  ASSERT_THAT(steps, SizeIs(1));
  options_.mode = OperatorTuningMode::kProfile;
  Tune(model, {0.8, 0.9});
  EXPECT_THAT(kernels_, ElementsAre(steps[0].kernels)) << "an empty profile";
  store_ = MakeMemoryStore();
  Profile(steps[0], {1e-6, 1.1e-6});
  Tune(model, {0.8, 0.9});
  EXPECT_THAT(kernels_, ElementsAre(steps[0].kernels)) << "within 15 %";
}

TEST_F(PlantedTuningTest, KernelsOfEveryModeAreTimedOnce) {
  const Model model = Products({64, 48});
  PrecisionPlan other = ReferencePlan(model.graph);
  other.nodes[0].impl_mode = ImplMode::kDefault;
  const auto first = TunableSteps(model.graph, ReferencePlan(model.graph), 1);
  const auto second = TunableSteps(model.graph, other, 1);
  ASSERT_THAT(first, SizeIs(1));
  ASSERT_THAT(second, SizeIs(1));
  ASSERT_NE(first[0].signature, second[0].signature);
  ASSERT_EQ(first[0].kernels, second[0].kernels);
  const auto result = TuneAll(model, {ReferencePlan(model.graph), other}, {0.8, 0.9});
  EXPECT_THAT(measured_, ElementsAre("mm0"));
  ASSERT_THAT(result.operators, SizeIs(1));
  EXPECT_EQ(result.operators[0].timing.signature, second[0].signature);
  EXPECT_TRUE(result.operators[0].timing.tuned());
  EXPECT_THAT(ChoicesFrom(*store_, model.graph, 1).kernels(), SizeIs(2));
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
