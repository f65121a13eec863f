// The arena of every network of the collection against what is alive in it at once. SKIPPED where
// the collection is not there.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/exec/executable.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

std::set<fs::path> Networks() {
  std::set<fs::path> folders;
  const auto shared = testing::SharedDir();
  if (shared && fs::is_directory(*shared / "models")) {
    for (const auto& entry : fs::recursive_directory_iterator(*shared / "models")) {
      if (entry.path().filename() == "model.onnx") {
        folders.insert(entry.path().parent_path());
      }
    }
  }
  return folders;
}

TEST(ArenaOfModelsTest, IsWithinAFifthOfWhatIsAlive) {
  const std::set<fs::path> networks = Networks();
  if (networks.empty()) {
    GTEST_SKIP() << "the collection of networks is not there";
  }
  const TargetSpec target = LoadTarget("host");
  for (const fs::path& folder : networks) {
    const std::string name = folder.filename().string();
    const bool has_data = fs::is_directory(folder / "test_data_set_0");
    Model model;
    try {
      model = LoadModel({.path = folder, .inputs = has_data ? folder.string() : ""});
    } catch (const Error& error) {
      // Which ones these are: tests/onnx/real_models_test.cc.
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupported) << error.what();
      continue;
    }
    for (const char* mode :
         {"must_keep_origin_dtype", "allow_mix_precision_fp16", "allow_mix_precision_bf16"}) {
      const Executable executable =
          Compile(model.graph, ResolvePrecision(model.graph, {.precision_mode = mode}, target));
      EXPECT_GE(executable.peak_arena_bytes(), executable.liveness_bound_bytes());
      EXPECT_LE(5 * executable.peak_arena_bytes(), 6 * executable.liveness_bound_bytes())
          << name << ", " << mode;
      std::printf(
          "%-24s %-26s %10zu %10zu %.3f\n", name.c_str(), mode, executable.peak_arena_bytes(),
          executable.liveness_bound_bytes(),
          static_cast<double>(executable.peak_arena_bytes()) /
              static_cast<double>(std::max<std::size_t>(executable.liveness_bound_bytes(), 1)));
    }
  }
}

}  // namespace
}  // namespace halftone
