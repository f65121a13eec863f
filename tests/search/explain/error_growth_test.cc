// What the growth says of a node against plain runs of the same executables.
#include "search/explain/error_growth.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "src/accuracy/metrics.h"
#include "src/base/rng.h"
#include "src/exec/host_target.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/chain_network.h"
#include "tests/support/graph_builder.h"
#include "tests/support/without_fusions.h"

namespace halftone {
namespace {

using ::halftone::testing::ChainNetwork;
using ::halftone::testing::GraphBuilder;

Tensor Random(Shape shape, std::uint64_t seed) {
  Rng rng(seed);
  Tensor tensor(DType::kFloat32, std::move(shape));
  for (float& value : tensor.mutable_values<float>()) {
    value = static_cast<float>(rng.Below(2001)) / 1000 - 1;
  }
  return tensor;
}

// Two convolutions, between which results lie with channels last.
Graph Convolutions() {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 8, 6, 5});
  Attributes pads;
  pads.Set("pads", std::vector<std::int64_t>{1, 1, 1, 1});
  const ValueId first = builder.Add(OpKind::kConv, "first",
                                    {x, builder.Constant("w1", Random({16, 8, 3, 3}, 1))}, pads);
  const ValueId middle = builder.Add(OpKind::kRelu, "middle", {first});
  return testing::WithoutFusions(builder.Finish({builder.Add(
      OpKind::kConv, "last", {middle, builder.Constant("w2", Random({4, 16, 3, 3}, 2))}, pads)}));
}

struct Compiled {
  explicit Compiled(const Graph& graph, const std::string& mode = "allow_mix_precision_bf16")
      : reference(Compile(graph, ReferencePlan(graph))),
        executable(
            Compile(graph, ResolvePrecision(graph, {.precision_mode = mode}, HostTarget()))) {}

  Executable reference;
  Executable executable;
};

double OutputPower(const Compiled& compiled, const Sample& sample) {
  const auto exact = compiled.reference.Run(compiled.reference.ConvertInputs(sample.inputs));
  const auto actual = compiled.executable.Run(compiled.executable.ConvertInputs(sample.inputs));
  const OutputSums sums = SumsOf(exact[0], Convert(actual[0], DType::kFloat32));
  return sums.error_power / sums.reference_power;
}

const NodeError* Find(const std::vector<NodeError>& nodes, const std::string& name) {
  const auto found = std::ranges::find(nodes, name, &NodeError::node);
  return found == nodes.end() ? nullptr : &*found;
}

TEST(ErrorGrowthTest, Float32HasNoErrors) {
  const Graph graph = ChainNetwork(3);
  const Executable reference = Compile(graph, ReferencePlan(graph));
  const Sample sample{"s", {Random({1, 8}, 3)}};
  const Sample samples[] = {sample};
  const auto nodes = ErrorGrowth(graph, reference, reference, samples, ThreadPool(1));
  EXPECT_EQ(nodes.size(), 6U);
  for (const NodeError& node : nodes) {
    ASSERT_TRUE(node.relative_power) << node.node;
    EXPECT_EQ(*node.relative_power, 0) << node.node;
    EXPECT_FALSE(node.broken);
  }
}

TEST(ErrorGrowthTest, TheLastNodeHasTheErrorOfTheOutput) {
  const Graph graph = ChainNetwork(3);
  const Compiled compiled(graph, "allow_mix_precision_bf16");
  const Sample sample{"s", {Random({1, 8}, 3)}};
  const Sample samples[] = {sample};
  const auto nodes =
      ErrorGrowth(graph, compiled.executable, compiled.reference, samples, ThreadPool(1));
  ASSERT_FALSE(nodes.empty());
  EXPECT_GT(*nodes.back().relative_power, 0);
  EXPECT_EQ(*nodes.back().relative_power, OutputPower(compiled, sample));
}

TEST(ErrorGrowthTest, ResultsWithChannelsLastAreComparedInTheGraphsLayout) {
  const Graph graph = Convolutions();
  const Compiled compiled(graph, "force_fp16");
  const auto steps = compiled.executable.steps();
  ASSERT_TRUE(std::ranges::any_of(
      steps, [](const StepInfo& step) { return step.node == "first" && step.channels_last; }));
  const Sample sample{"s", {Random({1, 8, 6, 5}, 4)}};
  const Sample samples[] = {sample};
  const auto nodes =
      ErrorGrowth(graph, compiled.executable, compiled.reference, samples, ThreadPool(1));
  for (const char* name : {"first", "middle", "last"}) {
    const NodeError* node = Find(nodes, name);
    ASSERT_NE(node, nullptr) << name;
    ASSERT_TRUE(node->relative_power) << name;
    // A wrong layout makes an error as large as the result; float16 one of 2^-11 of each element.
    EXPECT_GT(*node->relative_power, 0) << name;
    EXPECT_LT(*node->relative_power, 1e-5) << name;
  }
  EXPECT_EQ(*Find(nodes, "last")->relative_power, OutputPower(compiled, sample));
}

TEST(ErrorGrowthTest, ManySmallRunsFindTheSame) {
  const Graph graph = ChainNetwork(3);
  const Compiled compiled(graph);
  const Sample first{"a", {Random({1, 8}, 3)}};
  const Sample second{"b", {Random({1, 8}, 5)}};
  const Sample samples[] = {first, second};
  const ThreadPool pool(1);
  const auto once = ErrorGrowth(graph, compiled.executable, compiled.reference, samples, pool);
  const auto often = ErrorGrowth(graph, compiled.executable, compiled.reference, samples, pool,
                                 {.max_kept_bytes = 1});
  ASSERT_EQ(once.size(), often.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].node, often[i].node);
    EXPECT_EQ(once[i].relative_power, often[i].relative_power) << once[i].node;
  }
}

TEST(ErrorGrowthTest, SaysWhereValuesStopBeingFinite) {
  const Graph graph = Convolutions();
  const Compiled compiled(graph, "force_fp16");
  Sample sample{"s", {Random({1, 8, 6, 5}, 4)}};
  for (float& value : sample.inputs[0].mutable_values<float>()) {
    value = 60000;  // finite in float16; sums of its products are not
  }
  const Sample samples[] = {sample};
  const auto nodes =
      ErrorGrowth(graph, compiled.executable, compiled.reference, samples, ThreadPool(1));
  EXPECT_TRUE(Find(nodes, "first")->broken);
}

}  // namespace
}  // namespace halftone
