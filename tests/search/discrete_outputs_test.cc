// The search on networks whose outputs are integers or booleans: where errors are looked at, what
// the objectives and bounds are.
#include <gtest/gtest.h>

#include "search/measure/network_measurer.h"
#include "search/probe/error_probes.h"
#include "search/probe/judged_values.h"
#include "search/probe/probe_samples.h"
#include "search/trial/choose.h"
#include "search/trial/constraints.h"
#include "search/trial/pareto_front.h"
#include "src/base/error.h"
#include "src/exec/host_target.h"
#include "tests/support/chain_network.h"

namespace halftone {
namespace {

using testing::ChainNetwork;

// The chain, and the index of the largest of its results.
Graph ClassOfChain() {
  Graph graph = ChainNetwork(3);
  Node node;
  node.op = OpKind::kArgMax;
  node.name = "best";
  node.origins = {{"best", "ArgMax"}};
  node.attributes.Set("axis", std::int64_t{1});
  node.attributes.Set("keepdims", std::int64_t{1});
  node.inputs = graph.outputs;
  node.outputs = {graph.AddValue({"best_out", {DType::kInt64, Shape{1, 1}}, {}})};
  graph.outputs = node.outputs;
  graph.nodes.push_back(std::move(node));
  return graph;
}

Dataset SomeSamples(int count) {
  std::vector<Sample> samples;
  for (int s = 0; s < count; ++s) {
    Tensor input(DType::kFloat32, Shape{1, 8});
    for (std::size_t i = 0; i < 8; ++i) {
      input.mutable_values<float>()[i] =
          0.37F + 0.113F * static_cast<float>((i * 5 + static_cast<std::size_t>(s)) % 8);
    }
    samples.push_back({"sample " + std::to_string(s), {input}});
  }
  return Dataset(samples);
}

Measurement Agreeing(double mean, double ratio) {
  Measurement measurement;
  measurement.latency.ratio = ratio;
  measurement.accuracy.metrics = {{.name = "agreement", .mean = mean, .worst = 0}};
  measurement.accuracy.loss = -mean;
  return measurement;
}

Trial TrialOf(double mean, double ratio) {
  Trial trial;
  trial.outcome = Agreeing(mean, ratio);
  trial.plan_digest = Hash128{static_cast<std::uint64_t>(1000 * ratio), 1};
  return trial;
}

TEST(JudgedValuesTest, AreTheOutputsAndWhatDecidesThem) {
  const Graph floating = ChainNetwork(2);
  EXPECT_EQ(JudgedValues(floating), floating.outputs);
  const Graph discrete = ClassOfChain();
  EXPECT_EQ(JudgedValues(discrete),
            (std::vector<ValueId>{discrete.outputs[0], discrete.nodes.back().inputs[0]}));
  Graph mixed = ClassOfChain();
  mixed.outputs.push_back(mixed.nodes.back().inputs[0]);
  EXPECT_EQ(JudgedValues(mixed), mixed.outputs);
}

// Three samples flip no class; what decides the class tells plans apart all the same.
TEST(DiscreteProbesTest, FindErrorsBeforeAnyElementFlips) {
  const Graph graph = ClassOfChain();
  const TargetSpec target = HostTarget();
  const Decisions decisions(graph, target);
  const ProbeOptions options{.min_samples = 3};
  const ThreadPool pool(1);
  const Dataset dataset = SomeSamples(3);
  for (const std::int64_t kept_bytes : {std::int64_t{1} << 30, std::int64_t{256}}) {
    ProbeOptions within = options;
    within.max_kept_bytes = kept_bytes;  // all results, or checkpoints
    ErrorProbes probes(decisions, dataset, within, pool);
    int felt = 0;
    for (const GroupSensitivity& group : probes.ProbeAll()) {
      felt += group.gain > 0 ? 1 : 0;
    }
    EXPECT_GE(felt, 3) << "of " << decisions.groups().size();
  }
}

TEST(DiscreteMeasurerTest, AgreementIsTheLoss) {
  const Graph graph = ClassOfChain();
  const Dataset dataset = SomeSamples(3);
  const NetworkMeasurer measurer(
      graph, dataset,
      {.quick_budget_s = 0.001, .metric = ChooseMetric(MetricArgumentsFor(graph, {}))});
  const auto outcome = measurer.MeasureAccuracy(ReferencePlan(graph));
  const Accuracy& accuracy = std::get<Accuracy>(outcome);
  EXPECT_EQ(accuracy.Mean("agreement"), 1);
  EXPECT_EQ(accuracy.loss, -1);
  EXPECT_EQ(accuracy.Find("rel_l2"), nullptr);
}

TEST(DiscreteObjectivesTest, AreTheShareThatDiffers) {
  const Measurement measurement = Agreeing(0.75, 0.5);
  EXPECT_EQ(ErrorObjectivesOf(measurement), (Objectives{0.5, 0.25}));
  EXPECT_EQ(ObjectivesOf(measurement), (Objectives{0.5, -0.75}));
  EXPECT_EQ(ErrorObjectivesOf(Agreeing(1, 0.5)).loss, 0);
}

TEST(DiscreteObjectivesTest, SamplesThatDifferAreProbed) {
  std::vector<double> losses;
  AddLosses({.metrics = {{.name = "agreement", .mean = 0.5, .values = {1, 0.5, 0}}}}, losses);
  EXPECT_EQ(losses, (std::vector<double>{0, 1, 2}));
  AddLosses({.metrics = {{.name = "agreement", .mean = 1, .values = {1, 1, 1}}}}, losses);
  EXPECT_EQ(losses, (std::vector<double>{0, 1, 2})) << "all agree: nothing to add";
}

TEST(DiscreteChoiceTest, TheFastestThatAgreesIn99PercentIsTaken) {
  const std::vector<Trial> front = {TrialOf(0.98, 0.5), TrialOf(0.99, 0.6), TrialOf(1, 0.8)};
  EXPECT_EQ(ChooseMember(front, {}, std::nullopt), 1U);
  EXPECT_EQ(ChooseMember(front, {.min_agreement = 1}, std::nullopt), 2U);
  EXPECT_EQ(ChooseMember(front, {.min_agreement = 0.5}, std::nullopt), 0U);
  EXPECT_EQ(ParetoFront(front), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(DiscreteBoundsTest, SayWhatIsMissed) {
  EXPECT_EQ(Violation({.min_agreement = 0.99}, Agreeing(0.985, 1), std::nullopt),
            "agreement is 98.50 %, at least 99.00 % is asked for");
  EXPECT_EQ(Violation({.min_agreement = 1}, Agreeing(1, 1), std::nullopt), std::nullopt);
  for (const Constraints& floating :
       {Constraints{.min_sqnr_db = 40}, Constraints{.max_rel_l2 = 0.1}}) {
    EXPECT_TRUE(Violation(floating, Agreeing(1, 1), std::nullopt)) << "and no internal error";
  }
}

TEST(DiscreteBoundsTest, MustBeOfOutputsThatAreThere) {
  EXPECT_NO_THROW(CheckOutputsOf({.min_agreement = 0.9}, ClassOfChain()));
  EXPECT_NO_THROW(CheckOutputsOf({.min_sqnr_db = 40}, ChainNetwork(1)));
  EXPECT_THROW(CheckOutputsOf({.min_sqnr_db = 40}, ClassOfChain()), Error);
  EXPECT_THROW(CheckOutputsOf({.min_agreement = 0.9}, ChainNetwork(1)), Error);
  EXPECT_NO_THROW(CheckOutputsOf({.max_latency_ratio = 0.9}, ClassOfChain()));
}

}  // namespace
}  // namespace halftone
