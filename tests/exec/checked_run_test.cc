#include "src/exec/checked_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr DType kF16 = DType::kFloat16;
constexpr DType kBF16 = DType::kBFloat16;

Tensor Floats(Shape shape, std::vector<float> values) {
  return Tensor::From<float>(std::move(shape), values);
}

// Everything float32 but the named nodes.
PrecisionPlan PlanWith(const Graph& graph, const std::vector<std::string>& nodes, DType dtype) {
  PrecisionPlan plan = ReferencePlan(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (std::find(nodes.begin(), nodes.end(), graph.nodes[n].name) != nodes.end()) {
      plan.nodes[n].inputs.assign(plan.nodes[n].inputs.size(), dtype);
      plan.nodes[n].outputs.assign(plan.nodes[n].outputs.size(), dtype);
    }
  }
  return plan;
}

struct Checked {
  std::vector<std::vector<double>> outputs;  // the first output of every sample
  std::vector<std::string> sentences;
  OverflowCensus census;
  bool outputs_overflowed = false;  // of the last sample
};

Checked RunChecked(const Graph& graph, const PrecisionPlan& plan,
                   const std::vector<Tensor>& samples) {
  const Executable executable = Compile(graph, plan);
  const Executable reference = Compile(graph, ReferencePlan(graph));
  CheckedRunner runner(graph, executable, [&]() -> const Executable& { return reference; });
  Checked checked;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    checked.outputs.push_back(
        DoublesOf(runner.Run({&samples[i], 1}, "s" + std::to_string(i)).at(0)));
  }
  checked.census = runner.census();
  checked.sentences = Describe(checked.census, kAllFindings);
  checked.outputs_overflowed = runner.outputs_overflowed();
  return checked;
}

// x -> Mul(x) "square" -> Reshape "view" -> Relu "relu" -> Mul(0.001) "small"
Graph SquareAndShrink() {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2, 3});
  const ValueId square = builder.Add(OpKind::kMul, "square", {x, x});
  const ValueId view =
      builder.Add(OpKind::kReshape, "view", {square, builder.Integers("shape", {3, 2})});
  const ValueId relu = builder.Add(OpKind::kRelu, "relu", {view});
  const ValueId factor = builder.Constant("factor", Floats({}, {0.001F}));
  return builder.Finish({builder.Add(OpKind::kMul, "small", {relu, factor})});
}

const std::vector<std::string> kSquareNodes = {"square", "view", "relu", "small"};

TEST(CheckedRunTest, NamesTheFirstNodeAndNotItsFollowers) {
  const Graph graph = SquareAndShrink();
  const Checked checked =
      RunChecked(graph, PlanWith(graph, kSquareNodes, kF16),
                 {Floats({2, 3}, {1, 2, 3, 4, 5, 6}), Floats({2, 3}, {1, 2, 3, 4, 300, 6}),
                  Floats({2, 3}, {1, -300, 3, 4, 300, 6})});
  EXPECT_THAT(checked.sentences,
              ElementsAre("overflow: node 'square' (Mul): 3 float16 values in 2 of 3 samples "
                          "became Inf; first: Inf in sample 1 ('s1'), element [1,1]"));
  EXPECT_TRUE(checked.census.status);
  EXPECT_TRUE(checked.outputs_overflowed);
  EXPECT_NE(checked.census.FirstNonFinite(), nullptr);
}

TEST(CheckedRunTest, FiniteNetworksHaveNoFindings) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2});
  const Graph graph = builder.Finish({builder.Add(OpKind::kRelu, "relu", {x})});
  // Up to 65520, exclusive, float16 rounds to 65504.
  const Checked checked =
      RunChecked(graph, PlanWith(graph, {"relu"}, kF16), {Floats({2}, {65519, 1})});
  EXPECT_THAT(checked.outputs[0], ElementsAre(65504, 1));
  EXPECT_THAT(checked.sentences, IsEmpty());
  EXPECT_FALSE(checked.census.status);
  EXPECT_EQ(checked.census.samples, 1);
  EXPECT_FALSE(checked.outputs_overflowed);
}

TEST(CheckedRunTest, SaturationHappensBeforeTheNextNodeReads) {
  const Graph graph = SquareAndShrink();
  PrecisionPlan plan = PlanWith(graph, kSquareNodes, kF16);
  plan.overflow = OverflowArithmetic::kSaturate;
  const std::vector<Tensor> sample = {Floats({2, 3}, {1000, 2, 3, 4, 5, 6})};
  const Checked checked = RunChecked(graph, plan, sample);
  EXPECT_THAT(checked.sentences,
              ElementsAre("overflow: node 'square' (Mul): 1 float16 value in 1 of 1 sample became "
                          "Inf (saturated); first: Inf in sample 0 ('s0'), element [0,0]"));
  // 65504 times 0.001 rounded to float16 (0.0010004), rounded once more.
  EXPECT_EQ(checked.outputs[0][0], 65.5);
  EXPECT_TRUE(checked.census.status);
  EXPECT_FALSE(checked.outputs_overflowed);
  EXPECT_EQ(checked.census.FirstNonFinite(), nullptr);
  // A timed run does not pay for any of this.
  EXPECT_EQ(DoublesOf(Compile(graph, plan).Run(sample)[0])[0], kInf);
}

// NaN becomes 0 and the status is raised, also where float32 has NaN too: no finding then.
TEST(CheckedRunTest, SaturationTurnsNanIntoZero) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2});
  const ValueId root = builder.Add(OpKind::kSqrt, "root", {x});
  const Graph graph = builder.Finish({builder.Add(OpKind::kRelu, "relu", {root})});
  PrecisionPlan plan = PlanWith(graph, {"root"}, kF16);
  plan.overflow = OverflowArithmetic::kSaturate;
  const Checked checked = RunChecked(graph, plan, {Floats({2}, {-1, 4})});
  EXPECT_THAT(checked.outputs[0], ElementsAre(0, 2));
  EXPECT_TRUE(checked.census.status);
  EXPECT_THAT(checked.sentences, IsEmpty());
}

// scores + mask -> Softmax, the mask with -inf as float32 has it.
Graph MaskedSoftmax() {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 4});
  const ValueId mask = builder.Constant("mask", Floats({1, 4}, {0, -kInf, 0, -kInf}));
  const ValueId twice = builder.Add(OpKind::kAdd, "twice", {x, x});
  const ValueId masked = builder.Add(OpKind::kAdd, "masked", {twice, mask});
  Graph graph = builder.Finish({builder.Add(OpKind::kSoftmax, "softmax", {masked})});
  graph.fusions_off = {"fuse_softmax"};  // so that the sum is a result
  return graph;
}

TEST(CheckedRunTest, MasksAreNoFindings) {
  const Graph graph = MaskedSoftmax();
  for (const DType dtype : {kF16, kBF16}) {
    const Checked checked =
        RunChecked(graph, PlanWith(graph, {"twice", "masked", "softmax"}, dtype),
                   {Floats({1, 4}, {1, 2, 1, 3})});
    EXPECT_THAT(checked.sentences, IsEmpty());
    EXPECT_THAT(checked.outputs[0], ElementsAre(0.5, 0, 0.5, 0));
    EXPECT_TRUE(checked.census.status);  // the hardware's flag does not know what was meant
  }
}

// Beside a mask's infinity a score overflows; Softmax hides it from the outputs.
TEST(CheckedRunTest, OverflowBesideAMaskIsFoundAndNeedNotReachAnOutput) {
  const Graph graph = MaskedSoftmax();
  const Checked checked =
      RunChecked(graph, PlanWith(graph, {"masked"}, kF16), {Floats({1, 4}, {1, 2, -40000, 3})});
  EXPECT_THAT(
      checked.sentences,
      ElementsAre("overflow: node 'cast twice:0 to float16' (Cast): 1 float16 value in 1 of "
                  "1 sample became Inf; first: -Inf in sample 0 ('s0'), element [0,2]"));
  EXPECT_THAT(checked.outputs[0], ElementsAre(1, 0, 0, 0));
  EXPECT_FALSE(checked.outputs_overflowed);
}

TEST(CheckedRunTest, BFloat16IsWatchedAndNeverSaturated) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2});
  const Graph graph = builder.Finish({builder.Add(OpKind::kRelu, "relu", {x})});
  PrecisionPlan plan = PlanWith(graph, {"relu"}, kBF16);
  plan.overflow = OverflowArithmetic::kSaturate;
  // The largest float32 rounds up to infinity: bfloat16 ends at 3.39e38.
  const Checked checked =
      RunChecked(graph, plan, {Floats({2}, {std::numeric_limits<float>::max(), 1})});
  EXPECT_THAT(checked.sentences,
              ElementsAre("overflow: node 'cast x to bfloat16' (Cast): 1 bfloat16 value in 1 of 1 "
                          "sample became Inf; first: Inf in sample 0 ('s0'), element [0]"));
  EXPECT_EQ(checked.outputs[0][0], kInf);
  EXPECT_TRUE(checked.outputs_overflowed);
}

// float32 in, float16 out: the cast that rounds a node's result is the node's own.
TEST(CheckedRunTest, RoundingOfANodesResultIsTheNodes) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2});
  const Graph graph = builder.Finish({builder.Add(OpKind::kExp, "exp", {x})});
  PrecisionPlan plan = ReferencePlan(graph);
  plan.nodes[0].outputs = {kF16};
  EXPECT_THAT(
      RunChecked(graph, plan, {Floats({2}, {1, 12})}).sentences,
      ElementsAre("overflow: node 'exp' (Exp): 1 float16 value in 1 of 1 sample became Inf; "
                  "first: Inf in sample 0 ('s0'), element [1]"));
  plan.overflow = OverflowArithmetic::kSaturate;
  EXPECT_EQ(RunChecked(graph, plan, {Floats({2}, {1, 12})}).outputs[0][1], 65504);
}

// float16 in and float32 out does not overflow where float16 out would.
TEST(CheckedRunTest, Float32ResultsOfMatrixOperatorsAreNotSaturated) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 2});
  const ValueId w = builder.Constant("w", Floats({2, 1}, {2, 2}));
  const Graph graph = builder.Finish({builder.Add(OpKind::kMatMul, "product", {x, w})});
  PrecisionPlan plan = PlanWith(graph, {"product"}, kF16);
  plan.overflow = OverflowArithmetic::kSaturate;
  EXPECT_THAT(RunChecked(graph, plan, {Floats({1, 2}, {40000, 1})}).outputs[0], ElementsAre(65504));
  plan.nodes[0].outputs = {DType::kFloat32};
  const Checked wide = RunChecked(graph, plan, {Floats({1, 2}, {40000, 1})});
  EXPECT_THAT(wide.outputs[0], ElementsAre(80002));
  EXPECT_FALSE(wide.census.status);
}

TEST(CheckedRunTest, SamplesBeyondTheirTypeAreTheInputs) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {3});
  const Graph graph = builder.Finish({builder.Add(OpKind::kRelu, "relu", {x})});
  PrecisionPlan plan = PlanWith(graph, {"relu"}, kF16);
  plan.graph_inputs = {kF16};
  EXPECT_THAT(
      RunChecked(graph, plan, {Floats({3}, {1, 1e5F, -1e6F})}).sentences,
      ElementsAre("overflow: node 'input x' (Cast): 2 float16 values in 1 of 1 sample became "
                  "Inf; first: Inf in sample 0 ('s0'), element [1]"));
}

TEST(CheckedRunTest, WeightsThatAreNotClippedCountWhereTheyAreRead) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2});
  const ValueId w = builder.Constant("w", Floats({2}, {1, 1e6F}));
  const Graph graph = builder.Finish({builder.Add(OpKind::kSub, "sub", {w, x})});
  PrecisionPlan plan = PlanWith(graph, {"sub"}, kF16);
  plan.clip_weights = false;
  EXPECT_THAT(
      RunChecked(graph, plan, {Floats({2}, {1, 2})}).sentences,
      ElementsAre("overflow: node 'sub' (Sub): 1 float16 value in 1 of 1 sample became Inf; "
                  "first: Inf in sample 0 ('s0'), element [1]"));
}

// float32 nodes count as well: here a float16 underflow becomes a division by zero.
TEST(CheckedRunTest, Float32NodesAndNanAreFound) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2});
  const ValueId tiny = builder.Add(OpKind::kRelu, "tiny", {x});
  const ValueId one = builder.Add(OpKind::kDiv, "one", {tiny, tiny});
  const Graph graph = builder.Finish({builder.Add(OpKind::kRelu, "relu", {one})});
  EXPECT_THAT(
      RunChecked(graph, PlanWith(graph, {"tiny"}, kF16), {Floats({2}, {1e-9F, 2})}).sentences,
      ElementsAre("overflow: node 'one' (Div): 1 float32 value in 1 of 1 sample became NaN; "
                  "first: NaN in sample 0 ('s0'), element [0]"));
}

TEST(OverflowTest, ListsTheFirstFewOrAll) {
  OverflowCensus census{.samples = 4, .status = true, .findings = {}};
  for (const char* name : {"a", "b", "c"}) {
    OverflowFinding finding;
    finding.node = name;
    finding.op = "Split";
    finding.output = 1;
    finding.infinities = 2;
    finding.nans = 1;
    finding.samples = 2;
    finding.first_sample_name = "set";
    finding.first_value = "-Inf";
    census.findings.push_back(finding);
  }
  const std::string rest =
      "' (Split), output 1: 3 float16 values in 2 of 4 samples became Inf or NaN; first: -Inf in "
      "sample 0 ('set'), element []";
  EXPECT_THAT(Describe(census, 2),
              ElementsAre("overflow: node 'a" + rest, "overflow: node 'b" + rest,
                          "overflow: 1 more node; --status_check=1 lists all"));
  EXPECT_EQ(Describe(census, 3).size(), 3U);
  EXPECT_EQ(Describe(census, kAllFindings).size(), 3U);
}

// The infinity of float32 that a saturating target ends is an event at the node that first makes
// it, and nothing that follows from it is.
TEST(CheckedRunTest, InfinitiesOfFloat32ThatSaturationEndsAreNamedOnce) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2, 2});
  const ValueId mask = builder.Constant("mask", Floats({2, 2}, {0, -kInf, 0, -kInf}));
  const ValueId masked = builder.Add(OpKind::kAdd, "masked", {x, mask});
  const ValueId two = builder.Constant("two", Floats({}, {2}));
  const ValueId twice = builder.Add(OpKind::kMul, "twice", {masked, two});  // infinite again
  const Graph graph = builder.Finish({masked, twice});
  PrecisionPlan plan = PlanWith(graph, {"masked", "twice"}, kF16);
  plan.overflow = OverflowArithmetic::kSaturate;
  const Checked checked = RunChecked(graph, plan, {Floats({2, 2}, {1, 2, 3, 4})});
  EXPECT_THAT(checked.sentences,
              ElementsAre("overflow: node 'masked' (Add): 2 float16 values in 1 of 1 sample were "
                          "Inf in float32, too, and are finite here (saturated); first: -Inf in "
                          "sample 0 ('s0'), element [0,1]"));
  EXPECT_TRUE(checked.census.findings.at(0).in_float32_too);
  EXPECT_EQ(checked.census.FirstNonFinite(), nullptr);
  plan.overflow = OverflowArithmetic::kInfNan;
  EXPECT_THAT(RunChecked(graph, plan, {Floats({2, 2}, {1, 2, 3, 4})}).sentences, IsEmpty());
}

}  // namespace
}  // namespace halftone
