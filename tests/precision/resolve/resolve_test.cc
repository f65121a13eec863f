// Properties of the resolver on random graphs and targets, and what it says of bad options.
#include "src/precision/resolve/resolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "tests/support/random_cases.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Homogeneous;
using testing::MakeTarget;
using testing::PlainGraphBuilder;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;

Graph TwoNodes() {
  PlainGraphBuilder builder;
  const ValueId a =
      builder.Node(OpKind::kRelu, "relu1", {builder.Input("x")}, kF32, {{"clip1", "Clip"}});
  return builder.Finish({builder.Node(OpKind::kExp, "exp1", {a})});
}

TargetSpec BothDTypes() {
  return MakeTarget(
      {{"Relu", Homogeneous(1, {kF16, kF32})}, {"Exp", Homogeneous(1, {kF16, kF32})}});
}

TEST(ResolveProperties, TwiceIsTheSame) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Rng rng(seed);
    const Graph graph = testing::RandomGraph(rng);
    const TargetSpec target = testing::RandomTarget(rng);
    const PrecisionOptions options = testing::RandomOptions(rng, graph, target);
    const PrecisionPlan plan = ResolvePrecision(graph, options, target);
    const PrecisionPlan again = ResolvePrecision(graph, options, target);
    ASSERT_EQ(plan, again) << "seed " << seed;
    ASSERT_EQ(plan.warnings, again.warnings) << "seed " << seed;
    for (std::size_t n = 0; n < plan.nodes.size(); ++n) {
      ASSERT_EQ(plan.nodes[n].reason, again.nodes[n].reason) << "seed " << seed;
      ASSERT_FALSE(plan.nodes[n].reason.empty()) << "seed " << seed;
      ASSERT_EQ(plan.nodes[n].inputs.size(), graph.nodes[n].inputs.size());
      ASSERT_EQ(plan.nodes[n].outputs.size(), graph.nodes[n].outputs.size());
    }
  }
}

// On AI Core a plan is a column of the library, on AI CPU the original dtypes.
TEST(ResolveProperties, EveryNodeIsAColumnOrAnOriginal) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Graph graph = testing::RandomGraph(rng);
    const TargetSpec target = testing::RandomTarget(rng);
    const PrecisionPlan plan =
        ResolvePrecision(graph, testing::RandomOptions(rng, graph, target), target);
    for (std::size_t n = 0; n < plan.nodes.size(); ++n) {
      const Node& node = graph.nodes[n];
      if (node.op == OpKind::kCast) {
        ASSERT_EQ(plan.nodes[n].outputs[0], graph.value(node.outputs[0]).type.dtype);
        continue;
      }
      if (plan.nodes[n].engine == Engine::kAiCpu) {
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
          ASSERT_EQ(plan.nodes[n].inputs[i], graph.value(node.inputs[i]).type.dtype);
        }
        continue;
      }
      const LibraryOp& op = target.ai_core.find(IrTypeOf(graph, node))->second;
      bool found = false;
      for (std::size_t c = 0; c < op.column_count() && !found; ++c) {
        found = op.outputs[0][c] == plan.nodes[n].outputs[0];
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
          found = found && op.inputs[i][c] == plan.nodes[n].inputs[i];
        }
      }
      ASSERT_TRUE(found) << node.name;
    }
  }
}

// Nodes of keep_dtype whose library has their dtype keep it in every mode.
TEST(ResolveProperties, KeptNodesKeepTheirDType) {
  int checked = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Graph graph = testing::RandomGraph(rng);
    TargetSpec target = testing::RandomTarget(rng);
    for (auto& [type, op] : target.ai_core) {  // homogeneous: the statement is about these
      const MixPolicy policy = op.policy;
      const bool cube = op.cube;
      op = Homogeneous(op.inputs.size(), {DType::kBFloat16, kF16, kF32}, policy, cube);
    }
    PrecisionOptions options;
    options.precision_mode = testing::RandomMode(rng);
    for (const Node& node : graph.nodes) {
      if (const auto line = KeepLineFor(node.name); line && testing::Chance(rng, 0.5)) {
        options.keep_dtype.push_back(*line);
      }
    }
    const PrecisionPlan plan = ResolvePrecision(graph, options, target);
    const KeepMatches kept = MatchKeepLines(graph, options.keep_dtype);
    for (std::size_t n = 0; n < plan.nodes.size(); ++n) {
      const Node& node = graph.nodes[n];
      const DType first = graph.value(node.inputs[0]).type.dtype;
      const bool one_dtype = graph.value(node.outputs[0]).type.dtype == first &&
                             graph.value(node.inputs.back()).type.dtype == first;
      if (!kept.line_of_node[n].empty() && one_dtype && node.op != OpKind::kCast) {
        ++checked;
        ASSERT_EQ(plan.nodes[n].inputs[0], first) << node.name << " " << options.precision_mode;
        ASSERT_EQ(plan.nodes[n].outputs[0], first) << node.name << " " << options.precision_mode;
      }
    }
  }
  EXPECT_GT(checked, 500);
}

// An operand that a pass added (src/ir/fused_operands.h) has no column of its own: it has the dtype
// of the result, also where the library has another operand in its place.
TEST(Resolve, FusedOperandsHaveTheDTypeOfTheResult) {
  PlainGraphBuilder builder;
  const ValueId x = builder.Input("x");
  const ValueId r = builder.Input("r");
  const Graph graph = builder.Finish(
      {builder.Node(OpKind::kConv, "conv1", {x, builder.Constant("w", kF32), kNoValue, r}, kF32,
                    {{"add1", "Add"}})});
  LibraryOp conv = Homogeneous(4, {kF16, kF32}, MixPolicy::kWhite, true);
  conv.inputs[3] = {DType::kInt8, DType::kInt8};  // offset_w
  conv.inputs[0].push_back(kF16);
  conv.inputs[1].push_back(kF16);
  conv.inputs[2].push_back(kF32);
  conv.inputs[3].push_back(DType::kInt8);
  conv.outputs[0].push_back(kF32);
  const TargetSpec target = MakeTarget({{"Conv2D", conv}});
  PrecisionPlan plan = ResolvePrecision(graph, {.precision_mode = "force_fp16"}, target);
  EXPECT_THAT(plan.nodes[0].inputs, ElementsAre(kF16, kF16, kF16, kF16));
  plan = ResolvePrecision(graph, {.precision_mode = "cube_fp16in_fp32out"}, target);
  EXPECT_THAT(plan.nodes[0].inputs, ElementsAre(kF16, kF16, kF16, kF32));
  EXPECT_THAT(plan.nodes[0].outputs, ElementsAre(kF32));
  plan = ResolvePrecision(graph, {.precision_mode = "force_fp16", .keep_dtype = {"add1"}}, target);
  EXPECT_THAT(plan.nodes[0].inputs, ElementsAre(kF32, kF32, kF32, kF32));
}

TEST(Keep, UnknownNamesAreAnErrorWithCloseNames) {
  PrecisionOptions options;
  options.keep_dtype = {"relu2", "zzzzzzzz"};
  try {
    ResolvePrecision(TwoNodes(), options, BothDTypes());
    ADD_FAILURE() << "expected E10042";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(),
                 "E10042: keep_dtype lists 2 names that are not in the graph: 'relu2' (close: "
                 "'relu1'), 'zzzzzzzz'");
  }
}

TEST(Keep, UnknownNamesAreAWarningOnRequest) {
  PrecisionOptions options;
  options.keep_dtype = {"exp1", "nothing_like_it"};
  const PrecisionPlan plan =
      ResolvePrecision(TwoNodes(), options, BothDTypes(), {.unknown_names_are_warnings = true});
  EXPECT_THAT(plan.warnings, ElementsAre(HasSubstr("E10042: keep_dtype lists 1 name that is not")));
  EXPECT_EQ(plan.nodes[1].compute_dtype(), kF32);
  EXPECT_EQ(plan.nodes[0].compute_dtype(), kF16);
}

TEST(Keep, TheFirstTenUnknownNamesAreListed) {
  PrecisionOptions options;
  for (int i = 10; i < 25; ++i) {
    options.keep_dtype.push_back("missing_operator_" + std::to_string(i));
  }
  try {
    ResolvePrecision(TwoNodes(), options, BothDTypes());
    ADD_FAILURE() << "expected E10042";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("lists 15 names"));
    EXPECT_THAT(error.what(), HasSubstr("'missing_operator_19', ..."));
    EXPECT_THAT(error.what(), ::testing::Not(HasSubstr("missing_operator_20")));
  }
}

TEST(Keep, AFusedNodeIsKeptByAnyOriginNameOrType) {
  for (const char* line : {"relu1", "clip1", "OpType::Relu", "OpType::ClipByValue"}) {
    PrecisionOptions options;
    options.keep_dtype = {line};
    const PrecisionPlan plan = ResolvePrecision(TwoNodes(), options, BothDTypes());
    EXPECT_EQ(plan.nodes[0].compute_dtype(), kF32) << line;
    EXPECT_EQ(plan.nodes[1].compute_dtype(), kF16) << line;
    EXPECT_TRUE(plan.warnings.empty()) << line;
  }
}

TEST(Keep, ATypeThatMatchesNothingIsAWarning) {
  PrecisionOptions options;
  options.keep_dtype = {"OpType::Gelu"};
  EXPECT_THAT(ResolvePrecision(TwoNodes(), options, BothDTypes()).warnings,
              ElementsAre("keep_dtype line 'OpType::Gelu' matches no node"));
}

TEST(Keep, IsIgnoredWithAWarningWhereTheModeKeepsEverything) {
  for (const bool v2 : {false, true}) {
    PrecisionOptions options;
    (v2 ? options.precision_mode_v2 : options.precision_mode) =
        v2 ? "origin" : "must_keep_origin_dtype";
    options.keep_dtype = {"not_in_the_graph"};
    EXPECT_THAT(ResolvePrecision(TwoNodes(), options, BothDTypes()).warnings,
                ElementsAre("keep_dtype is ignored: must_keep_origin_dtype keeps every dtype"));
  }
}

}  // namespace
}  // namespace halftone
