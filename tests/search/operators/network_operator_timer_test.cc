// What the timer runs; how long that takes is not looked at.
#include "search/operators/network_operator_timer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/graph_builder.h"
#include "tests/support/planted_kernels.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;
using ::halftone::testing::PlantedKernels;
using ::halftone::testing::PlantProducts;
using ::testing::Each;
using ::testing::Gt;
using ::testing::SizeIs;

// Two products of the same signature, one of another.
Graph Products() {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {8, 64});
  const ValueId square = builder.Constant("square", Tensor(DType::kFloat32, {64, 64}));
  const ValueId other = builder.Constant("other", Tensor(DType::kFloat32, {64, 48}));
  const ValueId a = builder.Add(OpKind::kMatMul, "a", {x, square});
  const ValueId b = builder.Add(OpKind::kMatMul, "b", {a, square});
  return builder.Finish({builder.Add(OpKind::kMatMul, "c", {b, other})});
}

TEST(ContestedOperatorsTest, EqualSignaturesAreOneOperator) {
  const PlantedKernels planted = PlantProducts();
  const Graph graph = Products();
  const auto operators = ContestedOperators(TunableSteps(graph, ReferencePlan(graph), 1));
  ASSERT_THAT(operators, SizeIs(2));
  EXPECT_EQ(operators[0].count, 2);
  EXPECT_EQ(operators[1].count, 1);
  EXPECT_THAT(operators[0].kernels, SizeIs(::testing::Ge(2U)));
}

TEST(NetworkOperatorTimerTest, EveryOperatorOfEveryVariantTakesTime) {
  const PlantedKernels planted = PlantProducts();
  const Graph graph = Products();
  const PrecisionPlan plan = ReferencePlan(graph);
  const Sample sample{.name = "zeros", .inputs = {Tensor(DType::kFloat32, {8, 64})}};
  const ThreadPool pool(1);
  const CompileOptions base{.choices = KernelChoices(1)};
  const auto steps = TunableSteps(graph, plan, 1);
  NetworkOperatorTimer timer({graph, plan, sample, pool, base}, steps);
  ASSERT_THAT(timer.operators(), SizeIs(2));
  const KernelAssignment variants[] = {{0, 0}, {1, 0}, {1, 1}};
  timer.Prepare(variants);
  timer.Drop(1);
  for (const std::size_t variant : {0U, 2U}) {
    const OperatorSample taken = timer.TakeSample(variant);
    ASSERT_THAT(taken.operator_s, SizeIs(2));
    EXPECT_THAT(taken.operator_s, Each(Gt(0)));
    EXPECT_GT(taken.spent_s, taken.operator_s[0] + taken.operator_s[1]);
  }
}

}  // namespace
}  // namespace halftone
