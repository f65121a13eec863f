// Probes of real networks with as little memory as they can do with: the same sensitivities, bit
// for bit, as with everything kept. SKIPPED where the collection is not there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "search/probe/error_probes.h"
#include "src/api/halftone.h"
#include "src/api/load/traced_samples.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

struct Probed {
  std::vector<GroupSensitivity> groups;
  std::int64_t peak_bytes = 0;
  double evaluations = 0;
};

Probed Probe(const Decisions& decisions, const Dataset& dataset, std::int64_t max_kept_bytes) {
  const ThreadPool pool(1);
  ProbeOptions options;
  options.error_evaluations = 0;
  options.min_samples = 1;
  options.max_kept_bytes = max_kept_bytes;
  ErrorProbes probes(decisions, dataset, options, pool);
  Probed probed{.groups = probes.ProbeAll()};
  probed.peak_bytes = probes.cache().peak_bytes();
  probed.evaluations = probes.evaluations();
  return probed;
}

class ProbeMemoryTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ProbeMemoryTest, CheckpointsGiveTheSameSensitivities) {
  const auto shared = testing::SharedDir();
  if (!shared || !std::filesystem::exists(*shared / "models" / GetParam() / "model.onnx")) {
    GTEST_SKIP() << "the collection of networks is not there";
  }
  const std::filesystem::path folder = *shared / "models" / GetParam();
  const std::string inputs =
      std::filesystem::is_directory(folder / "test_data_set_0") ? folder.string() : "";
  const Model model = LoadModel({.path = folder, .inputs = inputs});
  const Dataset dataset = LoadSamples(model, {.inputs = inputs, .max_samples = 1});
  const TargetSpec target = LoadTarget("host");
  const Decisions decisions(model.graph, target);
  const Probed all = Probe(decisions, dataset, std::int64_t{1} << 40);
  const Probed least = Probe(decisions, dataset, 1);
  std::printf(
      "%-24s %4zu groups, %9.2f MB kept, at the least %9.2f (%4.1f %%); evaluations %.2f, %.2f\n",
      GetParam(), all.groups.size(), 1e-6 * static_cast<double>(all.peak_bytes),
      1e-6 * static_cast<double>(least.peak_bytes),
      100 * static_cast<double>(least.peak_bytes) / static_cast<double>(all.peak_bytes),
      all.evaluations, least.evaluations);
  EXPECT_LT(least.peak_bytes, all.peak_bytes);
  EXPECT_GE(least.evaluations, all.evaluations);
  ASSERT_EQ(least.groups.size(), all.groups.size());
  for (std::size_t g = 0; g < all.groups.size(); ++g) {
    EXPECT_TRUE(least.groups[g] == all.groups[g])
        << "group '" << decisions.groups()[g].name << "': gain " << least.groups[g].gain
        << " instead of " << all.groups[g].gain;
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, ProbeMemoryTest,
                         ::testing::Values("squeezenet", "squeezenet-fp16", "nanodet-m",
                                           "stories260k", "dtln-1", "gtcrn", "yunet-320",
                                           "katago-transformer-b7c96", "ppocr-cls",
                                           "face-landmarks-mnv3", "silero-vad", "micro-kws-qdq",
                                           "magika"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace halftone
