#include "search/calibrate/record_calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/search/calibrate/int8_fixture.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using testing::Filled;
using testing::GraphBuilder;
using ::testing::IsEmpty;
using testing::SamplesOf;

// Channels of the weights reach 127, 12.7, 0 and -2.54; their scales are 1, 0.1, none and 0.02.
constexpr double kChannelEnds[] = {127, 12.7, 0, -2.54};

// x (evenly from -1 to 3), a convolution c, Relu r and its MaxPool.
Graph Network() {
  GraphBuilder net;
  const ValueId x = net.Input("x", {1, 1, 16, 16});
  const ValueId w =
      net.Constant("w", Filled({4, 1, 1, 2}, [](std::int64_t i) {
                     return i % 2 == 0 ? kChannelEnds[i / 2] : -kChannelEnds[i / 2] / 2;
                   }));
  const ValueId r = net.Add(OpKind::kRelu, "r", {net.Add(OpKind::kConv, "c", {x, w})});
  Attributes pool;
  pool.Set("kernel_shape", std::vector<std::int64_t>{2, 2});
  return net.Finish({net.Add(OpKind::kMaxPool, "pool", {r}, std::move(pool))});
}

Dataset Samples(const Graph& graph) {
  return SamplesOf(graph, 4, [](std::size_t /*input*/, std::int64_t i, Rng& /*rng*/) {
    return -1 + 4 * static_cast<double>(i) / 255;
  });
}

const TensorRecord& TensorOf(const CalibrationRecord& record, const std::string& name) {
  const auto found = std::ranges::find(record.tensors, name, &TensorRecord::name);
  EXPECT_NE(found, record.tensors.end()) << name;
  return *found;
}

Calibration CalibrationBy(const Graph& graph, const std::string& method) {
  CalibrationOptions options{.methods = CalibrationCandidates(method), .equalise = false};
  return Calibrate(graph, Samples(graph), options);
}

CalibrationRecord RecordBy(const Graph& graph, const Calibration& calibration) {
  return RecordCalibration(graph, calibration.quantization, calibration.tensors,
                           {.method = "auto", .samples = 4});
}

TEST(RecordCalibrationTest, TensorsSayWhatWasSeenAndKept) {
  const Graph graph = Network();
  const CalibrationRecord record = RecordBy(graph, CalibrationBy(graph, "minmax"));
  EXPECT_EQ(record.source.samples, 4);
  const TensorRecord& x = TensorOf(record, "x");
  EXPECT_EQ(record.tensors.front().name, "x") << "inputs come first";
  EXPECT_EQ(x.producer, "");
  EXPECT_THAT(x.readers, ElementsAre("c"));
  ASSERT_TRUE(x.seen);
  EXPECT_EQ(x.seen->method, "minmax");
  EXPECT_EQ(x.seen->observed, (ValueRange{-1, 3}));
  EXPECT_EQ(x.seen->loss.clipped_values, 0);
  EXPECT_EQ(x.histogram.counts.size(), kRecordBins);
  // 4 samples of 256 values, each in a bin of its own but for rounding at the edges.
  EXPECT_EQ(x.histogram.total(), 1024U);
  EXPECT_EQ(x.histogram.counts[0], 4U);
  EXPECT_EQ(x.histogram.counts.back(), 4U);
  const TensorRecord& r = TensorOf(record, "r:0");
  EXPECT_EQ(r.producer, "r");
  EXPECT_EQ(r.op, "Relu");
  EXPECT_THAT(r.readers, ElementsAre("pool"));
}

// Percentile 75 keeps 0 to 2 of -1 to 3: a quarter on each side goes but for 0, which is added.
TEST(RecordCalibrationTest, ClippedSharesAreThoseOfTheMethod) {
  const Graph graph = Network();
  const CalibrationRecord record = RecordBy(graph, CalibrationBy(graph, "percentile:75"));
  const TensorRecord& x = TensorOf(record, "x");
  EXPECT_NEAR(x.scale.range().high, 2, 0.02);
  EXPECT_NEAR(x.scale.range().low, 0, 0.02);
  ASSERT_TRUE(x.seen);
  EXPECT_NEAR(x.seen->loss.clipped_values, 0.5, 0.01);
  // Integrals from 0 to 1 of v^2 on either side, over that from -1 to 3.
  EXPECT_NEAR(x.seen->loss.clipped_energy, (2.0 / 3) / (28.0 / 3), 0.003);
}

TEST(RecordCalibrationTest, AMaxPoolShowsTheHistogramOfItsOperand) {
  const Graph graph = Network();
  const CalibrationRecord record = RecordBy(graph, CalibrationBy(graph, "minmax"));
  const TensorRecord& pool = TensorOf(record, "pool:0");
  ASSERT_TRUE(pool.seen);
  EXPECT_EQ(pool.seen->source, "r:0");
  EXPECT_THAT(pool.histogram.counts, IsEmpty());
  EXPECT_EQ(HistogramOf(record, pool), &TensorOf(record, "r:0"));
  EXPECT_THAT(pool.readers, IsEmpty());
}

TEST(RecordCalibrationTest, WeightsAreToldChannelByChannel) {
  const Graph graph = Network();
  const CalibrationRecord record = RecordBy(graph, CalibrationBy(graph, "minmax"));
  ASSERT_EQ(record.weights.size(), 1U);
  const WeightRecord& weight = record.weights[0];
  EXPECT_EQ(weight.name, "w");
  EXPECT_EQ(weight.node, "c");
  EXPECT_EQ(weight.channels, 4);
  EXPECT_EQ(weight.zero_channels, 1);
  EXPECT_NEAR(weight.scales.least, 0.02, 1e-8);
  EXPECT_NEAR(weight.scales.median, 0.1, 1e-8);
  EXPECT_EQ(weight.scales.largest, 1);
  EXPECT_NEAR(weight.scales.ratio(), 50, 1e-4);
  EXPECT_FALSE(weight.factors);
  ASSERT_TRUE(weight.bias_shifts) << "corrected by default";
  EXPECT_EQ(weight.channels_a_place, 1);
  ASSERT_EQ(weight.places.size(), 4U);
  for (std::size_t c = 0; c < 4; ++c) {
    // Halves are rounded by up to half a step.
    const double end = kChannelEnds[c];
    const double step = weight.places[c].scale / 2 + 1e-6;
    EXPECT_NEAR(weight.places[c].low, std::min(end, -end / 2), end == 0 ? 0 : step) << c;
    EXPECT_NEAR(weight.places[c].high, std::max(end, -end / 2), end == 0 ? 0 : step) << c;
  }
}

// Channels of the result lie along the second axis of the weights.
TEST(RecordCalibrationTest, WeightsOfAConvTransposeAreTold) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {1, 2, 8, 8});
  const ValueId w = net.Constant("w", Filled({2, 3, 2, 2}, [](std::int64_t i) {
                                   return i / 4 % 3 + 1.0;  // 1, 2, 3 by channel
                                 }));
  Attributes attributes;
  attributes.Set("strides", std::vector<std::int64_t>{2, 2});
  const Graph graph =
      net.Finish({net.Add(OpKind::kConvTranspose, "up", {x, w}, std::move(attributes))});
  const CalibrationRecord record = RecordBy(graph, CalibrationBy(graph, "minmax"));
  ASSERT_EQ(record.weights.size(), 1U);
  EXPECT_EQ(record.weights[0].node, "up");
  EXPECT_EQ(record.weights[0].channels, 3);
  ASSERT_EQ(record.weights[0].places.size(), 3U);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_FLOAT_EQ(static_cast<float>(record.weights[0].places[c].scale),
                    static_cast<float>(c + 1) / 127);
  }
}

TEST(RecordCalibrationTest, WithOneScaleTheChannelsKeepTheirExtents) {
  const Graph graph = Network();
  Calibration calibration = CalibrationBy(graph, "minmax");
  calibration.quantization.per_channel_weights = false;
  const CalibrationRecord record = RecordBy(graph, calibration);
  EXPECT_FALSE(record.per_channel_weights);
  ASSERT_EQ(record.weights.size(), 1U);
  EXPECT_EQ(record.weights[0].scales.ratio(), 1);
  EXPECT_NEAR(record.weights[0].places[1].high, 13, 1e-6) << "12.7 in steps of 1";
}

TEST(RecordCalibrationTest, ManyChannelsShareAPlace) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {1, 1, 4, 4});
  const ValueId w = net.Constant(
      "w", Filled({300, 1, 1, 1}, [](std::int64_t i) { return static_cast<double>(i + 1); }));
  const Graph graph = net.Finish({net.Add(OpKind::kConv, "c", {x, w})});
  Quantization quantization;
  quantization.activations["x"] = {.scale = 0.1F, .zero_point = 3};
  const CalibrationRecord record = RecordCalibration(graph, quantization, {}, {});
  ASSERT_EQ(record.weights.size(), 1U);
  EXPECT_EQ(record.weights[0].channels_a_place, 3);
  ASSERT_EQ(record.weights[0].places.size(), 100U);
  EXPECT_NEAR(record.weights[0].places[0].high, 3, 1e-5);
  EXPECT_NEAR(record.weights[0].places[99].high, 300, 1e-3);
  EXPECT_EQ(record.weights[0].places[99].low, 0);
}

TEST(RecordCalibrationTest, GivenScalesHaveSeenNothing) {
  const Graph graph = Network();
  Quantization quantization;
  quantization.activations["x"] = {.scale = 0.5F, .zero_point = 2};
  quantization.activations["of another network"] = {.scale = 1, .zero_point = 0};
  const CalibrationRecord record = RecordCalibration(graph, quantization, {}, {});
  ASSERT_EQ(record.tensors.size(), 1U);
  EXPECT_FALSE(record.tensors[0].seen);
  EXPECT_EQ(record.tensors[0].scale.zero_point, 2);
}

// A BatchNormalization goes into the weights before they are rounded.
TEST(RecordCalibrationTest, ScalesAreThoseBehindABatchNormalization) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {1, 1, 4, 4});
  const ValueId w =
      net.Constant("w", Filled({2, 1, 1, 1}, [](std::int64_t /*i*/) { return 1.27; }));
  const auto constant = [&](const std::string& name, double first, double second) {
    return net.Constant(name, Filled({2}, [=](std::int64_t i) { return i == 0 ? first : second; }));
  };
  Attributes attributes;
  attributes.Set("epsilon", 0.0F);
  const ValueId c = net.Add(OpKind::kConv, "c", {x, w});
  const Graph graph = net.Finish({net.Add(OpKind::kBatchNormalization, "bn",
                                          {c, constant("scale", 1, 10), constant("bias", 0, 0),
                                           constant("mean", 0, 0), constant("var", 1, 1)},
                                          std::move(attributes))});
  Quantization quantization;
  quantization.activations["x"] = {.scale = 0.1F, .zero_point = 3};
  const CalibrationRecord record = RecordCalibration(graph, quantization, {}, {});
  ASSERT_EQ(record.weights.size(), 1U);
  EXPECT_NEAR(record.weights[0].scales.least, 0.01, 1e-7);
  EXPECT_NEAR(record.weights[0].scales.ratio(), 10, 1e-5);
}

// ---- Calibrate() with scales that are given

TEST(GivenScalesTest, SamplesShowWhatTheyLoseAndChangeNothing) {
  const Graph graph = Network();
  Quantization given;
  given.activations["x"] = {.scale = 2.0F / 255, .zero_point = 0};
  CalibrationOptions options{.given = &given};
  std::size_t last = 0;
  std::size_t of = 0;
  options.on_progress = [&](std::size_t done, std::size_t planned) {
    last = done;
    of = planned;
  };
  const Calibration calibration = Calibrate(graph, Samples(graph), options);
  EXPECT_EQ(calibration.quantization, given);
  EXPECT_EQ(last, of);
  EXPECT_EQ(last, 8U);
  const CalibrationRecord record = RecordBy(graph, calibration);
  ASSERT_EQ(record.tensors.size(), 1U);
  ASSERT_TRUE(record.tensors[0].seen);
  EXPECT_EQ(record.tensors[0].seen->method, "");
  EXPECT_NEAR(record.tensors[0].seen->loss.clipped_values, 0.5, 0.01);
}

TEST(GivenScalesTest, ValuesAreDividedByGivenFactors) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {1, 2, 4, 4});
  const ValueId w = net.Constant("w", Filled({1, 2, 1, 1}, [](std::int64_t /*i*/) { return 1; }));
  const Graph graph = net.Finish({net.Add(OpKind::kConv, "c", {x, w})});
  const Dataset samples = SamplesOf(
      graph, 2,
      [](std::size_t /*input*/, std::int64_t i, Rng& /*rng*/) { return i / 16 == 0 ? 8 : 1; });
  Quantization given;
  given.activations["x"] = {.scale = 1.0F / 255, .zero_point = 0};
  given.channel_factors["x"] = {.axis = 1, .factors = {8, 1}};
  const Calibration calibration = Calibrate(graph, samples, {.given = &given});
  EXPECT_EQ(calibration.tensors.at("x").statistics.observed, (ValueRange{1, 1}));
  const CalibrationRecord record = RecordBy(graph, calibration);
  ASSERT_TRUE(record.tensors[0].factors);
  EXPECT_EQ(*record.tensors[0].factors, (Spread{1, 1, 8}));
  ASSERT_TRUE(record.weights[0].factors);
  EXPECT_NEAR(record.weights[0].places[0].high, 8, 1e-6) << "weights are multiplied by them";
}

}  // namespace
}  // namespace halftone
