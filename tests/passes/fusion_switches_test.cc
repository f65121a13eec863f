#include "src/passes/fusion_switches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

FusionNames AllOf(FusionKind kind) {
  FusionNames names;
  for (const Pass& pass : AllPasses()) {
    if (pass.fusion == kind) {
      names.emplace(pass.name);
    }
  }
  return names;
}

TEST(ParseFusionSwitches, SwitchesOffByName) {
  EXPECT_THAT(ParseFusionSwitches(
                  R"({"Switch": {"GraphFusion": {"fold_batch_norm": "off", "matmul_to_gemm": "on"},
                                 "UBFusion": {"fuse_activation": "off"}}})",
                  "f.json"),
              ElementsAre("fold_batch_norm", "fuse_activation"));
}

TEST(ParseFusionSwitches, AllMeansTheGroup) {
  EXPECT_EQ(ParseFusionSwitches(R"({"Switch": {"GraphFusion": {"ALL": "off"}}})", "f.json"),
            AllOf(FusionKind::kGraph));
  EXPECT_EQ(ParseFusionSwitches(R"({"Switch": {"UBFusion": {"ALL": "off"}}})", "f.json"),
            AllOf(FusionKind::kBuffer));
  EXPECT_THAT(ParseFusionSwitches(R"({"Switch": {"UBFusion": {"ALL": "on"}}})", "f.json"),
              IsEmpty());
}

TEST(ParseFusionSwitches, ANameWinsOverAll) {
  FusionNames expected = AllOf(FusionKind::kGraph);
  expected.erase("matmul_to_gemm");
  EXPECT_EQ(ParseFusionSwitches(
                R"({"Switch": {"GraphFusion": {"matmul_to_gemm": "on", "ALL": "off"}}})", "f.json"),
            expected);
}

// As files of Ascend installations do. Names of the other group and of clean-ups are none either.
TEST(ParseFusionSwitches, NamesOfNoFusionAreKeptApart) {
  std::vector<std::string> unknown;
  EXPECT_THAT(ParseFusionSwitches(
                  R"({"Switch": {"GraphFusion": {"ConvToFullyConnectionFusionPass": "on",
                                                 "fold_batch_norm": "off",
                                                 "fold_constants": "off"},
                                 "UBFusion": {"TbeConvReluFusionPass": "off",
                                              "fold_batch_norm": "off"}}})",
                  "f.json", &unknown),
              ElementsAre("fold_batch_norm"));
  EXPECT_THAT(unknown, ElementsAre("ConvToFullyConnectionFusionPass", "fold_constants",
                                   "TbeConvReluFusionPass", "fold_batch_norm"));
  EXPECT_THAT(ParseFusionSwitches("{\"Switch\": {}}", "f.json", &unknown), IsEmpty());
  EXPECT_THAT(unknown, IsEmpty());
}

TEST(ParseFusionSwitches, MayBeEmpty) {
  EXPECT_THAT(ParseFusionSwitches(R"({"Switch": {}})", "f.json"), IsEmpty());
  EXPECT_THAT(ParseFusionSwitches("\xEF\xBB\xBF{\"Switch\": {\"UBFusion\": {}}}\r\n", "f.json"),
              IsEmpty());
}

TEST(ParseFusionSwitches, ReadsLines) {
  std::vector<std::string> unknown;
  EXPECT_THAT(ParseFusionSwitches("fold_batch_norm:off\r\n\n  fuse_activation : off \n"
                                  "matmul_to_gemm:on\nSoftmaxFusionPass:off\na:b:on",
                                  "f.cfg", &unknown),
              ElementsAre("fold_batch_norm", "fuse_activation"));
  EXPECT_THAT(unknown, ElementsAre("SoftmaxFusionPass", "a:b"));
  FusionNames expected = AllOf(FusionKind::kGraph);
  expected.merge(AllOf(FusionKind::kBuffer));
  EXPECT_EQ(ParseFusionSwitches("ALL:off", "f.cfg"), expected);
  expected.erase("matmul_to_gemm");
  EXPECT_EQ(ParseFusionSwitches("matmul_to_gemm:on\nALL:off", "f.cfg"), expected);
}

TEST(FormatFusionSwitches, ReadsBackEqual) {
  FusionNames all = AllOf(FusionKind::kGraph);
  all.merge(AllOf(FusionKind::kBuffer));
  for (const FusionNames& off : {FusionNames{}, FusionNames{"fuse_activation"}, all}) {
    EXPECT_EQ(ParseFusionSwitches(FormatFusionSwitches(off), "f.json"), off);
  }
}

struct BadFile {
  const char* name;
  std::string content;
  std::string message;
};

class BadFusionSwitches : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadFusionSwitches, SaysWhatIsWrong) {
  try {
    ParseFusionSwitches(GetParam().content, "f.json");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.what(), GetParam().message);
  }
}

const std::string kStructure =
    "f.json: expected {\"Switch\": {\"GraphFusion\": {...}, \"UBFusion\": {...}}}, found ";

INSTANTIATE_TEST_SUITE_P(
    Files, BadFusionSwitches,
    ::testing::Values(
        BadFile{"Empty", "", "f.json: expected JSON, found an empty file"},
        BadFile{"LineWithoutAValue", "a:off\nb",
                "f.json:2: expected JSON, or lines <name>:on or <name>:off, found 'b'"},
        BadFile{"LineOfAnotherValue", "a:OFF",
                "f.json:1: expected JSON, or lines <name>:on or <name>:off, found 'a:OFF'"},
        BadFile{"LineWithoutAName", ":off",
                "f.json:1: expected JSON, or lines <name>:on or <name>:off, found ':off'"},
        BadFile{"LineTwice", "a:off\na:on", "f.json:2: 'a' stands twice; leave one line of it"},
        BadFile{"Array", "[]", kStructure + "array"}, BadFile{"NoSwitch", "{}", kStructure + "{}"},
        BadFile{"AnotherKey", R"({"switch": {}})", kStructure + "the key 'switch'"},
        BadFile{"SwitchIsText", R"({"Switch": "off"})", kStructure + "string as value of 'Switch'"},
        BadFile{"KeyBefore", R"({"Other": {}, "Switch": {}})",
                kStructure + "the key 'Other' besides"},
        BadFile{"KeyAfter", R"({"Switch": {}, "Zone": {}})", kStructure + "the key 'Zone' besides"},
        BadFile{"UnknownGroup", R"({"Switch": {"ScopeFusion": {}}})",
                "f.json: Switch has the unknown key 'ScopeFusion'; expected GraphFusion or "
                "UBFusion"},
        BadFile{"EmptyGroupName", R"({"Switch": {"": {}}})",
                "f.json: Switch has the unknown key ''; expected GraphFusion or UBFusion"},
        BadFile{"GroupIsText", R"({"Switch": {"UBFusion": "off"}})",
                "f.json: UBFusion: expected an object with names of fusions, found string"},
        BadFile{"ValueOfAnUnknownName", R"({"Switch": {"UBFusion": {"TbeConvReluFusionPass": 0}}})",
                "f.json: UBFusion.TbeConvReluFusionPass: expected \"on\" or \"off\", found number "
                "0"},
        BadFile{"ValueIsBoolean", R"({"Switch": {"UBFusion": {"ALL": false}}})",
                "f.json: UBFusion.ALL: expected \"on\" or \"off\", found boolean false"},
        BadFile{"ValueIsNull", R"({"Switch": {"UBFusion": {"fuse_activation": null}}})",
                "f.json: UBFusion.fuse_activation: expected \"on\" or \"off\", found null"},
        BadFile{"ValueInCapitals", R"({"Switch": {"UBFusion": {"ALL": "OFF"}}})",
                "f.json: UBFusion.ALL: expected \"on\" or \"off\", found string \"OFF\""},
        BadFile{"KeyTwice", R"({"Switch": {"UBFusion": {"ALL": "on", "ALL": "off"}}})",
                "f.json: the key 'ALL' stands twice in one object; keep one of them"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Optimize, LeavesOutWhatIsSwitchedOff) {
  testing::GraphBuilder net;
  const ValueId product =
      net.Add(OpKind::kMatMul, "product",
              {net.Input("x", {3, 4}), net.Constant("w", Tensor(DType::kFloat32, {4, 5}))});
  const ValueId sum =
      net.Add(OpKind::kAdd, "sum", {product, net.Constant("b", Tensor(DType::kFloat32, {5}))});
  Graph graph = net.Finish({net.Add(OpKind::kRelu, "relu", {sum})});
  Graph without = graph;
  Optimize(graph);
  EXPECT_EQ(graph.nodes.size(), 1U);
  Optimize(without, {"matmul_to_gemm"});
  EXPECT_EQ(without.nodes.size(), 3U);
}

TEST(Optimize, RefusesNamesOfNoFusion) {
  Graph graph;
  for (const std::string name : {"fold_constants", "nothing"}) {
    try {
      Optimize(graph, {name});
      FAIL() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_THAT(error.what(), HasSubstr("there is no fusion '" + name + "'; expected one of "));
      EXPECT_THAT(error.what(), HasSubstr("matmul_to_gemm, fuse_matmul_bias, fuse_residual"));
      EXPECT_THAT(error.what(), Not(HasSubstr("remove_identities")));
    }
  }
}

}  // namespace
}  // namespace halftone
