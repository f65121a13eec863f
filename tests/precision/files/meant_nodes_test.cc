// Which nodes and types lines of keep_dtype and customize_dtypes mean; the messages are exact.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/ir/other_names.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/plain_graph_builder.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using testing::Homogeneous;
using testing::MakeTarget;
using testing::PlainGraphBuilder;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;
constexpr ImplMode kExact = ImplMode::kHighPrecision;

TargetSpec FloatTarget() {
  return MakeTarget(
      {{"Exp", Homogeneous(1, {kF16, kF32})}, {"Relu", Homogeneous(1, {kF16, kF32})}});
}

// ---- Types that an operator does not have -------------------------------------------------------

struct CustomCase {
  const char* name;
  CustomDTypes entry;
  bool host;
  std::string message;  // empty: accepted
};

class CustomType : public ::testing::TestWithParam<CustomCase> {};

// x -> Exp "exp" -> Relu "relu" -> Cast "cast" to float16. Exp has floats; Relu int8 too.
Graph EndingInACast() {
  PlainGraphBuilder builder;
  const ValueId exp = builder.Node(OpKind::kExp, "exp", {builder.Input("x")});
  const ValueId relu = builder.Node(OpKind::kRelu, "relu", {exp});
  return builder.Finish({builder.Node(OpKind::kCast, "cast", {relu}, kF16)});
}

TEST_P(CustomType, IsRefusedWhereNoColumnHasIt) {
  TargetSpec target = MakeTarget({{"Exp", Homogeneous(1, {kF16, kF32})},
                                  {"Relu", Homogeneous(1, {kF16, kF32, DType::kInt8})}});
  target.family = GetParam().host ? "host" : "test";
  std::string said;
  try {
    ResolvePrecision(EndingInACast(),
                     {.precision_mode = "force_fp32", .customize_dtypes = {GetParam().entry}},
                     target);
  } catch (const Error& error) {
    said = error.what();
  }
  EXPECT_EQ(said, GetParam().message);
}

std::string NoColumn(const std::string& type, const std::string& node) {
  return "EZ3002: optype [" + type +
         "] is not supported by AiCore: custom dtype not supported: no column of the library "
         "agrees with the customize_dtypes line of '" +
         node + "'; EZ3002: optype [" + type +
         "] is not supported by AiCpu: the type is not in its library; EZ3003: no supported kernel "
         "and engine found for [" +
         node + "], optype [" + type + "] (mode force_fp32, target test)";
}

std::string NoCast(const std::string& what, const std::string& wanted) {
  return "EZ3002: optype [Cast] is not supported by AiCore: custom dtype not supported: a Cast of "
         "the model " +
         what + ", and the customize_dtypes line of 'cast' wants " + wanted +
         "; EZ3002: optype [Cast] is not supported by AiCpu: it keeps the types of the model; "
         "EZ3003: no supported kernel and engine found for [cast], optype [Cast] (mode force_fp32, "
         "target test)";
}

INSTANTIATE_TEST_SUITE_P(
    Entries, CustomType,
    ::testing::Values(
        CustomCase{
            "IntegerInput", {"exp", false, {DType::kInt8}, {}}, false, NoColumn("Exp", "exp")},
        CustomCase{
            "IntegerOutput", {"exp", false, {}, {DType::kInt32}}, false, NoColumn("Exp", "exp")},
        CustomCase{"Bool", {"exp", false, {DType::kBool}, {}}, false, NoColumn("Exp", "exp")},
        CustomCase{"OnTheHost", {"exp", false, {DType::kInt8}, {}}, true, NoColumn("Exp", "exp")},
        CustomCase{"OfAColumn", {"relu", false, {DType::kInt8}, {DType::kInt8}}, false, ""},
        CustomCase{"ForIntegersOnTheHost",
                   {"relu", false, {DType::kInt8}, {DType::kInt8}},
                   true,
                   NoColumn("Relu", "relu")},
        CustomCase{"FloatOnTheHost", {"relu", false, {kF16}, {kF16}}, true, ""},
        CustomCase{"CastAsItIs", {"cast", false, {kF32}, {kF16}}, false, ""},
        CustomCase{"CastToAnother",
                   {"cast", false, {}, {kF32}},
                   false,
                   NoCast("keeps what it declares, float16", "float32")},
        CustomCase{"CastFromAnother",
                   {"cast", false, {kF16}, {}},
                   false,
                   NoCast("takes what its producer has, float32", "float16")},
        CustomCase{"CastOfTwo",
                   {"cast", false, {kF32, kF32}, {}},
                   false,
                   "E10001: --customize_dtypes: the line of 'cast' has 2 items for inputs, but "
                   "node 'cast' (Cast) has 1"}),
    [](const auto& row) { return row.param.name; });

// ---- Names of the file --------------------------------------------------------------------------

// A Loop with an Exp "act" in its body, run twice, then a Relu "act" and another one of this name.
Graph SharingNames() {
  PlainGraphBuilder builder;
  const ValueId x = builder.Input("x");
  const std::vector<Origin> act = {OtherName("act")};
  const ValueId first = builder.Node(OpKind::kExp, "loop/0/act", {x}, kF32, act);
  const ValueId second = builder.Node(OpKind::kExp, "loop/1/act", {first}, kF32, act);
  const ValueId lone =
      builder.Node(OpKind::kExp, "loop/1/lone", {second}, kF32, {OtherName("lone")});
  const std::vector<Origin> twin = {OtherName("twin")};
  const ValueId relu = builder.Node(OpKind::kRelu, "twin", {lone});
  return builder.Finish({builder.Node(OpKind::kRelu, "twin_2", {relu}, kF32, twin)});
}

struct NameCase {
  const char* name;
  const char* line;
  std::vector<std::string> meant;
  std::vector<std::string> shared;  // behind "<option>: "
};

class NameOfTheFile : public ::testing::TestWithParam<NameCase> {};

std::vector<std::string> Behind(std::string_view option, const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) {
    all.push_back(std::string(option) + ": " + text);
  }
  return all;
}

std::vector<std::string> NodesIn(const PrecisionPlan& plan, const Graph& graph, DType dtype) {
  std::vector<std::string> names;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (plan.nodes[n].compute_dtype() == dtype) {
      names.push_back(graph.nodes[n].name);
    }
  }
  return names;
}

TEST_P(NameOfTheFile, MeansItsNodesInKeepDtype) {
  const Graph graph = SharingNames();
  const PrecisionPlan plan = ResolvePrecision(
      graph, {.precision_mode = "force_fp16", .keep_dtype = {GetParam().line}}, FloatTarget());
  EXPECT_EQ(NodesIn(plan, graph, kF32), GetParam().meant);
  EXPECT_EQ(plan.warnings, Behind("keep_dtype", GetParam().shared));
}

TEST_P(NameOfTheFile, MeansItsNodesInCustomizeDtypes) {
  const Graph graph = SharingNames();
  const PrecisionPlan plan = ResolvePrecision(
      graph,
      {.precision_mode = "force_fp32", .customize_dtypes = {{GetParam().line, false, {kF16}, {}}}},
      FloatTarget());
  EXPECT_EQ(NodesIn(plan, graph, kF16), GetParam().meant);
  EXPECT_EQ(plan.warnings, Behind("customize_dtypes", GetParam().shared));
}

TEST_P(NameOfTheFile, IsWarnedOfInOpPrecisionMode) {
  PrecisionOptions options{.precision_mode = "force_fp32"};
  options.impl_mode_by_node = {{GetParam().line, ImplMode::kHighPrecision}};
  EXPECT_EQ(ResolvePrecision(SharingNames(), options, FloatTarget()).warnings,
            Behind("op_precision_mode", GetParam().shared));
}

INSTANTIATE_TEST_SUITE_P(
    Names, NameOfTheFile,
    ::testing::Values(NameCase{"EveryIteration", "act", {"loop/0/act", "loop/1/act"}, {}},
                      NameCase{"OneIteration", "loop/1/act", {"loop/1/act"}, {}},
                      NameCase{"InABody", "lone", {"loop/1/lone"}, {}},
                      NameCase{"BothOfTwo",
                               "twin",
                               {"twin", "twin_2"},
                               {"2 nodes of the model are called 'twin', and the line means them "
                                "all: 'twin', 'twin_2'"}},
                      NameCase{"TheSecondOfTwo", "twin_2", {"twin_2"}, {}}),
    [](const auto& row) { return row.param.name; });

// The name here wins over the name in the file.
TEST(OtherNames, YieldToTheNameHere) {
  const Graph graph = SharingNames();
  const PrecisionPlan plan = ResolvePrecision(
      graph,
      {.precision_mode = "force_fp32",
       .customize_dtypes = {{"act", false, {kF16}, {}}, {"loop/1/act", false, {kF32}, {}}}},
      FloatTarget());
  EXPECT_THAT(NodesIn(plan, graph, kF16), ElementsAre("loop/0/act"));
}

// What was fused into a node is still no name of its own there.
TEST(OtherNames, OfAFusedNodeAreNotThoseOfTheMainOne) {
  PlainGraphBuilder builder;
  const Graph graph = builder.Finish(
      {builder.Node(OpKind::kExp, "loop/0/exp", {builder.Input("x")}, kF32,
                    {OtherName("exp"), {"loop/0/clip", "Clip", "y"}, OtherName("clip")})});
  EXPECT_THAT(OwnNames(graph.nodes[0]), ElementsAre("loop/0/exp", "exp"));
  const PrecisionPlan plan = ResolvePrecision(
      graph, {.precision_mode = "force_fp32", .customize_dtypes = {{"clip", false, {kF16}, {}}}},
      FloatTarget());
  EXPECT_THAT(plan.warnings,
              ElementsAre("customize_dtypes line of 'clip' has no effect: the node was fused into "
                          "another one, folded to a constant, does nothing or is in a branch or "
                          "loop body that does not run"));
}

// The branch of an If that is not taken, say: a file is for both.
TEST(RemovedNames, AreKnownInEveryFile) {
  PlainGraphBuilder builder;
  Graph graph = builder.Finish({builder.Node(OpKind::kExp, "exp", {builder.Input("x")})});
  graph.removed = {{"if/act", "Relu", ""}, OtherName("act")};
  const std::string why =
      "folded to a constant, does nothing or is in a branch or loop body that does not run";
  for (const std::string name : {"if/act", "act"}) {
    const PrecisionPlan plan = ResolvePrecision(graph,
                                                {.precision_mode = "force_fp32",
                                                 .keep_dtype = {name},
                                                 .impl_mode_by_node = {{name, kExact}},
                                                 .customize_dtypes = {{name, false, {kF16}, {}}}},
                                                FloatTarget());
    EXPECT_THAT(plan.warnings,
                ElementsAre("keep_dtype line '" + name + "' has no effect: the node was " + why,
                            "customize_dtypes line of '" + name +
                                "' has no effect: the node was fused into another one, " + why,
                            "--op_precision_mode: the [ByNodeName] line of '" + name +
                                "' has no effect: the node was " + why));
  }
}

}  // namespace
}  // namespace halftone
