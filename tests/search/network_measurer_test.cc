// The real measurer on small networks: what it computes, never how long it takes.
#include "search/network_measurer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/exec/host_target.h"
#include "src/precision/resolve.h"
#include "tests/search/chain_network.h"

namespace halftone {
namespace {

using testing::ChainNetwork;
using ::testing::HasSubstr;

Dataset DatasetOf(std::initializer_list<float> scales) {
  Dataset dataset;
  for (const float scale : scales) {
    Tensor input(DType::kFloat32, Shape{1, 8});
    for (std::size_t i = 0; i < 8; ++i) {
      input.mutable_values<float>()[i] = scale * (0.3F + 0.1F * static_cast<float>(i));
    }
    dataset.samples.push_back({"sample " + std::to_string(dataset.samples.size()), {input}});
  }
  return dataset;
}

// Little time: these tests do not look at it.
MeasureOptions Quick() {
  MeasureOptions options;
  options.quick_budget_s = 0.01;
  options.confirm_budget_s = 0.01;
  return options;
}

PrecisionPlan PlanOf(const Graph& graph, const char* mode) {
  PrecisionOptions options;
  options.precision_mode = mode;
  return ResolvePrecision(graph, options, HostTarget());
}

TEST(NetworkMeasurerTest, TheReferenceIsExact) {
  const Graph graph = ChainNetwork(4);
  const Dataset dataset = DatasetOf({1, -1, 2});
  NetworkMeasurer measurer(graph, dataset, Quick());
  const auto outcome = measurer.Measure(ReferencePlan(graph));
  const auto* measurement = std::get_if<Measurement>(&outcome);
  ASSERT_NE(measurement, nullptr);
  EXPECT_EQ(measurement->accuracy.Mean("sqnr_db"), kExactSqnrDb);
  EXPECT_EQ(measurement->accuracy.Mean("rel_l2"), 0);
  EXPECT_FALSE(measurement->confirmed);
  EXPECT_GT(measurement->peak_arena_bytes, 0);
  EXPECT_GE(measurement->latency.candidate_samples_s.size(), 6U);
  EXPECT_EQ(measurement->latency.candidate_samples_s.size(),
            measurement->latency.anchor_samples_s.size());
  EXPECT_GT(measurement->latency.ratio, 0);
}

TEST(NetworkMeasurerTest, LowPrecisionHasAnErrorAndConfirmATime) {
  const Graph graph = ChainNetwork(2);
  const Dataset dataset = DatasetOf({1, 2});
  NetworkMeasurer measurer(graph, dataset, Quick());
  const PrecisionPlan plan = PlanOf(graph, "force_fp16");
  const auto outcome = measurer.Measure(plan);
  ASSERT_TRUE(std::holds_alternative<Measurement>(outcome)) << std::get<Rejection>(outcome).reason;
  const double loss = std::get<Measurement>(outcome).accuracy.Mean("rel_l2");
  EXPECT_GT(loss, 0);
  // All terms are positive, so relative errors add up: two products of operands that are rounded to
  // bfloat16 at worst (high_performance), the input and two results rounded to float16. A tenth
  // more for terms of second order and float32 sums.
  EXPECT_LT(loss, 1.1 * (4 * 0x1p-8 + 3 * 0x1p-11));
  EXPECT_GE(measurer.Confirm(plan).candidate_samples_s.size(), 10U);
}

// Samples run side by side; what is judged, and what is rejected with which words, does not depend
// on how many.
TEST(NetworkMeasurerTest, AccuracyIsTheSameOnAnyNumberOfThreads) {
  const Graph graph = ChainNetwork(3);
  const Dataset mild = DatasetOf({1, -2, 0.5F, 3, 4, -5, 6});
  const Dataset wild = DatasetOf({1, 2, 6.4e4F, 3, -6.4e4F, 6.4e4F, 1});
  const auto judge = [&](const Dataset& dataset, int threads, bool reject) {
    MeasureOptions options = Quick();
    options.threads = threads;
    options.reject_overflow = reject;
    PrecisionPlan plan = PlanOf(graph, "force_fp16");
    plan.overflow = reject ? plan.overflow : OverflowArithmetic::kSaturate;
    auto outcome = NetworkMeasurer(graph, dataset, options).Measure(plan);
    if (auto* measurement = std::get_if<Measurement>(&outcome)) {
      measurement->latency = {};
    }
    return outcome;
  };
  for (const Dataset* dataset : {&mild, &wild}) {
    for (const bool reject : {true, false}) {
      const auto one = judge(*dataset, 1, reject);
      EXPECT_EQ(std::holds_alternative<Rejection>(one), dataset == &wild && reject);
      for (const int threads : {2, 3, 8}) {
        EXPECT_EQ(judge(*dataset, threads, reject), one) << threads;
      }
    }
  }
}

// What is known takes a billionth of the time that anything here can take. It is looked at after a
// sixteenth of the budget: whatever holds the machine up takes less than the rest of ten seconds.
TEST(NetworkMeasurerTest, ARaceThatIsLostEndsTheTiming) {
  const Graph graph = ChainNetwork(2);
  const Dataset dataset = DatasetOf({1});
  Trial known;
  Measurement fast;
  fast.latency.ratio_interval = {1e-10, 1e-9};
  fast.accuracy.metrics = {{"rel_l2", 0, 0, 0}};
  known.outcome = fast;
  const auto race = [&](double loss, double budget_s) {
    MeasureOptions options;
    options.quick_budget_s = budget_s;
    NetworkMeasurer measurer(graph, dataset, options);
    std::get<Measurement>(known.outcome).accuracy.metrics[0].mean = loss;
    const auto outcome = measurer.Race(PlanOf(graph, "force_fp16"), RacingBounds({&known, 1}));
    return std::get<Measurement>(outcome);
  };
  const Measurement lost = race(0, 10);
  EXPECT_TRUE(lost.latency.raced);
  EXPECT_GT(lost.accuracy.Mean("rel_l2"), 0) << "the accuracy is that of all samples";
  EXPECT_FALSE(race(1, 0.05).latency.raced) << "what is known is less accurate";
}

TEST(NetworkMeasurerTest, OverflowNamesNodeValueAndSample) {
  const Graph graph = ChainNetwork(2);
  const Dataset dataset = DatasetOf({1, 6.4e4F});  // fits float16; its products with weights do not
  NetworkMeasurer measurer(graph, dataset, Quick());
  const auto outcome = measurer.Measure(PlanOf(graph, "force_fp16"));
  ASSERT_TRUE(std::holds_alternative<Rejection>(outcome));
  const std::string& reason = std::get<Rejection>(outcome).reason;
  EXPECT_THAT(reason, HasSubstr("overflow: node 'mm0' (MatMul): "));
  EXPECT_THAT(reason,
              HasSubstr(" in 1 of 2 samples became Inf; first: Inf in sample 1 ('sample 1'), "
                        "element [0,"));
  EXPECT_THAT(reason, HasSubstr("]; float32 is finite there, so keep what is named in float32"));
}

TEST(NetworkMeasurerTest, SaturatedOverflowIsMeasuredAndRecorded) {
  const Graph graph = ChainNetwork(1);
  const Dataset dataset = DatasetOf({1, 6.4e4F});
  PrecisionPlan plan = PlanOf(graph, "force_fp16");
  plan.overflow = OverflowArithmetic::kSaturate;
  const auto outcome = NetworkMeasurer(graph, dataset, Quick()).Measure(plan);
  ASSERT_TRUE(std::holds_alternative<Measurement>(outcome)) << std::get<Rejection>(outcome).reason;
  const OverflowCensus& census = std::get<Measurement>(outcome).overflow;
  EXPECT_EQ(census.samples, 2);
  EXPECT_TRUE(census.status);
  ASSERT_EQ(census.findings.size(), 1U);
  EXPECT_EQ(census.findings[0].node, "mm0");
  EXPECT_TRUE(census.findings[0].saturated);
}

// ChainNetwork(1) ends in a Relu of its own, which hides -Inf and shows Inf.
TEST(NetworkMeasurerTest, WithoutRejectionOnlyOverflowOfOutputsFails) {
  MeasureOptions options = Quick();
  options.reject_overflow = false;
  const Dataset dataset = DatasetOf({-6.4e4F, 1});
  const Graph hidden = ChainNetwork(1);
  const auto outcome =
      NetworkMeasurer(hidden, dataset, options).Measure(PlanOf(hidden, "force_fp16"));
  ASSERT_TRUE(std::holds_alternative<Measurement>(outcome)) << std::get<Rejection>(outcome).reason;
  EXPECT_EQ(std::get<Measurement>(outcome).overflow.findings.size(), 1U);
  EXPECT_EQ(std::get<Measurement>(outcome).overflow.samples, 2);
  EXPECT_TRUE(std::holds_alternative<Rejection>(
      NetworkMeasurer(hidden, dataset, Quick()).Measure(PlanOf(hidden, "force_fp16"))));
  const Dataset positive = DatasetOf({6.4e4F, 1});
  const auto visible =
      NetworkMeasurer(hidden, positive, options).Measure(PlanOf(hidden, "force_fp16"));
  ASSERT_TRUE(std::holds_alternative<Rejection>(visible));
  EXPECT_THAT(std::get<Rejection>(visible).reason,
              HasSubstr(" in 1 of 2 samples became Inf; first: "
                        "Inf in sample 0 ('sample 0'), "));
}

// What --input_fp16_nodes and --output_type make of a plan.
TEST(NetworkMeasurerTest, SamplesAreConvertedToTheTypesOfThePlan) {
  const Graph graph = ChainNetwork(3);
  const Dataset dataset = DatasetOf({1, 2});
  NetworkMeasurer measurer(graph, dataset, Quick());
  PrecisionPlan plan = ReferencePlan(graph);
  plan.graph_inputs = {DType::kFloat16};
  plan.graph_outputs = {DType::kFloat16};
  const auto outcome = measurer.Measure(plan);
  ASSERT_TRUE(std::holds_alternative<Measurement>(outcome)) << std::get<Rejection>(outcome).reason;
  const double loss = std::get<Measurement>(outcome).accuracy.Mean("rel_l2");
  EXPECT_GT(loss, 0);
  EXPECT_GE(measurer.Confirm(plan).candidate_samples_s.size(), 10U);
}

TEST(NetworkMeasurerTest, ReferenceTop1NeedsLabels) {
  const Graph graph = ChainNetwork(3);  // ends in Softmax
  Dataset dataset = DatasetOf({1, 2});
  EXPECT_EQ(NetworkMeasurer(graph, dataset, Quick()).reference_top1(), std::nullopt);
  dataset.labels = {{7}, {0}};  // inputs and nearly diagonal weights rise with the index
  EXPECT_EQ(NetworkMeasurer(graph, dataset, Quick()).reference_top1(), 0.5);
}

TEST(NetworkMeasurerTest, NoSamples) {
  const Graph graph = ChainNetwork(1);
  EXPECT_THROW(NetworkMeasurer(graph, Dataset{}, Quick()), Error);
}

}  // namespace
}  // namespace halftone
