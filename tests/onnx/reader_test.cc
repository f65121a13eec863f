#include "src/onnx/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "src/base/error.h"
#include "src/ir/other_names.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ModelWriter;
using testing::NodesOf;

std::string ErrorOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

// The constant operands of a node behind input 0: "[1,2] [] 3".
std::string ConstantsOf(const Graph& graph, const Node& node) {
  std::string text;
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    text += i == 1 ? "" : " ";
    if (node.inputs[i] == kNoValue) {
      text += "-";
      continue;
    }
    const auto& constant = graph.value(node.inputs[i]).constant;
    text += constant ? ::testing::PrintToString(DoublesOf(*constant)) : "run-time";
  }
  return text;
}

struct UpgradeCase {
  const char* name;
  std::int64_t opset;
  std::function<void(ModelWriter&)> make;  // reads x [2,3,4,4], makes y
  const char* nodes;
  const char* constants;  // of the last node
  const char* output;     // the type of y
};

class UpgradeTest : public ::testing::TestWithParam<UpgradeCase> {};

TEST_P(UpgradeTest, GivesTheNewestForm) {
  ModelWriter writer(GetParam().opset);
  writer.Input("x", {2, 3, 4, 4});
  GetParam().make(writer);
  writer.Output("y");
  const Graph graph = writer.Import().graph;
  EXPECT_EQ(NodesOf(graph), GetParam().nodes);
  EXPECT_EQ(ConstantsOf(graph, graph.nodes.back()), GetParam().constants);
  EXPECT_EQ(graph.value(graph.outputs[0]).type.ToString(), GetParam().output);
  EXPECT_EQ(graph.value(graph.outputs[0]).name, "y");
}

const UpgradeCase kUpgradeCases[] = {
    {"squeeze_axes", 11,
     [](auto& w) {
       w.Node("Unsqueeze", "u", {"x"}, {"t"});
       ModelWriter::SetInts(*w.graph().mutable_node(0), "axes", {0});
       ModelWriter::SetInts(w.Node("Squeeze", "s", {"t"}, {"y"}), "axes", {0});
     },
     "Unsqueeze[u] Squeeze[s]", "{ 0 }", "float32 2x3x4x4"},
    {"reduce_mean_axes", 13,
     [](auto& w) {
       ModelWriter::SetInts(w.Node("ReduceMean", "r", {"x"}, {"y"}), "axes", {-1, 1});
     },
     "ReduceMean[r]", "{ -1, 1 }", "float32 2x1x4x1"},
    {"reduce_sum_axes", 11,
     [](auto& w) { ModelWriter::SetInts(w.Node("ReduceSum", "r", {"x"}, {"y"}), "axes", {2}); },
     "ReduceSum[r]", "{ 2 }", "float32 2x3x1x4"},
    {"clip_both", 10,
     [](auto& w) {
       auto& node = w.Node("Clip", "c", {"x"}, {"y"});
       ModelWriter::SetFloat(node, "min", -1);
       ModelWriter::SetFloat(node, "max", 6);
     },
     "Clip[c]", "{ -1 } { 6 }", "float32 2x3x4x4"},
    {"clip_max_only", 7,
     [](auto& w) { ModelWriter::SetFloat(w.Node("Clip", "c", {"x"}, {"y"}), "max", 6); }, "Clip[c]",
     "- { 6 }", "float32 2x3x4x4"},
    {"slice", 9,
     [](auto& w) {
       auto& node = w.Node("Slice", "s", {"x"}, {"y"});
       ModelWriter::SetInts(node, "starts", {1});
       ModelWriter::SetInts(node, "ends", {3});
       ModelWriter::SetInts(node, "axes", {2});
     },
     "Slice[s]", "{ 1 } { 3 } { 2 }", "float32 2x3x2x4"},
    {"split", 11,
     [](auto& w) {
       auto& node = w.Node("Split", "s", {"x"}, {"y", "z"});
       ModelWriter::SetInt(node, "axis", 1);
       ModelWriter::SetInts(node, "split", {1, 2});
     },
     "Split[s]", "{ 1, 2 }", "float32 2x1x4x4"},
    {"split_18", 18,
     [](auto& w) {
       auto& node = w.Node("Split", "s", {"x"}, {"y", "z"});
       ModelWriter::SetInt(node, "axis", 1);
       ModelWriter::SetInt(node, "num_outputs", 2);
     },
     "Split[s]", "", "float32 2x2x4x4"},
    {"pad", 10,
     [](auto& w) {
       auto& node = w.Node("Pad", "p", {"x"}, {"y"});
       ModelWriter::SetInts(node, "pads", {0, 0, 1, 1, 0, 0, 2, 2});
       ModelWriter::SetFloat(node, "value", 0.5F);
     },
     "Pad[p]", "{ 0, 0, 1, 1, 0, 0, 2, 2 } { 0.5 }", "float32 2x3x7x7"},
    {"upsample_7", 7,
     [](auto& w) {
       ModelWriter::SetFloats(w.Node("Upsample", "u", {"x"}, {"y"}), "scales", {1, 1, 2, 2});
     },
     "Resize[u]", "- { 1, 1, 2, 2 }", "float32 2x3x8x8"},
    {"upsample_9", 9,
     [](auto& w) {
       w.Floats("s", {4}, {1, 1, 2, 3});
       w.Node("Upsample", "u", {"x", "s"}, {"y"});
     },
     "Resize[u]", "- { 1, 1, 2, 3 }", "float32 2x3x8x12"},
    {"resize_10", 10,
     [](auto& w) {
       w.Floats("s", {4}, {1, 1, 2, 3});
       w.Node("Resize", "u", {"x", "s"}, {"y"});
     },
     "Resize[u]", "- { 1, 1, 2, 3 }", "float32 2x3x8x12"},
    {"resize_11_empty_scales", 11,
     [](auto& w) {
       w.Floats("roi", {0}, {});
       w.Integers("sizes", {2, 3, 5, 6});
       w.Node("Resize", "u", {"x", "roi", "roi", "sizes"}, {"y"});
     },
     "Resize[u]", "- - { 2, 3, 5, 6 }", "float32 2x3x5x6"},
    {"dropout", 13,
     [](auto& w) {
       w.Floats("ratio", {}, {0.5F});
       w.Node("Dropout", "d", {"x", "ratio"}, {"y", "mask"});
     },
     "Identity[d]", "", "float32 2x3x4x4"},
    {"sum_of_two", 8,
     [](auto& w) {
       w.Node("Sum", "s", {"x", "x"}, {"y"});
     },
     "Add[s]", "run-time", "float32 2x3x4x4"},
    {"sum_of_three", 8,
     [](auto& w) {
       w.Floats("c", {1}, {2});
       w.Node("Sum", "s", {"x", "x", "c"}, {"y"});
     },
     "Add[s/1] Add[s]", "{ 2 }", "float32 2x3x4x4"},
    {"max_of_one", 8, [](auto& w) { w.Node("Max", "m", {"x"}, {"y"}); }, "Identity[m]", "",
     "float32 2x3x4x4"},
    {"mean_of_three", 13,
     [](auto& w) {
       w.Node("Mean", "m", {"x", "x", "x"}, {"y"});
     },
     "Add[m/1] Add[m/2] Div[m]", "{ 3 }", "float32 2x3x4x4"},
    {"cast_like", 15,
     [](auto& w) {
       w.Integers("c", {1});
       w.Node("CastLike", "c", {"x", "c"}, {"y"});
     },
     "Cast[c]", "", "int64 2x3x4x4"},
    {"batch_norm_8", 8,
     [](auto& w) {
       for (const char* name : {"a", "b", "c", "d"}) {
         w.Floats(name, {3}, {1, 2, 3});
       }
       auto& node = w.Node("BatchNormalization", "bn", {"x", "a", "b", "c", "d"}, {"y"});
       ModelWriter::SetInt(node, "spatial", 1);
       ModelWriter::SetFloat(node, "momentum", 0.9F);
     },
     "BatchNormalization[bn]", "{ 1, 2, 3 } { 1, 2, 3 } { 1, 2, 3 } { 1, 2, 3 }",
     "float32 2x3x4x4"},
};

INSTANTIATE_TEST_SUITE_P(Cases, UpgradeTest, ::testing::ValuesIn(kUpgradeCases),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(UpgradeSoftmax, ViewsAMatrixUnlessTheAxisIsTheLast) {
  for (const std::int64_t axis : {1, 3}) {
    ModelWriter writer(11);
    writer.Input("x", {2, 3, 4, 4});
    ModelWriter::SetInt(writer.Node("Softmax", "s", {"x"}, {"y"}), "axis", axis);
    writer.Output("y");
    const Graph graph = writer.Import().graph;
    EXPECT_EQ(graph.nodes.at(0).attributes.Int("coerce_2d", 0), axis == 1 ? 1 : 0);
    EXPECT_EQ(graph.nodes.at(0).attributes.Int("axis", -7), axis);
  }
}

TEST(UpgradeResize, KeepsTheOldRounding) {
  ModelWriter writer(9);
  writer.Input("x", {1, 1, 2, 2});
  writer.Floats("s", {4}, {1, 1, 2, 2});
  writer.Node("Upsample", "u", {"x", "s"}, {"y"});
  writer.Output("y");
  const Graph graph = writer.Import().graph;
  const Attributes& attributes = graph.nodes.at(0).attributes;
  EXPECT_EQ(attributes.Text("coordinate_transformation_mode", ""), "asymmetric");
  EXPECT_EQ(attributes.Text("nearest_mode", ""), "floor");
}

TEST(ReadOnnx, FreeDimensionsTakeTheGivenShapeOrTheDefault) {
  ModelWriter writer;
  writer.Input("a", {-1, 3});
  writer.Input("b", {-1, -1});
  writer.Node("Identity", "i", {"a"}, {"y"});
  writer.Output("y");
  const ImportResult open = writer.Import();
  EXPECT_EQ(open.graph.value(open.graph.inputs[0]).type.shape, (Shape{1, 3}));
  EXPECT_THAT(open.notes,
              ElementsAre("input 'a': free dimension 0 ('free0') became 1; --input_shape sets it",
                          HasSubstr("input 'b': free dimension 0"),
                          HasSubstr("input 'b': free dimension 1")));
  // The name free0 is bound through `a`, so that `b` agrees; free1 takes the default.
  const ImportResult given = writer.Import({.input_shapes = {{"a", {8, 3}}}, .default_dim = 5});
  EXPECT_EQ(given.graph.value(given.graph.inputs[0]).type.shape, (Shape{8, 3}));
  EXPECT_EQ(given.graph.value(given.graph.inputs[1]).type.shape, (Shape{8, 5}));
  EXPECT_EQ(given.notes.size(), 1U);
}

TEST(ReadOnnx, ShapesThatDoNotFitAreRefused) {
  ModelWriter writer;
  writer.Input("a", {-1, 3});
  writer.Input("b", {-1});
  writer.Node("Identity", "i", {"a"}, {"y"});
  writer.Output("y");
  const auto message = [&](const InputShapes& shapes) {
    return ErrorOf([&] { static_cast<void>(writer.Import({.input_shapes = shapes})); });
  };
  const std::pair<InputShapes, const char*> cases[] = {
      {{{"a", {2, 4}}}, "2,4 does not fit free0,3 of the model: the model fixes axis 1, give it 3"},
      {{{"a", {2}}}, "2 does not fit free0,3 of the model: give 2 extents"},
      {{{"b", {2, 3}}}, "2,3 does not fit free0 of the model: give 1 extent"},
      {{{"b", {-2}}}, "-2 does not fit free0 of the model: give axis 0 an extent of at least 0"}};
  for (const auto& [shapes, end] : cases) {
    EXPECT_THAT(message(shapes),
                HasSubstr(std::string("E10001: --input_shape: the input shape ") + end));
  }
  EXPECT_THAT(
      message({{"c", {2}}}),
      HasSubstr("given for 'c', the inputs of the model are 'a', 'b': use one of these names"));
  EXPECT_THAT(
      message({{"a", {2, 3}}, {"b", {4}}}),
      HasSubstr("dimension 'free0' is 4 on axis 0 and 2 on axis 0 of input 'a': give both"));
}

TEST(ReadOnnx, InputsWithAnInitializerAreConstants) {
  ModelWriter writer;
  writer.Input("x", {2});
  writer.Input("c", {2});
  writer.Floats("c", {2}, {1, 2});
  writer.Node("Add", "add", {"x", "c"}, {"y"});
  writer.Output("y");
  const Graph graph = writer.Import().graph;
  ASSERT_EQ(graph.inputs.size(), 1U);
  EXPECT_EQ(ConstantsOf(graph, graph.nodes.at(0)), "{ 1, 2 }");
}

TEST(ReadOnnx, NamesNodesThatHaveNone) {
  ModelWriter writer;
  writer.Input("x", {2});
  writer.Node("Neg", "", {"x"}, {"a"});
  writer.Node("Neg", "Neg_0", {"a"}, {"b"});  // takes the name that node 0 would get
  writer.Node("Abs", "same", {"b"}, {"c"});
  writer.Node("Abs", "same", {"c"}, {"y"});
  writer.Output("y");
  const Graph graph = writer.Import().graph;
  EXPECT_EQ(NodesOf(graph), "Neg[Neg_0_2] Neg[Neg_0] Abs[same] Abs[same_2]");
  for (const Node& node : graph.nodes) {
    std::vector<Origin> origins(node.name == "same_2" ? 2 : 1, OtherName("same"));
    origins[0] = {node.name, std::string(InfoOf(node.op).name), graph.value(node.outputs[0]).name};
    EXPECT_EQ(node.origins, origins);
  }
}

TEST(ReadOnnx, NodesInAnyOrder) {
  ModelWriter writer;
  writer.Input("x", {2});
  writer.Node("Abs", "second", {"a"}, {"y"});
  writer.Node("Neg", "first", {"x"}, {"a"});
  writer.Output("y");
  EXPECT_EQ(NodesOf(writer.Import().graph), "Neg[first] Abs[second]");
}

TEST(ReadOnnx, ConstantNodesInAllForms) {
  ModelWriter writer;
  writer.Input("x", {2});
  ModelWriter::SetFloat(writer.Node("Constant", "a", {}, {"a"}), "value_float", 2);
  ModelWriter::SetFloats(writer.Node("Constant", "b", {}, {"b"}), "value_floats", {1, 2});
  ModelWriter::SetInt(writer.Node("Constant", "c", {}, {"c"}), "value_int", 1);
  ModelWriter::SetInts(writer.Node("Constant", "d", {}, {"d"}), "value_ints", {2, 1});
  writer.Node("Add", "add1", {"x", "a"}, {"e"});
  writer.Node("Add", "add2", {"e", "b"}, {"f"});
  writer.Node("Reshape", "reshape", {"f", "d"}, {"y"});
  writer.Output("y");
  writer.Output("c");
  const ImportResult result = writer.Import();
  EXPECT_EQ(NodesOf(result.graph), "Add[add1] Add[add2] Reshape[reshape]");
  EXPECT_EQ(result.graph.value(result.graph.outputs[0]).type.ToString(), "float32 2x1");
  EXPECT_EQ(result.graph.value(result.graph.outputs[1]).constant->shape(), Shape{});
  EXPECT_EQ(result.graph.removed.size(), 4U);
}

TEST(ReadOnnx, ShapesOfShapesAreComputedAtImport) {
  ModelWriter writer;
  writer.Input("x", {-1, 6});
  writer.Node("Shape", "shape", {"x"}, {"s"});
  writer.Integers("tail", {2, 3});
  ModelWriter::SetInt(writer.Node("Concat", "concat", {"s", "tail"}, {"t"}), "axis", 0);
  writer.Node("ConstantOfShape", "zeros", {"t"}, {"z"});
  writer.Node("Flatten", "flat", {"x"}, {"f"});
  writer.Node("Reshape", "reshape", {"f", "s"}, {"r"});
  writer.Output("t");
  writer.Output("r");
  writer.Output("z");
  const ImportResult result = ImportOnnx(writer.Save(), {.input_shapes = {{"x", {4, 6}}}});
  EXPECT_EQ(NodesOf(result.graph), "Flatten[flat] Reshape[reshape]");
  EXPECT_EQ(result.graph.value(result.graph.outputs[2]).type.ToString(), "float32 4x6x2x3");
  EXPECT_EQ(IntegersOf(*result.graph.value(result.graph.outputs[0]).constant),
            (std::vector<std::int64_t>{4, 6, 2, 3}));
}

// y = c ? -x : |x|, with c constant.
ModelWriter WithIf(bool condition, bool run_time) {
  ModelWriter writer;
  writer.Input("x", {2});
  if (run_time) {
    writer.Input("c", {}, onnx::TensorProto::BOOL);
  } else {
    auto* c = writer.graph().add_initializer();
    c->set_name("c");
    c->set_data_type(onnx::TensorProto::BOOL);
    c->add_int32_data(condition ? 1 : 0);
  }
  auto& node = writer.Node("If", "if", {"c"}, {"y"});
  for (const bool then : {true, false}) {
    auto* branch = node.add_attribute();
    branch->set_name(then ? "then_branch" : "else_branch");
    branch->set_type(onnx::AttributeProto::GRAPH);
    ModelWriter::AddNode(*branch->mutable_g(), then ? "Neg" : "Abs", "inner", {"x"}, {"r"});
    branch->mutable_g()->add_output()->set_name("r");
  }
  writer.Output("y");
  return writer;
}

TEST(ReadOnnx, IfWithConstantConditionBecomesItsBranch) {
  EXPECT_EQ(NodesOf(WithIf(true, false).Import().graph), "Neg[if/inner] Identity[if]");
  EXPECT_EQ(NodesOf(WithIf(false, false).Import().graph), "Abs[if/inner] Identity[if]");
  EXPECT_THAT(ErrorOf([] { static_cast<void>(WithIf(true, true).Import()); }),
              HasSubstr("node 'if' (If): the condition is computed at run time ('c')"));
}

TEST(ReadOnnx, UnusedDomainsAndNewIrVersionsAreAccepted) {
  ModelWriter writer;
  writer.model.set_ir_version(99);
  auto* domain = writer.model.add_opset_import();
  domain->set_domain("com.microsoft");
  domain->set_version(1);
  writer.model.set_producer_name("pytorch");
  writer.model.set_producer_version("1.13");
  writer.Input("x", {2});
  writer.Node("Neg", "n", {"x"}, {"y"});
  writer.Output("y");
  const ImportResult result = writer.Import();
  EXPECT_EQ(result.opset, 17);
  EXPECT_EQ(result.producer, "pytorch 1.13");
}

TEST(ReadOnnx, LongChainsNeedNoStack) {
  ModelWriter writer;
  writer.Input("v0", {2});
  constexpr int kNodes = 100'000;
  for (int i = 0; i < kNodes; ++i) {
    auto* node = writer.graph().add_node();
    node->set_op_type("Neg");
    node->add_input("v" + std::to_string(i));
    node->add_output("v" + std::to_string(i + 1));
  }
  writer.Output("v" + std::to_string(kNodes));
  EXPECT_EQ(writer.Import().graph.nodes.size(), static_cast<std::size_t>(kNodes));
}

}  // namespace
}  // namespace halftone
