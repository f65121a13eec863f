// Small files that ask for much: what loading does is counted before it is done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "src/base/file.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using ::halftone::testing::ModelWriter;
using ::halftone::testing::NodesOf;
using ::testing::HasSubstr;

std::string MessageOf(const ModelWriter& writer) {
  try {
    static_cast<void>(writer.Import());
  } catch (const Error& error) {
    EXPECT_NE(error.kind(), ErrorKind::kInternal) << error.what();
    return error.what();
  }
  return "no error";
}

onnx::GraphProto& AddBody(onnx::NodeProto& node) {
  auto* attribute = node.add_attribute();
  attribute->set_name("body");
  attribute->set_type(onnx::AttributeProto::GRAPH);
  return *attribute->mutable_g();
}

void AddScalar(onnx::GraphProto& graph, const std::string& name, int type, std::int64_t value) {
  auto* tensor = graph.add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(type);
  if (type == onnx::TensorProto::INT64) {
    tensor->add_int64_data(value);
  } else {
    tensor->add_int32_data(static_cast<std::int32_t>(value));
  }
}

// A Loop that negates x; its condition is `condition` of the body, which `add_nodes` makes.
template <typename AddNodes>
ModelWriter Negating(const char* trips, std::int64_t count, const std::string& condition,
                     const AddNodes& add_nodes) {
  ModelWriter writer;
  writer.Input("x", {2});
  AddScalar(writer.graph(), "trips", onnx::TensorProto::INT64, count);
  AddScalar(writer.graph(), "yes", onnx::TensorProto::BOOL, 1);
  onnx::GraphProto& body = AddBody(writer.Node("Loop", "loop", {trips, "yes", "x"}, {"y"}));
  ModelWriter::Describe(*body.add_input(), "i", {}, onnx::TensorProto::INT64);
  ModelWriter::Describe(*body.add_input(), "going", {}, onnx::TensorProto::BOOL);
  ModelWriter::Describe(*body.add_input(), "z", {2}, onnx::TensorProto::FLOAT);
  add_nodes(body);
  ModelWriter::AddNode(body, "Neg", "neg", {"z"}, {"next"});
  body.add_output()->set_name(condition);
  body.add_output()->set_name("next");
  writer.Output("y");
  return writer;
}

constexpr auto kNothing = [](onnx::GraphProto& /*body*/) {};

TEST(LoadBounds, ALoopOf200000StepsIsRefusedBeforeTheFirst) {
  EXPECT_THAT(MessageOf(Negating("trips", 200'000, "going", kNothing)),
              HasSubstr("node 'loop' (Loop): 200000 iterations of 7 nodes and values each, 200000 "
                        "of 200000 are left: each iteration"));
}

TEST(LoadBounds, ALoopOf2000StepsIsNot) {
  const ImportResult result = Negating("trips", 2000, "going", kNothing).Import();
  EXPECT_GE(result.graph.nodes.size(), 2000U);
}

// However the condition stays true.
TEST(LoadBounds, LoopsWithoutEndAreRefusedBeforeTheFirstIteration) {
  constexpr const char* kWant = "node 'loop' (Loop): iterations without end of ";
  EXPECT_THAT(MessageOf(Negating("", 0, "going", kNothing)), HasSubstr(kWant));
  EXPECT_THAT(MessageOf(Negating("", 0, "yes", kNothing)), HasSubstr(kWant));
  EXPECT_THAT(MessageOf(Negating("", 0, "same",
                                 [](onnx::GraphProto& body) {
                                   ModelWriter::AddNode(body, "Identity", "a", {"going"}, {"b"});
                                   ModelWriter::AddNode(body, "Identity", "c", {"b"}, {"same"});
                                 })),
              HasSubstr(kWant));
  EXPECT_THAT(MessageOf(Negating("", 0, "always",
                                 [](onnx::GraphProto& body) {
                                   auto& node =
                                       ModelWriter::AddNode(body, "Constant", "c", {}, {"always"});
                                   auto* value = node.add_attribute();
                                   value->set_name("value");
                                   value->set_type(onnx::AttributeProto::TENSOR);
                                   value->mutable_t()->set_data_type(onnx::TensorProto::BOOL);
                                   value->mutable_t()->add_int32_data(1);
                                 })),
              HasSubstr(kWant));
  EXPECT_THAT(MessageOf(Negating("trips", std::int64_t{1} << 62, "going", kNothing)),
              HasSubstr("4611686018427387904 iterations of 7 nodes and values"));
}

// A condition that is computed: the count ends it.
TEST(LoadBounds, ALoopWhoseConditionIsComputedEndsWithTheCount) {
  const auto twice = [](onnx::GraphProto& body) {
    ModelWriter::AddNode(body, "Not", "a", {"going"}, {"b"});
    ModelWriter::AddNode(body, "Not", "c", {"b"}, {"again"});
  };
  EXPECT_THAT(MessageOf(Negating("", 0, "again", twice)),
              HasSubstr("more than 200000 nodes and values: each iteration"));
}

// As exporters write `while`: the trip count is the largest number there is.
TEST(LoadBounds, ALoopThatEndsByItsConditionMayHaveAnyTripCount) {
  const auto below = [](onnx::GraphProto& body) {
    AddScalar(body, "five", onnx::TensorProto::INT64, 5);
    ModelWriter::AddNode(body, "Less", "less", {"i", "five"}, {"again"});
  };
  const ImportResult result =
      Negating("trips", std::numeric_limits<std::int64_t>::max(), "again", below).Import();
  EXPECT_EQ(std::count_if(result.graph.nodes.begin(), result.graph.nodes.end(),
                          [](const Node& node) { return node.op == OpKind::kNeg; }),
            6);
}

TEST(LoadBounds, AScanOf200000SlicesIsRefusedBeforeTheFirst) {
  ModelWriter writer;
  writer.Input("x", {200'000, 1});
  auto& scan = writer.Node("Scan", "scan", {"x"}, {"y"});
  ModelWriter::SetInt(scan, "num_scan_inputs", 1);
  onnx::GraphProto& body = AddBody(scan);
  ModelWriter::Describe(*body.add_input(), "z", {1}, onnx::TensorProto::FLOAT);
  ModelWriter::AddNode(body, "Neg", "neg", {"z"}, {"n"});
  body.add_output()->set_name("n");
  writer.Output("y");
  EXPECT_THAT(MessageOf(writer), HasSubstr("node 'scan' (Scan): 200000 iterations of 4 nodes"));
}

// A tensor in the body of a Loop is one tensor, not one for each iteration.
TEST(LoadBounds, ConstantsOfABodyAreReadOnce) {
  constexpr std::int64_t kCount = 1 << 16;
  const auto large = [](onnx::GraphProto& body) {
    auto& node = ModelWriter::AddNode(body, "Constant", "c", {}, {"large"});
    auto* value = node.add_attribute();
    value->set_name("value");
    value->set_type(onnx::AttributeProto::TENSOR);
    value->mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
    value->mutable_t()->add_dims(kCount);
    value->mutable_t()->set_raw_data(std::string(kCount * sizeof(float), '\0'));
  };
  const ImportResult result = Negating("trips", 1000, "going", large).Import();
  EXPECT_EQ(std::count_if(result.graph.values.begin(), result.graph.values.end(),
                          [](const Value& value) {
                            return value.constant && value.constant->ElementCount() == kCount;
                          }),
            1);
}

// Attributes of every iteration are read again: 8 MiB of them, 10,000 times, would take minutes.
TEST(LoadBounds, LargeAttributesInABodyCount) {
  const auto large = [](onnx::GraphProto& body) {
    auto& node = ModelWriter::AddNode(body, "ReduceSum", "sum", {"z"}, {"s"});
    ModelWriter::SetInts(node, "axes", std::vector<std::int64_t>(1 << 20, std::int64_t{1} << 62));
  };
  EXPECT_THAT(MessageOf(Negating("trips", 10'000, "going", large)),
              HasSubstr("node 'loop' (Loop): 10000 iterations: writing them out needs "));
}

// Lists that grow are kept at each length.
TEST(LoadBounds, SequencesThatGrowInALoopCount) {
  ModelWriter writer;
  writer.Input("x", {2});
  AddScalar(writer.graph(), "trips", onnx::TensorProto::INT64, 20'000);
  writer.Node("SequenceEmpty", "empty", {}, {"s0"});
  onnx::GraphProto& body = AddBody(writer.Node("Loop", "loop", {"trips", "", "s0"}, {"s"}));
  ModelWriter::Describe(*body.add_input(), "i", {}, onnx::TensorProto::INT64);
  ModelWriter::Describe(*body.add_input(), "going", {}, onnx::TensorProto::BOOL);
  body.add_input()->set_name("s");
  ModelWriter::AddNode(body, "SequenceInsert", "insert", {"s", "x"}, {"longer"});
  body.add_output()->set_name("going");
  body.add_output()->set_name("longer");
  ModelWriter::SetInt(writer.Node("ConcatFromSequence", "join", {"s"}, {"y"}), "axis", 0);
  writer.Output("y");
  EXPECT_THAT(MessageOf(writer), HasSubstr("make the model smaller, or the number of iterations"));
}

// y = x + fill0 + ... : 40 GiB of constants if they were folded.
TEST(LoadBounds, FortyFillsOf1GiBStayNodes) {
  ModelWriter writer;
  writer.Input("x", {1});
  writer.Integers("dims", {1 << 28});
  std::string sum = "x";
  for (int i = 0; i < 40; ++i) {
    const std::string filled = "c" + std::to_string(i);
    const std::string next = "s" + std::to_string(i);
    writer.Node("ConstantOfShape", "fill" + std::to_string(i), {"dims"}, {filled.c_str()});
    writer.Node("Add", "add" + std::to_string(i), {sum.c_str(), filled.c_str()}, {next.c_str()});
    sum = next;
  }
  writer.Output(sum);
  EXPECT_EQ(writer.Import().graph.nodes.size(), 80U);
}

// A product of 10^12 operations is left to the run.
TEST(LoadBounds, LongComputationsOfConstantsStayNodes) {
  ModelWriter writer;
  writer.Input("x", {1});
  writer.Integers("dims", {1 << 10, 1 << 10});
  writer.Node("ConstantOfShape", "fill", {"dims"}, {"c"});
  writer.Node("MatMul", "square", {"c", "c"}, {"s"});
  writer.Node("Add", "add", {"x", "s"}, {"y"});
  writer.Output("y");
  EXPECT_EQ(NodesOf(writer.Import().graph), "MatMul[square] Add[add]");
}

// Where a shape needs it, nothing can be left to the run.
TEST(LoadBounds, AShapeThatNeedsMoreThanTheBudgetIsASentence) {
  ModelWriter writer(13);
  writer.Input("x", {1});
  writer.Integers("dims", {1 << 28});
  writer.Integers("axes", {0});
  auto& fill = writer.Node("ConstantOfShape", "fill", {"dims"}, {"c"});
  auto* value = fill.add_attribute();
  value->set_name("value");
  value->set_type(onnx::AttributeProto::TENSOR);
  value->mutable_t()->set_data_type(onnx::TensorProto::INT64);
  value->mutable_t()->add_dims(1);
  value->mutable_t()->add_int64_data(1);
  writer.Node("ReduceMax", "greatest", {"c"}, {"shape"});
  writer.Node("Reshape", "flat", {"shape", "axes0"}, {"wanted"});
  writer.Integers("axes0", {1});
  writer.Node("Expand", "expand", {"x", "wanted"}, {"y"});
  writer.Output("y");
  EXPECT_THAT(MessageOf(writer),
              HasSubstr("node 'expand' (Expand): an operand that a shape depends on ('wanted') is "
                        "made by node 'fill' (ConstantOfShape), which needs 2.68e+08 operations "
                        "and 2.00 GiB of memory, "));
}

// A NUL would end the name for the system: another file would be read.
TEST(LoadBounds, ControlCharactersInLocationsOfExternalDataAreRefused) {
  for (const std::string& location :
       {std::string("ext.bin\0.png", 12), std::string("ext\n.bin"), std::string("ext.bin\x7f")}) {
    ModelWriter writer;
    writer.Input("x", {16});
    auto* tensor = writer.graph().add_initializer();
    tensor->set_name("w");
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    tensor->add_dims(16);
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    auto* entry = tensor->add_external_data();
    entry->set_key("location");
    entry->set_value(location);
    writer.Node("Add", "add", {"x", "w"}, {"y"});
    writer.Output("y");
    WriteFileAtomically(writer.Save().parent_path() / "ext.bin", std::string(64, '\0'));
    const std::string message = MessageOf(writer);
    EXPECT_THAT(message, HasSubstr("initializer 'w': external data 'ext"));
    EXPECT_THAT(message, HasSubstr("expected the name of a file, got control characters in it"));
  }
}

}  // namespace
}  // namespace halftone
