// Real networks against their stored outputs. SKIPPED where the collection is not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/exec/executable.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::SharedDir;

class ModelTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ModelTest, Float32AgreesWithTheStoredOutputs) {
  const auto shared = SharedDir();
  if (!shared) {
    GTEST_SKIP() << "the collection of networks is not there";
  }
  const CheckResult result = CheckFolder(*shared / "models" / GetParam());
  EXPECT_TRUE(result.passed) << result.detail;
  EXPECT_GT(result.sets, 0U);
}

std::string TestName(const ::testing::TestParamInfo<const char*>& row) {
  std::string name(row.param);
  for (char& c : name) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Models, ModelTest,
                         ::testing::Values("mnist", "micro-kws", "squeezenet", "super-resolution",
                                           "yunet-320", "katago-resnet-b6c96", "ppocr-cls",
                                           "stories260k", "gpt-untrained", "face-landmarks-mnv3",
                                           "dtln-1", "nnsplit-en", "gtcrn", "silero-vad",
                                           "ppocr-det"),
                         TestName);

// No stored outputs: its weights are constants. It must load, run in every dtype and give
// probabilities.
TEST(LightModelTest, Resnet50RunsAndItsOverflowIsNamed) {
  const auto shared = SharedDir();
  if (!shared) {
    GTEST_SKIP() << "the collection of networks is not there";
  }
  const Model model = LoadModel({.path = *shared / "models/light/resnet50"});
  const Dataset data = LoadDataset(model.graph, {.generated_samples = 1});
  const TargetSpec target = LoadTarget("host");
  for (const char* mode : {"must_keep_origin_dtype", "allow_mix_precision_bf16"}) {
    const Executable executable =
        Compile(model.graph, ResolvePrecision(model.graph, {.precision_mode = mode}, target));
    const std::vector<Tensor> outputs = executable.Run(data.Read(0).inputs);
    double sum = 0;
    for (const double value : DoublesOf(outputs.at(0))) {
      ASSERT_TRUE(std::isfinite(value)) << mode;
      sum += value;
    }
    // 1000 probabilities in float32: each with a few ulp of its own, 1000 * 2^-20 in all.
    EXPECT_NEAR(sum, 1, 1e-3) << mode;
  }
  try {
    (void)RunConfiguration(model,
                           {target, {.precision_mode = "force_fp16"}, {.generated_samples = 1}});
    FAIL() << "the activations overflow float16";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("node '"));
  }
}

}  // namespace
}  // namespace halftone
