#include "src/accuracy/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor Floats(Shape shape, std::vector<float> values) {
  return Tensor::From<float>(std::move(shape), values);
}

Tensor Row(std::vector<float> values) {
  return Floats({1, static_cast<std::int64_t>(values.size())}, values);
}

std::optional<double> Metric(std::string_view name, std::vector<Tensor> reference,
                             std::vector<Tensor> actual, std::vector<std::int64_t> labels = {}) {
  return FindMetric(name)->of_sample(
      SampleView({.reference = reference, .actual = actual, .labels = labels}));
}

struct Case {
  const char* name;
  const char* metric;
  std::vector<float> reference;
  std::vector<float> actual;
  std::optional<double> expected;
};

class MetricTest : public ::testing::TestWithParam<Case> {};

TEST_P(MetricTest, MatchesTheValueComputedByHand) {
  const Case& param = GetParam();
  const auto got = Metric(param.metric, {Row(param.reference)}, {Row(param.actual)});
  ASSERT_EQ(got.has_value(), param.expected.has_value());
  if (got) {
    // The data are small whole numbers, the sums exact: what is left is one log, root and division.
    EXPECT_NEAR(*got, *param.expected, 1e-13 * std::max(1.0, std::abs(*param.expected)));
  }
}

const Case kCases[] = {
    // Power 25, error 1: 10 log10(25).
    {"SqnrOneOff", "sqnr_db", {3, 4}, {3, 5}, 13.979400086720376},
    {"SqnrHundredth", "sqnr_db", {10, 0}, {9, 0}, 20.0},
    {"SqnrWorseThanNothing", "sqnr_db", {1, 0}, {1, 10}, -20.0},
    {"SqnrEqual", "sqnr_db", {3, 4}, {3, 4}, kExactSqnrDb},
    {"SqnrZerosEqual", "sqnr_db", {0, 0}, {0, 0}, kExactSqnrDb},
    {"SqnrZerosDiffer", "sqnr_db", {0, 0}, {0, 1}, std::nullopt},
    {"SqnrOverflow", "sqnr_db", {1, 2}, {1, kInf}, -kExactSqnrDb},
    {"SqnrNan", "sqnr_db", {1, 2}, {kNan, 2}, -kExactSqnrDb},
    {"SqnrSameInfinity", "sqnr_db", {10, -kInf}, {9, -kInf}, 20.0},
    {"SqnrOtherInfinity", "sqnr_db", {10, -kInf}, {10, kInf}, -kExactSqnrDb},
    {"SqnrInfinityLost", "sqnr_db", {10, -kInf}, {10, -60000}, -kExactSqnrDb},
    {"SqnrNoNegativeZero", "sqnr_db", {1, 0}, {0, 0}, 0.0},
    {"RelL2OneFifth", "rel_l2", {3, 4}, {3, 5}, 0.2},
    {"RelL2Equal", "rel_l2", {3, 4}, {3, 4}, 0.0},
    {"RelL2ZerosDiffer", "rel_l2", {0, 0}, {0, 1}, std::nullopt},
    {"RelL2Overflow", "rel_l2", {1}, {kInf}, 1e10},
    {"CosineRightAngle", "cosine", {1, 0}, {0, 1}, 0.0},
    {"CosineOpposite", "cosine", {1, 2}, {-1, -2}, -1.0},
    {"CosineScaled", "cosine", {3, 4}, {6, 8}, 1.0},
    {"CosineHalf", "cosine", {3, 4}, {4, 3}, 0.96},
    {"CosineLost", "cosine", {3, 4}, {0, 0}, 0.0},
    {"CosineZerosEqual", "cosine", {0, 0}, {0, 0}, 1.0},
    {"CosineZerosDiffer", "cosine", {0, 0}, {1, 0}, std::nullopt},
    {"CosineNan", "cosine", {1, 2}, {1, kNan}, -1.0},
    {"MaxAbsNegative", "max_abs", {1, 5, 2}, {2, 2, 2}, 3.0},
    {"MaxAbsZerosDiffer", "max_abs", {0, 0}, {0, 1}, 1.0},
    {"MaxAbsOverflow", "max_abs", {1}, {kInf}, std::numeric_limits<float>::max()},
    {"AgreementSame", "top1_agreement", {1, 5, 2}, {0, 3, 2}, 1.0},
    {"AgreementOther", "top1_agreement", {1, 5, 2}, {0, 3, 4}, 0.0},
    {"AgreementTieIsLowest", "top1_agreement", {1, 5, 5}, {0, 3, 2}, 1.0},
    {"AgreementTieInActual", "top1_agreement", {1, 5, 2}, {3, 3, 3}, 0.0},
    {"AgreementNan", "top1_agreement", {5, 1, 2}, {kNan, 1, 2}, 0.0},
    {"AgreementOneClass", "top1_agreement", {5}, {4}, std::nullopt},
    {"Top1WithoutLabels", "top1", {1, 5, 2}, {0, 3, 2}, std::nullopt},
};

// --output_type=UINT8 makes the judged output integers: the reference says which output is judged.
TEST(Top1, CountsLabelsOnOutputsOfIntegers) {
  const std::vector<std::uint8_t> classes = {0, 1, 0};
  const std::vector<Tensor> actual = {
      Tensor::From<std::uint8_t>({1, 3}, std::span<const std::uint8_t>(classes))};
  EXPECT_EQ(Metric("top1", {Row({0.1F, 0.8F, 0.1F})}, actual, {1}), 1.0);
  EXPECT_EQ(Metric("top1", {Row({0.1F, 0.8F, 0.1F})}, actual, {0}), 0.0);
}

INSTANTIATE_TEST_SUITE_P(ByHand, MetricTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(MetricsOfSeveralOutputs, TheWorstFloatingOutputCounts) {
  const std::int64_t integers[] = {1, 2};
  const Tensor ids = Tensor::From<std::int64_t>({2}, integers);
  const std::vector<Tensor> reference = {ids, Row({10, 0}), Row({1, 2})};
  const std::vector<Tensor> actual = {ids, Row({9, 0}), Row({1, 2})};
  EXPECT_DOUBLE_EQ(*Metric("sqnr_db", reference, actual), 20.0);
  EXPECT_DOUBLE_EQ(*Metric("rel_l2", reference, actual), 0.1);
  EXPECT_DOUBLE_EQ(*Metric("max_abs", reference, actual), 1.0);
  EXPECT_EQ(Metric("sqnr_db", {ids}, {ids}), std::nullopt);
}

TEST(MetricsOfSeveralOutputs, HalfOutputsAreComparedByValue) {
  const Tensor reference = Row({1, 2, 3});
  EXPECT_EQ(Metric("sqnr_db", {reference}, {Convert(reference, DType::kFloat16)}), kExactSqnrDb);
}

TEST(Top1, CountsLabelledRowsOnly) {
  const Tensor logits = Floats({4, 3}, {0, 1, 2, 2, 1, 0, 0, 9, 0, 1, 1, 1});
  EXPECT_EQ(Metric("top1", {logits}, {logits}, {2, 0, 1, 0}), 1.0);  // the tie is class 0
  EXPECT_EQ(Metric("top1", {logits}, {logits}, {2, 1, 1, -100}), 2.0 / 3);
  EXPECT_EQ(Metric("top1", {logits}, {logits}, {-1, -1, -1, -1}), std::nullopt);
  EXPECT_EQ(Metric("top1", {logits}, {logits}, {0, 1}), std::nullopt);  // no output has two rows
}

TEST(Top1, LooksAtTheOutputWithAsManyRowsAsLabels) {
  const Tensor map = Floats({2, 2}, {1, 0, 0, 1});
  const Tensor logits = Row({0, 0, 7});
  EXPECT_EQ(Metric("top1", {map, logits}, {map, logits}, {2}), 1.0);
  EXPECT_EQ(Metric("top1", {map, logits}, {map, logits}, {0, 1}), 1.0);
}

TEST(ClassAxisTest, IsTheLastLongerThanOne) {
  EXPECT_EQ(ClassAxis({1, 1000, 1, 1}), 1);
  EXPECT_EQ(ClassAxis({1, 10}), 1);
  EXPECT_EQ(ClassAxis({4, 7, 512}), 2);
  EXPECT_EQ(ClassAxis({8, 1}), 0);
  EXPECT_EQ(ClassAxis({1, 1}), std::nullopt);
  EXPECT_EQ(ClassAxis({}), std::nullopt);
}

struct RandomPair {
  Tensor reference;
  Tensor actual;
};

RandomPair RandomOutputs(Rng& rng, double noise) {
  std::vector<float> reference(257);
  std::vector<float> actual(257);
  for (std::size_t i = 0; i < reference.size(); ++i) {
    reference[i] = static_cast<float>(rng.Normal());
    actual[i] = static_cast<float>(reference[i] + noise * rng.Normal());
  }
  return {Row(reference), Row(actual)};
}

Tensor Scaled(const Tensor& tensor, float factor) {
  std::vector<float> values(tensor.values<float>().begin(), tensor.values<float>().end());
  for (float& value : values) {
    value *= factor;
  }
  return Row(values);
}

TEST(MetricProperties, RelativeMetricsDoNotDependOnScale) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    const RandomPair pair = RandomOutputs(rng, 0.01);
    // A power of two scales exactly, so the sums are the same up to the exponent.
    for (const float factor : {0x1p-20F, 0x1p17F}) {
      for (const char* name : {"sqnr_db", "rel_l2", "cosine", "top1_agreement"}) {
        EXPECT_DOUBLE_EQ(
            *Metric(name, {pair.reference}, {pair.actual}),
            *Metric(name, {Scaled(pair.reference, factor)}, {Scaled(pair.actual, factor)}))
            << name << ", seed " << seed;
      }
    }
  }
}

TEST(MetricProperties, SqnrIsRelL2InDecibels) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    const RandomPair pair = RandomOutputs(rng, 0.1);
    EXPECT_NEAR(*Metric("sqnr_db", {pair.reference}, {pair.actual}),
                -20 * std::log10(*Metric("rel_l2", {pair.reference}, {pair.actual})), 1e-11)
        << "seed " << seed;
  }
}

TEST(AccuracyAccumulatorTest, MeanAndWorstDoNotDependOnTheOrderOfSamples) {
  Rng rng(3);
  std::vector<RandomPair> pairs;
  for (int i = 0; i < 9; ++i) {
    pairs.push_back(RandomOutputs(rng, 0.02 * (1 + i % 4)));
  }
  const auto accuracy_of = [](const std::vector<RandomPair>& samples) {
    AccuracyAccumulator accumulator;
    for (const RandomPair& pair : samples) {
      accumulator.Add(
          {.reference = {&pair.reference, 1}, .actual = {&pair.actual, 1}, .labels = {}});
    }
    return accumulator.Finish();
  };
  const Accuracy before = accuracy_of(pairs);
  const auto defined = std::ranges::count_if(
      AllMetrics(), [](const MetricRow& row) { return !row.needs_labels && !row.of_discrete; });
  ASSERT_EQ(std::ssize(before.metrics), defined);
  rng.Shuffle(std::span(pairs));
  const Accuracy after = accuracy_of(pairs);
  for (const MetricValue& value : before.metrics) {
    const MetricValue& other = *after.Find(value.name);
    EXPECT_NEAR(other.mean, value.mean, 1e-13 * std::abs(value.mean)) << value.name;
    EXPECT_EQ(other.worst, value.worst) << value.name;
  }
}

// Two samples of 20 dB and two exact ones: the noise power is half that of 20 dB, so 3 dB better.
// The mean of the decibels would say 110 dB.
TEST(AccuracyAccumulatorTest, DecibelsAreAveragedAsNoisePowers) {
  AccuracyAccumulator accumulator;
  const Tensor reference = Row({10, 0});
  for (const float value : {9.0F, 10.0F, 9.0F, 10.0F}) {
    const Tensor actual = Row({value, 0});
    accumulator.Add({.reference = {&reference, 1}, .actual = {&actual, 1}, .labels = {}});
  }
  EXPECT_NEAR(accumulator.Finish().Mean("sqnr_db"), 20 + 10 * std::log10(2.0), 1e-9);
}

// The array expressions and the careful loop give the same sums, up to the order of summation: n
// terms of one sign, so a relative error below n * 2^-52.
TEST(SumsOfTest, FloatsAgreeWithTheCarefulLoop) {
  Rng rng(5);
  const RandomPair pair = RandomOutputs(rng, 0.1);
  const OutputSums fast = SumsOf(pair.reference, pair.actual);
  const OutputSums careful =
      SumsOf(Convert(pair.reference, DType::kFloat64), Convert(pair.actual, DType::kFloat64));
  const double bound = static_cast<double>(pair.reference.ElementCount()) * 0x1p-52;
  EXPECT_NEAR(fast.reference_power, careful.reference_power, bound * careful.reference_power);
  EXPECT_NEAR(fast.error_power, careful.error_power, bound * careful.error_power);
  EXPECT_EQ(fast.max_abs_error, careful.max_abs_error);
}

TEST(AccuracyAccumulatorTest, WorstIsTheSmallestOrTheLargestByMetric) {
  AccuracyAccumulator accumulator;
  const Tensor reference = Row({10, 0});
  for (const float value : {9.0F, 8.0F, 10.0F}) {
    const Tensor actual = Row({value, 0});
    accumulator.Add({.reference = {&reference, 1}, .actual = {&actual, 1}, .labels = {}});
  }
  const Accuracy accuracy = accumulator.Finish();
  EXPECT_EQ(accuracy.Find("sqnr_db")->worst_sample, 1);
  EXPECT_EQ(accuracy.Find("max_abs")->worst_sample, 1);
  EXPECT_DOUBLE_EQ(accuracy.Find("max_abs")->worst, 2.0);
  EXPECT_DOUBLE_EQ(accuracy.Mean("max_abs"), 1.0);
  EXPECT_EQ(accuracy.Find("top1"), nullptr);
}

TEST(AccuracyAccumulatorTest, SamplesWithoutAValueAreNotCounted) {
  AccuracyAccumulator accumulator;
  const Tensor zeros = Row({0, 0});
  const Tensor noise = Row({0, 1});
  const Tensor reference = Row({10, 0});
  const Tensor actual = Row({9, 0});
  accumulator.Add({.reference = {&zeros, 1}, .actual = {&noise, 1}, .labels = {}});
  accumulator.Add({.reference = {&reference, 1}, .actual = {&actual, 1}, .labels = {}});
  const Accuracy accuracy = accumulator.Finish();
  EXPECT_DOUBLE_EQ(accuracy.Mean("sqnr_db"), 20.0);
  EXPECT_EQ(accuracy.Find("sqnr_db")->worst_sample, 1);
  EXPECT_DOUBLE_EQ(accuracy.Mean("max_abs"), 1.0);  // defined for both
}

// Six classes: 0.6 > 0.5 > ... > 0.1, so only the last is not in the top 5.
TEST(Top5Test, LabelsAndReferenceClasses) {
  const Tensor actual = Row({0.6F, 0.5F, 0.4F, 0.3F, 0.2F, 0.1F});
  for (std::int64_t label = 0; label < 6; ++label) {
    EXPECT_EQ(Metric("top5", {actual}, {actual}, {label}), label < 5 ? 1.0 : 0.0) << label;
    std::vector<float> peak(6, 0.0F);
    peak[static_cast<std::size_t>(label)] = 1;
    EXPECT_EQ(Metric("top5_agreement", {Row(peak)}, {actual}), label < 5 ? 1.0 : 0.0) << label;
  }
  // Of equal ones the lowest indices are in; a row with NaN is wrong.
  const Tensor equal = Row({1, 1, 1, 1, 1, 1});
  EXPECT_EQ(Metric("top5", {equal}, {equal}, {4}), 1.0);
  EXPECT_EQ(Metric("top5", {equal}, {equal}, {5}), 0.0);
  const Tensor broken = Row({1, 0, 0, 0, 0, kNan});
  EXPECT_EQ(Metric("top5", {equal}, {broken}, {0}), 0.0);
  EXPECT_EQ(Metric("top5_agreement", {equal}, {broken}), 0.0);
  EXPECT_EQ(Metric("top5", {equal}, {equal}, {-1}), std::nullopt) << "no label";
}

TEST(Top5Test, FiveClassesAreAllInTheTop5) {
  const Tensor five = Row({1, 2, 3, 4, 5});
  EXPECT_EQ(Metric("top5", {five}, {five}, {0}), std::nullopt);
  EXPECT_EQ(Metric("top5_agreement", {five}, {five}), std::nullopt);
}

Top1Flips FlipsWith(std::vector<float> reference, std::vector<float> actual,
                    std::vector<std::int64_t> labels) {
  const auto rows = static_cast<std::int64_t>(reference.size()) / 2;
  const Tensor want = Floats({rows, 2}, std::move(reference));
  const Tensor got = Floats({rows, 2}, std::move(actual));
  return *FlipsOf({.reference = {&want, 1}, .actual = {&got, 1}, .labels = labels});
}

TEST(Top1FlipsTest, CountsBothWays) {
  // Classes of float32: 0 0 1 1; of the configuration: 0 1 0 NaN.
  const std::vector<float> reference = {1, 0, 1, 0, 0, 1, 0, 1};
  const std::vector<float> actual = {1, 0, 0, 1, 1, 0, kNan, 1};
  EXPECT_EQ(FlipsWith(reference, actual, {}), (Top1Flips{.rows = 4, .flipped = 3}));
  EXPECT_EQ(FlipsWith(reference, actual, {0, 0, 0, -1}),
            (Top1Flips{.rows = 4, .flipped = 3, .labelled = 3, .lost = 1, .won = 1}));
  EXPECT_EQ(FlipsWith(reference, actual, {0, 1, 0, 1}),
            (Top1Flips{.rows = 4, .flipped = 3, .labelled = 4, .lost = 1, .won = 2}));
}

TEST(Top1FlipsTest, McNemarAndItsText) {
  Top1Flips flips{.rows = 1000, .flipped = 12, .labelled = 900, .lost = 8, .won = 2};
  EXPECT_NEAR(*flips.McNemarP(), 2.0 * (1 + 10 + 45) / 1024, 1e-12);
  EXPECT_EQ(Describe(flips),
            "12 of 1000 rows have another class than float32; with labels 8 lost, 2 won (McNemar p "
            "= 0.109)");
  flips.Add({.rows = 1, .flipped = 1});
  EXPECT_EQ(flips.rows, 1001);
  EXPECT_EQ(flips.flipped, 13);
  EXPECT_EQ((Top1Flips{.rows = 1, .flipped = 1}).McNemarP(), std::nullopt);
  EXPECT_EQ(Describe(Top1Flips{.rows = 1, .flipped = 1}),
            "1 of 1 row has another class than float32");
}

TEST(AccuracyAccumulatorTest, FlipsAddUp) {
  AccuracyAccumulator accumulator;
  const Tensor first = Row({1, 0});
  const Tensor second = Row({0, 1});
  accumulator.Add({.reference = {&first, 1}, .actual = {&second, 1}, .labels = {}});
  accumulator.Add({.reference = {&first, 1}, .actual = {&first, 1}, .labels = {}});
  EXPECT_EQ(accumulator.Finish().flips, (Top1Flips{.rows = 2, .flipped = 1}));
}

// Decibels are averaged as powers: 10 and 30 dB are 0.1 and 0.001. Resamples of two values have the
// mean 0.001, 0.0505 or 0.1 with the probabilities 1/4, 1/2, 1/4, so the 95 % range is all of it.
TEST(MeanIntervalTest, IsOnTheScaleOfTheMean) {
  MetricValue value{.name = "sqnr_db", .values = {10, 30}};
  const auto interval = MeanInterval(value);
  ASSERT_TRUE(interval.has_value());
  EXPECT_NEAR(interval->low, 10, 1e-12);
  EXPECT_NEAR(interval->high, 30, 1e-12);
  value.values = {10};
  EXPECT_EQ(MeanInterval(value), std::nullopt);
  value = {.name = "own", .values = {4, 4, 4}};
  EXPECT_EQ(MeanInterval(value), (Interval{4, 4}));
}

TEST(AccuracyAccumulatorTest, NothingAddedIsNothingMeasured) {
  EXPECT_TRUE(AccuracyAccumulator().Finish().metrics.empty());
}

TEST(AllMetricsTest, NamesAreUniqueAndFound) {
  ASSERT_FALSE(AllMetrics().empty());
  for (const MetricRow& row : AllMetrics()) {
    EXPECT_EQ(FindMetric(row.name), &row) << row.name;
  }
  EXPECT_EQ(FindMetric("psnr"), nullptr);
}

}  // namespace
}  // namespace halftone
