// Sequences of tensors, which exist while a model is read only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/onnx/tracer.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using ::halftone::testing::ModelWriter;
using ::halftone::testing::NodesOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<double> OutputOf(const Graph& graph, const Tensor& x, std::size_t output = 0) {
  Tracer tracer([&](const Graph&) { return std::vector<Tensor>{x}; });
  return DoublesOf(tracer.ValueOf(graph, graph.outputs.at(output)));
}

Tensor Floats(Shape shape, const std::vector<float>& values) {
  return Tensor::From<float>(std::move(shape), values);
}

std::string MessageOf(const ModelWriter& writer) {
  try {
    static_cast<void>(writer.Import());
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

const Tensor kSix = Floats({6}, {0, 1, 2, 3, 4, 5});

void AddScalar(ModelWriter& writer, const std::string& name, std::int64_t value) {
  auto* tensor = writer.graph().add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::INT64);
  tensor->add_int64_data(value);
}

// x [6] cut by `split`, the part at `position` is y.
ModelWriter SplitAndTake(const std::vector<std::int64_t>& split, std::int64_t position,
                         bool scalar = false) {
  ModelWriter writer;
  writer.Input("x", {6});
  if (scalar) {
    AddScalar(writer, "split", split.at(0));
  } else {
    writer.Integers("split", split);
  }
  AddScalar(writer, "at", position);
  writer.Node("SplitToSequence", "split_x", {"x", "split"}, {"s"});
  writer.Node("SequenceAt", "take", {"s", "at"}, {"y"});
  writer.Output("y");
  return writer;
}

TEST(Sequences, PartsOfATensor) {
  const Graph graph = SplitAndTake({1, 3, 2}, -2).Import().graph;
  EXPECT_EQ(NodesOf(graph), "Split[split_x] Identity[take]");
  EXPECT_EQ(graph.value(graph.outputs[0]).name, "y");
  EXPECT_THAT(OutputOf(graph, kSix), ElementsAre(1, 2, 3));
  EXPECT_THAT(OutputOf(SplitAndTake({4}, 1, true).Import().graph, kSix), ElementsAre(4, 5));
}

TEST(Sequences, ElementsWithAndWithoutTheirAxis) {
  for (const bool keeps : {true, false}) {
    ModelWriter writer;
    writer.Input("x", {3, 2});
    AddScalar(writer, "at", 1);
    ModelWriter::SetInt(writer.Node("SplitToSequence", "split", {"x"}, {"s"}), "keepdims", keeps);
    writer.Node("SequenceAt", "take", {"s", "at"}, {"y"});
    writer.Output("y");
    const Graph graph = writer.Import().graph;
    EXPECT_EQ(graph.value(graph.outputs[0]).type.ToString(), keeps ? "float32 1x2" : "float32 2");
    EXPECT_THAT(OutputOf(graph, Floats({3, 2}, {0, 1, 2, 3, 4, 5})), ElementsAre(2, 3));
  }
}

TEST(Sequences, AreMadeChangedAndJoined) {
  ModelWriter writer;
  writer.Input("x", {2});
  AddScalar(writer, "first", 0);
  AddScalar(writer, "last", -1);
  writer.Node("Neg", "neg", {"x"}, {"n"});
  writer.Node("SequenceEmpty", "none", {}, {"s0"});
  writer.Node("SequenceInsert", "one", {"s0", "x"}, {"s1"});
  writer.Node("SequenceInsert", "two", {"s1", "n", "first"}, {"s2"});
  writer.Node("SequenceInsert", "three", {"s2", "x"}, {"s3"});
  writer.Node("Identity", "same", {"s3"}, {"s4"});
  writer.Node("SequenceErase", "less", {"s4", "last"}, {"s5"});
  writer.Node("SequenceConstruct", "make", {"n", "x"}, {"s6"});
  writer.Node("SequenceLength", "length", {"s5"}, {"l"});
  ModelWriter::SetInt(writer.Node("ConcatFromSequence", "join", {"s5"}, {"y"}), "axis", 0);
  auto& stack = writer.Node("ConcatFromSequence", "stack", {"s6"}, {"z"});
  ModelWriter::SetInt(stack, "axis", 1);
  ModelWriter::SetInt(stack, "new_axis", 1);
  for (const char* name : {"y", "z", "l"}) {
    writer.Output(name);
  }
  const Graph graph = writer.Import().graph;
  const Tensor x = Floats({2}, {7, 8});
  EXPECT_THAT(OutputOf(graph, x, 0), ElementsAre(-7, -8, 7, 8));
  EXPECT_EQ(graph.value(graph.outputs[1]).type.ToString(), "float32 2x2");
  EXPECT_THAT(OutputOf(graph, x, 1), ElementsAre(-7, 7, -8, 8));
  EXPECT_THAT(OutputOf(graph, x, 2), ElementsAre(2));
}

// What PyTorch makes of a list that a loop appends to.
TEST(Sequences, GrowInALoop) {
  ModelWriter writer;
  writer.Input("x", {2});
  AddScalar(writer, "trips", 3);
  writer.Node("SequenceEmpty", "none", {}, {"s0"});
  auto& loop = writer.Node("Loop", "loop", {"trips", "", "s0", "x"}, {"s", "last"});
  auto* attribute = loop.add_attribute();
  attribute->set_name("body");
  attribute->set_type(onnx::AttributeProto::GRAPH);
  onnx::GraphProto& body = *attribute->mutable_g();
  for (const char* name : {"i", "c", "list", "v"}) {
    body.add_input()->set_name(name);
  }
  ModelWriter::AddNode(body, "Add", "double", {"v", "v"}, {"w"});
  ModelWriter::AddNode(body, "SequenceInsert", "append", {"list", "w"}, {"longer"});
  for (const char* name : {"c", "longer", "w"}) {
    body.add_output()->set_name(name);
  }
  ModelWriter::SetInt(writer.Node("ConcatFromSequence", "join", {"s"}, {"y"}), "axis", 0);
  writer.Output("y");
  EXPECT_THAT(OutputOf(writer.Import().graph, Floats({2}, {1, 3})),
              ElementsAre(2, 6, 4, 12, 8, 24));
}

TEST(Sequences, WhatDoesNotFitIsAnError) {
  EXPECT_THAT(
      MessageOf(SplitAndTake({3, 3}, 2)),
      HasSubstr("node 'take' (SequenceAt): input 1: position 2 is outside a sequence of 2"));
  EXPECT_THAT(MessageOf(SplitAndTake({0}, 0, true)),
              HasSubstr("input 'split': expected a length of at least 1, got 0"));

  ModelWriter tensor;
  tensor.Input("x", {6});
  tensor.Node("SequenceLength", "length", {"x"}, {"y"});
  tensor.Output("y");
  EXPECT_THAT(MessageOf(tensor),
              HasSubstr("node 'length' (SequenceLength): input 0 ('x'): expected a sequence, got a "
                        "tensor"));

  ModelWriter list;
  list.Input("x", {6});
  list.Node("SequenceConstruct", "make", {"x"}, {"s"});
  list.Node("Relu", "relu", {"s"}, {"y"});
  list.Output("y");
  EXPECT_THAT(MessageOf(list),
              HasSubstr("node 'relu' (Relu): input 's': expected a tensor, got a sequence"));

  ModelWriter result;
  result.Input("x", {6});
  result.Node("SequenceConstruct", "make", {"x"}, {"s"});
  result.Output("s");
  EXPECT_THAT(
      MessageOf(result),
      HasSubstr("graph output 's': expected a tensor, got a sequence; make a tensor of it with"));

  ModelWriter nothing;
  nothing.Input("x", {6});
  nothing.Node("SequenceEmpty", "none", {}, {"s"});
  ModelWriter::SetInt(nothing.Node("ConcatFromSequence", "join", {"s"}, {"y"}), "axis", 0);
  nothing.Output("y");
  EXPECT_THAT(MessageOf(nothing), HasSubstr("the sequence is empty: there is nothing to join"));
}

}  // namespace
}  // namespace halftone
