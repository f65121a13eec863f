// Every network of the collection resolves on every target in every mode: a plan, or an error that
// the specification has. SKIPPED where the collection is not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/exec/executable.h"
#include "src/precision/resolve/modes.h"
#include "src/precision/resolve/resolve.h"
#include "src/target/builtin_targets.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::SharedDir;
using ::testing::HasSubstr;

// One SoC of each family; those of one family differ in name only.
std::vector<TargetSpec> Targets() {
  std::vector<TargetSpec> targets = {LoadTarget("host")};
  for (const std::string_view family : TargetFamilies()) {
    targets.push_back(LoadTarget(FindFamily(family)->soc_versions.front()));
  }
  return targets;
}

PrecisionOptions OptionsOf(const PrecisionMode& mode) {
  PrecisionOptions options;
  (mode.name.empty() ? options.precision_mode_v2 : options.precision_mode) = mode.label();
  return options;
}

// The only refusals there may be: HIF8 modes, BF16 modes without BF16, and float32 matrix operators
// that must stay float32 on a device whose library has them in float16 only.
std::string RefusalOf(const PrecisionMode& mode, const TargetSpec& target) {
  if (mode.narrow == nullptr) {
    return "hif8";
  }
  if (mode.needs_bfloat16 && !target.has_bfloat16) {
    return "current soc does not support BFloat16";
  }
  return mode.keeps_origin && !target.has_bfloat16 ? "EZ3003" : "no refusal is expected here";
}

struct Counts {
  int plans = 0;
  int refused = 0;
};

std::vector<std::filesystem::path> FoldersIn(const std::filesystem::path& where) {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(where)) {
    if (std::filesystem::exists(entry.path() / "model.onnx")) {
      folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

// Empty for what halftone cannot import yet. Free dimensions from the first test set, where there
// is one.
std::optional<Model> Import(const std::filesystem::path& folder) {
  const bool with_data = std::filesystem::exists(folder / "test_data_set_0");
  try {
    return LoadModel({.path = folder, .inputs = with_data ? folder.string() : ""});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported) << folder << ": " << error.what();
    return std::nullopt;
  }
}

void Explain(const Model& model, const std::vector<TargetSpec>& targets,
             std::map<std::string, Counts>& by_target) {
  for (const TargetSpec& target : targets) {
    for (const PrecisionMode& mode : AllPrecisionModes()) {
      const std::string where =
          model.name + " on " + target.name + ", " + std::string(mode.label());
      try {
        EXPECT_FALSE(ExplainText(model, target, OptionsOf(mode)).text.empty()) << where;
        ++by_target[target.name].plans;
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr(RefusalOf(mode, target))) << where;
        ++by_target[target.name].refused;
      }
    }
  }
}

TEST(ExplainTargets, EveryNetworkInEveryMode) {
  const auto shared = SharedDir();
  if (!shared) {
    GTEST_SKIP() << "the collection of networks is not there";
  }
  std::vector<std::filesystem::path> folders = FoldersIn(*shared / "models");
  const auto light = FoldersIn(*shared / "models/light");
  folders.insert(folders.end(), light.begin(), light.end());
  const std::vector<TargetSpec> targets = Targets();
  std::map<std::string, Counts> by_target;
  std::size_t explained = 0;
  for (const auto& folder : folders) {
    const std::optional<Model> model = Import(folder);
    if (!model) {
      continue;
    }
    Explain(*model, targets, by_target);
    ++explained;
  }
  for (const auto& [target, counts] : by_target) {
    std::printf("%s: %d plans, %d specified refusals\n", target.c_str(), counts.plans,
                counts.refused);
  }
  EXPECT_GE(explained, 20U) << "of " << folders.size();
}

// A plan is of no use here when the host cannot execute it.
TEST(ExplainTargets, EveryPlanOfADeviceCompilesForTheHost) {
  const auto shared = SharedDir();
  if (!shared) {
    GTEST_SKIP() << "the collection of networks is not there";
  }
  for (const auto& folder : FoldersIn(*shared / "models")) {
    const std::optional<Model> model = Import(folder);
    for (const char* soc : {"Ascend310P3", "Ascend910B1"}) {
      const TargetSpec target = LoadTarget(soc);
      for (const PrecisionMode& mode : AllPrecisionModes()) {
        const bool refused = mode.narrow == nullptr ||
                             ((mode.needs_bfloat16 || mode.keeps_origin) && !target.has_bfloat16);
        if (!model || refused) {
          continue;
        }
        try {
          (void)Compile(model->graph, ResolvePrecision(model->graph, OptionsOf(mode), target));
        } catch (const Error& error) {
          ADD_FAILURE() << model->name << " on " << soc << ", " << mode.label() << ": "
                        << error.what();
        }
      }
    }
  }
}

}  // namespace
}  // namespace halftone
