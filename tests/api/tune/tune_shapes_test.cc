// One search for several input shapes of a network.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/api/shape_profiles.h"
#include "src/base/file.h"
#include "src/base/rng.h"
#include "tests/support/image_samples.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using ::halftone::testing::ModelWriter;
using ::halftone::testing::SmallNumbers;
using ::halftone::testing::WriteImageSample;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two convolutions over images of any size, and the mean of their pixels.
std::filesystem::path Images() {
  Rng rng(7);
  ModelWriter writer;
  writer.Input("x", {-1, 8, -1, -1});
  writer.Floats("w0", {16, 8, 3, 3}, SmallNumbers(16 * 8 * 9, rng));
  writer.Node("Conv", "conv0", {"x", "w0"}, {"c0"});
  writer.Node("Relu", "relu", {"c0"}, {"r"});
  writer.Floats("w1", {12, 16, 3, 3}, SmallNumbers(12 * 16 * 9, rng));
  writer.Node("Conv", "conv1", {"r", "w1"}, {"c1"});
  writer.Node("GlobalAveragePool", "pool", {"c1"}, {"y"});
  writer.Output("y");
  return writer.Save();
}

class TuneShapesTest : public ::testing::Test {
 protected:
  TuneShapesTest() {
    options_.data.inputs = folder_.string();
    options_.modes = {"must_keep_origin_dtype", "force_fp16", "allow_mix_precision"};
    options_.max_trials = 4;
    options_.operator_tuning = OperatorTuningMode::kOff;
    options_.measure = {.threads = 1, .quick_budget_s = 0.01, .full_budget_s = 0.02};
  }

  ~TuneShapesTest() override { std::filesystem::remove_all(folder_); }

  void AddSample(int number, const Shape& shape) { WriteImageSample(folder_, number, shape); }

  [[nodiscard]] TuneSummary Search(const std::vector<std::string>& shapes) const {
    return Tune(LoadSampleProfiles({.path = path_}, shapes, options_.data), options_);
  }

  [[nodiscard]] std::string Refusal(const std::vector<std::string>& shapes) const {
    try {
      static_cast<void>(Search(shapes));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path path_ = Images();
  std::filesystem::path folder_ = path_.parent_path();
  TuneOptions options_;
  const std::vector<std::string> shapes_ = {"x:1,8,12,12", "x:1,8,20,16"};
};

TEST_F(TuneShapesTest, LatencyIsTheWeightedMeanAndAccuracyThatOfAllSamples) {
  AddSample(0, {1, 8, 12, 12});
  AddSample(1, {1, 8, 20, 16});
  AddSample(2, {1, 8, 12, 12});
  options_.output = folder_ / "out";
  options_.shape_weights = {1, 4};
  const TuneSummary summary = Search(shapes_);
  EXPECT_EQ(summary.run.input_shapes, "x:1,8,12,12 | x:1,8,20,16");
  EXPECT_EQ(summary.run.sample_count, 3);
  ASSERT_EQ(summary.run.shapes.size(), 2U);
  EXPECT_EQ(summary.run.shapes[0].sample_count, 2);
  EXPECT_EQ(summary.run.shapes[1].weight, 4);
  ASSERT_FALSE(summary.front.points.empty());
  for (const FrontPoint& point : summary.front.points) {
    ASSERT_EQ(point.by_shape.size(), 2U);
    const Latency& small = point.by_shape[0].latency;
    const Latency& large = point.by_shape[1].latency;
    const Latency& mean = point.measurement().latency;
    EXPECT_DOUBLE_EQ(mean.anchor_median_s, (small.anchor_median_s + 4 * large.anchor_median_s) / 5);
    EXPECT_DOUBLE_EQ(mean.ratio, (small.ratio * small.anchor_median_s +
                                  4 * large.ratio * large.anchor_median_s) /
                                     (small.anchor_median_s + 4 * large.anchor_median_s));
    const MetricValue* sqnr = point.measurement().accuracy.Find("sqnr_db");
    ASSERT_NE(sqnr, nullptr);
    EXPECT_EQ(sqnr->values.size(), 3U);
    EXPECT_EQ(sqnr->worst, std::min(point.by_shape[0].accuracy.Find("sqnr_db")->worst,
                                    point.by_shape[1].accuracy.Find("sqnr_db")->worst));
    EXPECT_EQ(sqnr->worst_sample_name,
              sqnr->worst_sample == 2 ? "test_data_set_1"
                                      : fmt::format("test_data_set_{}", 2 * sqnr->worst_sample));
  }
  const auto json = nlohmann::json::parse(ReadFile(folder_ / "out/front.json"));
  EXPECT_EQ(json.at("model").at("shapes").size(), 2U);
  EXPECT_EQ(json.at("front").at(0).at("by_shape").size(), 2U);
  EXPECT_THAT(ReadFile(folder_ / "out/report.md"), HasSubstr("By input shape, at "));
  EXPECT_THAT(ReadFile(folder_ / "out/point_1/arguments.txt"),
              HasSubstr("--input_shape=x:1,8,12,12\n--input_shape=x:1,8,20,16\n"));
}

// The point is that of a run at these shapes by its files.
TEST_F(TuneShapesTest, AccuracyIsThatOfTheShapesAlone) {
  AddSample(0, {1, 8, 12, 12});
  AddSample(1, {1, 8, 20, 16});
  const TuneSummary summary = Search(shapes_);
  const FrontPoint& fastest = summary.front.points.front();
  const std::vector<RunResult> alone = RunShapeProfiles(
      LoadShapeProfiles({.path = path_}, shapes_),
      {LoadTarget("host"), fastest.trial.candidate.options, options_.data}, options_.measure);
  ASSERT_EQ(fastest.by_shape.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(fastest.by_shape[i].accuracy.Mean("rel_l2"),
              alone[i].measurement.accuracy.Mean("rel_l2"))
        << i;
  }
}

TEST_F(TuneShapesTest, HeldOutSamplesAreThoseOfEveryShape) {
  for (int i = 0; i < 24; ++i) {
    AddSample(i, i % 4 == 3 ? Shape{1, 8, 20, 16} : Shape{1, 8, 12, 12});
  }
  const TuneSummary summary = Search(shapes_);
  EXPECT_EQ(summary.run.sample_count + summary.run.heldout_count, 24);
  EXPECT_GE(summary.run.heldout_count, 4);
  EXPECT_EQ(summary.run.shapes[1].weight, 6);
  for (const FrontPoint& point : summary.front.points) {
    ASSERT_TRUE(point.heldout);
    EXPECT_EQ(std::ssize(point.heldout->Find("rel_l2")->values), summary.run.heldout_count);
  }
}

TEST_F(TuneShapesTest, TheKnowledgeBaseKnowsShapesAndWeights) {
  AddSample(0, {1, 8, 12, 12});
  AddSample(1, {1, 8, 20, 16});
  options_.bank = folder_ / "bank";
  const TuneSummary first = Search(shapes_);
  EXPECT_GT(first.search.measured, 0U);
  const TuneSummary again = Search(shapes_);
  EXPECT_EQ(again.search.measured, 0U) << again.search.stop_reason;
  EXPECT_EQ(again.front.points.size(), first.front.points.size());
  options_.shape_weights = {3, 1};
  EXPECT_GT(Search(shapes_).search.measured, 0U) << "other weights are another workload";
  options_.shape_weights = {};
  EXPECT_GT(Search({shapes_[1], shapes_[0]}).search.measured, 0U);
}

TEST_F(TuneShapesTest, WeightsThatDoNotFitAreRefused) {
  AddSample(0, {1, 8, 12, 12});
  AddSample(1, {1, 8, 20, 16});
  options_.shape_weights = {1};
  EXPECT_EQ(Refusal(shapes_),
            "--shape_weights=1: expected a number above 0 for each input shape, which are 2: "
            "x:1,8,12,12 | x:1,8,20,16");
  options_.shape_weights = {1, -2};
  EXPECT_THAT(Refusal(shapes_), HasSubstr("--shape_weights=1,-2: expected a number above 0"));
}

TEST_F(TuneShapesTest, ShapesOfSamplesGroupThem) {
  AddSample(0, {1, 8, 20, 16});
  AddSample(1, {1, 8, 12, 12});
  AddSample(2, {2, 8, 20, 16});  // two samples of the first shape
  AddSample(3, {1, 8, 12, 12});
  AddSample(4, {1, 7, 12, 12});  // no input of this network
  const ModelOptions model{.path = path_, .inputs = options_.data.inputs};
  EXPECT_THAT(ShapesOfSamples(model, options_.data), ElementsAre("x:1,8,20,16", "x:1,8,12,12"));
  EXPECT_THAT(ShapesOfSamples(model, {}), ElementsAre(""));
  for (int i = 0; i < 17; ++i) {
    AddSample(10 + i, {1, 8, 30, 10 + i});
  }
  try {
    static_cast<void>(ShapesOfSamples(model, options_.data));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the samples have more than 16 input shapes"));
    EXPECT_THAT(error.what(), HasSubstr("choose some with --input_shape"));
  }
}

}  // namespace
}  // namespace halftone
