// What opsets below 7 wrote in another way, and outputs behind the first: imported, then folded
// with operands whose result is known.
#include <gtest/gtest.h>

#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using testing::ModelWriter;

// The constants that the outputs of the model fold to.
std::vector<Tensor> Folded(const ModelWriter& writer) {
  const Graph graph = writer.Import().graph;
  std::vector<Tensor> results;
  for (const ValueId output : graph.outputs) {
    EXPECT_TRUE(graph.value(output).constant) << graph.value(output).name;
    results.push_back(graph.value(output).constant.value_or(Tensor()));
  }
  return results;
}

TEST(OldOpsets, BroadcastingStartsAtTheStatedAxis) {
  ModelWriter writer(6);
  writer.Floats("a", {2, 2, 2}, {0, 0, 0, 0, 10, 10, 10, 10});
  writer.Floats("b", {2}, {1, 2});
  auto& node = writer.Node("Add", "add", {"a", "b"}, {"y"});
  ModelWriter::SetInt(node, "broadcast", 1);
  ModelWriter::SetInt(node, "axis", 1);
  writer.Output("y");
  EXPECT_EQ(DoublesOf(Folded(writer)[0]), (std::vector<double>{1, 1, 2, 2, 11, 11, 12, 12}));
}

TEST(OldOpsets, BroadcastingWithoutAnAxisEndsAtTheLast) {
  ModelWriter writer(6);
  writer.Floats("a", {1, 2, 2}, {0, 0, 10, 10});
  writer.Floats("b", {2}, {1, 2});
  ModelWriter::SetInt(writer.Node("Sub", "sub", {"a", "b"}, {"y"}), "broadcast", 1);
  writer.Output("y");
  EXPECT_EQ(DoublesOf(Folded(writer)[0]), (std::vector<double>{-1, -2, 9, 8}));
}

TEST(OldOpsets, AnAxisThatIsTooFarBackIsAnError) {
  ModelWriter writer(6);
  writer.Floats("a", {2, 2}, {0, 0, 0, 0});
  writer.Floats("b", {2, 2}, {1, 2, 3, 4});
  auto& node = writer.Node("Mul", "mul", {"a", "b"}, {"y"});
  ModelWriter::SetInt(node, "broadcast", 1);
  ModelWriter::SetInt(node, "axis", 1);
  writer.Output("y");
  try {
    Folded(writer);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("node 'mul' (Mul): attribute 'axis': 2 axes from axis 1 on are more than "
                        "the 2 of the first input"),
              std::string::npos)
        << error.what();
  }
}

TEST(OldOpsets, ASlopeBelongsToTheChannels) {
  ModelWriter writer(6);
  writer.Floats("x", {1, 2, 2}, {-1, -2, -3, -4});
  writer.Floats("slope", {2}, {2, 3});
  writer.Node("PRelu", "prelu", {"x", "slope"}, {"y"});
  writer.Output("y");
  EXPECT_EQ(DoublesOf(Folded(writer)[0]), (std::vector<double>{-2, -4, -9, -12}));
}

TEST(OldOpsets, TypesAndShapesAsAttributes) {
  ModelWriter writer(1);
  writer.Floats("x", {1, 2}, {1.5F, 2});
  ModelWriter::SetText(writer.Node("Cast", "cast", {"x"}, {"c"}), "to", "INT32");
  auto& reshape = writer.Node("Reshape", "reshape", {"c"}, {"r"});
  ModelWriter::SetInts(reshape, "shape", {2, 1});
  ModelWriter::SetInts(reshape, "consumed_inputs", {0});
  writer.Node("Concat", "concat", {"r", "r"}, {"y"});  // axis 1 when nothing is said
  writer.Output("y");
  const Tensor y = Folded(writer)[0];
  EXPECT_EQ(y.type().ToString(), "int32 2x2");
  EXPECT_EQ(DoublesOf(y), (std::vector<double>{1, 1, 2, 2}));
}

TEST(Outputs, TheMaskOfDropoutIsTrue) {
  for (const std::int64_t opset : {7, 13}) {
    ModelWriter writer(opset);
    writer.Input("x", {2});
    writer.Node("Dropout", "drop", {"x"}, {"y", "mask"});
    writer.Output("y");
    writer.Output("mask");
    const Graph graph = writer.Import().graph;
    const Value& mask = graph.value(graph.outputs[1]);
    EXPECT_EQ(mask.name, "mask");
    EXPECT_EQ(mask.type.ToString(), opset == 7 ? "float32 2" : "bool 2");
    ASSERT_TRUE(mask.constant);
    EXPECT_EQ(DoublesOf(*mask.constant), (std::vector<double>{1, 1}));
  }
}

TEST(Outputs, IndicesOfMaxPoolAndStatisticsOfLayerNormalization) {
  ModelWriter writer(17);
  writer.Floats("x", {1, 1, 4}, {1, 3, 5, 7});
  writer.Floats("ones", {4}, {1, 1, 1, 1});
  ModelWriter::SetInts(writer.Node("MaxPool", "pool", {"x"}, {"p", "indices"}), "kernel_shape",
                       {2});
  auto& norm = writer.Node("LayerNormalization", "norm", {"x", "ones"}, {"n", "", "deviation"});
  ModelWriter::SetFloat(norm, "epsilon", 11);
  writer.Output("indices");
  writer.Output("deviation");
  const std::vector<Tensor> results = Folded(writer);
  EXPECT_EQ(DoublesOf(results[0]), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(DoublesOf(results[1]), (std::vector<double>{0.25}));  // 1 / sqrt(5 + 11)
}

TEST(Outputs, ActivationsOfRecurrentOperatorsAreOneText) {
  ModelWriter writer(17);
  writer.Input("x", {1, 1, 2});
  writer.Floats("w", {1, 3, 2}, std::vector<float>(6, 0.5F));
  writer.Floats("r", {1, 3, 3}, std::vector<float>(9, 0.5F));
  auto& node = writer.Node("RNN", "rnn", {"x", "w", "r"}, {"y"});
  auto* attribute = node.add_attribute();
  attribute->set_name("activations");
  attribute->set_type(onnx::AttributeProto::STRINGS);
  attribute->add_strings("Relu");
  writer.Output("y");
  const Graph graph = writer.Import().graph;
  EXPECT_EQ(graph.nodes.at(0).attributes.Text("activations", ""), "Relu");
}

}  // namespace
}  // namespace halftone
