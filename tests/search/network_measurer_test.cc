// The real measurer on small networks: what it computes, never how long it takes.
#include "search/network_measurer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "search/nonfinite.h"
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

TEST(NetworkMeasurerTest, OverflowNamesNodeValueAndSample) {
  const Graph graph = ChainNetwork(2);
  const Dataset dataset = DatasetOf({1, 6.4e4F});  // fits float16; its products with weights do not
  NetworkMeasurer measurer(graph, dataset, Quick());
  const auto outcome = measurer.Measure(PlanOf(graph, "force_fp16"));
  ASSERT_TRUE(std::holds_alternative<Rejection>(outcome));
  const std::string& reason = std::get<Rejection>(outcome).reason;
  EXPECT_THAT(reason, HasSubstr("node 'mm0' (MatMul) makes inf in float16 at element "));
  EXPECT_THAT(reason, HasSubstr("on sample 'sample 1'"));
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

struct NonFiniteCase {
  DType dtype;
  double value;
  bool finite;
};

class FirstNonFiniteTest : public ::testing::TestWithParam<NonFiniteCase> {};

TEST_P(FirstNonFiniteTest, FindsIt) {
  const auto& param = GetParam();
  Tensor tensor(param.dtype, Shape{5});
  StoreDouble(param.dtype, tensor.mutable_data(), 3, param.value);
  const auto found = FirstNonFinite(tensor.type(), tensor.data());
  EXPECT_EQ(found, param.finite ? std::nullopt : std::optional<std::int64_t>(3));
}

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    Cases, FirstNonFiniteTest,
    ::testing::Values(
        NonFiniteCase{DType::kFloat32, kInf, false}, NonFiniteCase{DType::kFloat32, -kInf, false},
        NonFiniteCase{DType::kFloat32, kNan, false}, NonFiniteCase{DType::kFloat32, 3.4e38, true},
        NonFiniteCase{DType::kFloat16, kInf, false}, NonFiniteCase{DType::kFloat16, 65504, true},
        NonFiniteCase{DType::kFloat16, kNan, false}, NonFiniteCase{DType::kBFloat16, -kInf, false},
        NonFiniteCase{DType::kBFloat16, 3e38, true}, NonFiniteCase{DType::kFloat64, kNan, false},
        NonFiniteCase{DType::kFloat64, 1e308, true}, NonFiniteCase{DType::kInt64, -1, true},
        NonFiniteCase{DType::kUInt16, 65535, true}));

TEST(FindNonFiniteOutputTest, OnlyWhereTheReferenceIsFinite) {
  const auto tensor = [](std::initializer_list<float> values) {
    return Tensor::From<float>(Shape{static_cast<std::int64_t>(values.size())},
                               std::vector<float>(values));
  };
  const auto inf = std::numeric_limits<float>::infinity();
  const std::vector<Tensor> reference = {tensor({1, 2}), tensor({-inf, 4})};
  EXPECT_FALSE(
      FindNonFiniteOutput(reference, std::vector<Tensor>{tensor({1, 2}), tensor({inf, 4})}));
  const auto found =
      FindNonFiniteOutput(reference, std::vector<Tensor>{tensor({1, 2}), tensor({-inf, inf})});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->output, 1U);
  EXPECT_EQ(found->element, 1);
}

}  // namespace
}  // namespace halftone
