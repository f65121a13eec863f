// Outputs of integers and booleans: agreement, and which metric a network has.
#include "src/accuracy/discrete_outputs.h"

#include <array>
#include <cstring>

#include "gtest/gtest.h"
#include "src/accuracy/loss_metric.h"
#include "src/base/error.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

template <typename T>
Tensor Of(Shape shape, std::vector<T> values) {
  return Tensor::From<T>(std::move(shape), values);
}

Tensor Integers(std::vector<std::int64_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return Of<std::int64_t>({count}, std::move(values));
}

Tensor Booleans(std::vector<std::uint8_t> bytes) {
  Tensor tensor(DType::kBool, Shape{static_cast<std::int64_t>(bytes.size())});
  std::memcpy(tensor.mutable_data(), bytes.data(), bytes.size());
  return tensor;
}

std::optional<double> Metric(std::string_view name, std::vector<Tensor> reference,
                             std::vector<Tensor> actual) {
  return FindMetric(name)->of_sample(
      SampleView({.reference = reference, .actual = actual, .labels = {}}));
}

Graph NetworkOf(std::vector<DType> outputs) {
  Graph graph;
  for (const DType dtype : outputs) {
    const std::string name = "out" + std::to_string(graph.outputs.size());
    graph.outputs.push_back(graph.AddValue({name, {dtype, Shape{2}}, {}}));
  }
  return graph;
}

TEST(MakesClassesTest, ASoftmaxMakesThemWhateverStandsBehind) {
  const auto graph_of = [](OpKind last) {
    testing::GraphBuilder builder;
    const ValueId x = builder.Input("x", {1, 4});
    const ValueId made = builder.Add(last, "last", {x});
    return builder.Finish({builder.Add(OpKind::kIdentity, "copy", {made})});
  };
  EXPECT_TRUE(MakesClasses(graph_of(OpKind::kSoftmax)));
  EXPECT_TRUE(MakesClasses(graph_of(OpKind::kLogSoftmax)));
  EXPECT_FALSE(MakesClasses(graph_of(OpKind::kSigmoid)));
}

TEST(AgreementTest, IsTheShareOfEqualElements) {
  EXPECT_EQ(ShareOfEqual(Integers({1, 2, 3, 4}), Integers({1, 2, 3, 4})), 1);
  EXPECT_EQ(ShareOfEqual(Integers({1, 2, 3, 4}), Integers({1, 0, 3, 5})), 0.5);
  EXPECT_EQ(ShareOfEqual(Integers({7}), Integers({8})), 0);
}

// A double holds neither.
TEST(AgreementTest, TellsLargeIntegersApart) {
  const std::int64_t large = std::int64_t{1} << 60;
  EXPECT_EQ(ShareOfEqual(Integers({large, large}), Integers({large, large + 1})), 0.5);
}

TEST(AgreementTest, BooleansAreTrueOrFalse) {
  EXPECT_EQ(ShareOfEqual(Booleans({0, 1, 1, 0}), Booleans({0, 255, 0, 1})), 0.5);
  EXPECT_EQ(ShareOfEqual(Booleans({1, 1}), Booleans({1, 1})), 1) << "constant ones agree";
}

TEST(AgreementTest, NothingDisagreesInAnEmptyOutput) {
  EXPECT_EQ(ShareOfEqual(Integers({}), Integers({})), 1);
  EXPECT_EQ(Metric("agreement", {Integers({})}, {Integers({})}), 1);
}

TEST(AgreementTest, TheWorstOutputCounts) {
  EXPECT_EQ(Metric("agreement", {Integers({1, 2}), Booleans({1, 0})},
                   {Integers({1, 2}), Booleans({0, 0})}),
            0.5);
}

TEST(AgreementTest, FloatingOutputsAreNoPartOfIt) {
  const Tensor floats = Of<float>({2}, {1, 2});
  const Tensor others = Of<float>({2}, {1, 3});
  EXPECT_EQ(Metric("agreement", {floats}, {others}), std::nullopt);
  EXPECT_EQ(Metric("agreement", {floats, Integers({1})}, {others, Integers({1})}), 1);
  EXPECT_EQ(Metric("rel_l2", {Integers({1})}, {Integers({2})}), std::nullopt);
  EXPECT_EQ(Metric("max_abs", {Integers({1}), floats}, {Integers({9}), others}), 1);
}

// A normal interval would reach above all.
TEST(AgreementTest, TheIntervalOfManySamplesStaysAShare) {
  AccuracyAccumulator accumulator(kMostResampled);
  const std::array same = {Integers({1})};
  const std::array other = {Integers({2})};
  for (std::size_t i = 0; i <= kMostResampled; ++i) {
    accumulator.Add({.reference = same, .actual = i == 5 ? other : same, .labels = {}});
  }
  const Accuracy accuracy = accumulator.Finish();
  const auto interval = MeanInterval(*accuracy.Find("agreement"));
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->high, 1);
  EXPECT_LT(interval->low, 1);
}

TEST(FormatShareTest, AllAndNoneAreSaidOfNothingElse) {
  EXPECT_EQ(FormatShare(1), "100 %");
  EXPECT_EQ(FormatShare(0), "0 %");
  EXPECT_EQ(FormatShare(0.985), "98.50 %");
  EXPECT_EQ(FormatShare(0.999999), "99.9999 %");
  EXPECT_EQ(FormatShare(1 - 1e-8), "99.999999 %");
  EXPECT_EQ(FormatShare(1e-6), "0.0001 %");
}

TEST(OutputErrorTest, IsTheShareThatDiffersWhereNothingIsFloating) {
  Accuracy accuracy;
  EXPECT_EQ(OutputErrorOf(accuracy), 1) << "nothing is known to be right";
  accuracy.metrics = {{.name = "agreement", .mean = 0.75}};
  EXPECT_EQ(OutputErrorOf(accuracy), 0.25);
  accuracy.metrics.push_back({.name = "rel_l2", .mean = 0.5});
  EXPECT_EQ(OutputErrorOf(accuracy), 0.5) << "floating outputs go first";
}

TEST(MetricArgumentsTest, AgreementIsTheDefaultWhereNothingIsFloating) {
  EXPECT_EQ(MetricArgumentsFor(NetworkOf({DType::kInt64, DType::kBool}), {}).metric, "agreement");
  EXPECT_EQ(MetricArgumentsFor(NetworkOf({DType::kInt64, DType::kFloat32}), {}).metric, "");
  EXPECT_EQ(MetricArgumentsFor(NetworkOf({DType::kFloat16}), {}).metric, "");
  const MetricArguments own{.metric = "command:./score", .better = "lower"};
  EXPECT_EQ(MetricArgumentsFor(NetworkOf({DType::kInt64}), own), own);
}

std::string RefusalOf(const Graph& graph, const std::string& metric) {
  try {
    MetricArgumentsFor(graph, {.metric = metric});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

TEST(MetricArgumentsTest, MetricsOfOutputsThatAreNotThereAreRefused) {
  const Graph discrete =
      NetworkOf({DType::kInt64, DType::kBool, DType::kInt8, DType::kInt8, DType::kInt8});
  EXPECT_EQ(RefusalOf(discrete, "sqnr_db"),
            "--metric=sqnr_db compares floating outputs, and this network has none: its outputs "
            "are 'out0' (int64), 'out1' (bool), 'out2' (int8), ...; leave it out, or use "
            "--metric=agreement");
  EXPECT_EQ(RefusalOf(NetworkOf({DType::kFloat32}), "agreement"),
            "--metric=agreement compares integer and boolean outputs, and this network has none: "
            "its outputs are 'out0' (float32); leave it out, or use --metric=rel_l2");
  EXPECT_EQ(RefusalOf(NetworkOf({DType::kFloat32, DType::kBool}), "agreement"), "");
}

// The classes of a map lie in front of its places; top-1 would compare places.
TEST(MakesClassesTest, AMapWithTheClassesInFrontHasNone) {
  const auto graph_of = [](Shape shape, std::int64_t axis) {
    testing::GraphBuilder builder;
    const ValueId x = builder.Input("x", std::move(shape));
    Attributes attributes;
    attributes.Set("axis", axis);
    return builder.Finish({builder.Add(OpKind::kSoftmax, "last", {x}, attributes)});
  };
  EXPECT_FALSE(MakesClasses(graph_of({1, 21, 8, 8}, 1)));
  EXPECT_TRUE(MakesClasses(graph_of({1, 8, 8, 21}, -1)));
  EXPECT_TRUE(MakesClasses(graph_of({1, 5, 21}, 2)));
}

TEST(ClassOutputTest, AMapHasNoneUntilItIsNamed) {
  const std::vector<Tensor> map = {Of<float>({1, 1, 4, 4}, std::vector<float>(16, 1))};
  const std::vector<Tensor> row = {Of<float>({1, 4, 1, 1}, std::vector<float>(4, 1))};
  EXPECT_EQ(ClassOutput({.reference = map, .actual = map, .labels = {}}), std::nullopt);
  EXPECT_EQ(ClassOutput({.reference = row, .actual = row, .labels = {}}), 0U);
  EXPECT_EQ(ClassOutput({.reference = map, .actual = map, .labels = {}, .class_output = 0}), 0U);
  const std::int64_t labels[] = {0, 1, 2, 3};
  EXPECT_EQ(ClassOutput({.reference = map, .actual = map, .labels = labels}), 0U);
  const OutputMetric own{.name = "y:top1_agreement", .row = FindMetric("top1_agreement")};
  EXPECT_EQ(own.OfSample({.reference = map, .actual = map, .labels = {}}), 1.0);
}

}  // namespace
}  // namespace halftone
