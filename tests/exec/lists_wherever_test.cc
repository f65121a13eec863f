// Lists, kept nodes and implementation modes hold for an operator wherever it stands: also where a
// fusion makes it part of another step, and what runs is no less precise.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/exec/fuse_by_plan.h"
#include "src/exec/host_target.h"
#include "src/ir/ir_type.h"
#include "src/passes/passes.h"
#include "src/precision/resolve/resolve.h"
#include "src/target/builtin_targets.h"
#include "src/target/ops_info.h"
#include "tests/support/fused_precision_check.h"
#include "tests/support/net.h"
#include "tests/support/plan_of_node.h"

namespace halftone {
namespace {

using testing::DTypesOf;
using testing::NodeOf;
using testing::TargetOf;

using ::testing::Each;
using ::testing::IsEmpty;
using testing::Net;
using testing::With;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;

// ---- Places -------------------------------------------------------------------------------------

// Conv, BatchNormalization, Add of another branch, Relu: one step.
Graph ResidualBlock() {
  Net net;
  const ValueId x = net.Image();
  const ValueId branch = net.Conv("branch", x, 6);
  const ValueId norm = net.BatchNorm("bn", net.Conv("conv", x, 6), 6);
  const ValueId sum = net.Add(OpKind::kAdd, "add", {norm, branch});
  return net.Finish({net.Add(OpKind::kRelu, "relu", {sum})});
}

Graph ConvSigmoid() {
  Net net;
  return net.Finish({net.Add(OpKind::kSigmoid, "sigmoid", {net.Conv("conv", net.Image(), 6)})});
}

// Behind an operator that takes no activation.
Graph Silu() {
  Net net;
  const ValueId x = net.Add(OpKind::kAbs, "abs", {net.Conv("conv", net.Image(), 6)});
  const ValueId gate = net.Add(OpKind::kSigmoid, "sigmoid", {x});
  return net.Finish({net.Add(OpKind::kMul, "mul", {x, gate})});
}

Graph ConvSilu() {
  Net net;
  const ValueId x = net.Conv("conv", net.Image(), 6);
  return net.Finish({net.Add(OpKind::kMul, "mul", {x, net.Add(OpKind::kSigmoid, "sigmoid", {x})})});
}

Graph ProductBiasResidual() {
  Net net;
  const ValueId x = net.Input("x", {2, 3, 4});
  const ValueId up = net.Add(OpKind::kMatMul, "up", {x, net.Weights("up.w", {4, 4})});
  const ValueId down = net.Add(OpKind::kMatMul, "down", {up, net.Weights("down.w", {4, 4})});
  const ValueId biased = net.Add(OpKind::kAdd, "bias", {down, net.Weights("b", {4})});
  return net.Finish({net.Add(OpKind::kAdd, "residual", {biased, up})});
}

// Queries, keys and values are made by convolutions, [batch, heads, length, size].
Graph Attention() {
  Net net;
  const ValueId x = net.Input("x", {2, 4, 5, 8});
  const ValueId q = net.Conv("q", x, 3);
  const ValueId k = net.Add(OpKind::kTranspose, "turn", {net.Conv("k", x, 3)},
                            With("perm", std::vector<std::int64_t>{0, 1, 3, 2}));
  const ValueId v = net.Conv("v", x, 3);
  const ValueId scores = net.Add(OpKind::kMatMul, "scores", {q, k});
  const ValueId weights =
      net.Add(OpKind::kSoftmax, "softmax", {scores}, With("axis", std::int64_t{-1}));
  return net.Finish({net.Add(OpKind::kMatMul, "values", {weights, v})});
}

struct Place {
  const char* name;
  Graph (*make)();
  const char* node;
  const char* type;
  bool behind_white = true;  // what makes its operands is float16 in allow_mix_precision
};

const Place kPlaces[] = {
    {"ReluOfABlock", ResidualBlock, "relu", "Relu"},
    {"AddOfABlock", ResidualBlock, "add", "Add"},
    {"NormOfABlock", ResidualBlock, "bn", "BNInference"},
    {"SigmoidBehindConv", ConvSigmoid, "sigmoid", "Sigmoid"},
    {"SigmoidOfSilu", Silu, "sigmoid", "Sigmoid"},
    {"SigmoidOfSiluBehindConv", ConvSilu, "sigmoid", "Sigmoid"},
    {"AddOfABias", ProductBiasResidual, "bias", "Add", false},  // the constant is float32
    {"AddOfAResidual", ProductBiasResidual, "residual", "Add"},
    {"SoftmaxOfAttention", Attention, "softmax", "SoftmaxV2"},
    {"ScoresOfAttention", Attention, "scores", "BatchMatMulV2"},
    {"ValuesOfAttention", Attention, "values", "BatchMatMulV2", false},  // behind a black Softmax
};

Graph GraphOf(const Place& place) {
  Graph graph = place.make();
  Canonicalize(graph);
  return graph;
}

// ---- What is asked for --------------------------------------------------------------------------

struct Request {
  const char* name;
  // Changes options or target so that the node of the place is asked for something.
  void (*ask)(const Place& place, PrecisionOptions& options, TargetSpec& target);
  std::optional<DType> dtype;  // that the node then has
  std::optional<ImplMode> mode;
  bool needs_white = false;  // only for places behind_white
  bool lowers = false;       // makes a matrix operator float32, which some devices do not have
};

void Mix(const Place& place, PrecisionOptions& options, MixlistChange Mixlist::*list) {
  options.precision_mode = "allow_mix_precision";
  options.modify_mixlist.emplace();
  ((*options.modify_mixlist).*list).to_add = {place.type};
}

// What is on another list as the target has it has to leave that one.
void MixGray(const Place& place, PrecisionOptions& options, TargetSpec& target) {
  options.precision_mode = "allow_mix_precision";
  Mixlist& lists = options.modify_mixlist.emplace();
  switch (target.ai_core.find(place.type)->second.policy) {
    case MixPolicy::kWhite:
      lists.white.to_remove = {place.type};
      break;
    case MixPolicy::kBlack:
      lists.black.to_remove = {place.type};
      break;
    case MixPolicy::kGray:
      lists.gray.to_add = {place.type};
  }
}

// As a file of an installation says it; the columns are those of the family.
void Reduce(const Place& place, PrecisionOptions& options, TargetSpec& target,
            std::string_view flag) {
  options.precision_mode = "allow_mix_precision";
  const std::string text = fmt::format(
      R"({{"{}": {{"input0": {{}}, "output0": {{}}, "dynamicFormat": {{"flag": "true"}},
          "precision_reduce": {{"flag": "{}"}}}}}})",
      place.type, flag);
  // The host has no operator library of its own; its columns stay.
  const AiCoreLibrary library =
      ParseOpsInfo(text, "ops.json", *FindFamily(target.is_host() ? "ascend910b" : target.family));
  LibraryOp& op = target.ai_core.find(place.type)->second;
  op.policy = library.at(place.type).policy;
  if (!target.is_host()) {
    op = library.at(place.type);
  }
}

void SelectMode(const Place& place, PrecisionOptions& options, const char* mode) {
  options.precision_mode = "force_fp16";
  options.op_select_implmode = mode;
  options.optypelist_for_implmode = {place.type};
}

void SetMode(PrecisionOptions& options) {
  options.precision_mode = "force_fp16";
  options.op_precision_given = true;
}

const Request kRequests[] = {
    {"BlackList",
     [](const Place& place, PrecisionOptions& options, TargetSpec&) {
       Mix(place, options, &Mixlist::black);
     },
     kF32,
     {},
     false,
     true},
    {"WhiteList",
     [](const Place& place, PrecisionOptions& options, TargetSpec&) {
       Mix(place, options, &Mixlist::white);
     },
     kF16,
     {}},
    {"GrayList", MixGray, kF16, {}, true},
    {"PrecisionReduceFalse",
     [](const Place& place, PrecisionOptions& options, TargetSpec& target) {
       Reduce(place, options, target, "false");
     },
     kF32,
     {},
     false,
     true},
    {"PrecisionReduceTrue",
     [](const Place& place, PrecisionOptions& options, TargetSpec& target) {
       Reduce(place, options, target, "true");
     },
     kF16,
     {}},
    {"KeepDtype",
     [](const Place& place, PrecisionOptions& options, TargetSpec&) {
       options.precision_mode = "force_fp16";
       options.keep_dtype = {place.node};
     },
     kF32,
     {},
     false,
     true},
    {"SelectHighPrecision",
     [](const Place& place, PrecisionOptions& options, TargetSpec&) {
       SelectMode(place, options, "high_precision");
     },
     kF16, ImplMode::kHighPrecision},
    {"SelectHighPerformance",
     [](const Place& place, PrecisionOptions& options, TargetSpec&) {
       SelectMode(place, options, "high_performance");
     },
     kF16, ImplMode::kHighPerformance},
    {"ByTypeHighPrecision",
     [](const Place& place, PrecisionOptions& options, TargetSpec&) {
       SetMode(options);
       options.impl_mode_by_type[place.type] = ImplMode::kHighPrecision;
     },
     kF16, ImplMode::kHighPrecision},
    {"ByTypeHighPerformance",
     [](const Place& place, PrecisionOptions& options, TargetSpec&) {
       SetMode(options);
       options.impl_mode_by_type[place.type] = ImplMode::kHighPerformance;
     },
     kF16, ImplMode::kHighPerformance},
    {"ByNodeHighPrecision",
     [](const Place& place, PrecisionOptions& options, TargetSpec&) {
       SetMode(options);
       options.impl_mode_by_node[place.node] = ImplMode::kHighPrecision;
     },
     kF16, ImplMode::kHighPrecision},
    {"ByNodeHighPerformance",
     [](const Place& place, PrecisionOptions& options, TargetSpec&) {
       SetMode(options);
       options.impl_mode_by_node[place.node] = ImplMode::kHighPerformance;
     },
     kF16, ImplMode::kHighPerformance},
};

class Wherever : public ::testing::TestWithParam<std::tuple<Place, Request, const char*>> {};

TEST_P(Wherever, TheNodeHasWhatIsAskedFor) {
  const auto& [place, request, soc] = GetParam();
  TargetSpec target = TargetOf(soc);
  const Graph graph = GraphOf(place);
  const NodeId id = NodeOf(graph, place.node);
  ASSERT_EQ(IrTypeOf(graph, graph.node(id)), place.type);
  PrecisionOptions options;
  request.ask(place, options, target);
  const PrecisionPlan plan = ResolvePrecision(graph, options, target);
  EXPECT_THAT(DTypesOf(graph, id, plan), Each(*request.dtype));
  if (request.mode) {
    const auto& modes = target.ai_core.find(place.type)->second.impl_modes;
    const auto offered = modes.find(*request.dtype);
    const bool has_it = offered != modes.end() &&
                        std::find(offered->second.begin(), offered->second.end(), *request.mode) !=
                            offered->second.end();
    EXPECT_EQ(plan.node(id).impl_mode, has_it                   ? *request.mode
                                       : offered != modes.end() ? offered->second.front()
                                                                : ImplMode::kDefault);
  }
  // What runs keeps it.
  const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
  EXPECT_THAT(testing::FusedPrecisionFaults(graph, plan, fused), IsEmpty());
}

// A device fuses BatchNormalization into the convolution before it gives types, and what asks for
// its type does not decide (tests/precision/joined_nodes_test.cc).
bool IsCase(const Place& place, const Request& request, const std::string& soc) {
  const bool is_product = place.type == std::string("BatchMatMulV2");
  const bool is_joined = place.type == std::string("BNInference") && soc != "host";
  return (place.behind_white || !request.needs_white) && !(is_joined && request.lowers) &&
         !(soc == "Ascend310P3" && is_product && request.lowers);
}

std::vector<std::tuple<Place, Request, const char*>> Cases() {
  std::vector<std::tuple<Place, Request, const char*>> cases;
  for (const Place& place : kPlaces) {
    for (const Request& request : kRequests) {
      for (const char* soc : {"host", "Ascend310P3", "Ascend910B1"}) {
        if (IsCase(place, request, soc)) {
          cases.emplace_back(place, request, soc);
        }
      }
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Places, Wherever, ::testing::ValuesIn(Cases()), [](const auto& row) {
  return fmt::format("{}_{}_{}", std::get<0>(row.param).name, std::get<1>(row.param).name,
                     std::get<2>(row.param));
});

// Without it the rows above would be of nodes that stand alone.
TEST(Places, AreFusedWithTheirNeighbours) {
  for (const Place& place : kPlaces) {
    const Graph graph = GraphOf(place);
    const NodeId id = NodeOf(graph, place.node);
    const FusedNetwork fused = FuseByPlan(graph, ReferencePlan(graph), nullptr);
    EXPECT_TRUE(std::any_of(fused.graph.nodes.begin(), fused.graph.nodes.end(),
                            [&](const Node& node) {
                              return node.parts.size() > 1 &&
                                     std::count(node.parts.begin(), node.parts.end(), id) == 1;
                            }))
        << place.name;
  }
}

// A gray node follows what makes its operands: behind black ones it is float32.
TEST(Wherever, AGrayNodeBehindBlackOnesIsFloat32) {
  const TargetSpec target = TargetOf("Ascend910B1");
  for (const Place& place : kPlaces) {
    if (place.type == std::string("SoftmaxV2") || place.type == std::string("BatchMatMulV2")) {
      continue;
    }
    PrecisionOptions options;
    options.precision_mode = "allow_mix_precision";
    options.modify_mixlist.emplace();
    options.modify_mixlist->black.to_add = {"BatchMatMulV2", "Conv2D", "MatMulV2"};
    const Graph graph = GraphOf(place);
    const PrecisionPlan plan = ResolvePrecision(graph, options, target);
    EXPECT_THAT(DTypesOf(graph, NodeOf(graph, place.node), plan), Each(kF32)) << place.name;
  }
}

}  // namespace
}  // namespace halftone
