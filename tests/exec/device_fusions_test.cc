// Devices fuse what their data says and nothing else: every other node rounds by itself, so that an
// overflow inside what the host fuses is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/exec/checked_run.h"
#include "src/exec/executable.h"
#include "src/exec/host_target.h"
#include "src/ir/ir_type.h"
#include "src/passes/passes.h"
#include "src/precision/resolve/resolve.h"
#include "src/target/builtin_targets.h"
#include "tests/support/net.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Net;
using ::testing::Not;
using testing::With;

constexpr std::int64_t kRowWidth = 16;

// A network whose values are beyond float16 inside a pattern, and only there.
struct Planted {
  const char* name;
  Graph (*make)();
  const char* node;  // that overflows
};

// Rows of `most` and -most in turn.
constexpr double kPlantedMost = 1024;

ValueId InputRows(Net& net) {
  return net.Input("x", {4, kRowWidth});
}

ValueId MeanOfRows(Net& net, const std::string& name, ValueId x) {
  return net.Add(OpKind::kReduceMean, name, {x, net.Integers(name + ".axes", {-1})});
}

// The square is kPlantedMost^2.
Graph OverflowInNorm(bool centred) {
  Net net;
  const ValueId x = InputRows(net);
  const ValueId d = centred ? net.Add(OpKind::kSub, "centre", {x, MeanOfRows(net, "mean", x)}) : x;
  const ValueId square = net.Add(OpKind::kPow, "square", {d, net.Number(2)});
  const ValueId moved =
      net.Add(OpKind::kAdd, "moved", {MeanOfRows(net, "variance", square), net.Number(1e-3)});
  const ValueId root = net.Add(OpKind::kSqrt, "root", {moved});
  const ValueId normal = net.Add(OpKind::kDiv, "normal", {d, root});
  return net.Finish({net.Add(OpKind::kMul, "times", {normal, net.Weights("gamma", {kRowWidth})})});
}

// Scores are kRowWidth * kPlantedMost^2, and the scale makes kPlantedMost of them.
Graph OverflowInScores() {
  Net net;
  const ValueId q = net.Input("q", {1, 2, 4, kRowWidth});
  const ValueId keys = net.Input("k", {1, 2, 4, kRowWidth});
  const ValueId k = net.Add(OpKind::kTranspose, "turn", {keys},
                            With("perm", std::vector<std::int64_t>{0, 1, 3, 2}));
  const ValueId v = net.Input("v", {1, 2, 4, kRowWidth});
  const ValueId scores = net.Add(OpKind::kMatMul, "scores", {q, k});
  const ValueId scaled = net.Add(OpKind::kMul, "scaled", {scores, net.Number(0x1p-14)});
  const ValueId moved =
      net.Add(OpKind::kSoftmax, "softmax", {scaled}, With("axis", std::int64_t{-1}));
  return net.Finish({net.Add(OpKind::kMatMul, "values", {moved, v})});
}

// A scale of kPlantedMost in front of the mask.
Graph OverflowInMask() {
  Net net;
  const ValueId scaled =
      net.Add(OpKind::kMul, "scaled", {InputRows(net), net.Number(kPlantedMost)});
  const ValueId masked =
      net.Add(OpKind::kAdd, "masked", {scaled, net.Weights("mask", {4, kRowWidth}, -4, 0)});
  return net.Finish(
      {net.Add(OpKind::kSoftmax, "softmax", {masked}, With("axis", std::int64_t{-1}))});
}

// The cube is kPlantedMost^3.
Graph OverflowInCube() {
  Net net;
  const ValueId x = InputRows(net);
  const ValueId cube = net.Add(OpKind::kPow, "cube", {x, net.Number(3)});
  const ValueId inner = net.Add(OpKind::kAdd, "inner",
                                {x, net.Add(OpKind::kMul, "cubic", {cube, net.Number(0.044715)})});
  const ValueId t = net.Add(OpKind::kMul, "argument", {inner, net.Number(0.7978845608)});
  const ValueId s =
      net.Add(OpKind::kAdd, "sum", {net.Add(OpKind::kTanh, "tanh", {t}), net.Number(1)});
  const ValueId half = net.Add(OpKind::kMul, "half", {x, net.Number(0.5)});
  return net.Finish({net.Add(OpKind::kMul, "product", {half, s})});
}

// The norm makes kPlantedMost^2, and the factors behind it make that small again.
Graph OverflowInFactors() {
  Net net;
  const ValueId x = net.Input("x", {1, 4, 2, 8});
  const auto all = [&](const std::string& name, double value) {
    Tensor tensor(DType::kFloat32, Shape{4});
    for (std::int64_t i = 0; i < 4; ++i) {
      StoreDouble(DType::kFloat32, tensor.mutable_data(), i, value);
    }
    return net.Constant(name, std::move(tensor));
  };
  const ValueId y = net.Add(
      OpKind::kBatchNormalization, "norm",
      {x, all("scale", kPlantedMost), all("bias", 0), all("average", 0), all("variance", 1)});
  return net.Finish(
      {net.Add(OpKind::kMul, "factors", {y, net.Weights("f", {1, 4, 1, 1}, 0x1p-12, 0x1p-10)})});
}

const Planted kPlanted[] = {
    {"LayerNorm", [] { return OverflowInNorm(true); }, "square"},
    {"RMSNorm", [] { return OverflowInNorm(false); }, "square"},
    {"Attention", OverflowInScores, "scores"},
    {"Softmax", OverflowInMask, "scaled"},
    {"Gelu", OverflowInCube, "cube"},
    {"BatchNormalization", OverflowInFactors, "norm"},
};

std::vector<Tensor> PlantedSample(const Graph& graph) {
  std::vector<Tensor> sample;
  for (const ValueId id : graph.inputs) {
    Tensor tensor(graph.value(id).type);
    for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
      StoreDouble(DType::kFloat32, tensor.mutable_data(), i,
                  i % 3 == 0 ? kPlantedMost : -kPlantedMost);
    }
    sample.push_back(std::move(tensor));
  }
  return sample;
}

// What a run in float16 finds.
std::string FindingsOn(const TargetSpec& target, Graph graph) {
  Canonicalize(graph);
  PrecisionOptions options;
  options.precision_mode = "force_fp16";
  const PrecisionPlan plan = ResolvePrecision(graph, options, target);
  const Executable executable = Compile(graph, plan);
  const Executable reference = Compile(graph, ReferencePlan(graph), {.fuse = false});
  CheckedRunner runner(graph, executable, [&]() -> const Executable& { return reference; });
  (void)runner.Run(PlantedSample(graph), "planted");
  std::string text;
  for (const std::string& sentence : Describe(runner.census(), kAllFindings)) {
    text += sentence + "\n";
  }
  return text;
}

class DeviceFusions : public ::testing::TestWithParam<Planted> {};

TEST_P(DeviceFusions, AnOverflowInsideWhatTheHostFusesIsFoundAndNamed) {
  for (const std::string& soc : SocVersions()) {
    SCOPED_TRACE(soc);
    const TargetSpec target = FindSocVersion(soc)->ForSoc(soc);
    EXPECT_THAT(FindingsOn(target, GetParam().make()),
                HasSubstr(std::string("node '") + GetParam().node + "'"));
  }
  EXPECT_THAT(FindingsOn(HostTarget(), GetParam().make()), IsEmpty())
      << "the host keeps it in float32";
}

INSTANTIATE_TEST_SUITE_P(Patterns, DeviceFusions, ::testing::ValuesIn(kPlanted),
                         [](const auto& row) { return std::string(row.param.name); });

// The names of what each step computes.
std::vector<std::string> StepsOn(const TargetSpec& target, const Graph& graph) {
  PrecisionOptions options;
  options.precision_mode = "force_fp16";
  std::vector<std::string> steps;
  const Executable executable = Compile(graph, ResolvePrecision(graph, options, target));
  for (const StepInfo& step : executable.steps()) {
    std::string names;
    for (const std::string& part : step.parts) {
      names += (names.empty() ? "" : "+") + part;
    }
    if (!names.empty()) {
      steps.push_back(names);
    }
  }
  return steps;
}

TEST(DeviceFusionsTest, AConvolutionAndItsNormAreOneWhereTheTargetSaysSo) {
  Net net;
  const ValueId y = net.BatchNorm("norm", net.Conv("conv", net.Image(), 4), 4);
  const Graph graph = net.Finish({net.Add(OpKind::kRelu, "relu", {y})});
  const TargetSpec device = FindSocVersion("Ascend310P3")->ForSoc("Ascend310P3");
  EXPECT_THAT(StepsOn(device, graph), ::testing::ElementsAre("conv+norm", "relu"));
  const TargetSpec without = ParseOwnTargetFile(
                                 "[target]\nname = own\ninherits = ascend310p\n"
                                 "[fusions]\nfold_batch_norm = -\n",
                                 "own.ini")
                                 .ForSoc("own");
  EXPECT_THAT(StepsOn(without, graph), ::testing::ElementsAre("conv", "norm", "relu"));
  EXPECT_THAT(StepsOn(HostTarget(), graph), ::testing::ElementsAre("conv+norm+relu"));
}

// Rows name passes in which values disappear, and types that operators have.
TEST(DeviceFusionsTest, RowsOfTargetsNamePassesAndTypes) {
  for (const std::string& soc : SocVersions()) {
    const TargetSpec target = FindSocVersion(soc)->ForSoc(soc);
    ASSERT_NE(target.fusions, nullptr);
    for (const TargetFusion& fusion : *target.fusions) {
      const auto passes = AllPasses();
      const auto pass = std::ranges::find(passes, fusion.pass, &Pass::name);
      ASSERT_NE(pass, passes.end()) << soc << ": " << fusion.pass;
      EXPECT_NE(pass->rule.values, FusedValues::kSame) << "nothing to allow";
      for (const auto* types : {&fusion.main, &fusion.others}) {
        for (const std::string& type : *types) {
          EXPECT_TRUE(target.ai_core.contains(type)) << soc << ": " << type;
        }
      }
      EXPECT_THAT(fusion.source, Not(IsEmpty()));
    }
  }
}

}  // namespace
}  // namespace halftone
