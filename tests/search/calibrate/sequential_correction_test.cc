#include "search/calibrate/sequential_correction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "search/calibrate/bias_shifts.h"
#include "search/calibrate/calibrate.h"
#include "search/calibrate/int8_plan.h"
#include "tests/search/calibrate/int8_fixture.h"

namespace halftone {
namespace {

using testing::Filled;
using testing::GraphBuilder;
using testing::SamplesOf;
using testing::SqnrDb;

constexpr std::int64_t kChannels = 16;

// Convolutions whose weights are 10.45 steps of their scale each, and 127 for a channel that is
// always 0: rounding takes 4 % off every result, in each layer once more.
Graph ShiftedLayers(int layers) {
  GraphBuilder net;
  ValueId y = net.Input("x", {1, kChannels, 5, 5});
  for (int l = 0; l < layers; ++l) {
    const std::string name = "c" + std::to_string(l);
    const ValueId w =
        net.Constant(name + ".w", Filled({kChannels, kChannels, 1, 1}, [](std::int64_t i) {
                       const std::int64_t result = i / kChannels;
                       const std::int64_t read = i % kChannels;
                       const double unit = 1.0 / (10.45 * (kChannels - 1));
                       return result == 0 ? 0 : read == 0 ? 127 * unit : 10.45 * unit;
                     }));
    y = net.Add(OpKind::kRelu, name + ".relu", {net.Add(OpKind::kConv, name, {y, w})});
  }
  const ValueId w = net.Constant("last.w", Filled({kChannels, kChannels, 1, 1}, [](std::int64_t i) {
                                   return i / kChannels == i % kChannels ? 1 : 0;
                                 }));
  return net.Finish({net.Add(OpKind::kConv, "last", {y, w})});
}

Dataset Positive(const Graph& graph, std::size_t count, std::uint64_t seed) {
  return SamplesOf(
      graph, count,
      [](std::size_t /*input*/, std::int64_t i, Rng& rng) {
        return i / 25 % kChannels == 0 ? 0 : rng.Uniform(0.6, 1.4);
      },
      seed);
}

struct Figures {
  double none;
  double local;
  double sequential;
};

Figures SqnrOf(int layers) {
  const Graph graph = ShiftedLayers(layers);
  const Dataset calibrated = Positive(graph, 16, 1);
  const Dataset measured = Positive(graph, 8, 2);
  CalibrationOptions options{.methods = CalibrationCandidates("minmax"), .equalise = false};
  options.correct_bias = false;
  const PrecisionPlan plain =
      Int8Plan(graph, SharedQuantization(Calibrate(graph, calibrated, options).quantization));
  options.correct_bias = true;
  const PrecisionPlan local =
      Int8Plan(graph, SharedQuantization(Calibrate(graph, calibrated, options).quantization));
  const ThreadPool pool(1);
  SequentialCorrection correction(graph, calibrated, {}, pool);
  return {SqnrDb(graph, plain, measured), SqnrDb(graph, local, measured),
          SqnrDb(graph, correction.Corrected(plain), measured)};
}

// The first half tests the test: uncorrected, equal shifts add up in amplitude.
TEST(SequentialCorrectionTest, ShiftsOfLayersDoNotAddUp) {
  const Figures two = SqnrOf(2);
  const Figures eight = SqnrOf(8);
  EXPECT_LT(two.none, 24) << "8 % off: 22 dB";
  EXPECT_LT(eight.none, two.none - 9) << "four times the shift: 12 dB less 30 % off for curvature";
  EXPECT_GT(two.local, two.none + 6);
  EXPECT_GT(eight.sequential, eight.none + 15);
  EXPECT_GT(eight.sequential, two.sequential - 13)
      << "rests: all channels are alike, so that four times the layers are 12 dB";
  EXPECT_GE(eight.sequential, eight.local - 1);
}

TEST(SequentialCorrectionTest, CountsItsRunsAndReusesFloat32) {
  const Graph graph = ShiftedLayers(3);
  const Dataset samples = Positive(graph, 20, 1);
  const Quantization quantization = Calibrate(graph, samples, {.correct_bias = false}).quantization;
  const PrecisionPlan plan = Int8Plan(graph, SharedQuantization(quantization));
  const ThreadPool pool(1);
  SequentialCorrection correction(graph, samples, {}, pool);
  EXPECT_EQ(correction.runs(), 0);
  const PrecisionPlan first = correction.Corrected(plan);
  EXPECT_GT(correction.runs(), 16);
  EXPECT_LE(correction.runs(), 3 * 16);
  const double before = correction.runs();
  const PrecisionPlan again = correction.Corrected(plan);
  EXPECT_LE(correction.runs() - before, 2 * 16);
  EXPECT_EQ(again, first);
  EXPECT_EQ(again.quantization->Digest(), first.quantization->Digest());
  EXPECT_NE(first.quantization->Digest(), quantization.Digest());
  // What is corrected already is corrected the same: shifts are not added to.
  EXPECT_EQ(correction.Corrected(first), first);
  // Everything but the shifts is kept.
  Quantization unshifted = *first.quantization;
  unshifted.bias_shifts.clear();
  EXPECT_EQ(unshifted, quantization);
}

TEST(SequentialCorrectionTest, ThreadsDoNotMatter) {
  const Graph graph = ShiftedLayers(3);
  const Dataset samples = Positive(graph, 6, 1);
  const PrecisionPlan plan =
      Int8Plan(graph, SharedQuantization(Calibrate(graph, samples, {}).quantization));
  const ThreadPool one(1);
  const ThreadPool two(2);
  SequentialCorrection by_one(graph, samples, {}, one);
  SequentialCorrection by_two(graph, samples, {}, two);
  EXPECT_EQ(by_one.Corrected(plan), by_two.Corrected(plan));
}

TEST(SequentialCorrectionTest, PlansWithoutIntegersStayAsTheyAre) {
  const Graph graph = ShiftedLayers(2);
  const Dataset samples = Positive(graph, 3, 1);
  const ThreadPool pool(1);
  SequentialCorrection correction(graph, samples, {}, pool);
  PrecisionPlan plan = ReferencePlan(graph);
  EXPECT_EQ(correction.Corrected(plan), plan);
  plan.quantization = SharedQuantization(Calibrate(graph, samples, {}).quantization);
  EXPECT_EQ(correction.Corrected(plan), plan);
  EXPECT_EQ(correction.runs(), 0);
}

// Only products that the plan has in qint8 get other shifts.
TEST(SequentialCorrectionTest, CorrectsWhatThePlanHasInQint8) {
  const Graph graph = ShiftedLayers(3);
  const Dataset samples = Positive(graph, 6, 1);
  const Quantization quantization = Calibrate(graph, samples, {.correct_bias = false}).quantization;
  const PrecisionPlan plan =
      testing::PlanWith(graph, {{"c1", "qint8"}, {"c1.relu", "qint8"}}, quantization);
  const ThreadPool pool(1);
  SequentialCorrection correction(graph, samples, {}, pool);
  const PrecisionPlan corrected = correction.Corrected(plan);
  const auto& shifts = corrected.quantization->bias_shifts;
  ASSERT_EQ(shifts.size(), 1);
  EXPECT_EQ(shifts.begin()->first, "c1");
  // 0.45 of 10.45 steps of a result of about 1, of 15 channels of that size and one of 0.
  EXPECT_NEAR(shifts.begin()->second[3], 0.045, 0.02);
  EXPECT_EQ(shifts.begin()->second[0], 0);
}

// ---- Local correction

TEST(LocalBiasShiftsTest, TakeOffAPlantedError) {
  const Graph graph = ShiftedLayers(1);
  const Dataset samples = Positive(graph, 8, 1);
  CalibrationOptions options{.methods = CalibrationCandidates("minmax")};
  options.correct_bias = false;
  const Quantization quantization = Calibrate(graph, samples, options).quantization;
  const ThreadPool pool(1);
  std::size_t runs = 0;
  const auto count = [&] {
    ++runs;
    return true;
  };
  // Of two quantisations each has its own, of the same runs of float32.
  Quantization coarse = quantization;
  for (auto& [name, scale] : coarse.activations) {
    scale.scale *= 2;
  }
  const CompileOptions compile;
  const std::vector<BiasShifts> all =
      LocalBiasShifts(graph, std::array<const Quantization*, 2>{&quantization, &coarse},
                      {samples, compile, pool, count});
  EXPECT_EQ(runs, samples.size());
  ASSERT_EQ(all.size(), 2);
  const BiasShifts& shifts = all[0];
  EXPECT_EQ(all[1], LocalBiasShifts(graph, std::array<const Quantization*, 1>{&coarse},
                                    {samples, compile, pool, count})[0]);
  EXPECT_NE(all[1], shifts);
  ASSERT_TRUE(shifts.contains("c0"));
  // Each of 15 operands of mean 1 loses 0.45 of 10.45 steps: 0.043 of a result of 1.
  for (std::size_t c = 1; c < kChannels; ++c) {
    EXPECT_NEAR(shifts.at("c0")[c], 0.45 / 10.45, 0.01);
  }
  EXPECT_EQ(shifts.at("c0")[0], 0);
  EXPECT_THAT(LocalBiasShifts(graph, std::array<const Quantization*, 1>{&quantization},
                              {samples, compile, pool, count, [] { return false; }}),
              ::testing::ElementsAre(::testing::IsEmpty()))
      << "no time for the weights of a product";
}

}  // namespace
}  // namespace halftone
