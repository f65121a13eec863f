// A typed file, read back and run in its own types, gives what its plan gives.
#include "src/export/onnx_mixed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "src/exec/host_target.h"
#include "src/precision/resolve/resolve.h"
#include "tests/export/written_model.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::ExpectValid;
using testing::FormatOf;
using ::testing::HasSubstr;
using testing::Imported;
using ::testing::IsEmpty;
using testing::ModelWriter;
using testing::SmallNet;

struct Typed {
  Graph graph;
  PrecisionPlan plan;
  MixedModel file;
  onnx::ModelProto proto;
  Graph read;

  [[nodiscard]] std::string Nodes() const {
    std::string text;
    for (const auto& node : proto.graph().node()) {
      text += (text.empty() ? "" : " ") + node.op_type() + "[" + node.output(0) + "]";
    }
    return text;
  }

  [[nodiscard]] const onnx::TensorProto* Constant(const std::string& name) const {
    const auto& all = proto.graph().initializer();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& t) { return t.name() == name; });
    return found == all.end() ? nullptr : &*found;
  }
};

PrecisionPlan PlanOf(const Graph& graph, const std::string& mode) {
  return ResolvePrecision(graph, {.precision_mode = mode}, HostTarget());
}

Typed WriteTyped(const fs::path& model, const Graph& graph, PrecisionPlan plan) {
  Typed typed{.graph = graph, .plan = std::move(plan)};
  typed.file = WriteOnnxMixed(model, typed.graph, typed.plan);
  EXPECT_TRUE(typed.proto.ParseFromString(typed.file.bytes));
  ExpectValid(typed.proto, typed.graph);
  const fs::path path =
      fs::path(::testing::TempDir()) / (HashOf(graph).ToHex() + ".mixed" + ".onnx");
  WriteFileAtomically(path, typed.file.bytes);
  typed.read = Imported(path);
  return typed;
}

void SetFormats(const Graph& graph, const std::vector<ValueId>& ids, const std::string& name,
                std::vector<NumericFormat>& formats) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != kNoValue && graph.value(ids[i]).type.dtype == DType::kFloat32) {
      formats[i] = *NumericFormat::Named(name);
    }
  }
}

// Formats by node name; others stay in float32.
Typed WriteFormats(const ModelWriter& net, const std::map<std::string, std::string>& formats) {
  const fs::path model = net.Save();
  const Graph graph = Imported(model);
  PrecisionPlan plan = ReferencePlan(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (const auto found = formats.find(graph.nodes[n].name); found != formats.end()) {
      SetFormats(graph, graph.nodes[n].inputs, found->second, plan.nodes[n].inputs);
      SetFormats(graph, graph.nodes[n].outputs, found->second, plan.nodes[n].outputs);
    }
  }
  return WriteTyped(model, graph, std::move(plan));
}

// In the types of the file, node by node, with the kernels that the plan has.
std::vector<Tensor> RunTyped(const Typed& typed, const std::vector<Tensor>& inputs) {
  PrecisionPlan plan = PlanOf(typed.read, "must_keep_origin_dtype");
  for (NodePrecision& node : plan.nodes) {
    node.impl_mode = ImplMode::kHighPrecision;
  }
  return Compile(typed.read, plan, {.fuse = false}).Run(inputs);
}

std::vector<Tensor> RunPlan(const Typed& typed, const std::vector<Tensor>& inputs) {
  PrecisionPlan plan = typed.plan;
  for (NodePrecision& node : plan.nodes) {
    node.impl_mode = ImplMode::kHighPrecision;
  }
  return Compile(typed.graph, plan, {.fuse = false}).Run(inputs);
}

void ExpectSameBits(const Typed& typed) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const std::vector<Tensor> inputs = testing::RandomInputs(typed.graph, seed);
    const std::vector<Tensor> of_plan = RunPlan(typed, inputs);
    const std::vector<Tensor> of_file = RunTyped(typed, inputs);
    ASSERT_EQ(of_plan.size(), of_file.size());
    for (std::size_t i = 0; i < of_plan.size(); ++i) {
      EXPECT_EQ(of_plan[i].type(), of_file[i].type());
      EXPECT_EQ(DoublesOf(of_plan[i]), DoublesOf(of_file[i]));
    }
  }
}

TEST(OnnxMixed, CastsStandWhereTypesMeet) {
  SmallNet net;
  net.Conv("x", "c");
  net.Node("Softmax", "soft", {"c"}, {"y"});
  const Typed typed = WriteFormats(net, {{"c_conv", "float16"}});
  EXPECT_EQ(typed.Nodes(), "Cast[x_cast_to_fp16] Conv[c] Cast[c_cast_to_fp32] Softmax[y]");
  EXPECT_EQ(typed.file.low_operators, 1);
  EXPECT_EQ(typed.file.casts, 2);
  EXPECT_THAT(typed.file.notes, IsEmpty());
  // A constant of one type keeps its name.
  ASSERT_NE(typed.Constant("c_w"), nullptr);
  EXPECT_EQ(typed.Constant("c_w")->data_type(), onnx::TensorProto::FLOAT16);
  EXPECT_EQ(typed.proto.graph().initializer_size(), 2);
  ExpectSameBits(typed);
}

TEST(OnnxMixed, AConstantThatTwoTypesReadIsThereTwice) {
  SmallNet net;
  net.Weights("c", {1, 4, 1, 1});
  net.Node("Add", "low", {"x", "c"}, {"s"});
  net.Node("Mul", "high", {"s", "c"}, {"y"});
  const Typed typed = WriteFormats(net, {{"low", "float16"}});
  ASSERT_NE(typed.Constant("c"), nullptr);
  ASSERT_NE(typed.Constant("c_fp16"), nullptr);
  EXPECT_EQ(typed.Constant("c")->data_type(), onnx::TensorProto::FLOAT);
  EXPECT_EQ(typed.Constant("c_fp16")->data_type(), onnx::TensorProto::FLOAT16);
  ExpectSameBits(typed);
}

TEST(OnnxMixed, ResultsOfTheModelKeepNameAndType) {
  SmallNet net;
  net.Conv("x", "y");
  const Typed typed = WriteFormats(net, {{"y_conv", "float16"}});
  EXPECT_EQ(typed.Nodes(), "Cast[x_cast_to_fp16] Conv[y_fp16] Cast[y]");
  ExpectSameBits(typed);
}

TEST(OnnxMixed, OneCastForAllReaders) {
  SmallNet net;
  net.Conv("x", "a");
  net.Conv("x", "b");
  net.Node("Add", "sum", {"a", "b"}, {"y"});
  const Typed typed = WriteFormats(net, {{"a_conv", "float16"}, {"b_conv", "float16"}});
  EXPECT_EQ(
      typed.Nodes(),
      "Cast[x_cast_to_fp16] Conv[a] Conv[b] Cast[a_cast_to_fp32] Cast[b_cast_to_fp32] Add[y]");
  ExpectSameBits(typed);
}

TEST(OnnxMixed, TwoLowTypesMeetThroughFloat32) {
  SmallNet net(22);
  net.Conv("x", "a");
  net.Conv("a", "y", 8);
  const Typed typed = WriteFormats(net, {{"a_conv", "float16"}, {"y_conv", "bfloat16"}});
  EXPECT_EQ(typed.Nodes(),
            "Cast[x_cast_to_fp16] Conv[a] Cast[a_cast_to_fp32] Cast[a_cast_to_bf16] Conv[y_bf16] "
            "Cast[y]");
  ExpectSameBits(typed);
}

TEST(OnnxMixed, AnOperatorWithoutTheTypeComputesInFloat32OnRoundedNumbers) {
  SmallNet net(17);  // Conv takes bfloat16 from opset 22 on
  net.Conv("x", "c");
  net.Node("Relu", "act", {"c"}, {"y"});
  const Typed typed = WriteFormats(net, {{"c_conv", "bfloat16"}, {"act", "bfloat16"}});
  EXPECT_EQ(typed.Nodes(),
            "Cast[x_cast_to_bf16] Cast[x_rounded_bf16] Conv[c] Cast[c_cast_to_bf16] Relu[y_bf16] "
            "Cast[y]");
  ASSERT_NE(typed.Constant("c_w"), nullptr);
  EXPECT_EQ(typed.Constant("c_w")->data_type(), onnx::TensorProto::FLOAT);
  EXPECT_THAT(typed.file.notes,
              ElementsAre("operators computed in float32 between Casts, because opset 17 has no "
                          "bfloat16 Conv and opset 22 has: 1, the first is 'c_conv'"));
  ExpectSameBits(typed);
}

TEST(OnnxMixed, PartsOfANormalisationStayFloat32Inside) {
  ModelWriter net;
  net.Input("x", {2, 3, 8});
  net.Output("y");
  net.Floats("two", {}, {2});
  net.Floats("epsilon", {}, {1e-6F});
  ModelWriter::SetInts(net.Node("ReduceMean", "mean", {"x"}, {"m"}), "axes", {-1});
  net.Node("Sub", "centre", {"x", "m"}, {"d"});
  net.Node("Pow", "square", {"d", "two"}, {"q"});
  ModelWriter::SetInts(net.Node("ReduceMean", "variance", {"q"}, {"v"}), "axes", {-1});
  net.Node("Add", "plus", {"v", "epsilon"}, {"e"});
  net.Node("Sqrt", "root", {"e"}, {"r"});
  net.Node("Div", "quotient", {"d", "r"}, {"y"});
  std::map<std::string, std::string> formats;
  for (const char* name : {"mean", "centre", "square", "variance", "plus", "root", "quotient"}) {
    formats[name] = "float16";
  }
  const Typed typed = WriteFormats(net, formats);
  EXPECT_EQ(typed.file.low_operators, 0);
  EXPECT_EQ(typed.Nodes(),
            "Cast[x_cast_to_fp16] Cast[x_rounded_fp16] ReduceMean[m] Sub[d] Pow[q] ReduceMean[v] "
            "Add[e] Sqrt[r] Div[y_unrounded] Cast[y_cast_to_fp16] Cast[y]");
  ASSERT_EQ(typed.file.notes.size(), 1U);
  EXPECT_THAT(typed.file.notes[0], HasSubstr("parts of one that it has: 7"));
}

TEST(OnnxMixed, AnOperatorOfSeveralTypesComputesInFloat32) {
  SmallNet net;
  net.Conv("x", "c");
  net.Node("Relu", "act", {"c"}, {"y"});
  const Graph graph = Imported(net.Save());
  PrecisionPlan plan = ReferencePlan(graph);
  plan.nodes[0].inputs = {DType::kFloat16, DType::kFloat16, DType::kFloat32};
  const Typed typed = WriteTyped(net.Save(), graph, plan);
  EXPECT_EQ(typed.Nodes(), "Cast[x_cast_to_fp16] Cast[x_rounded_fp16] Conv[c] Relu[y]");
  EXPECT_THAT(typed.file.notes, ElementsAre(HasSubstr("read and make several types: 1")));
  ExpectSameBits(typed);
}

TEST(OnnxMixed, TheInterfaceHasTheTypesOfThePlan) {
  SmallNet net;
  net.Conv("x", "c");
  net.Node("Relu", "act", {"c"}, {"y"});
  ModelWriter::Describe(*net.graph().mutable_output(0), "y", {1, 8, 6, 6},
                        onnx::TensorProto::FLOAT);
  const Graph graph = Imported(net.Save());
  PrecisionPlan plan = PlanOf(graph, "force_fp16");
  plan.graph_inputs = {DType::kFloat16};
  plan.graph_outputs = {DType::kFloat16};
  const Typed typed = WriteTyped(net.Save(), graph, plan);
  EXPECT_EQ(typed.Nodes(), "Conv[c] Relu[y]");
  EXPECT_EQ(typed.file.casts, 0);
  EXPECT_EQ(typed.proto.graph().input(0).type().tensor_type().elem_type(),
            onnx::TensorProto::FLOAT16);
}

TEST(OnnxMixed, SaysWhatConstantsLose) {
  SmallNet net;
  net.Floats("c", {1, 4, 1, 1}, {1e5F, 1e-9F, 1, 0});
  net.Node("Mul", "scale", {"x", "c"}, {"y"});
  const Typed typed = WriteFormats(net, {{"scale", "float16"}});
  EXPECT_THAT(typed.file.notes,
              ElementsAre("elements of constants beyond the float16 range, which are its largest "
                          "value as in the plan (--is_weight_clip): 1",
                          "elements of constants too small for their type, which are zero as in "
                          "the plan: 1"));
  ExpectSameBits(typed);
}

// The body of If reads a tensor of the graph around it by name.
TEST(OnnxMixed, ATensorThatABodyReadsKeepsItsName) {
  SmallNet net;
  auto& which = *net.graph().add_initializer();
  which.set_name("which");
  which.set_data_type(onnx::TensorProto::BOOL);
  which.add_int32_data(1);
  net.Conv("x", "c");
  auto& node = net.Node("If", "if", {"which"}, {"y"});
  for (const char* branch : {"then_branch", "else_branch"}) {
    onnx::GraphProto body;
    body.set_name(branch);
    const std::string out = std::string(branch) + "_y";
    ModelWriter::AddNode(body, branch[0] == 't' ? "Relu" : "Neg", branch, {"c"}, {out.c_str()});
    ModelWriter::Describe(*body.add_output(), out, {1, 8, 6, 6}, onnx::TensorProto::FLOAT);
    auto& attribute = *node.add_attribute();
    attribute.set_name(branch);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    *attribute.mutable_g() = body;
  }
  const Typed typed = WriteFormats(net, {{"c_conv", "float16"}});
  EXPECT_EQ(typed.Nodes(), "Cast[x_cast_to_fp16] Conv[c_fp16] Cast[c] If[y]");
  EXPECT_THAT(typed.file.notes, IsEmpty());
  const Typed inside = WriteFormats(net, {{"if/then_branch", "float16"}});
  EXPECT_THAT(inside.file.notes,
              ElementsAre("operators in bodies of If, Loop and Scan, which stay float32 although "
                          "the plan has them in 16 bits: 1, the first is 'if/then_branch'"));
}

TEST(OnnxMixed, RefusesWhatItCannotSay) {
  const auto error_of = [](const ModelWriter& net, const PrecisionPlan& plan) -> std::string {
    try {
      const Graph graph = Imported(net.Save());
      static_cast<void>(WriteOnnxMixed(net.Save(), graph, plan));
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  SmallNet net(12);
  net.Conv("x", "y");
  const Graph graph = Imported(net.Save());
  EXPECT_EQ(error_of(net, PlanOf(graph, "allow_mix_precision_bf16")),
            "the plan has bfloat16, the model is of opset 12, and Cast makes it from opset 13 on; "
            "convert the model to that");
  PrecisionPlan plan = ReferencePlan(graph);
  ApplyFormat(graph, graph.nodes[0], "qint8", plan.nodes[0]);
  EXPECT_EQ(error_of(net, plan),
            "node 'y_conv' (Conv) is in int8 in the plan, which has no type of ONNX tensors; write "
            "it with --to=onnx-qdq");
}

class RealMixed : public ::testing::TestWithParam<const char*> {};

TEST_P(RealMixed, ReadBackGivesThePlan) {
  const auto shared = testing::SharedDir();
  if (!shared || !fs::exists(*shared / "models" / GetParam() / "model.onnx")) {
    GTEST_SKIP() << "no collection of networks beside the source tree";
  }
  const fs::path model = *shared / "models" / GetParam() / "model.onnx";
  const Graph graph = Imported(model);
  const Typed typed = WriteTyped(model, graph, PlanOf(graph, "allow_mix_precision_fp16"));
  EXPECT_GT(typed.file.low_operators, 0);
  if (typed.file.notes.empty()) {
    ExpectSameBits(typed);
    return;
  }
  // Where halftone computes several nodes as one, both round the same numbers in different places:
  // they are at most as far apart as both are from float32.
  const std::vector<Tensor> inputs = testing::RandomInputs(graph, 1);
  const std::vector<Tensor> exact = Compile(graph, ReferencePlan(graph), {}).Run(inputs);
  const std::vector<Tensor> of_plan = Compile(graph, typed.plan, {}).Run(inputs);
  const std::vector<Tensor> of_file = RunTyped(typed, inputs);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    EXPECT_LE(testing::RelativeDistance(of_plan[i], of_file[i]),
              2 * testing::RelativeDistance(exact[i], of_plan[i]));
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, RealMixed,
                         ::testing::Values("squeezenet", "mnist", "face-landmarks-mnv3"),
                         [](const auto& c) {
                           std::string name = c.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace halftone
