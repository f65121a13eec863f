// What the probes say of operators that make integers or booleans, and of sentinels in results.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "search/measure/network_measurer.h"
#include "search/probe/error_probes.h"
#include "src/exec/host_target.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;

// x and a limit go through `decide`, which makes integers or booleans; these decide which rows of a
// table the output is made of. 2049 is 2048 in float16, 2047 is itself in float16 and 2048 in
// bfloat16, so every decision of a lowered operator is another one.
struct DecidingCase {
  const char* name;
  Graph (*graph)();
};

ValueId Numbers(GraphBuilder& builder, const char* name, Shape shape, std::vector<float> values) {
  return builder.Constant(name, Tensor::From<float>(std::move(shape), values));
}

Attributes AlongAxis1() {
  Attributes attributes;
  attributes.Set("axis", std::int64_t{1});
  return attributes;
}

// The row of the table that an index names.
Graph RowOfTable(GraphBuilder& builder, ValueId index) {
  const ValueId table = Numbers(builder, "table", {4, 2}, {1, 2, 30, 40, -5, 6, 7, 80});
  return builder.Finish({builder.Add(OpKind::kGather, "row", {table, index})});
}

Graph WithArgMax() {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 4});
  return RowOfTable(builder, builder.Add(OpKind::kArgMax, "decide", {x}, AlongAxis1()));
}

Graph WithTopK() {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 4});
  const ValueId values =
      builder.Add(OpKind::kTopK, "decide", {x, builder.Integers("k", {1})}, AlongAxis1(), 2);
  return RowOfTable(builder, values + 1);
}

Graph WithLess() {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 4});
  const ValueId limit = Numbers(builder, "limit", {1, 4}, {2049, 2049, 2049, 2049});
  const ValueId less = builder.Add(OpKind::kLess, "decide", {x, limit});
  const ValueId ones = Numbers(builder, "ones", {1, 4}, {1, 2, 3, 4});
  const ValueId others = Numbers(builder, "others", {1, 4}, {-5, 60, 7, -8});
  return builder.Finish({builder.Add(OpKind::kWhere, "choose", {less, ones, others})});
}

class DecidingProbesTest : public ::testing::TestWithParam<DecidingCase> {};

// What the probes say of the operator that decides is what a plan loses that lowers it alone.
TEST_P(DecidingProbesTest, ADecisionCostsWhatItChanges) {
  const Graph graph = GetParam().graph();
  const TargetSpec target = HostTarget();
  const Decisions decisions(graph, target);
  Tensor input(DType::kFloat32, Shape{1, 4});
  // Float32 takes the second; rounded to float16 or bfloat16 all are 2048 and the first is taken.
  const float values[] = {2048, 2048.5F, 2047.9F, 2048.4F};
  std::ranges::copy(values, input.mutable_values<float>().begin());
  std::vector<Sample> samples;
  samples.push_back({"sample", {input}});
  const Dataset dataset(std::move(samples));
  const ThreadPool pool(1);
  ErrorProbes probes(decisions, dataset, {.min_samples = 1}, pool);
  const std::vector<GroupSensitivity> sensitivities = probes.ProbeAll();
  std::size_t judged = 0;
  for (std::size_t g = 0; g < decisions.groups().size(); ++g) {
    const DecisionGroup& group = decisions.groups()[g];
    const GroupSensitivity& sensitivity = sensitivities[g];
    if (group.name != "decide") {
      continue;
    }
    NetworkMeasurer measurer(graph, dataset, {.quick_budget_s = 0.001});
    for (std::size_t c = 1; c < group.choices.size(); ++c) {
      if (!IsReduced(group.choices[c].format)) {
        continue;
      }
      Assignment assignment(decisions.groups().size(), 0);
      assignment[g] = c;
      const auto accuracy = measurer.MeasureAccuracy(decisions.PlanFor(assignment));
      ASSERT_TRUE(std::holds_alternative<Accuracy>(accuracy));
      const double loss = std::get<Accuracy>(accuracy).Mean("rel_l2");
      const ChoiceSensitivity& choice = sensitivity.choices[c];
      const double predicted =
          choice.errors.at(0) + sensitivity.Of(group.choices[c].format).errors.at(0);
      EXPECT_GT(loss, 0.1) << "the case is one where lowering ruins the output";
      // A sum of two powers and a square root in double.
      EXPECT_NEAR(std::sqrt(predicted), loss, 1e-12 * loss) << NameOf(group.choices[c]);
      EXPECT_GT(choice.changed, 0);
      EXPECT_TRUE(choice.probed);
      ++judged;
    }
  }
  EXPECT_GT(judged, 0U);
}

INSTANTIATE_TEST_SUITE_P(Operators, DecidingProbesTest,
                         ::testing::Values(DecidingCase{"ArgMax", WithArgMax},
                                           DecidingCase{"TopK", WithTopK},
                                           DecidingCase{"Less", WithLess}),
                         [](const auto& test) { return std::string(test.param.name); });

// A sentinel in the results of a group hides no error of the others.
TEST(SentinelProbesTest, TheOthersDecide) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 4});
  const ValueId mask = Numbers(builder, "mask", {1, 4}, {0, 0, 0, -1e9F});
  const Graph graph = builder.Finish({builder.Add(OpKind::kAdd, "masked", {x, mask})});
  const TargetSpec target = HostTarget();
  const Decisions decisions(graph, target, {.formats = {DType::kBFloat16}});
  Tensor input(DType::kFloat32, Shape{1, 4});
  const float values[] = {1.003F, -2.011F, 3.017F, 1};
  std::ranges::copy(values, input.mutable_values<float>().begin());
  std::vector<Sample> samples;
  samples.push_back({"sample", {input}});
  const Dataset dataset(std::move(samples));
  const ThreadPool pool(1);
  ErrorProbes probes(decisions, dataset, {.min_samples = 1}, pool);
  ASSERT_EQ(decisions.groups().size(), 1U);
  const GroupSensitivity sensitivity = probes.ProbeAll().front();
  // The rounding of the others to bfloat16, whose numbers here are 2^-7 to 2^-6 apart: far above
  // what 1e9 leaves of it, a square of 1e-18.
  EXPECT_GT(sensitivity.Of(DType::kBFloat16).errors.at(0), 1e-8);
}

}  // namespace
}  // namespace halftone
