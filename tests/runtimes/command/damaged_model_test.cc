#include "src/runtimes/command/damaged_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/file.h"
#include "src/base/temporary_folder.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

onnx::ModelProto Damaged(const TemporaryFolder& folder, const onnx::ModelProto& model) {
  folder.Write("net.onnx", model.SerializeAsString());
  CreateFolder(folder.path() / "damaged");
  const Graph network = ReadOnnx(folder.path() / "net.onnx");
  const auto path =
      WriteDamagedModel(folder.path() / "net.onnx", network, folder.path() / "damaged");
  onnx::ModelProto damaged;
  if (path) {
    EXPECT_TRUE(damaged.ParseFromString(ReadFile(*path)));
  }
  return damaged;
}

TEST(DamagedModelTest, NegatesWhatTheOutputsAreMadeOf) {
  const TemporaryFolder folder("a test");
  testing::ModelWriter writer;
  writer.Input("x", {1, 2});
  writer.Node("Relu", "r", {"x"}, {"y"});
  writer.Node("Neg", "n", {"y"}, {"z"});  // y is read, too
  writer.Output("y");
  writer.Output("z");
  const onnx::ModelProto damaged = Damaged(folder, writer.model);
  ASSERT_EQ(damaged.graph().node_size(), 4);
  EXPECT_EQ(damaged.graph().node(0).output(0), "y_undamaged");
  EXPECT_EQ(damaged.graph().node(1).input(0), "y_undamaged");
  EXPECT_EQ(damaged.graph().node(1).output(0), "z_undamaged");
  EXPECT_EQ(damaged.graph().node(2).op_type(), "Neg");
  EXPECT_EQ(damaged.graph().node(2).output(0), "y");
  EXPECT_EQ(damaged.graph().node(3).output(0), "z");
  const Graph graph = ReadOnnx(folder.path() / "damaged/damaged.onnx");
  EXPECT_EQ(graph.value(graph.outputs[0]).name, "y");
}

TEST(DamagedModelTest, InvertsBools) {
  const TemporaryFolder folder("a test");
  testing::ModelWriter writer;
  writer.Input("x", {1, 2});
  writer.Node("Greater", "g", {"x", "x"}, {"y"});
  writer.Output("y");
  EXPECT_EQ(Damaged(folder, writer.model).graph().node(1).op_type(), "Not");
}

// Neither may an input be renamed, nor a number without sign be negated.
TEST(DamagedModelTest, NothingThatCanBeDamaged) {
  const TemporaryFolder folder("a test");
  testing::ModelWriter writer;
  writer.Input("x", {1, 2}, onnx::TensorProto::UINT8);
  writer.Node("Identity", "i", {"x"}, {"y"});
  writer.Output("y");
  EXPECT_EQ(Damaged(folder, writer.model).graph().node_size(), 0);
}

TEST(DamagedModelTest, WeightsBesideTheModelAreLinked) {
  const TemporaryFolder folder("a test");
  testing::ModelWriter writer;
  writer.Input("x", {1, 2});
  auto& weight = *writer.graph().add_initializer();
  weight.set_name("w");
  weight.set_data_type(onnx::TensorProto::FLOAT);
  weight.add_dims(2);
  weight.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& location = *weight.add_external_data();
  location.set_key("location");
  location.set_value("data/w.bin");
  CreateFolder(folder.path() / "data");
  folder.Write("data/w.bin", std::string(8, '\0'));
  writer.Node("Add", "a", {"x", "w"}, {"y"});
  writer.Output("y");
  Damaged(folder, writer.model);
  EXPECT_EQ(ReadFile(folder.path() / "damaged/data/w.bin"), std::string(8, '\0'));
  ReadOnnx(folder.path() / "damaged/damaged.onnx");
}

}  // namespace
}  // namespace halftone
