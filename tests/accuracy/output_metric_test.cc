// Labels and metrics of one output of several.
#include <gtest/gtest.h>

#include <cmath>

#include "src/accuracy/metrics.h"

namespace halftone {
namespace {

Tensor Row(std::vector<float> values) {
  return Tensor::From<float>({1, static_cast<std::int64_t>(values.size())}, values);
}

// Two outputs of as many rows and classes: only a name says which one the labels are of.
class NamedOutputTest : public ::testing::Test {
 protected:
  const std::vector<Tensor> reference_ = {Row({1, 2, 3}), Row({3, 2, 1})};
  const std::vector<Tensor> actual_ = {Row({1, 2, 3.5}), Row({1, 2, 1})};
  const std::vector<std::int64_t> labels_ = {0};

  [[nodiscard]] SampleOutputs Outputs(std::optional<std::size_t> class_output) const {
    return {.reference = reference_,
            .actual = actual_,
            .labels = labels_,
            .class_output = class_output};
  }
};

TEST_F(NamedOutputTest, LabelsAreOfTheNamedOutput) {
  const SampleView first(Outputs(0));
  const SampleView second(Outputs(1));
  EXPECT_EQ(FindMetric("top1_agreement")->of_sample(first), 1);
  EXPECT_EQ(FindMetric("top1_agreement")->of_sample(second), 0);
  EXPECT_EQ(FindMetric("top1")->of_sample(first), 0);
  EXPECT_EQ(FlipsOf(Outputs(0))->lost, 0);
  EXPECT_EQ(FlipsOf(Outputs(1))->lost, 1);  // float32 finds class 0
  EXPECT_EQ(ClassOutput(Outputs(std::nullopt)), 0);
  const std::vector<std::int64_t> too_many = {0, 1};
  SampleOutputs outputs = Outputs(1);
  outputs.labels = too_many;
  EXPECT_EQ(ClassOutput(outputs), std::nullopt);
  EXPECT_EQ(FindMetric("top1")->of_sample(SampleView(outputs)), std::nullopt);
}

TEST_F(NamedOutputTest, AMetricOfOneOutputIsThatOfANetworkWithNoOther) {
  for (const MetricRow& row : AllMetrics()) {
    for (const std::size_t output : {0U, 1U}) {
      const OutputMetric metric{.name = "", .row = &row, .output = output};
      EXPECT_EQ(metric.OfSample(Outputs(output)),
                row.of_sample(SampleView({.reference = {&reference_[output], 1},
                                          .actual = {&actual_[output], 1},
                                          .labels = labels_})))
          << row.name << ", output " << output;
    }
  }
  const OutputMetric top1{.name = "", .row = FindMetric("top1"), .output = 0};
  EXPECT_EQ(top1.OfSample(Outputs(1)), std::nullopt);  // the labels are of the other one
}

TEST_F(NamedOutputTest, ItIsTheUsersOwnBesideThoseOfAllOutputs) {
  const OutputMetric metric{.name = "v:0:sqnr_db", .row = FindMetric("sqnr_db"), .output = 0};
  AccuracyAccumulator accumulator(kAllValues, &metric);
  accumulator.Add(Outputs(1));
  accumulator.Add({.reference = reference_, .actual = reference_, .labels = {}});
  const Accuracy accuracy = accumulator.Finish();
  const MetricValue* own = accuracy.FindOwn();
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->name, "v:0:sqnr_db");
  // Power 14, error 1/4; the other sample is exact. Decibels are averaged as noise powers.
  const double db = 10 * std::log10(14 / 0.25);
  EXPECT_NEAR(own->worst, db, 1e-12);
  EXPECT_EQ(own->worst_sample, 0);
  EXPECT_NEAR(own->mean, db + 10 * std::log10(2.0), 1e-12);
  EXPECT_LT(accuracy.Find("sqnr_db")->worst, own->worst);
  ASSERT_EQ(own->values.size(), 2U);
  const std::optional<Interval> interval = MeanInterval(*own);
  ASSERT_TRUE(interval.has_value());
  EXPECT_NEAR(interval->low, db, 1e-12);  // on the scale of decibels: the row's of "sqnr_db"
}

TEST(RowOfValueTest, StandsBehindTheOutput) {
  EXPECT_EQ(RowOfValue("top1"), FindMetric("top1"));
  EXPECT_EQ(RowOfValue("a:b:top1"), FindMetric("top1"));
  EXPECT_EQ(RowOfValue("a:nothing"), nullptr);
  EXPECT_EQ(RowOfValue("command:top1"), nullptr);
  EXPECT_FALSE(IsOwnMetric("top1"));
  EXPECT_TRUE(IsOwnMetric("a:top1"));
  EXPECT_TRUE(IsOwnMetric("command:top1"));
}

}  // namespace
}  // namespace halftone
