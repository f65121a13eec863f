// The real measurer on small networks: what it computes, never how long it takes.
#include "search/measure/network_measurer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/exec/host_target.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/chain_network.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using testing::ChainNetwork;
using ::testing::HasSubstr;

Dataset DatasetOf(std::initializer_list<float> scales, Labels labels = {}) {
  std::vector<Sample> samples;
  for (const float scale : scales) {
    Tensor input(DType::kFloat32, Shape{1, 8});
    for (std::size_t i = 0; i < 8; ++i) {
      input.mutable_values<float>()[i] = scale * (0.3F + 0.1F * static_cast<float>(i));
    }
    samples.push_back({"sample " + std::to_string(samples.size()), {input}});
  }
  return Dataset(std::move(samples), std::move(labels));
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
  EXPECT_GT(measurement->latency.median_s, 0);
}

TEST(NetworkMeasurerTest, TheReferenceIsNotComparedWithItself) {
  const Graph graph = ChainNetwork(4);
  const Dataset dataset = DatasetOf({1, -1, 2});
  NetworkMeasurer measurer(graph, dataset, Quick());
  const PrecisionPlan plan = ReferencePlan(graph);
  const auto outcome = measurer.Measure(plan);
  ASSERT_TRUE(std::holds_alternative<Measurement>(outcome)) << std::get<Rejection>(outcome).reason;
  const Latency& measured = std::get<Measurement>(outcome).latency;
  const std::optional<Latency> confirmed = measurer.ConfirmWithin(plan, measured, {});
  ASSERT_TRUE(confirmed);
  EXPECT_EQ(*confirmed, measured);
  EXPECT_EQ(measured.ratio, 1);
  EXPECT_EQ(measured.ratio_interval, (Interval{1, 1}));
  EXPECT_TRUE(measured.is_of_anchor());
  EXPECT_FALSE(measured.is_predicted());
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
  EXPECT_FALSE(std::get<Measurement>(outcome).latency.is_of_anchor());
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

// Outputs of float32 that are not kept are made again: the same ones.
TEST(NetworkMeasurerTest, AccuracyIsTheSameHoweverManyReferencesAreKept) {
  const Graph graph = ChainNetwork(3);
  const Dataset dataset = DatasetOf({1, -2, 0.5F, 3, 4, -5, 6});
  const auto judge = [&](std::int64_t max_kept_bytes, int threads) {
    MeasureOptions options = Quick();
    options.max_kept_bytes = max_kept_bytes;
    options.threads = threads;
    const NetworkMeasurer measurer(graph, dataset, options);
    return std::get<Accuracy>(measurer.MeasureAccuracy(PlanOf(graph, "force_fp16")));
  };
  const Accuracy all = judge(1 << 20, 1);
  EXPECT_GT(all.Mean("rel_l2"), 0);
  for (const std::int64_t bytes : {0, 31, 32, 100}) {  // an output has 32
    EXPECT_EQ(judge(bytes, 1), all) << bytes;
    EXPECT_EQ(judge(bytes, 3), all) << bytes;
  }
}

TEST(ReferenceOutputsTest, KeepsTheFirstOnesThatFit) {
  const Graph graph = ChainNetwork(1);
  const Executable anchor = Compile(graph, ReferencePlan(graph));
  ReferenceOutputs outputs(StepTypes(anchor.output_types(), 0), 5, 100);
  EXPECT_EQ(outputs.kept(), 3U);
  for (std::size_t sample = 0; sample < 5; ++sample) {
    const Tensor made = Tensor::From<float>({1, 8}, std::vector<float>(8, 1.0F + sample));
    outputs.Store(sample, {&made, 1});
  }
  EXPECT_EQ(outputs.Of(2)[0].values<float>()[7], 3);
  EXPECT_FALSE(outputs.Keeps(3));
  EXPECT_THROW(static_cast<void>(outputs.Of(3)), Error);
}

// A sample that is read again for each run, and is not there any more at the second.
TEST(NetworkMeasurerTest, ASampleThatCannotBeReadIsAnError) {
  class Once : public SampleReader {
   public:
    [[nodiscard]] std::size_t size() const override { return 3; }

    [[nodiscard]] std::string NameOf(std::size_t index) const override {
      return "s" + std::to_string(index);
    }

    [[nodiscard]] std::vector<Tensor> Read(std::size_t index) const override {
      if (index == 2 && reads_++ > 0) {
        throw Error(ErrorKind::kIo, "s2 is gone");
      }
      return {Tensor(DType::kFloat32, {1, 8})};
    }

   private:
    mutable int reads_ = 0;
  };

  const Graph graph = ChainNetwork(1);
  const Dataset dataset(std::make_shared<Once>(), {0, 1, 2}, {});
  for (const int threads : {1, 2}) {
    MeasureOptions options = Quick();
    options.threads = threads;
    try {
      const NetworkMeasurer measurer(graph, dataset, options);
      static_cast<void>(measurer.MeasureAccuracy(ReferencePlan(graph)));
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "s2 is gone");
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
  EXPECT_EQ(NetworkMeasurer(graph, DatasetOf({1, 2}), Quick()).reference_top1(), std::nullopt);
  // Inputs and nearly diagonal weights rise with the index.
  const Dataset labelled = DatasetOf({1, 2}, {{7}, {0}});
  EXPECT_EQ(NetworkMeasurer(graph, labelled, Quick()).reference_top1(), 0.5);
}

TEST(NetworkMeasurerTest, NoSamples) {
  const Graph graph = ChainNetwork(1);
  EXPECT_THROW(NetworkMeasurer(graph, Dataset{}, Quick()), Error);
}

// y = x / x: NaN for a sample of zeros.
Graph Quotient() {
  testing::GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 8});
  return builder.Finish({builder.Add(OpKind::kDiv, "quotient", {x, x})});
}

TEST(NetworkMeasurerTest, OutputsThatCannotBeComparedHaveASentence) {
  const Graph graph = Quotient();
  const Dataset zeros = DatasetOf({0, 0});
  try {
    const NetworkMeasurer measurer(graph, zeros, Quick());
    FAIL() << "nothing can be compared";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(),
                HasSubstr("of node 'quotient': nothing was compared: float32 makes all elements of "
                          "2 samples infinite or NaN"));
  }
  MeasureOptions options = Quick();
  options.needs_loss = false;
  const NetworkMeasurer measurer(graph, zeros, options);
  EXPECT_EQ(measurer.reference_accuracy().Find("sqnr_db"), nullptr);
  // One sample is enough for a loss.
  const Dataset some = DatasetOf({0, 1});
  EXPECT_EQ(NetworkMeasurer(graph, some, Quick()).reference_accuracy().Mean("sqnr_db"),
            kExactSqnrDb);
}

}  // namespace
}  // namespace halftone
