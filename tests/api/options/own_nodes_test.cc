// Plans of the shared networks: they are of the network's own nodes, whatever fusions there are,
// and what is fused keeps the precision of its parts. SKIPPED where the collection is not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "src/api/halftone.h"
#include "src/base/rng.h"
#include "src/exec/fuse_by_plan.h"
#include "src/passes/passes.h"
#include "src/precision/resolve/modes.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/fused_precision_check.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::SharedDir;

using Names = std::set<std::string, std::less<>>;

// The folders of networks in <shared>/models/<below>, by name.
std::vector<fs::path> NetworksIn(const fs::path& folder) {
  std::vector<fs::path> networks;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (fs::exists(entry.path() / "model.onnx")) {
      networks.push_back(entry.path());
    }
  }
  std::sort(networks.begin(), networks.end());
  return networks;
}

// At the shapes of its first test data set, where it has one.
Model Load(const fs::path& folder, const Names& fusions_off = {}) {
  const fs::path set = folder / "test_data_set_0";
  return LoadModel({.path = folder,
                    .inputs = fs::exists(set) ? set.string() : std::string(),
                    .fusions_off = fusions_off});
}

// Fusions by stage: those of lowering, or all.
Names Fusions(bool canonical) {
  Names names;
  for (const Pass& pass : AllPasses()) {
    if (pass.fusion != FusionKind::kNone && (canonical || pass.stage == PassStage::kLowering)) {
      names.emplace(pass.name);
    }
  }
  return names;
}

bool IsQuantized(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return std::any_of(node.origins.begin(), node.origins.end(),
                       [](const Origin& origin) { return origin.type == "QuantizeLinear"; });
  });
}

std::vector<std::string> NodeNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) {
    names.push_back(node.name);
  }
  return names;
}

PrecisionOptions ModeOptions(const PrecisionMode& mode) {
  PrecisionOptions options;
  (mode.name.empty() ? options.precision_mode_v2 : options.precision_mode) = mode.label();
  return options;
}

// The modes that the target has rules for.
std::vector<const PrecisionMode*> ModesOf(const TargetSpec& target) {
  std::vector<const PrecisionMode*> modes;
  for (const PrecisionMode& mode : AllPrecisionModes()) {
    if (mode.narrow != nullptr && (!mode.needs_bfloat16 || target.has_bfloat16)) {
      modes.push_back(&mode);
    }
  }
  return modes;
}

// A plan, or why there is none.
struct Resolution {
  PrecisionPlan plan;
  std::string refusal;
};

Resolution Resolve(const Graph& graph, const PrecisionMode& mode, const TargetSpec& target) {
  try {
    return {.plan = ResolvePrecision(graph, ModeOptions(mode), target), .refusal = ""};
  } catch (const Error& error) {
    return {.plan = {}, .refusal = error.what()};
  }
}

void ExpectSamePlans(const Graph& fused, const Graph& plain, const TargetSpec& target) {
  ASSERT_EQ(NodeNames(fused), NodeNames(plain));
  int resolved = 0;
  for (const PrecisionMode* mode : ModesOf(target)) {
    SCOPED_TRACE(std::string(mode->label()));
    const Resolution left = Resolve(fused, *mode, target);
    const Resolution right = Resolve(plain, *mode, target);
    ASSERT_EQ(left.refusal, right.refusal);
    ASSERT_EQ(left.plan.nodes.size(), right.plan.nodes.size());
    for (std::size_t n = 0; n < left.plan.nodes.size(); ++n) {
      ASSERT_EQ(left.plan.nodes[n], right.plan.nodes[n]) << Describe(fused.nodes[n]);
      ASSERT_EQ(left.plan.nodes[n].reason, right.plan.nodes[n].reason) << Describe(fused.nodes[n]);
    }
    ASSERT_EQ(left.plan.Digest(), right.plan.Digest());
    resolved += left.refusal.empty() ? 1 : 0;
  }
  EXPECT_GT(resolved, 0) << target.name << " refuses the network in every mode";
}

constexpr const char* kModes[] = {"force_fp16", "allow_mix_precision", "allow_mix_precision_bf16",
                                  "allow_fp32_to_fp16"};

// No node of the network is computed with less than the plan says, and something is fused.
void ExpectPrecisionOfParts(const Graph& graph, const TargetSpec& host) {
  for (const char* mode : kModes) {
    SCOPED_TRACE(mode);
    const PrecisionPlan plan = ResolvePrecision(graph, {.precision_mode = mode}, host);
    const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
    EXPECT_THAT(testing::FusedPrecisionFaults(graph, plan, fused), IsEmpty());
    if (!IsQuantized(graph)) {
      EXPECT_LT(fused.graph.nodes.size(), graph.nodes.size());
    }
  }
}

// Each node in one dtype and mode of its own.
PrecisionPlan RandomPlan(const Graph& graph, Rng& rng) {
  constexpr DType kFloats[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
  constexpr ImplMode kImplementations[] = {ImplMode::kDefault, ImplMode::kHighPrecision,
                                           ImplMode::kHighPerformance,
                                           ImplMode::kEnableHiFloat32Execution};
  PrecisionPlan plan = ReferencePlan(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    NodePrecision& precision = plan.nodes[n];
    const OpInfo& info = InfoOf(node.op);
    const DType dtype = kFloats[rng.Below(std::size(kFloats))];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const auto item = SignatureItemAt(info.inputs, i);
      const bool tunable = item && (item->letter == 'T' || item->letter == 'Y');
      precision.inputs[i] =
          tunable && IsTunable(precision.inputs[i].dtype()) ? dtype : precision.inputs[i];
    }
    for (NumericFormat& output : precision.outputs) {
      output = IsTunable(output.dtype()) && node.op != OpKind::kCast ? dtype : output;
    }
    precision.impl_mode = kImplementations[rng.Below(std::size(kImplementations))];
    precision.engine = rng.Below(20) == 0 ? Engine::kAiCpu : Engine::kAiCore;
  }
  return plan;
}

void ExpectPrecisionOfPartsForAnyPlan(const Graph& graph) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const PrecisionPlan plan = RandomPlan(graph, rng);
    const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
    EXPECT_THAT(testing::FusedPrecisionFaults(graph, plan, fused), IsEmpty());
    for (const KeptApart& apart : fused.kept_apart) {
      EXPECT_THAT(apart.nodes, Not(IsEmpty())) << apart.pass;
      EXPECT_NE(apart.reason, "") << apart.pass;
    }
  }
}

// `all_only`: the fusions of lowering are switched off together with the others where there are
// others.
void CheckNetwork(const fs::path& folder, bool all_only) {
  const Model model = Load(folder);
  std::vector<Model> plain;
  const bool quantized = IsQuantized(model.graph);
  if (quantized || !all_only) {
    plain.push_back(Load(folder, Fusions(false)));
  }
  if (!quantized) {
    plain.push_back(Load(folder, Fusions(true)));
  }
  for (const char* soc : {"host", "Ascend310P3", "Ascend910B1"}) {
    SCOPED_TRACE(soc);
    const TargetSpec target = LoadTarget(soc);
    for (const Model& other : plain) {
      ASSERT_NO_FATAL_FAILURE(ExpectSamePlans(model.graph, other.graph, target));
    }
  }
  ASSERT_NO_FATAL_FAILURE(ExpectPrecisionOfParts(model.graph, LoadTarget("host")));
  ASSERT_NO_FATAL_FAILURE(ExpectPrecisionOfPartsForAnyPlan(model.graph));
}

// Networks whose steps are compiled here: small ones with attention, norms, SiLU and residuals.
constexpr const char* kCompiled[] = {"stories260k", "gpt-untrained", "katago-transformer-b7c96",
                                     "yolox-nano", "face-landmarks-mnv3"};

class ExactKernels : public ::testing::TestWithParam<const char*> {};

// In the modes of implementation that the target has: another device leaves some of them open.
TEST_P(ExactKernels, AreNotLeftForFastOnesWhereNodesAreFused) {
  const auto shared = SharedDir();
  if (!shared) {
    GTEST_SKIP() << "the collection of networks is not there";
  }
  const Model model = Load(*shared / "models" / GetParam());
  for (const char* soc : {"host", "Ascend310P3", "Ascend910B1"}) {
    SCOPED_TRACE(soc);
    const TargetSpec target = LoadTarget(soc);
    for (const PrecisionMode* mode : ModesOf(target)) {
      const Resolution resolution = Resolve(model.graph, *mode, target);
      if (resolution.refusal.empty()) {
        EXPECT_THAT(testing::FastKernelFaults(model.graph, resolution.plan), IsEmpty())
            << mode->label();
      }
    }
  }
}

std::string TestName(const ::testing::TestParamInfo<const char*>& row) {
  std::string name(row.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Networks, ExactKernels, ::testing::ValuesIn(kCompiled), TestName);

class OwnNodes : public ::testing::TestWithParam<const char*> {};

TEST_P(OwnNodes, PlansDoNotDependOnFusions) {
  const auto shared = SharedDir();
  if (!shared) {
    GTEST_SKIP() << "the collection of networks is not there";
  }
  const std::vector<fs::path> networks = NetworksIn(*shared / GetParam());
  EXPECT_THAT(networks, Not(IsEmpty()));
  for (const fs::path& folder : networks) {
    SCOPED_TRACE(folder.filename().string());
    // Weights of light networks are made when they are loaded, hundreds of megabytes.
    CheckNetwork(folder, std::string_view(GetParam()).ends_with("light"));
  }
}

INSTANTIATE_TEST_SUITE_P(Folders, OwnNodes, ::testing::Values("models", "models/light"),
                         [](const auto& row) {
                           return std::string(row.param) == "models" ? "Trained" : "Light";
                         });

}  // namespace
}  // namespace halftone
