// Parts in place: the same results as with copies, and the same findings of a checked run.
#include "src/exec/place_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/exec/checked_run.h"
#include "src/exec/executable.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

Attributes Axis(std::int64_t axis) {
  Attributes attributes;
  attributes.Set("axis", axis);
  return attributes;
}

Tensor Counted(Shape shape, float first) {
  std::vector<float> values(static_cast<std::size_t>(shape.ElementCount()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = first + static_cast<float>(i);
  }
  return Tensor::From<float>(std::move(shape), values);
}

struct Net {
  GraphBuilder builder;

  ValueId Unary(OpKind op, const std::string& name, ValueId x) {
    return builder.Add(op, name, {x});
  }

  ValueId Concat(const std::string& name, std::vector<ValueId> parts, std::int64_t axis = 1) {
    return builder.Add(OpKind::kConcat, name, std::move(parts), Axis(axis));
  }

  ValueId Slice(const std::string& name, ValueId x, std::int64_t start, std::int64_t end,
                std::int64_t axis, std::int64_t step = 1) {
    return builder.Add(
        OpKind::kSlice, name,
        {x, builder.Integers(name + ".start", {start}), builder.Integers(name + ".end", {end}),
         builder.Integers(name + ".axis", {axis}), builder.Integers(name + ".step", {step})});
  }
};

// A Concat of Concats that the caller gets, read again by another node.
Graph NestedConcat() {
  Net net;
  const ValueId x = net.builder.Input("x", {1, 4, 16});
  const ValueId a = net.Unary(OpKind::kNeg, "a", x);
  const ValueId b = net.Unary(OpKind::kAbs, "b", x);
  const ValueId inner = net.Concat("inner", {a, b});
  const ValueId c = net.Unary(OpKind::kRelu, "c", inner);
  const ValueId outer = net.Concat("outer", {inner, c});
  return net.builder.Finish({outer, net.Unary(OpKind::kNeg, "again", outer)});
}

// The graph's input, a constant and a part that stands twice are copied; so is what begins at 4
// bytes.
Graph MixedConcat() {
  Net net;
  const ValueId x = net.builder.Input("x", {1, 16});
  const ValueId constant = net.builder.Constant("constant", Counted({1, 16}, 100));
  const ValueId a = net.Unary(OpKind::kNeg, "a", x);
  const ValueId mixed = net.Concat("mixed", {a, x, constant, a});
  const ValueId one = net.Slice("one", net.Unary(OpKind::kAbs, "b", x), 3, 4, 1);
  const ValueId odd =
      net.Concat("odd", {net.Unary(OpKind::kNeg, "one.neg", one), net.Unary(OpKind::kNeg, "c", x)});
  return net.builder.Finish({net.Unary(OpKind::kNeg, "mixed.neg", mixed), odd});
}

// Parts of a computed value, of the graph's input, of an output, and behind a view.
Graph SplitsAndSlices() {
  Net net;
  const ValueId x = net.builder.Input("x", {1, 6, 16});
  const ValueId y = net.Unary(OpKind::kNeg, "y", x);
  const ValueId first = net.builder.Add(OpKind::kSplit, "split",
                                        {y, net.builder.Integers("sizes", {1, 2, 3})}, Axis(1), 3);
  const ValueId rows =
      net.builder.Add(OpKind::kReshape, "rows", {y, net.builder.Integers("six", {6, 16})});
  const ValueId row = net.Slice("row", rows, 2, 3, 0);
  const ValueId columns = net.Slice("columns", rows, 0, 8, 1);
  const ValueId backwards = net.Slice("backwards", rows, 5, 0, 0, -1);
  const ValueId of_input = net.Slice("of_input", x, 1, 3, 1);
  const ValueId joined =
      net.Concat("joined", {net.Unary(OpKind::kAbs, "abs1", first + 1), first + 2}, 1);
  return net.builder.Finish({net.Unary(OpKind::kAbs, "abs0", first), joined,
                             net.Unary(OpKind::kAbs, "abs.row", row),
                             net.Unary(OpKind::kAbs, "abs.columns", columns),
                             net.Unary(OpKind::kAbs, "abs.backwards", backwards),
                             net.Unary(OpKind::kAbs, "abs.input", of_input), y});
}

// Two images: the parts alternate.
Graph Batch() {
  Net net;
  const ValueId x = net.builder.Input("x", {2, 3, 16});
  const ValueId a = net.Unary(OpKind::kNeg, "a", x);
  const ValueId both = net.Concat("both", {a, net.Unary(OpKind::kAbs, "b", x)});
  const ValueId stacked = net.Concat("stacked", {both, net.Unary(OpKind::kNeg, "c", both)}, 0);
  return net.builder.Finish({net.Unary(OpKind::kRelu, "r", stacked)});
}

struct Case {
  const char* name;
  Graph (*make)();
  std::vector<std::string> in_place;
};

const Case kCases[] = {
    {"NestedConcat", NestedConcat, {"inner", "outer"}},
    {"MixedConcat", MixedConcat, {}},
    {"SplitsAndSlices", SplitsAndSlices, {"split", "row"}},
    {"Batch", Batch, {"stacked"}},
};

std::vector<std::string> InPlace(const Executable& executable) {
  std::vector<std::string> names;
  for (const StepInfo& step : executable.steps()) {
    if (step.in_place) {
      names.push_back(step.node);
    }
  }
  return names;
}

class PlacePartsTest : public ::testing::TestWithParam<Case> {};

TEST_P(PlacePartsTest, ResultsAreThoseOfCopies) {
  const Graph graph = GetParam().make();
  const Executable placed = Compile(graph, ReferencePlan(graph));
  EXPECT_EQ(InPlace(placed), GetParam().in_place);
  CompileOptions references;
  references.kernels.reference_only = true;
  const Executable copied = Compile(graph, ReferencePlan(graph), references);
  EXPECT_THAT(InPlace(copied), ElementsAre());
  Workspace workspace = placed.NewWorkspace();
  for (const float first : {-20.0F, -7.0F}) {  // twice with the same memory
    const Tensor x = Counted(graph.value(graph.inputs[0]).type.shape, first);
    const std::vector<Tensor> expected = copied.Run({&x, 1});
    std::vector<Tensor> got = placed.NewOutputs();
    placed.Run(workspace, {&x, 1}, got);
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(DoublesOf(got[i]), DoublesOf(expected[i])) << "output " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, PlacePartsTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return row.param.name; });

// Both parts overflow: both are named, and neither the Concat nor its reader.
TEST(PlaceParts, OverflowIsFoundInTheParts) {
  Net net;
  const ValueId x = net.builder.Input("x", {1, 32});
  const ValueId factor =
      net.builder.Constant("factor", Tensor::From<float>({1}, std::vector<float>{1000}));
  const ValueId a = net.builder.Add(OpKind::kMul, "a", {x, factor});
  const ValueId b = net.builder.Add(OpKind::kMul, "b", {net.Unary(OpKind::kNeg, "n", x), factor});
  const ValueId joined = net.Concat("joined", {a, b});
  const Graph graph = net.builder.Finish({net.Unary(OpKind::kAbs, "reader", joined)});
  PrecisionPlan plan = ReferencePlan(graph);
  for (NodePrecision& node : plan.nodes) {
    node.inputs.assign(node.inputs.size(), DType::kFloat16);
    node.outputs.assign(node.outputs.size(), DType::kFloat16);
  }
  const Executable executable = Compile(graph, plan);
  EXPECT_THAT(InPlace(executable), ElementsAre("joined"));
  const Executable reference = Compile(graph, ReferencePlan(graph));
  CheckedRunner runner(graph, executable, [&]() -> const Executable& { return reference; });
  const Tensor sample = Counted({1, 32}, 40);  // from 66 on beyond float16: 65,520
  runner.Run({&sample, 1}, "s");
  const OverflowCensus census = runner.census();
  std::vector<std::string> nodes;
  for (const OverflowFinding& finding : census.findings) {
    nodes.push_back(finding.node);
    EXPECT_EQ(finding.infinities, 6);
  }
  EXPECT_THAT(nodes, UnorderedElementsAre("a", "b"));
}

}  // namespace
}  // namespace halftone
