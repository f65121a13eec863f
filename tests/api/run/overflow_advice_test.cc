// Causes of infinities and NaN, and lines of --keep_dtype that mend them.
#include "src/api/run/overflow_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/exec/host_target.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;

ValueId Number(GraphBuilder& builder, const char* name, float value) {
  return builder.Constant(name, Tensor::From<float>(Shape{}, std::vector<float>{value}));
}

std::string AdviceIn(const Graph& graph, const char* mode, std::vector<float> values) {
  Tensor input(DType::kFloat32, graph.value(graph.inputs[0]).type.shape);
  std::ranges::copy(values, input.mutable_values<float>().begin());
  std::vector<Sample> samples;
  samples.push_back({"sample", {input}});
  const Dataset dataset(std::move(samples));
  PrecisionOptions options;
  options.precision_mode = mode;
  const TargetSpec target = HostTarget();
  const CompileOptions compile;
  return OverflowAdvice({graph, target, options, dataset, compile});
}

// x / max(|x|, eps): 0 / 0 where eps is 0.
Graph Normalised(float eps) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 2});
  const ValueId size = builder.Add(OpKind::kAbs, "size", {x});
  const ValueId bounded = builder.Add(OpKind::kMax, "bounded", {size, Number(builder, "eps", eps)});
  return builder.Finish({builder.Add(OpKind::kDiv, "ratio", {x, bounded})});
}

TEST(OverflowAdvice, FollowsNaNBackToTheConstantThatVanished) {
  EXPECT_EQ(AdviceIn(Normalised(1e-12F), "force_fp16", {0, 1}),
            "; it begins where node 'bounded' reads constant 'eps' (1e-12) in float16, where it is "
            "0; with these lines of --keep_dtype it is finite on this sample: bounded, ratio");
}

// 0 / 0 again, of a square that is 1e-10 in float32.
TEST(OverflowAdvice, FollowsNaNBackToTheOperatorThatMakes0) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 2});
  const ValueId square = builder.Add(OpKind::kMul, "square", {x, x});
  const ValueId same = builder.Add(OpKind::kAbs, "same", {square});
  const Graph graph = builder.Finish({builder.Add(OpKind::kDiv, "ratio", {same, square})});
  const std::string advice = AdviceIn(graph, "force_fp16", {1e-5F, 1});
  EXPECT_THAT(advice, ::testing::StartsWith("; it begins at node 'square', which makes 0 where "
                                            "float32 has other values; with these lines"));
  EXPECT_THAT(advice, ::testing::HasSubstr("square"));
}

TEST(OverflowAdvice, OneNodeThatOverflowsIsItsOwnCause) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 2});
  const ValueId square = builder.Add(OpKind::kMul, "square", {x, x});
  const Graph graph =
      builder.Finish({builder.Add(OpKind::kMul, "small", {square, Number(builder, "s", 1e-3F)})});
  EXPECT_EQ(AdviceIn(graph, "force_fp16", {300, 1}),
            "; with these lines of --keep_dtype it is finite on this sample: small, square");
}

TEST(OverflowAdvice, IsEmptyWhereEverythingIsFinite) {
  EXPECT_EQ(AdviceIn(Normalised(1e-3F), "force_fp16", {0, 1}), "");
}

// h' = 8 h + x: the state passes 65504 in the sixth step, and is finite in float32.
TEST(OverflowAdvice, ASequenceIsFollowedBackInTheStepThatOverflows) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 2});
  const ValueId h = builder.Input("h", {1, 2});
  const ValueId grown = builder.Add(OpKind::kMul, "grown", {h, Number(builder, "eight", 8)});
  const ValueId next = builder.Add(OpKind::kAdd, "next", {grown, x});
  const ValueId y = builder.Add(OpKind::kMul, "y", {next, Number(builder, "small", 1e-6F)});
  const Graph graph = builder.Finish({y, next});
  constexpr int kSteps = 7;
  const std::vector<Tensor> step = {Tensor::From<float>(Shape{1, 2}, std::vector<float>{2, 2}),
                                    Tensor::From<float>(Shape{1, 2}, std::vector<float>{0, 0})};
  Sample sequence{.name = "sequence", .inputs = step, .steps = {}};
  sequence.steps.assign(kSteps, step);
  std::vector<Sample> samples;
  samples.push_back(std::move(sequence));
  Dataset dataset(std::move(samples));
  dataset.state = {{.output = 1, .input = 1}};
  dataset.steps_each = kSteps;
  PrecisionOptions options;
  options.precision_mode = "force_fp16";
  const TargetSpec target = HostTarget();
  const CompileOptions compile;
  const std::string advice = OverflowAdvice({graph, target, options, dataset, compile});
  EXPECT_THAT(advice, ::testing::StartsWith("; with these lines of --keep_dtype it is finite on "
                                            "this sample: "));
  EXPECT_THAT(advice, ::testing::HasSubstr("next"));
}

}  // namespace
}  // namespace halftone
