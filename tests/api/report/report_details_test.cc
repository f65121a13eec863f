// What reports show of the inside of the chosen point, on the shipped example.
#include "src/api/report/report_details.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "src/base/file.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::SourceDir;

class ReportDetailsTest : public ::testing::Test {
 protected:
  ReportDetailsTest() {
    const auto digits = SourceDir() / "examples/digits";
    options_.data = {.inputs = digits / "search_inputs.npy",
                     .labels = digits / "search_labels.npy",
                     .max_samples = 20};
    options_.modes = {"force_fp16", "allow_mix_precision"};
    options_.max_trials = 3;
    options_.operator_tuning = OperatorTuningMode::kOff;
    options_.measure = {.threads = 1, .quick_budget_s = 0.01, .full_budget_s = 0.02};
    options_.fail_if = {ParseGate("sqnr_db<1000")};
    model_ = LoadModel({.path = digits / "model.onnx", .inputs = options_.data.inputs});
  }

  ~ReportDetailsTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ = ::testing::TempDir() + "halftone_report_details_test_" +
                                  ::testing::UnitTest::GetInstance()->current_test_info()->name();
  TuneOptions options_;
  Model model_;
};

TEST_F(ReportDetailsTest, WithoutReportsNothingIsGathered) {
  const TuneSummary summary = Tune(model_, options_);
  EXPECT_FALSE(summary.insight.details);
  EXPECT_EQ(summary.fail_if, options_.fail_if) << "gates are judged all the same";
}

TEST_F(ReportDetailsTest, AgreesWithTheMeasurement) {
  options_.output = folder_;
  const TuneSummary summary = Tune(model_, options_);
  ASSERT_TRUE(summary.front.chosen);
  ASSERT_TRUE(summary.insight.details && summary.insight.details->chosen);
  const ChosenDetails& chosen = *summary.insight.details->chosen;
  const Measurement& measurement = summary.front.chosen_point().measurement();
  const MetricValue* sqnr = measurement.accuracy.Find("sqnr_db");
  ASSERT_EQ(chosen.worst_samples.size(), 10U);
  EXPECT_EQ(chosen.worst_samples[0].index, sqnr->worst_sample);
  EXPECT_DOUBLE_EQ(chosen.worst_samples[0].sqnr_db.value(), sqnr->worst);
  EXPECT_TRUE(std::ranges::is_sorted(chosen.worst_samples, {}, &SampleAtPoint::sqnr_db));
  EXPECT_TRUE(chosen.worst_samples[0].top1);
  EXPECT_EQ(chosen.error_samples[0], chosen.worst_samples[0].name);
  EXPECT_EQ(chosen.error_samples.size(), 4U);
  EXPECT_EQ(chosen.bad_below_db, 30);

  // Every node of the network once, by itself or in a step, but for the view, which no step makes.
  for (const Node& node : model_.graph.nodes) {
    const auto in_step = std::ranges::count_if(chosen.nodes, [&](const NodeAtPoint& row) {
      return row.node == node.name || std::ranges::count(row.parts, node.name) == 1;
    });
    EXPECT_EQ(in_step, node.name == "head/flatten" ? 0 : 1) << node.name;
  }
  EXPECT_TRUE(chosen.timed);
  const double sum =
      std::accumulate(chosen.nodes.begin(), chosen.nodes.end(), 0.0,
                      [](double all, const NodeAtPoint& node) { return all + node.float32_time; });
  // Medians of shares do not add up to 1 exactly.
  EXPECT_GT(sum, 0.5);
  EXPECT_LT(sum, 1.5);
}

TEST_F(ReportDetailsTest, SeesSamplesThatRepeatOrSayNothing) {
  const auto sample = [](std::vector<float> values) {
    return Sample{"", {Tensor::From<float>({3}, values)}};
  };
  Graph graph;
  graph.values.push_back({.name = "x", .type = {DType::kFloat32, {3}}, .constant = {}});
  graph.inputs = {0};
  const Dataset data(
      {sample({1, 2, 3}), sample({-4, 0.5F, 1}), sample({1, 2, 3}), sample({7, 7, 7})});
  const DataQuality quality = DataQualityOf(graph, data);
  ASSERT_EQ(quality.inputs.size(), 1U);
  EXPECT_EQ(quality.inputs[0].name, "x");
  EXPECT_EQ(quality.inputs[0].type, "float32 3");
  EXPECT_EQ(quality.inputs[0].least, -4);
  EXPECT_EQ(quality.inputs[0].largest, 7);
  EXPECT_EQ(quality.duplicates, 1);
  EXPECT_EQ(quality.constant, 1);
}

}  // namespace
}  // namespace halftone
