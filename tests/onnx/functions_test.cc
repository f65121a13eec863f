// Functions that a model defines: their bodies instead of the nodes that call them.
#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include "src/onnx/tracer.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using ::halftone::testing::ModelWriter;
using ::halftone::testing::NodesOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kDomain = "local";

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

onnx::FunctionProto& AddFunction(ModelWriter& writer, const std::string& name,
                                 std::initializer_list<const char*> inputs,
                                 std::initializer_list<const char*> outputs,
                                 std::int64_t opset = 17) {
  auto& function = *writer.model.add_functions();
  function.set_domain(kDomain);
  function.set_name(name);
  for (const char* input : inputs) {
    function.add_input(input);
  }
  for (const char* output : outputs) {
    function.add_output(output);
  }
  auto* version = function.add_opset_import();
  version->set_domain("");
  version->set_version(opset);
  return function;
}

onnx::NodeProto& AddNode(onnx::FunctionProto& function, const std::string& type,
                         std::initializer_list<const char*> inputs,
                         std::initializer_list<const char*> outputs) {
  auto& node = *function.add_node();
  node.set_op_type(type);
  for (const char* input : inputs) {
    node.add_input(input);
  }
  for (const char* output : outputs) {
    node.add_output(output);
  }
  return node;
}

void Refer(onnx::NodeProto& node, const std::string& name, const std::string& to) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_ref_attr_name(to);
  attribute->set_type(onnx::AttributeProto::FLOAT);
}

onnx::NodeProto& Call(ModelWriter& writer, const std::string& function, const std::string& name,
                      std::initializer_list<const char*> inputs,
                      std::initializer_list<const char*> outputs) {
  auto& node = writer.Node(function, name, inputs, outputs);
  node.set_domain(kDomain);
  return node;
}

// y = LeakyRelu(a, slope) + b, or without b; slope by attribute.
onnx::FunctionProto& AddLeaky(ModelWriter& writer) {
  auto& function = AddFunction(writer, "Leaky", {"a", "b"}, {"y", "z"});
  Refer(AddNode(function, "LeakyRelu", {"a"}, {"z"}), "alpha", "slope");
  AddNode(function, "Add", {"z", "b"}, {"y"});
  return function;
}

TEST(Functions, BodiesReplaceCalls) {
  ModelWriter writer;
  AddLeaky(writer);
  writer.Input("x", {2});
  writer.Floats("b", {1}, {100});
  ModelWriter::SetFloat(Call(writer, "Leaky", "first", {"x", "b"}, {"u"}), "slope", 0.5F);
  Call(writer, "Leaky", "second", {"u", "x"}, {"y", "z"});
  writer.Output("y");
  writer.Output("z");
  const Graph graph = writer.Import().graph;
  EXPECT_EQ(NodesOf(graph),
            "LeakyRelu[first/LeakyRelu_0] Add[first/Add_1] Identity[first] "
            "LeakyRelu[second/LeakyRelu_0] Add[second/Add_1] Identity[second] Identity[second/1]");
  EXPECT_EQ(graph.value(graph.outputs[0]).name, "y");
  EXPECT_EQ(graph.value(graph.outputs[1]).name, "z");
  const Tensor x = Floats({2}, {4, -400});
  // 104 and -100; the second time with the slope of ONNX, 0.01.
  EXPECT_THAT(OutputOf(graph, x, 1), ElementsAre(104, -1));
  EXPECT_THAT(OutputOf(graph, x), ElementsAre(108, -401));
}

// The classes of ONNX 1.12 do not have the field.
TEST(Functions, AttributesHaveDefaults) {
  ModelWriter writer;
  auto& function = AddLeaky(writer);
  onnx::AttributeProto slope;
  slope.set_name("slope");
  slope.set_type(onnx::AttributeProto::FLOAT);
  slope.set_f(0.25F);
  function.GetReflection()->MutableUnknownFields(&function)->AddLengthDelimited(
      11, slope.SerializeAsString());
  writer.Input("x", {2});
  writer.Floats("b", {1}, {0});
  Call(writer, "Leaky", "call", {"x", "b"}, {"y"});
  writer.Output("y");
  EXPECT_THAT(OutputOf(writer.Import().graph, Floats({2}, {4, -4})), ElementsAre(4, -1));
}

// Bodies call bodies, have branches, and opsets of their own.
TEST(Functions, NestAndBranch) {
  ModelWriter writer(17);
  auto& inner = AddFunction(writer, "Inner", {"a"}, {"r"}, 12);
  // Until opset 12 the axes are an attribute.
  ModelWriter::SetInts(AddNode(inner, "ReduceSum", {"a"}, {"r"}), "axes", {0});
  auto& outer = AddFunction(writer, "Outer", {"a"}, {"r"});
  AddNode(outer, "Inner", {"a"}, {"s"}).set_domain(kDomain);
  AddNode(outer, "Size", {"a"}, {"n"});
  auto& two = AddNode(outer, "Constant", {}, {"two"});
  ModelWriter::SetInt(two, "value_int", 2);
  AddNode(outer, "Equal", {"n", "two"}, {"is_pair"});
  auto& branch = AddNode(outer, "If", {"is_pair"}, {"r"});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto* attribute = branch.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::GRAPH);
    const bool negates = std::string(name) == "then_branch";
    ModelWriter::AddNode(*attribute->mutable_g(), negates ? "Neg" : "Abs", "", {"s"}, {"t"});
    attribute->mutable_g()->add_output()->set_name("t");
  }
  writer.Input("x", {2});
  Call(writer, "Outer", "call", {"x"}, {"y"});
  writer.Output("y");
  const Graph graph = writer.Import().graph;
  EXPECT_THAT(OutputOf(graph, Floats({2}, {3, 4})), ElementsAre(-7));
}

TEST(Functions, WhatDoesNotFitIsAnError) {
  ModelWriter twice;
  AddLeaky(twice);
  AddLeaky(twice);
  EXPECT_THAT(MessageOf(twice), HasSubstr("function 'Leaky' of domain 'local' is defined twice"));

  ModelWriter many;
  AddLeaky(many);
  many.Input("x", {2});
  Call(many, "Leaky", "call", {"x", "x", "x"}, {"y"});
  many.Output("y");
  EXPECT_THAT(MessageOf(many),
              HasSubstr("node 'call' (Leaky): expected at most 2 inputs and 2 outputs, as function "
                        "'Leaky' has, got 3 and 1"));

  ModelWriter open;
  AddLeaky(open);
  open.Input("x", {2});
  Call(open, "Leaky", "call", {"x"}, {"y"});
  open.Output("y");
  EXPECT_THAT(MessageOf(open), HasSubstr("node 'call' (Leaky): node 'call/Add_1' (Add): expected 2 "
                                         "inputs, got 1"));

  ModelWriter lost;
  AddNode(AddFunction(lost, "Lost", {"a"}, {"y"}), "Nowhere", {"a"}, {"y"});
  lost.Input("x", {2});
  Call(lost, "Lost", "call", {"x"}, {"y"});
  lost.Output("y");
  EXPECT_THAT(MessageOf(lost), HasSubstr("halftone does not have operator Nowhere of opset 17"));

  // A body sees its operands only.
  ModelWriter outside;
  AddNode(AddFunction(outside, "Reach", {"a"}, {"y"}), "Add", {"a", "x"}, {"y"});
  outside.Input("x", {2});
  Call(outside, "Reach", "call", {"x"}, {"y"});
  outside.Output("y");
  EXPECT_THAT(MessageOf(outside),
              HasSubstr("input 'x' is made by no node and is no input or initializer"));
}

TEST(Functions, RecursionIsRefused) {
  ModelWriter writer;
  AddNode(AddFunction(writer, "Self", {"a"}, {"y"}), "Self", {"a"}, {"y"}).set_domain(kDomain);
  writer.Input("x", {2});
  Call(writer, "Self", "call", {"x"}, {"y"});
  writer.Output("y");
  EXPECT_THAT(MessageOf(writer), HasSubstr("functions call each other more than 30 deep"));
}

// Twenty bodies of ten calls each would be 10^20 nodes.
TEST(Functions, BodiesThatMultiplyAreRefused) {
  ModelWriter writer;
  for (int level = 0; level < 20; ++level) {
    auto& function = AddFunction(writer, "F" + std::to_string(level), {"a"}, {"y"});
    std::string from = "a";
    for (int i = 0; i < 10; ++i) {
      const std::string to = i == 9 ? "y" : "t" + std::to_string(i);
      auto& node = *function.add_node();
      node.set_op_type(level == 0 ? "Neg" : "F" + std::to_string(level - 1));
      node.set_domain(level == 0 ? "" : kDomain);
      node.add_input(from);
      node.add_output(to);
      from = to;
    }
  }
  writer.Input("x", {2});
  Call(writer, "F19", "call", {"x"}, {"y"});
  writer.Output("y");
  EXPECT_THAT(MessageOf(writer), HasSubstr("more than 200000 nodes and values"));
}

// x, or the result of a call in the branch that is not taken.
std::vector<std::string> NamesBesideACallOf(ModelWriter& writer, const std::string& function) {
  writer.Input("x", {2});
  auto* no = writer.graph().add_initializer();
  no->set_name("no");
  no->set_data_type(onnx::TensorProto::BOOL);
  no->add_int32_data(0);
  auto& choice = writer.Node("If", "if", {"no"}, {"y"});
  for (const bool then : {true, false}) {
    auto* attribute = choice.add_attribute();
    attribute->set_name(then ? "then_branch" : "else_branch");
    attribute->set_type(onnx::AttributeProto::GRAPH);
    onnx::GraphProto& branch = *attribute->mutable_g();
    auto& node =
        ModelWriter::AddNode(branch, then ? function : "Neg", then ? "call" : "neg", {"x"}, {"r"});
    if (then) {
      node.set_domain(kDomain);
    }
    branch.add_output()->set_name("r");
  }
  writer.Output("y");
  std::vector<std::string> names;
  for (const Origin& origin : writer.Import().graph.removed) {
    names.push_back(origin.name);
  }
  return names;
}

TEST(Functions, NodesOfACallThatDoesNotRunAreKnown) {
  ModelWriter writer;
  AddLeaky(writer);
  EXPECT_THAT(NamesBesideACallOf(writer, "Leaky"),
              ElementsAre("if/call", "call", "if/call/LeakyRelu_0", "if/call/Add_1"));
  ModelWriter self;
  AddNode(AddFunction(self, "Self", {"a"}, {"y"}), "Self", {"a"}, {"y"}).set_domain(kDomain);
  EXPECT_EQ(NamesBesideACallOf(self, "Self").size(), 32U) << "as deep as calls may be";
}

// 2^29 names, if all were recorded.
TEST(Functions, NamesThatMultiplyAreBounded) {
  ModelWriter writer;
  for (int level = 0; level < 29; ++level) {
    auto& function = AddFunction(writer, "F" + std::to_string(level), {"a"}, {"y"});
    for (const char* output : {"t", "y"}) {
      auto& node =
          AddNode(function, level == 0 ? "Neg" : "F" + std::to_string(level - 1), {"a"}, {output});
      node.set_domain(level == 0 ? "" : kDomain);
    }
  }
  EXPECT_LT(NamesBesideACallOf(writer, "F28").size(), 200'000U);
}

}  // namespace
}  // namespace halftone
