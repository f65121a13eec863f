// What reports show of the inside of the chosen point, on the shipped example.
#include "src/api/report/report_details.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "search/measure/roofline.h"
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

// digits is a chain with one residual, which is added in the step of block1/conv2.
TEST_F(ReportDetailsTest, StepsKnowWhatMakesTheirOperands) {
  options_.output = folder_;
  const TuneSummary summary = Tune(model_, options_);
  ASSERT_TRUE(summary.insight.details && summary.insight.details->chosen);
  const std::vector<NodeAtPoint>& nodes = summary.insight.details->chosen->nodes;
  std::optional<std::size_t> before;
  std::size_t steps = 0;
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    const NodeAtPoint& node = nodes[place];
    if (node.dtype == "-") {
      continue;
    }
    std::vector<std::size_t> expected;
    if (before) {
      expected.push_back(*before);
    }
    if (std::ranges::count(node.parts, "block1/add") > 0 || node.node == "block1/add") {
      expected.push_back(*before - 1);
    }
    EXPECT_THAT(node.inputs, ::testing::UnorderedElementsAreArray(expected)) << node.node;
    before = place;
    ++steps;
  }
  EXPECT_GT(steps, 5U);
}

// No point meets it: what is inside the nearest one is there.
TEST_F(ReportDetailsTest, DescribesTheNearestPointWhereNoneIsChosen) {
  options_.output = folder_;
  options_.constraints.max_latency_ratio = 1e-6;
  const TuneSummary summary = Tune(model_, options_);
  ASSERT_FALSE(summary.front.chosen);
  ASSERT_TRUE(summary.insight.details && summary.insight.details->chosen);
  EXPECT_FALSE(summary.insight.details->chosen->nodes.empty());
  EXPECT_EQ(summary.front.described(), summary.front.nearest.front());
}

// Its nodes are not timed on this CPU.
TEST_F(ReportDetailsTest, TimesOfAnotherTargetArePredicted) {
  options_.output = folder_;
  options_.target.soc_version = "Ascend310P3";
  const TuneSummary summary = Tune(model_, options_);
  ASSERT_TRUE(summary.insight.details && summary.insight.details->chosen);
  const ChosenDetails& chosen = *summary.insight.details->chosen;
  EXPECT_TRUE(chosen.timed && chosen.predicted);
  double sum = chosen.cast_time;
  double float32 = 0;
  for (const NodeAtPoint& node : chosen.nodes) {
    sum += node.time;
    float32 += node.float32_time;
  }
  // A roofline adds up, with the casts of the anchor; the view head/flatten, which is no step, has
  // its share too.
  const TargetSpec target = LoadTarget(options_.target);
  const Roofline roofline(target);
  const StepTimes anchor = roofline.StepsOf(model_.graph, AnchorOf(model_.graph, target).plan,
                                            roofline.AnchorSeconds(model_.graph));
  EXPECT_NEAR(anchor.total, 1, 1e-9);
  double casts = 0;
  for (const auto& [elements, time] : anchor.casts) {
    casts += time;
  }
  EXPECT_LE(float32, 1 - casts + 1e-9);
  EXPECT_GT(float32, 0.99 - casts);
  EXPECT_LE(sum, chosen.total_time + 1e-9);
  EXPECT_GT(sum, chosen.total_time - 0.01);
  EXPECT_THAT(ReadFile(std::filesystem::path(folder_) / "report.html"),
              ::testing::HasSubstr("Where the time would go"));
}

// A budget that is spent leaves parts out and says which.
TEST_F(ReportDetailsTest, PartsWithoutTimeAreNamed) {
  const TargetSpec target = LoadTarget("host");
  const Dataset data = LoadDataset(model_.graph, options_.data);
  const CompileOptions compile;
  FrontPoint point;
  point.trial.candidate.options.precision_mode = "force_fp16";
  options_.output = folder_;
  const auto details_in = [&](double seconds) {
    return DetailsFor({.model = model_,
                       .target = target,
                       .data = data,
                       .options = options_,
                       .compile = compile,
                       .latency = *HostClock(),
                       .costs = {.compile_s = 1, .pass_s = 10},
                       .seconds_left = [=] { return seconds; }},
                      &point);
  };
  const GatheredDetails none = details_in(21);
  EXPECT_TRUE(none.details->chosen->nodes.empty());
  ASSERT_EQ(none.warnings.size(), 1U);
  EXPECT_THAT(none.warnings[0],
              ::testing::HasSubstr("no worst samples, no errors of operators, no times of "
                                   "operators: the budget left no time for them"));
  const GatheredDetails all = details_in(1000);
  EXPECT_TRUE(all.warnings.empty());
  EXPECT_TRUE(all.details->chosen->timed);
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
