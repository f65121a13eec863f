#include "src/qaic/node_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/exec/host_target.h"
#include "src/precision/resolve/resolve.h"
#include "src/qaic/host_precision.h"
#include "src/qaic/node_table.h"
#include "tests/support/net.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Net;

// conv, bn, softmax, split into two halves, their product, and a Shape without floats. Values have
// the names of their nodes; the first outputs, as ONNX files name them, end in "_out".
Graph Network() {
  Net net;
  const ValueId x = net.Image();
  const ValueId conv = net.Conv("conv", x, 4);
  const ValueId bn = net.BatchNorm("bn", conv, 4);
  const ValueId softmax =
      net.Add(OpKind::kSoftmax, "softmax", {bn}, testing::With("axis", std::int64_t{1}));
  Attributes halves = testing::With("axis", std::int64_t{1});
  halves.Set("num_outputs", std::int64_t{2});
  const ValueId split = net.Add(OpKind::kSplit, "split", {softmax}, halves, 2);
  const ValueId mul = net.Add(OpKind::kMul, "mul", {split, split + 1});
  const ValueId shape = net.Add(OpKind::kShape, "shape", {mul});
  Graph graph = net.Finish({mul, shape});
  for (Node& node : graph.nodes) {
    node.origins[0].output = node.name + "_out";
  }
  graph.value(split + 1).name = "split_second";
  graph.removed.push_back({"copy", "Identity", "copy_out"});
  return graph;
}

std::vector<std::string> PrecisionsOf(const NodeChoices& choices) {
  std::vector<std::string> names;
  for (const NodeChoice& choice : choices.nodes) {
    names.emplace_back(NameOf(choice.precision));
  }
  return names;
}

std::string MessageOf(const NodeChoiceRequest& request) {
  try {
    ChooseNodes(Network(), request);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

struct ModeRow {
  const char* mode;
  bool to_fp16;
  bool quantizes;
  // mul in the FP16 list, softmax in the FP32 list, split a kept kind: the table of modes of the
  // specification. The rest: conv and bn.
  const char* rest;
};

const ModeRow kModes[] = {
    {"no flag", false, false, "original"},
    {"-convert-to-fp16", true, false, "FP16"},
    {"quantized", false, true, "Int8"},
};

TEST(QaicNodeChoiceTest, TableOfModes) {
  for (const ModeRow& row : kModes) {
    const NodeChoices choices = ChooseNodes(Network(), {.fp32_outputs = {"softmax_out"},
                                                        .fp16_outputs = {"mul_out"},
                                                        .kept_kinds = {"Split"},
                                                        .to_fp16 = row.to_fp16,
                                                        .quantizes = row.quantizes});
    EXPECT_THAT(PrecisionsOf(choices),
                ElementsAre(row.rest, row.rest, "FP32", "original", "FP16", "original"))
        << row.mode;
    EXPECT_THAT(choices.warnings, IsEmpty());
  }
}

// One row for each pair of neighbours in the order of the rules.
TEST(QaicNodeChoiceTest, TheFirstRuleThatMatchesWins) {
  const auto mul = [](const NodeChoiceRequest& request) {
    const NodeChoice choice = ChooseNodes(Network(), request).nodes.at(4);
    return std::string(NameOf(choice.precision)) + ": " + choice.reason;
  };
  EXPECT_EQ(mul({.fp32_outputs = {"mul_out"},
                 .kept_kinds = {"Mul"},
                 .fp16_kinds = {"Mul"},
                 .to_fp16 = true}),
            "FP32: in FP32NodeInstanceNames");
  EXPECT_EQ(mul({.fp16_outputs = {"mul_out"}, .kept_kinds = {"Mul"}}),
            "FP16: in FP16NodeInstanceNames");
  EXPECT_EQ(mul({.kept_kinds = {"Mul"}, .fp16_kinds = {"Mul"}}),
            "original: -keep-original-precision-for-nodes has Mul");
  EXPECT_EQ(mul({.fp16_kinds = {"Mul"}, .quantizes = true}),
            "FP16: -execute-nodes-in-fp16 has Mul");
  EXPECT_EQ(mul({.to_fp16 = true}), "FP16: -convert-to-fp16");
  EXPECT_EQ(mul({.quantizes = true}), "Int8: quantized");
  EXPECT_EQ(mul({}), "original: no option names it");
  EXPECT_EQ(ChooseNodes(Network(), {.quantizes = true}).nodes.at(2).reason,
            "Softmax is not quantized");
  EXPECT_EQ(mul({.fp16_outputs = {"mul_out"}, .fp16_kinds = {"Mul"}}),
            "FP16: in FP16NodeInstanceNames")
      << "a kind and an instance that overlap: FP16 either way";
}

struct MessageRow {
  NodeChoiceRequest request;
  const char* message;
};

TEST(QaicNodeChoiceTest, NamesAreFirstOutputs) {
  const MessageRow rows[] = {
      {{.fp32_outputs = {"mul_out"}, .fp16_outputs = {"mul_out"}},
       "'mul_out' is in FP16NodeInstanceNames and in FP32NodeInstanceNames; leave it in one of "
       "them"},
      {{.fp16_outputs = {"split_second"}},
       "FP16NodeInstanceNames: 'split_second' is output 2 of node 'split' (Split); nodes are named "
       "by their first output: 'split_out'"},
      {{.fp32_outputs = {"mul"}},
       "FP32NodeInstanceNames: 'mul' is the name of a node; nodes are named by their first output: "
       "'mul_out'"},
      {{.fp16_outputs = {"x"}},
       "FP16NodeInstanceNames: 'x' is an input of the network; expected the first output of a "
       "node"},
      {{.fp16_outputs = {"muI_out"}},
       "FP16NodeInstanceNames: 'muI_out' is the first output of no node of the network; did you "
       "mean 'mul_out'?"},
      {{.kept_kinds = {"Sofmax"}},
       "-keep-original-precision-for-nodes: 'Sofmax' is no ONNX kind; did you mean 'Softmax'?"},
      {{.fp16_kinds = {"Zzzzzzz"}}, "-execute-nodes-in-fp16: 'Zzzzzzz' is no ONNX kind"},
  };
  for (const MessageRow& row : rows) {
    EXPECT_EQ(MessageOf(row.request), row.message);
  }
}

TEST(QaicNodeChoiceTest, Warnings) {
  const auto warnings = [](const NodeChoiceRequest& request) {
    return ChooseNodes(Network(), request).warnings;
  };
  EXPECT_THAT(warnings({.fp16_kinds = {"Erf"}}),
              ElementsAre("-execute-nodes-in-fp16: the network has no node of kind Erf"));
  EXPECT_THAT(warnings({.fp16_outputs = {"copy_out"}}),
              ElementsAre("the node precision file names what computes nothing here (constants, "
                          "copies, unused nodes): 'copy_out'"));
  EXPECT_THAT(warnings({.fp16_outputs = {"shape_out"}}),
              ElementsAre("the node precision file names nodes without a floating tensor, whose "
                          "types stay: 'shape_out'"));
  const std::string pair =
      "'conv_out' (Conv) is FP16 and its BatchNormalization 'bn_out' is original, so they cannot "
      "be fused; select both together";
  EXPECT_THAT(warnings({.fp16_outputs = {"conv_out"}}), ElementsAre(pair));
  EXPECT_THAT(warnings({.fp16_outputs = {"conv_out", "conv_out", "bn_out"}}), IsEmpty())
      << "duplicates are harmless";
  EXPECT_THAT(warnings({.fp32_outputs = {"bn_out"}, .to_fp16 = true}),
              ElementsAre(HasSubstr("'conv_out' (Conv) is FP16 and its BatchNormalization 'bn_out' "
                                    "is FP32")));
}

TEST(QaicNodeChoiceTest, PlansGiveEveryNodeItsChoice) {
  const Graph graph = Network();
  for (const bool to_fp16 : {false, true}) {
    const NodeChoices choices = ChooseNodes(graph, {.fp32_outputs = {"softmax_out"},
                                                    .fp16_outputs = {"mul_out"},
                                                    .kept_kinds = {"Split"},
                                                    .to_fp16 = to_fp16});
    const PrecisionPlan plan =
        ResolvePrecision(graph, HostPrecision(graph, choices, to_fp16), HostTarget());
    std::vector<std::string> shown;
    for (const NodePrecision& node : plan.nodes) {
      shown.push_back(PrecisionText(node));
    }
    const char* rest = to_fp16 ? "FP16" : "FP32";
    EXPECT_THAT(shown, ElementsAre(rest, rest, "FP32", "FP32", "FP16", ::testing::_));
  }
}

TEST(QaicNodeChoiceTest, ForceFp16AndAllNodesListedAreOnePlan) {
  const Graph graph = Network();
  const auto plan = [&](const NodeChoiceRequest& request) {
    return ResolvePrecision(
        graph, HostPrecision(graph, ChooseNodes(graph, request), request.to_fp16), HostTarget());
  };
  EXPECT_EQ(plan({.to_fp16 = true}),
            plan({.fp16_outputs = {"conv_out", "bn_out", "softmax_out", "split_out", "mul_out"}}));
}

TEST(QaicNodeChoiceTest, ProfilingNeedsFloat16Kernels) {
  testing::GraphBuilder net;
  const ValueId x = net.Input("x", {4}, DType::kInt32);
  const Graph graph = net.Finish({net.Add(OpKind::kBitwiseNot, "not", {x})});
  NodeChoices choices;
  choices.nodes = {{QaicPrecision::kFloat16, "in FP16NodeInstanceNames"}};
  try {
    RequireFloat16Kernels(graph, choices);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_STREQ(error.what(),
                 "profiling runs FP16 nodes in float16, and there is no such kernel for "
                 "'not:0 (BitwiseNot)'; take them out of the FP16 lists");
  }
  EXPECT_NO_THROW(RequireFloat16Kernels(Network(), ChooseNodes(Network(), {.to_fp16 = true})));
}

TEST(QaicNodeChoiceTest, TheTableNamesEveryNode) {
  const Graph graph = Network();
  const NodeChoices choices = ChooseNodes(graph, {.fp16_outputs = {"mul_out"}});
  const PrecisionPlan plan =
      ResolvePrecision(graph, HostPrecision(graph, choices, false), HostTarget());
  EXPECT_EQ(NodeTable(graph, plan, choices, 80),
            "node         kind                precision  reason\n"
            "conv_out     Conv                FP32       no option names it\n"
            "bn_out       BatchNormalization  FP32       no option names it\n"
            "softmax_out  Softmax             FP32       no option names it\n"
            "split_out    Split               FP32       no option names it\n"
            "mul_out      Mul                 FP16       in FP16NodeInstanceNames\n"
            "shape_out    Shape               int64      no floating tensor\n"
            "6 nodes: 1 in FP16, 4 in FP32, 1 in int64\n");
}

}  // namespace
}  // namespace halftone
