// The profile of a run, and its three texts.
#include "src/api/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::SourceDir;
using ::testing::HasSubstr;

Model Digits() {
  return LoadModel(
      {.path = SourceDir() / "examples/digits/model.onnx", .input_shape = {}, .inputs = {}});
}

RunProfile ProfileOfDigits(const Model& model) {
  const TargetSpec target = LoadTarget("host");
  return ProfileRun(
      model, target, {},
      {.inputs = (SourceDir() / "examples/digits/search_inputs.npy").string(), .labels = {}},
      {.runs = 3, .threads = 1, .choices = {}});
}

TEST(Profile, HasEveryStepInOrder) {
  const Model model = Digits();
  const RunProfile profile = ProfileOfDigits(model);
  const auto uses = ExplainKernels(model, LoadTarget("host"), {});
  ASSERT_EQ(profile.steps.size(), uses.size());
  double start = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const ProfiledStep& step = profile.steps[i];
    EXPECT_EQ(step.node, uses[i].node);
    EXPECT_EQ(step.kernel, uses[i].kernel);
    EXPECT_EQ(step.start_s, start);
    EXPECT_EQ(step.bytes == 0, step.kernel == "in place");
    start += step.typical_s;
  }
  EXPECT_EQ(profile.runs, 3);
  EXPECT_EQ(profile.threads, 1);
  EXPECT_GE(profile.arena_bytes, profile.liveness_bound_bytes);
  EXPECT_LE(5 * profile.arena_bytes, 6 * profile.liveness_bound_bytes);
}

TEST(Profile, TextsHoldTheSame) {
  const RunProfile profile = ProfileOfDigits(Digits());
  const auto document = nlohmann::json::parse(ProfileJson(profile));
  EXPECT_EQ(document.at("schema"), 1);
  EXPECT_EQ(document.at("steps").size(), profile.steps.size());
  EXPECT_EQ(document.at("arena_bytes"), profile.arena_bytes);
  const auto trace = nlohmann::json::parse(ProfileTrace(profile));
  ASSERT_EQ(trace.at("traceEvents").size(), profile.steps.size());
  for (std::size_t i = 0; i < profile.steps.size(); ++i) {
    const ProfiledStep& step = profile.steps[i];
    EXPECT_EQ(document.at("steps")[i].at("node"), step.node);
    EXPECT_EQ(document.at("steps")[i].at("median_s"), step.median_s);
    const auto& event = trace.at("traceEvents")[i];
    EXPECT_EQ(event.at("ph"), "X");
    EXPECT_EQ(event.at("name"), step.node);
    EXPECT_DOUBLE_EQ(event.at("dur"), step.typical_s * 1e6);
    EXPECT_EQ(event.at("args").at("kernel"), step.kernel);
  }
}

// Made up, so that the table is known.
TEST(Profile, TableSortsByTime) {
  RunProfile profile{.model = "m",
                     .steps = {},
                     .total_s = 4e-6,
                     .runs = 10,
                     .threads = 2,
                     .arena_bytes = 2048,
                     .liveness_bound_bytes = 1024};
  profile.steps = {
      {"a", "Relu", "relu.f32.vector", "float32", "float32 4", 32, 1e-6, 0, 1e-6},
      {"b", "Conv", "conv.f32.onednn", "float32", "float32 8", 3000, 3e-6, 1e-6, 3e-6}};
  EXPECT_EQ(FormatProfile(profile),
            "4.00 us a run, 4.00 us in 2 steps; median of 10 runs, 2 threads; arena 2.00 KiB, at "
            "least 1.00 KiB are alive at once\n\n"
            "operator  steps  us   share\n"
            "Conv      1      3.0  75.0%\n"
            "Relu      1      1.0  25.0%\n\n"
            "us   share  GB/s  node  operator  dtype    kernel           output\n"
            "3.0  75.0%  1.0   b     Conv      float32  conv.f32.onednn  float32 8\n"
            "1.0  25.0%  0.0   a     Relu      float32  relu.f32.vector  float32 4\n");
}

}  // namespace
}  // namespace halftone
