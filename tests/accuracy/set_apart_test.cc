#include "src/accuracy/set_apart.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "src/accuracy/metrics.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

constexpr float kMost = std::numeric_limits<float>::max();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kMostFloat16 = 65504;

Tensor Row(const std::vector<float>& values) {
  return Tensor::From<float>({1, static_cast<std::int64_t>(values.size())}, values);
}

double FromIn(const std::vector<float>& values) {
  return SetApartIn(Row(values)).from;
}

bool IsApart(const std::vector<float>& values, float element) {
  return SetApartIn(Row(values)).Holds(element);
}

std::optional<double> Metric(std::string_view name, const std::vector<float>& reference,
                             const std::vector<float>& actual) {
  const std::vector<Tensor> want = {Row(reference)};
  const std::vector<Tensor> got = {Row(actual)};
  return FindMetric(name)->of_sample(SampleView({.reference = want, .actual = got, .labels = {}}));
}

std::vector<OutputCounts> CountsOf(const std::vector<float>& reference,
                                   const std::vector<float>& actual) {
  const std::vector<Tensor> want = {Row(reference)};
  const std::vector<Tensor> got = {Row(actual)};
  return MetricsOf({.reference = want, .actual = got, .labels = {}}).outputs;
}

TEST(SetApart, SentinelsOfEachKindInUseAre) {
  EXPECT_TRUE(IsApart({1, -2, 3, -kMost}, -kMost));
  EXPECT_TRUE(IsApart({1, -2, 3, -1e9F}, -1e9F));
  EXPECT_TRUE(IsApart({1, -2, 3, -kMostFloat16}, -kMostFloat16));
  EXPECT_TRUE(IsApart({1, -2, 3, -10001, -9997, -9999.5F, -10003}, -9997));
  EXPECT_FALSE(IsApart({1, -2, 3, -10001, -9997, -9999.5F, -10003}, 3));
}

TEST(SetApart, MostOfTheElementsMayBe) {
  std::vector<float> logits(1000, -kMost);
  logits[7] = 2;
  logits[9] = -1;
  EXPECT_TRUE(IsApart(logits, -kMost));
  EXPECT_FALSE(IsApart(logits, 2));
}

TEST(SetApart, OneSentinelHidesNoOther) {
  const std::vector<float> logits = {1, 20, -1e9F, -1e9F, -kMost};
  EXPECT_TRUE(IsApart(logits, -1e9F));
  EXPECT_TRUE(IsApart(logits, -kMost));
  EXPECT_FALSE(IsApart(logits, 20));
}

TEST(SetApart, NothingIsWhereNothingElseIsThere) {
  EXPECT_EQ(FromIn({-kMost}), kInf);
  EXPECT_EQ(FromIn({-kMost, -kMost, -kMost}), kInf);
  EXPECT_EQ(FromIn({0, 0, 0, 1e9F}), kInf);
  EXPECT_EQ(FromIn({}), kInf);
  EXPECT_EQ(FromIn({0, 0}), kInf);
  EXPECT_EQ(FromIn({kInf, -kInf, kNan}), kInf);
  EXPECT_EQ(FromIn({kInf, 1, kNan}), kInf);
}

TEST(SetApart, WhatIsSmallOrOrdinaryIsNot) {
  EXPECT_EQ(FromIn({1, 1e-20F, 1e-21F, 1e-22F}), kInf);            // a Softmax
  EXPECT_EQ(FromIn({0.5F, 4000, 4000, 4000, 4000}), kInf);         // below the least sentinel
  EXPECT_EQ(FromIn({1, 2, 10000}), kInf);                          // one alone may be an outlier
  EXPECT_EQ(FromIn({0.5F, 100, 800, 6400, 51200, 400000}), kInf);  // no gap
  EXPECT_EQ(FromIn({0.01F, 1e5F, 8e5F, 5e5F, 1e6F, 3e6F}), kInf);  // spread out, not one number
}

// A Cauchy tail, which has no mean, at a scale where every element is as large as a sentinel. For
// each output the chance is 1e-6 for each place of a gap, so of 2000 outputs none is taken.
TEST(SetApart, OutliersOfHeavyTailsAreNot) {
  Rng rng(5);
  for (int output = 0; output < 2000; ++output) {
    std::vector<float> values;
    for (int i = 0; i < 64; ++i) {
      values.push_back(static_cast<float>(1e5 / (1 - rng.Uniform()) * (i % 2 == 0 ? 1 : -1)));
    }
    EXPECT_EQ(FromIn(values), kInf) << "output " << output;
  }
}

TEST(SetApart, TheOthersDecideTheMetrics) {
  // Power 25 and error 1 beside the sentinel: 10 log10(25).
  EXPECT_NEAR(*Metric("sqnr_db", {3, 4, -kMost}, {3, 5, -kMost}), 13.979400086720376, 1e-12);
  EXPECT_NEAR(*Metric("rel_l2", {3, 4, -kMost}, {3, 5, -kMost}), 0.2, 1e-15);
  EXPECT_NEAR(*Metric("cosine", {3, 4, -kMost}, {4, 3, -kMost}), 0.96, 1e-15);
  EXPECT_EQ(*Metric("max_abs", {3, 4, -kMost}, {3, 5, -kMost}), 1);
}

// Never better than all elements together: a sum of errors over a sum of powers lies between both.
TEST(SetApart, WhatIsApartCountsWhereItIsWorse) {
  const std::vector<float> reference = {4, 3, -1e9F};
  EXPECT_NEAR(*Metric("sqnr_db", reference, {4, 3, -0.5e9F}), 20 * std::log10(2.0), 1e-12);
  EXPECT_EQ(CountsOf(reference, {4, 3, -0.5e9F})[0].apart_changed, 1);
  // A sentinel that is an ordinary number now.
  EXPECT_NEAR(*Metric("sqnr_db", reference, {4, 3, 1}), 20 * std::log10(5 / (1e9 + 1)), 1e-6);
}

TEST(SetApart, TheEndOfASaturatingTypeIsAnEvent) {
  EXPECT_EQ(*Metric("rel_l2", {3, 4, -kMost}, {3, 4, -kMostFloat16}), 0);
  EXPECT_EQ(*Metric("rel_l2", {3, 4, -kInf}, {3, 4, -kMostFloat16}), 0);
  EXPECT_NEAR(*Metric("rel_l2", {3, 4, -kInf}, {3, 5, -kMostFloat16}), 0.2, 1e-15);
  EXPECT_EQ(*Metric("sqnr_db", {3, 4, -kInf}, {3, 4, -kMostFloat16}), kMostInexactDb);
  EXPECT_EQ(CountsOf({3, 4, -kInf}, {3, 4, -kMostFloat16})[0].saturated, 1);
  EXPECT_EQ(CountsOf({3, 4, -kMost}, {3, 4, -kMostFloat16})[0].apart_saturated, 1);
  // Another number, or the other end, is broken.
  EXPECT_EQ(*Metric("sqnr_db", {3, 4, -kInf}, {3, 4, -65000}), -kExactSqnrDb);
  EXPECT_EQ(*Metric("sqnr_db", {3, 4, -kInf}, {3, 4, kMostFloat16}), -kExactSqnrDb);
}

TEST(SetApart, SquaresBeyondADoubleAreFinite) {
  const double reference[] = {3e200, 4e200, 0};
  const double actual[] = {3e200, 5e200, 0};
  const std::vector<Tensor> want = {Tensor::From<double>({3}, std::span<const double>(reference))};
  const std::vector<Tensor> got = {Tensor::From<double>({3}, std::span<const double>(actual))};
  const SampleView view({.reference = want, .actual = got, .labels = {}});
  EXPECT_NEAR(*FindMetric("rel_l2")->of_sample(view), 0.2, 1e-15);
}

TEST(Exact, IsOfEqualBitsOnly) {
  EXPECT_EQ(*Metric("sqnr_db", {3, 4}, {3, 4}), kExactSqnrDb);
  EXPECT_EQ(*Metric("sqnr_db", {0, 4}, {-0.0F, 4}), kMostInexactDb);
  EXPECT_EQ(*Metric("sqnr_db", {1, 1e-12F}, {1, 1.1e-12F}), kMostInexactDb);
  EXPECT_EQ(*Metric("sqnr_db", {-kMost, 4, 3}, {-kMost, 4, 3}), kExactSqnrDb);
}

// Accumulates samples of one output each.
Accuracy Over(const std::vector<std::pair<std::vector<float>, std::vector<float>>>& samples) {
  AccuracyAccumulator accumulator;
  for (const auto& [reference, actual] : samples) {
    const std::vector<Tensor> want = {Row(reference)};
    const std::vector<Tensor> got = {Row(actual)};
    accumulator.Add(SampleOutputs{.reference = want, .actual = got, .labels = {}});
  }
  return accumulator.Finish();
}

TEST(Exact, AMeanIsWhereEverySampleIs) {
  std::vector<std::pair<std::vector<float>, std::vector<float>>> samples(
      997, {{1, 1e-12F}, {1, 1e-12F}});
  EXPECT_EQ(Over(samples).Mean("sqnr_db"), kExactSqnrDb);
  samples.push_back({{1, 1e-12F}, {1, 1.1e-12F}});
  EXPECT_LT(Over(samples).Mean("sqnr_db"), kExactSqnrDb);
}

TEST(NothingCompared, HasNoValueAndASentence) {
  for (const char* metric : {"sqnr_db", "rel_l2", "cosine", "max_abs"}) {
    EXPECT_EQ(Metric(metric, {kNan, kNan}, {kNan, kNan}), std::nullopt) << metric;
    EXPECT_EQ(Metric(metric, {-kInf}, {-kInf}), std::nullopt) << metric;
    EXPECT_EQ(Metric(metric, {}, {}), std::nullopt) << metric;
  }
  Accuracy accuracy = Over({{{kNan, kNan}, {kNan, kNan}}});
  accuracy.outputs[0].name = "y";
  EXPECT_EQ(JudgingNotes(accuracy.outputs),
            std::vector<std::string>{"output 'y': nothing was compared: float32 makes all elements "
                                     "of 1 sample infinite or NaN"});
  accuracy = Over({{{}, {}}});
  accuracy.outputs[0].name = "y";
  EXPECT_EQ(JudgingNotes(accuracy.outputs),
            std::vector<std::string>{"output 'y': nothing was compared: it has no elements"});
}

TEST(JudgingNotes, SayWhatIsApartAndWhetherItIsPreserved) {
  Accuracy accuracy = Over({{{3, 4, -kMost, -kMost}, {3, 5, -kMost, -kMostFloat16}},
                            {{3, 4, -kInf, 1}, {3, 5, -kMostFloat16, 1}}});
  accuracy.outputs[0].name = "logits";
  accuracy.outputs[0].node = "head";
  EXPECT_EQ(JudgingNotes(accuracy.outputs),
            (std::vector<std::string>{
                "output 'logits' of node 'head': 2 of 8 elements are far beyond the others in "
                "float32 (up to -3.403e+38) and judged apart, so that they hide no error of the "
                "others: 1 is preserved, 1 is the largest finite number of a type (saturated)",
                "output 'logits' of node 'head': 1 of 8 elements are infinite in float32 and the "
                "largest finite number of a type here (saturated); the accuracy figures leave them "
                "out"}));
}

TEST(JudgingNotes, AreEmptyForOrdinaryOutputs) {
  EXPECT_TRUE(JudgingNotes(Over({{{3, 4}, {3, 5}}}).outputs).empty());
}

}  // namespace
}  // namespace halftone
