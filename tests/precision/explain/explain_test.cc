#include "src/precision/explain/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/plain_graph_builder.h"
#include "tests/support/random_cases.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Homogeneous;
using testing::MakeTarget;
using ::testing::Not;
using testing::PlainGraphBuilder;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;

Graph Network() {
  PlainGraphBuilder builder;
  const ValueId x = builder.Input("x");
  const ValueId conv =
      builder.Node(OpKind::kClip, "\u5377\u79ef", {x, kNoValue, builder.Constant("max")});
  const ValueId soft = builder.Node(OpKind::kSoftmax, "softmax", {conv});
  const ValueId ints =
      builder.Node(OpKind::kNeg, "neg", {builder.Input("i", DType::kInt64)}, DType::kInt64);
  return builder.Finish({soft, ints});
}

TargetSpec Target() {
  TargetSpec target = MakeTarget({{"ClipByValue", Homogeneous(3, {kF16, kF32}, MixPolicy::kWhite)},
                                  {"SoftmaxV2", Homogeneous(1, {kF16, kF32}, MixPolicy::kBlack)}});
  target.ai_core["SoftmaxV2"].impl_modes[kF32] = {ImplMode::kHighPrecision,
                                                  ImplMode::kHighPerformance};
  target.ai_cpu["Neg"] = AiCpuOp::Any(kAllDTypes);
  return target;
}

PrecisionOptions MixedOptions() {
  PrecisionOptions options;
  options.precision_mode_v2 = "mixed_float16";
  options.keep_dtype = {"softmax", "OpType::Gelu"};
  return options;
}

TEST(Explain, IsATableWithCountsAndWarnings) {
  const Explanation explanation = Explain(Network(), MixedOptions(), Target());
  EXPECT_EQ(ExplainTable(explanation, {.columns = 200, .refused = true}),
            // clang-format off
      "node     type         dtypes                        reason                                                        refused\n"
      "\u5377\u79ef       ClipByValue  f16,-,f16 -> f16              white list: float16                                           f32,-,f32->f32: input 0 takes float16\n"
      "softmax  SoftmaxV2    f32 -> f32, high_performance  kept by keep_dtype line 'softmax'                             f16->f16: input 0 takes float32\n"
      "neg      Neg          AiCpu s64 -> s64              AiCpu in the original dtypes: the type is not in its library\n"
      "allow_mix_precision on test: 3 nodes: 1 float32, 1 float16, 1 int64; 1 on AiCpu; 1 kept by keep_dtype\n"
      "warning: keep_dtype line 'OpType::Gelu' matches no node\n");
  // clang-format on
  EXPECT_EQ(explanation.nodes[1].trace.kept_by, "softmax");
  EXPECT_EQ(explanation.nodes[0].trace.kept_by, "");
  EXPECT_EQ(explanation.nodes[2].trace.ai_core_refusal, "the type is not in its library");
  EXPECT_EQ(explanation.nodes[0].inputs[1], std::nullopt);
}

TEST(Explain, TheTableFitsTheScreenAndIsShortened) {
  const Explanation explanation = Explain(Network(), MixedOptions(), Target());
  const std::string text = ExplainTable(explanation, {.columns = 80, .most_rows = 2});
  const std::string_view table = std::string_view(text).substr(0, text.find("... "));
  for (const std::string_view line : Split(table, '\n')) {
    EXPECT_LE(WidthOf(line), 80U) << line;
  }
  EXPECT_THAT(text, HasSubstr("\n... 1 node more: --verbose and --format=csv show all, "
                              "--node=NAME one\nallow_mix_precision on test: 3 nodes"));
  EXPECT_THAT(text, Not(HasSubstr("neg")));
}

TEST(Explain, OneNodeIsALineForEachFact) {
  Explanation explanation = Explain(Network(), MixedOptions(), Target());
  KeepOnlyNode(explanation, "softmax");
  EXPECT_EQ(ExplainTable(explanation),
            "node            softmax\n"
            "type            SoftmaxV2\n"
            "engine          AiCore\n"
            "dtypes          f32 -> f32\n"
            "implementation  high_performance\n"
            "reason          kept by keep_dtype line 'softmax'\n"
            "refused         f16->f16: input 0 takes float32\n"
            "allow_mix_precision on test: 1 node: 1 float32; 1 kept by keep_dtype\n"
            "warning: keep_dtype line 'OpType::Gelu' matches no node\n");
}

TEST(Explain, IsCsv) {
  Explanation explanation = Explain(Network(), MixedOptions(), Target());
  KeepOnlyNode(explanation, "OpType::SoftmaxV2");
  explanation.nodes[0].node = "soft\"max,";
  EXPECT_EQ(ExplainCsv(explanation),
            "node,onnx_type,ir_type,engine,inputs,outputs,compute,implementation,reason,refused\n"
            "\"soft\"\"max,\",Softmax,SoftmaxV2,AiCore,f32,f32,float32,high_performance,"
            "kept by keep_dtype line 'softmax',f16->f16: input 0 takes float32\n");
}

TEST(Explain, IsJson) {
  const auto json =
      nlohmann::json::parse(ExplainJson(Explain(Network(), MixedOptions(), Target())));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["target"], "test");
  EXPECT_EQ(json["mode"], "allow_mix_precision");
  EXPECT_EQ(json["plan_digest"],
            ResolvePrecision(Network(), MixedOptions(), Target()).Digest().ToHex());
  EXPECT_EQ(json["warnings"].size(), 1U);
  const auto& clip = json["nodes"][0];
  EXPECT_EQ(clip["ir_type"], "ClipByValue");
  EXPECT_EQ(clip["onnx_type"], "Clip");
  EXPECT_EQ(clip["inputs"], (nlohmann::json{"float16", nullptr, "float16"}));
  EXPECT_EQ(clip["refused"][0]["column"], "f32,-,f32->f32");
  EXPECT_EQ(json["nodes"][1]["kept_by"], "softmax");
  EXPECT_EQ(json["nodes"][2]["ai_core_refusal"], "the type is not in its library");
}

// Nodes that are not shown are part of the plan.
TEST(Explain, TheDigestIsOfTheWholePlan) {
  Explanation explanation = Explain(Network(), MixedOptions(), Target());
  const Hash128 whole = explanation.plan_digest;
  KeepOnlyNode(explanation, "neg");
  EXPECT_EQ(explanation.plan_digest, whole);
  PrecisionOptions options = MixedOptions();
  options.is_weight_clip = "0";
  EXPECT_NE(Explain(Network(), options, Target()).plan_digest, whole);
}

// --input_fp16_nodes, --output_type and --is_weight_clip change the plan, so they are shown.
TEST(Explain, ShowsWhatIsGivenToTheNetworkAndTakenFromIt) {
  PrecisionOptions options = MixedOptions();
  options.keep_dtype = {};
  options.input_fp16_nodes = {"x"};
  options.output_type = "FP16";
  options.is_weight_clip = "0";
  const Explanation explanation = Explain(Network(), options, Target());
  EXPECT_THAT(Remarks(explanation),
              ElementsAre("input 'x': float32 -> float16 (--input_fp16_nodes)",
                          "output 'softmax:0': float32 -> float16 (--output_type)",
                          "weights beyond the float16 range become infinity (--is_weight_clip=0)"));
  EXPECT_THAT(ExplainTable(explanation),
              HasSubstr("\ninput 'x': float32 -> float16 (--input_fp16_nodes)\noutput"));
  const auto json = nlohmann::json::parse(ExplainJson(explanation));
  EXPECT_EQ(json["changed_inputs"].dump(),
            R"([{"dtype":"float16","name":"x","original":"float32"}])");
  EXPECT_EQ(json["changed_outputs"][0]["name"], "softmax:0");
  EXPECT_EQ(json["clips_weights"], false);
  EXPECT_EQ(json["overflow"], "inf_nan");

  options.input_fp16_nodes = {};
  options.output_type = "UINT8";
  options.is_weight_clip = "";
  TargetSpec saturating = Target();
  saturating.overflow = OverflowArithmetic::kSaturate;
  EXPECT_THAT(DiffTable(explanation, Explain(Network(), options, saturating)),
              HasSubstr("input 'x': float16 | float32\n"
                        "output 'softmax:0': float16 | uint8\n"
                        "weights beyond the float16 range: infinity | clipped\n"
                        "float16 results that overflow: inf_nan | saturate\n"));
}

TEST(Explain, APartOfAFusedNodeKeepsTheWhole) {
  PlainGraphBuilder builder;
  const ValueId x = builder.Input("x");
  const ValueId soft =
      builder.Node(OpKind::kSoftmax, "softmax", {x}, DType::kFloat32, {{"scale", "Mul"}});
  builder.Node(OpKind::kSoftmax, "other", {x});
  Explanation explanation = Explain(builder.Finish({soft}), MixedOptions(), Target());
  KeepOnlyNode(explanation, "scale");
  ASSERT_EQ(explanation.nodes.size(), 1U);
  EXPECT_EQ(explanation.nodes[0].node, "softmax");
  EXPECT_THAT(explanation.nodes[0].parts, ElementsAre("scale"));
  EXPECT_THAT(Remarks(explanation), ElementsAre("'scale' is part of 'softmax'"));
}

TEST(Explain, EveryColumnIsChosenOrRefused) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Graph graph = testing::RandomGraph(rng);
    const TargetSpec target = testing::RandomTarget(rng);
    const PrecisionOptions options = testing::RandomOptions(rng, graph, target);
    const Explanation explanation = Explain(graph, options, target);
    const PrecisionPlan plan = ResolvePrecision(graph, options, target);
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      const NodeExplanation& node = explanation.nodes[n];
      EXPECT_EQ(node.reason, plan.nodes[n].reason);
      if (node.engine == Engine::kAiCore && node.ir_type != "Cast") {
        EXPECT_EQ(node.trace.columns.size() + 1, target.ai_core.at(node.ir_type).column_count());
      }
    }
  }
}

TEST(Explain, AKeepLineThatIsIgnoredKeepsNothing) {
  PrecisionOptions options;
  options.precision_mode = "must_keep_origin_dtype";
  options.keep_dtype = {"softmax"};
  EXPECT_EQ(Explain(Network(), options, Target()).nodes[1].trace.kept_by, "");
}

TEST(Explain, LongListsAreShortened) {
  EXPECT_EQ(ShortNames(std::vector<std::optional<NumericFormat>>(12, kF16)), "f16 x12");
  NodeTrace trace;
  for (int i = 0; i < 6; ++i) {
    trace.columns.push_back({.dtypes = "f32->f32", .why = "r"});
  }
  trace.columns.push_back({.dtypes = "s32->s32", .why = "r", .tunable = false});
  trace.columns.push_back({.dtypes = "f16->f16", .why = "q"});
  EXPECT_EQ(RefusedText(trace), "f32->f32 f32->f32 f32->f32 f32->f32 and 2 more: r; f16->f16: q");
}

TEST(Explain, UnknownNodesAndFormatsAreRefused) {
  Explanation explanation = Explain(Network(), MixedOptions(), Target());
  try {
    KeepOnlyNode(explanation, "softmin");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "--node=softmin: the graph has no such node (nodes that were folded away are not "
                 "listed); close: softmax");
  }
  EXPECT_THROW(KeepOnlyNode(explanation, "OpType::Conv2D"), Error);
  const auto sentence = [](std::string_view node) {
    return NoSuchNode(node, {"head/fc", "head/softmax", "stem"}, {"SoftmaxV2", "MatMulV2"});
  };
  const std::string node = " (nodes that were folded away are not listed)";
  EXPECT_EQ(sentence("SoftmaxV2"), "--node=SoftmaxV2: the graph has no such node" + node +
                                       "; it is an IR type: --node=OpType::SoftmaxV2");
  EXPECT_EQ(sentence("head"),
            "--node=head: the graph has no such node" + node + "; close: head/fc, head/softmax");
  EXPECT_EQ(sentence("OpType::Gemm"), "--node=OpType::Gemm: the graph has no such IR type" + node +
                                          "; it has MatMulV2, SoftmaxV2");
  EXPECT_EQ(sentence("OpType::MatMul"),
            "--node=OpType::MatMul: the graph has no such IR type" + node + "; close: MatMulV2");
  EXPECT_EQ(sentence("quantise"), "--node=quantise: the graph has no such node" + node +
                                      "; it has head/fc, head/softmax, stem");
  try {
    ExplainFormatNamed("yaml");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "--format has the value 'yaml', which is none of: table, json, csv");
  }
}

TEST(ExplainDiff, ShowsOnlyWhatDiffers) {
  const Explanation a = Explain(Network(), MixedOptions(), Target());
  PrecisionOptions options = MixedOptions();
  options.keep_dtype = {};
  options.op_select_implmode = "high_precision";
  const Explanation b = Explain(Network(), options, Target());
  EXPECT_EQ(DiffTable(a, b, {.columns = 200}),
            // clang-format off
            "node     type       A                                   B                                 why A                              why B\n"
            "softmax  SoftmaxV2  AiCore f32 -> f32 high_performance  AiCore f32 -> f32 high_precision  kept by keep_dtype line 'softmax'  black list: float32\n"
            "1 of 3 nodes differ\n"
            "A: allow_mix_precision on test: 3 nodes: 1 float32, 1 float16, 1 int64; 1 on AiCpu; 1 kept by keep_dtype\n"
            "B: allow_mix_precision on test: 3 nodes: 1 float32, 1 float16, 1 int64; 1 on AiCpu\n"
            "A: warning: keep_dtype line 'OpType::Gelu' matches no node\n");
  // clang-format on
  EXPECT_EQ(DiffTable(b, b).substr(0, 20), "0 of 3 nodes differ\n");
  const auto json = nlohmann::json::parse(DiffJson(a, b));
  ASSERT_EQ(json["nodes"].size(), 1U);
  EXPECT_EQ(json["nodes"][0]["a"]["implementation"], "high_performance");
  EXPECT_EQ(json["nodes"][0]["b"]["implementation"], "high_precision");
  EXPECT_EQ(json["a"]["plan_digest"], a.plan_digest.ToHex());
  EXPECT_EQ(json["b"]["plan_digest"], b.plan_digest.ToHex());
  const std::string csv = DiffCsv(a, b);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2);
}

}  // namespace
}  // namespace halftone
