// Every point that a search wrote, run by a session, has the outputs of `halftone run --save`:
// 16-bit and 8-bit plans, with scales and kernels of the folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "halftone/session.h"
#include "src/accuracy/input_file.h"
#include "src/api/options/point.h"
#include "src/api/options/read_precision.h"
#include "tests/api/session/digits_point.h"
#include "tests/support/planted_runtime.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::Digit;
using ::halftone::testing::DigitsModel;
using ::halftone::testing::SourceDir;

constexpr std::size_t kSamples = 12;

class SessionPointsTest : public ::testing::Test {
 protected:
  ~SessionPointsTest() override { fs::remove_all(folder_); }

  // Points of a short search, fastest where weights have fewest bytes; of 8 bits alone for kOnly.
  [[nodiscard]] std::vector<fs::path> Tuned(QuantizeMode quantize) const {
    fs::create_directories(folder_);
    TuneOptions options;
    options.data = {.inputs = (SourceDir() / "examples/digits/search_inputs.npy").string(),
                    .labels = {},
                    .max_samples = 40};
    options.max_trials = 8;
    options.operator_tuning = OperatorTuningMode::kOff;
    options.measure.on.runtime = testing::PlantedRuntime(folder_);
    options.quantize.mode = quantize;
    options.output = folder_ / "out";
    options.bank = folder_ / "bank";
    (void)Tune(LoadModel({.path = DigitsModel(), .inputs = options.data.inputs}), options);
    std::vector<fs::path> points;
    for (const auto& entry : fs::directory_iterator(options.output)) {
      if (fs::exists(entry.path() / "point.json")) {
        points.push_back(entry.path());
      }
    }
    return points;
  }

  // float32 [kSamples, 10] as `halftone run --save` writes it.
  [[nodiscard]] Tensor Saved(const fs::path& folder) const {
    const Point point = ReadPoint(folder);
    const TargetSpec target = LoadTarget(point.arguments.target);
    const std::string inputs = (SourceDir() / "examples/digits/heldout_inputs.npy").string();
    const std::vector<std::string> files =
        SaveOutputs(LoadModel({.path = DigitsModel(), .inputs = inputs}),
                    {target,
                     ReadPrecision(point.arguments.precision, target).options,
                     {.inputs = inputs, .labels = {}, .max_samples = kSamples}},
                    1, folder_ / "saved")
            .files;
    return ReadTensorFile(folder_ / "saved" / files.at(0));
  }

  void ExpectSaved(const fs::path& point) const {
    const Session session(DigitsModel(), {.point = point, .threads = 1});
    EXPECT_EQ(session.plan_digest(), ReadPoint(point).record->plan_digest.ToHex());
    const Tensor saved = Saved(point);
    for (std::size_t i = 0; i < kSamples; ++i) {
      const Tensor output = session.Run({{Digit(i)}}).at(0);
      EXPECT_EQ(
          std::memcmp(output.data(), saved.data() + i * output.size_bytes(), output.size_bytes()),
          0)
          << point << ", sample " << i;
    }
  }

  const fs::path folder_ = fs::path(::testing::TempDir()) / "halftone_session_points_test";
};

TEST_F(SessionPointsTest, PointsOfFloatingFormats) {
  const std::vector<fs::path> points = Tuned(QuantizeMode::kOff);
  ASSERT_FALSE(points.empty());
  std::ranges::for_each(points, [&](const fs::path& point) { ExpectSaved(point); });
}

TEST_F(SessionPointsTest, PointsOfEightBits) {
  const std::vector<fs::path> points = Tuned(QuantizeMode::kOnly);
  ASSERT_FALSE(points.empty());
  bool has_scales = false;
  for (const fs::path& point : points) {
    has_scales = has_scales || fs::exists(point / "quantization.json");
    ExpectSaved(point);
  }
  EXPECT_TRUE(has_scales);  // else nothing of 8 bits ran
}

// The knowledge base has the same points as the folders.
TEST_F(SessionPointsTest, PointsOfAKnowledgeBase) {
  const std::vector<fs::path> points = Tuned(QuantizeMode::kOff);
  const Session session(DigitsModel(),
                        {.bank = folder_ / "bank", .select = "fastest", .threads = 1});
  const auto same = std::ranges::find_if(points, [&](const fs::path& point) {
    return ReadPoint(point).record->plan_digest.ToHex() == session.plan_digest();
  });
  ASSERT_NE(same, points.end());
  const Session of_folder(DigitsModel(), {.point = *same, .threads = 1});
  const Tensor output = session.Run({{Digit(0)}}).at(0);
  const Tensor expected = of_folder.Run({{Digit(0)}}).at(0);
  EXPECT_EQ(std::memcmp(output.data(), expected.data(), output.size_bytes()), 0);
}

}  // namespace
}  // namespace halftone
