// If, Loop and Scan, and shapes that depend on data: what the graph becomes for a sample, and what
// it computes there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/ir/other_names.h"
#include "src/onnx/tracer.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using ::halftone::testing::ModelWriter;
using ::halftone::testing::NodesOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kFloat = onnx::TensorProto::FLOAT;
constexpr int kInt64 = onnx::TensorProto::INT64;
constexpr int kBool = onnx::TensorProto::BOOL;

Tensor Floats(Shape shape, const std::vector<float>& values) {
  return Tensor::From<float>(std::move(shape), values);
}

Tensor Integers(Shape shape, const std::vector<std::int64_t>& values) {
  return Tensor::From<std::int64_t>(std::move(shape), values);
}

Tensor Bool(bool value) {
  Tensor tensor(DType::kBool, Shape{});
  tensor.mutable_values<bool>()[0] = value;
  return tensor;
}

ImportOptions WithSample(std::vector<Tensor> inputs) {
  ImportOptions options;
  options.sample = [inputs = std::move(inputs)](const Graph&) { return inputs; };
  return options;
}

// The outputs of the graph, node by node.
std::vector<Tensor> OutputsOf(const Graph& graph, const std::vector<Tensor>& inputs) {
  Tracer tracer([&](const Graph&) { return inputs; });
  std::vector<Tensor> outputs;
  for (const ValueId id : graph.outputs) {
    outputs.push_back(tracer.ValueOf(graph, id));
  }
  return outputs;
}

onnx::GraphProto& AddBody(onnx::NodeProto& node, const std::string& name) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::GRAPH);
  return *attribute->mutable_g();
}

void AddInteger(onnx::GraphProto& graph, const std::string& name, std::int64_t value) {
  auto* tensor = graph.add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(kInt64);
  tensor->add_int64_data(value);
}

void AddFloat(onnx::GraphProto& graph, const std::string& name, float value) {
  auto* tensor = graph.add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(kFloat);
  tensor->add_float_data(value);
}

// x doubles while its sum is below `limit`, at most `trips` times; scans the sums. Empty names
// leave an operand of the Loop out.
ModelWriter Doubling(const char* trips, const char* condition) {
  ModelWriter writer;
  writer.Input("x", {2});
  writer.Input("m", {}, kInt64);
  writer.Input("c", {}, kBool);
  AddFloat(writer.graph(), "limit", 20);
  auto& loop = writer.Node("Loop", "loop", {trips, condition, "x"}, {"y", "sums"});
  onnx::GraphProto& body = AddBody(loop, "body");
  ModelWriter::Describe(*body.add_input(), "i", {}, kInt64);
  ModelWriter::Describe(*body.add_input(), "going", {}, kBool);
  ModelWriter::Describe(*body.add_input(), "z", {2}, kFloat);
  AddFloat(body, "two", 2);
  ModelWriter::AddNode(body, "Mul", "double", {"z", "two"}, {"doubled"});
  auto& sum = ModelWriter::AddNode(body, "ReduceSum", "sum", {"doubled"}, {"s"});
  ModelWriter::SetInt(sum, "keepdims", 0);
  ModelWriter::AddNode(body, "Less", "less", {"s", "limit"}, {"again"});
  body.add_output()->set_name("again");
  body.add_output()->set_name("doubled");
  body.add_output()->set_name("s");
  writer.Output("y");
  writer.Output("sums");
  return writer;
}

struct LoopCase {
  const char* name;
  const char* trips;
  const char* condition;
  std::int64_t limit;
  bool first;
  std::vector<double> y;
  std::vector<double> sums;
};

const LoopCase kLoops[] = {
    {"Both", "m", "c", 10, true, {8, 16}, {6, 12, 24}},
    {"TripsEndIt", "m", "c", 2, true, {4, 8}, {6, 12}},
    {"WithoutTrips", "", "c", 0, true, {8, 16}, {6, 12, 24}},
    {"WithoutCondition", "m", "", 4, false, {16, 32}, {6, 12, 24, 48}},
    {"NoTrip", "m", "c", 0, true, {1, 2}, {}},
    {"NeverTrue", "m", "c", 10, false, {1, 2}, {}},
};

class LoopTest : public ::testing::TestWithParam<LoopCase> {};

TEST_P(LoopTest, RunsAsTheSpecificationSays) {
  const LoopCase& c = GetParam();
  const std::vector<Tensor> inputs = {Floats({2}, {1, 2}), Integers({}, {c.limit}), Bool(c.first)};
  const ImportResult result = Doubling(c.trips, c.condition).Import(WithSample(inputs));
  const std::vector<Tensor> outputs = OutputsOf(result.graph, inputs);
  EXPECT_EQ(DoublesOf(outputs[0]), c.y);
  EXPECT_EQ(DoublesOf(outputs[1]), c.sums);
  EXPECT_EQ(outputs[1].shape(), Shape{static_cast<std::int64_t>(c.sums.size())});
}

// Configuration files may name them so; what is removed keeps its names too.
TEST(LoopNames, NodesKeepTheNamesOfTheBody) {
  const std::vector<Tensor> inputs = {Floats({2}, {1, 2}), Integers({}, {2}), Bool(true)};
  const Graph graph = Doubling("m", "c").Import(WithSample(inputs)).graph;
  std::vector<std::string> named;
  for (const Node& node : graph.nodes) {
    if (std::find(node.origins.begin(), node.origins.end(), OtherName("double")) !=
        node.origins.end()) {
      named.push_back(node.name);
      EXPECT_THAT(OwnNames(node), ElementsAre(node.name, "double"));
    }
  }
  EXPECT_THAT(named, ElementsAre("loop/0/double", "loop/1/double"));
}

INSTANTIATE_TEST_SUITE_P(Cases, LoopTest, ::testing::ValuesIn(kLoops),
                         [](const auto& row) { return row.param.name; });

// What was taken from the sample, and the names of the nodes.
TEST(ControlFlow, IterationsAreNamedAndTracedValuesListed) {
  const ImportResult result =
      Doubling("m", "c").Import(WithSample({Floats({2}, {3, 4}), Integers({}, {5}), Bool(true)}));
  EXPECT_THAT(NodesOf(result.graph),
              HasSubstr("Mul[loop/0/double] ReduceSum[loop/0/sum] Less[loop/0/less] "
                        "Mul[loop/1/double]"));
  std::vector<std::string> names;
  for (const TracedValue& value : result.traced) {
    names.push_back(value.name);
  }
  EXPECT_THAT(names, ElementsAre("m", "c", "loop/0/again", "loop/1/again"));
}

TEST(ControlFlow, WithoutSampleTheConditionIsAnError) {
  try {
    static_cast<void>(Doubling("", "c").Import());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(),
                HasSubstr("node 'loop' (Loop): the condition is computed at run time "
                          "('c'): give a sample with --inputs, which says what it is"));
  }
}

// y = c ? -x : |x| inside a Loop that passes through both branches.
TEST(ControlFlow, BranchesInLoops) {
  ModelWriter writer;
  writer.Input("x", {2});
  AddInteger(writer.graph(), "three", 3);
  AddInteger(writer.graph(), "one", 1);
  auto& loop = writer.Node("Loop", "loop", {"three", "", "x"}, {"y"});
  onnx::GraphProto& body = AddBody(loop, "body");
  ModelWriter::Describe(*body.add_input(), "i", {}, kInt64);
  ModelWriter::Describe(*body.add_input(), "going", {}, kBool);
  ModelWriter::Describe(*body.add_input(), "z", {2}, kFloat);
  ModelWriter::AddNode(body, "Equal", "is_second", {"i", "one"}, {"second"});
  auto& choice = ModelWriter::AddNode(body, "If", "if", {"second"}, {"next"});
  for (const bool then : {true, false}) {
    onnx::GraphProto& branch = AddBody(choice, then ? "then_branch" : "else_branch");
    ModelWriter::AddNode(branch, then ? "Abs" : "Neg", "inner", {"z"}, {"r"});
    branch.add_output()->set_name("r");
  }
  body.add_output()->set_name("going");
  body.add_output()->set_name("next");
  writer.Output("y");
  const ImportResult result = writer.Import();  // all of it is constant
  EXPECT_EQ(NodesOf(result.graph),
            "Neg[loop/0/if/inner] Identity[loop/0/if] Abs[loop/1/if/inner] Identity[loop/1/if] "
            "Neg[loop/2/if/inner] Identity[loop/2/if] Identity[loop]");
  EXPECT_EQ(DoublesOf(OutputsOf(result.graph, {Floats({2}, {1, -2})})[0]),
            (std::vector<double>{-1, -2}));
}

std::vector<std::string> RemovedNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const Origin& origin : graph.removed) {
    names.push_back(origin.name);
  }
  return names;
}

// One file of node names may be for both branches of an If.
TEST(ControlFlow, NamesInABranchThatIsNotTakenAreKnown) {
  for (const bool taken : {true, false}) {
    ModelWriter writer;
    writer.Input("x", {2});
    writer.Input("c", {}, kBool);
    auto& choice = writer.Node("If", "if", {"c"}, {"y"});
    for (const bool then : {true, false}) {
      onnx::GraphProto& branch = AddBody(choice, then ? "then_branch" : "else_branch");
      ModelWriter::AddNode(branch, "Abs", then ? "abs" : "", {"x"}, {"a"});
      auto& inner = ModelWriter::AddNode(branch, "If", then ? "then_if" : "else_if", {"c"}, {"r"});
      for (const bool inner_then : {true, false}) {
        onnx::GraphProto& leaf = AddBody(inner, inner_then ? "then_branch" : "else_branch");
        ModelWriter::AddNode(leaf, "Neg", inner_then ? "t" : "e", {"a"}, {"n"});
        leaf.add_output()->set_name("n");
      }
      branch.add_output()->set_name("r");
    }
    writer.Output("y");
    const Graph graph = writer.Import(WithSample({Floats({2}, {1, 2}), Bool(taken)})).graph;
    EXPECT_EQ(NodesOf(graph), taken ? "Abs[if/abs] Neg[if/then_if/t] Identity[if/then_if] "
                                      "Identity[if]"
                                    : "Abs[if/Abs_0] Neg[if/else_if/e] Identity[if/else_if] "
                                      "Identity[if]");
    if (taken) {
      EXPECT_THAT(RemovedNames(graph),
                  ElementsAre("if/Abs_0", "if/else_if", "else_if", "if/else_if/t", "t",
                              "if/else_if/e", "e", "if/then_if/e", "e"));
    } else {
      EXPECT_THAT(RemovedNames(graph),
                  ElementsAre("if/abs", "abs", "if/then_if", "then_if", "if/then_if/t", "t",
                              "if/then_if/e", "e", "if/else_if/t", "t"));
    }
  }
}

TEST(ControlFlow, NamesInALoopWithoutIterationsAreKnown) {
  ModelWriter writer;
  writer.Input("x", {2});
  AddInteger(writer.graph(), "none", 0);
  auto& loop = writer.Node("Loop", "loop", {"none", "", "x"}, {"y"});
  onnx::GraphProto& body = AddBody(loop, "body");
  ModelWriter::Describe(*body.add_input(), "i", {}, kInt64);
  ModelWriter::Describe(*body.add_input(), "going", {}, kBool);
  ModelWriter::Describe(*body.add_input(), "z", {2}, kFloat);
  ModelWriter::AddNode(body, "Neg", "neg", {"z"}, {"n"});
  body.add_output()->set_name("going");
  body.add_output()->set_name("n");
  writer.Output("y");
  EXPECT_THAT(RemovedNames(writer.Import().graph), ElementsAre("loop/neg", "neg"));
}

// Running sums of the columns of x, last column first; the sums are stacked as columns.
ModelWriter RunningSums(bool backwards_out) {
  ModelWriter writer;
  writer.Input("start", {2});
  writer.Input("x", {2, 3});
  auto& scan = writer.Node("Scan", "scan", {"start", "x"}, {"last", "sums"});
  ModelWriter::SetInt(scan, "num_scan_inputs", 1);
  ModelWriter::SetInts(scan, "scan_input_axes", {1});
  ModelWriter::SetInts(scan, "scan_input_directions", {1});
  ModelWriter::SetInts(scan, "scan_output_axes", {-1});
  ModelWriter::SetInts(scan, "scan_output_directions", {backwards_out ? 1 : 0});
  onnx::GraphProto& body = AddBody(scan, "body");
  ModelWriter::Describe(*body.add_input(), "before", {2}, kFloat);
  ModelWriter::Describe(*body.add_input(), "column", {2}, kFloat);
  ModelWriter::AddNode(body, "Add", "add", {"before", "column"}, {"after"});
  ModelWriter::AddNode(body, "Identity", "copy", {"after"}, {"kept"});
  body.add_output()->set_name("after");
  body.add_output()->set_name("kept");
  writer.Output("last");
  writer.Output("sums");
  return writer;
}

TEST(ControlFlow, ScanAlongAnAxisInBothDirections) {
  const std::vector<Tensor> inputs = {Floats({2}, {100, 200}),
                                      Floats({2, 3}, {1, 2, 3, 10, 20, 30})};
  for (const bool backwards_out : {false, true}) {
    const auto outputs = OutputsOf(RunningSums(backwards_out).Import().graph, inputs);
    EXPECT_THAT(DoublesOf(outputs[0]), ElementsAre(106, 260));
    EXPECT_EQ(outputs[1].shape(), (Shape{2, 3}));
    if (backwards_out) {
      EXPECT_THAT(DoublesOf(outputs[1]), ElementsAre(106, 105, 103, 260, 250, 230));
    } else {
      EXPECT_THAT(DoublesOf(outputs[1]), ElementsAre(103, 105, 106, 230, 250, 260));
    }
  }
}

// The number of copies is computed from data: Tile and Reshape take it from the sample.
TEST(ControlFlow, ShapesFromData) {
  ModelWriter writer;
  writer.Input("x", {2});
  writer.Input("n", {1}, kInt64);
  writer.Integers("one", {1});
  writer.Integers("two", {2});
  writer.Node("Add", "plus", {"n", "one"}, {"copies"});
  writer.Node("Tile", "tile", {"x", "copies"}, {"tiled"});
  auto& concat = writer.Node("Concat", "shape", {"copies", "two"}, {"dims"});
  ModelWriter::SetInt(concat, "axis", 0);
  writer.Node("Reshape", "reshape", {"tiled", "dims"}, {"y"});
  writer.Output("y");
  const std::vector<Tensor> inputs = {Floats({2}, {1, 2}), Integers({1}, {2})};
  const ImportResult result = writer.Import(WithSample(inputs));
  EXPECT_EQ(result.graph.value(result.graph.outputs[0]).type.ToString(), "float32 3x2");
  EXPECT_EQ(result.traced.size(), 2U);
  EXPECT_THAT(DoublesOf(OutputsOf(result.graph, inputs)[0]), ElementsAre(1, 2, 1, 2, 1, 2));
}

struct BadCase {
  const char* name;
  void (*change)(ModelWriter& writer);
  const char* message;
};

onnx::NodeProto& Last(ModelWriter& writer) {
  return *writer.graph().mutable_node(writer.graph().node_size() - 1);
}

const BadCase kBad[] = {
    {"LoopWithoutBody", [](ModelWriter& writer) { Last(writer).clear_attribute(); },
     "node 'loop' (Loop): attribute 'body' is missing"},
    {"BodyWithManyInputs",
     [](ModelWriter& writer) {
       onnx::GraphProto& body = *Last(writer).mutable_attribute(0)->mutable_g();
       ModelWriter::Describe(*body.add_input(), "more", {}, kFloat);
     },
     "node 'loop' (Loop): expected 3 inputs of the body, got 4"},
    {"BodyWithFewOutputs",
     [](ModelWriter& writer) { Last(writer).mutable_attribute(0)->mutable_g()->clear_output(); },
     "node 'loop' (Loop): expected at least 2 outputs of the body, got 0"},
    {"OutputThatNothingMakes",
     [](ModelWriter& writer) {
       Last(writer).mutable_attribute(0)->mutable_g()->mutable_output(1)->set_name("nobody");
     },
     "node 'loop' (Loop): input 'nobody' is made by no node and is no input or initializer"},
    {"ConditionIsNoBool", [](ModelWriter& writer) { Last(writer).set_input(1, "m"); },
     "node 'loop' (Loop): expected one bool as the condition, got int64 scalar"},
    {"TripsAreNoInteger", [](ModelWriter& writer) { Last(writer).set_input(0, "c"); },
     "node 'loop' (Loop): expected one int64 as the trip count, got bool scalar"},
    {"MissingOperatorInBody",
     [](ModelWriter& writer) {
       Last(writer).mutable_attribute(0)->mutable_g()->mutable_node(0)->set_op_type("Nothing");
     },
     "node 'loop' (Loop): iteration 0: node 'double' (Nothing): halftone does not have operator "
     "Nothing"},
};

class BadLoopTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadLoopTest, IsNamed) {
  ModelWriter writer = Doubling("m", "c");
  GetParam().change(writer);
  try {
    static_cast<void>(writer.Import(
        WithSample({Floats({2}, {1, 2}), Integers({}, {1'000'000'000}), Bool(true)})));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, BadLoopTest, ::testing::ValuesIn(kBad),
                         [](const auto& row) { return row.param.name; });

// `count` nodes behind each other from z to the body's output.
void AddChain(onnx::GraphProto& body, int count) {
  for (int n = 0; n < count; ++n) {
    auto* node = body.add_node();
    node->set_op_type("Neg");
    node->add_input(n == 0 ? "z" : "z" + std::to_string(n - 1));
    node->add_output("z" + std::to_string(n));
  }
}

void DescribeBody(onnx::GraphProto& body, const std::string& value) {
  ModelWriter::Describe(*body.add_input(), "i", {}, kInt64);
  ModelWriter::Describe(*body.add_input(), "going", {}, kBool);
  ModelWriter::Describe(*body.add_input(), value, {2}, kFloat);
  body.add_output()->set_name("going");
}

std::string MessageOf(const ModelWriter& writer) {
  try {
    static_cast<void>(writer.Import());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    return error.what();
  }
  return "no error";
}

// A body that never ends is refused, not run.
TEST(ControlFlow, EndlessLoopIsRefused) {
  ModelWriter writer;
  writer.Input("x", {2});
  onnx::GraphProto& body = AddBody(writer.Node("Loop", "loop", {"", "", "x"}, {"y"}), "body");
  DescribeBody(body, "z");
  AddChain(body, 999);
  body.add_output()->set_name("z998");
  writer.Output("y");
  EXPECT_THAT(MessageOf(writer),
              HasSubstr("node 'loop' (Loop): iterations without end of 1005 nodes and values "
                        "each, 200000 of 200000 are left: each iteration and each call of a "
                        "function is written out, with those inside it; make the number of "
                        "iterations smaller"));
}

// Neither loop is long by itself: together they would have 10^8 iterations.
TEST(ControlFlow, NestedLoopsShareTheLimit) {
  ModelWriter writer;
  writer.Input("x", {2});
  AddInteger(writer.graph(), "many", 10'000);
  onnx::GraphProto& outer = AddBody(writer.Node("Loop", "outer", {"many", "", "x"}, {"y"}), "body");
  DescribeBody(outer, "w");
  onnx::GraphProto& inner =
      AddBody(ModelWriter::AddNode(outer, "Loop", "inner", {"many", "", "w"}, {"next"}), "body");
  DescribeBody(inner, "z");
  inner.add_output()->set_name("z");
  outer.add_output()->set_name("next");
  writer.Output("y");
  EXPECT_THAT(MessageOf(writer),
              HasSubstr("iteration 3: node 'outer/3/inner' (Loop): 10000 iterations of 6 nodes and "
                        "values each, 19972 of 200000 are left"));
}

}  // namespace
}  // namespace halftone
