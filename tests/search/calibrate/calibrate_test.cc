#include "search/calibrate/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/calibrate/calibrated_values.h"
#include "search/calibrate/int8_plan.h"
#include "search/calibrate/range_classes.h"
#include "search/calibrate/reader_ranges.h"
#include "src/base/error.h"
#include "tests/search/calibrate/int8_fixture.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using testing::Filled;
using testing::GraphBuilder;
using testing::SamplesOf;

Attributes Axis(std::int64_t axis) {
  Attributes attributes;
  attributes.Set("axis", axis);
  return attributes;
}

// A convolution with its MaxPool, a Reshape and a product behind it.
Graph SmallNetwork() {
  GraphBuilder net;
  const ValueId x = net.Input("x", {1, 3, 8, 8});
  const ValueId w = net.Constant(
      "w", Filled({4, 3, 3, 3}, [](std::int64_t i) { return std::cos(static_cast<double>(i)); }));
  const ValueId y = net.Add(OpKind::kRelu, "r", {net.Add(OpKind::kConv, "c", {x, w})});
  Attributes pool;
  pool.Set("kernel_shape", std::vector<std::int64_t>{2, 2});
  pool.Set("strides", std::vector<std::int64_t>{2, 2});
  const ValueId p = net.Add(OpKind::kMaxPool, "pool", {y}, std::move(pool));
  const ValueId flat = net.Add(OpKind::kFlatten, "flat", {p}, Axis(1));
  const ValueId v = net.Constant(
      "v", Filled({36, 5}, [](std::int64_t i) { return std::sin(static_cast<double>(i)); }));
  return net.Finish({net.Add(OpKind::kMatMul, "m", {flat, v})});
}

Dataset Images(const Graph& graph, std::size_t count) {
  return SamplesOf(graph, count, [](std::size_t /*input*/, std::int64_t /*i*/, Rng& rng) {
    return rng.Uniform(-2, 1);
  });
}

// The input has no scale: an operator that reads it keeps its floats, and has no bias to correct.
TEST(CalibrateTest, AnInputInFloat16IsLeftOut) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {1, 3, 8, 8}, DType::kFloat16);
  const auto halves = [](const Shape& shape, double phase) {
    Tensor tensor(DType::kFloat16, shape);
    for (std::size_t i = 0; i < tensor.mutable_values<Float16>().size(); ++i) {
      tensor.mutable_values<Float16>()[i] =
          Float16::FromFloat(static_cast<float>(std::sin(static_cast<double>(i) + phase)));
    }
    return tensor;
  };
  const ValueId y = net.Add(OpKind::kConv, "c", {x, net.Constant("w", halves({4, 3, 3, 3}, 1))});
  const Graph graph = net.Finish({net.Add(OpKind::kRelu, "r", {y})});
  std::vector<Sample> samples;
  for (int s = 0; s < 4; ++s) {
    samples.push_back({.name = std::to_string(s), .inputs = {halves({1, 3, 8, 8}, s)}});
  }
  const Calibration calibration = Calibrate(graph, Dataset(std::move(samples)),
                                            {.methods = {ParseCalibrationMethod("minmax")}});
  EXPECT_FALSE(calibration.quantization.activations.contains("x"));
  EXPECT_TRUE(calibration.quantization.bias_shifts.empty());
}

// A method that cuts off a tenth of the values loses against min/max on the whole network, not the
// other way round.
TEST(CalibrateTest, AHedgeWinsWhereItBeatsTheMethodOnTheWholeNetwork) {
  const Graph graph = SmallNetwork();
  const Dataset samples = Images(graph, 7);
  const auto calibrate = [&](const char* method, std::vector<CalibrationChoice> hedges) {
    return Calibrate(graph, samples,
                     {.methods = {ParseCalibrationMethod(method)}, .hedges = std::move(hedges)});
  };
  const std::vector<CalibrationChoice> range = {ParseCalibrationMethod("minmax")};
  const std::vector<CalibrationChoice> clipping = {ParseCalibrationMethod("percentile:90")};
  const Calibration plain = calibrate("minmax", {});
  EXPECT_EQ(plain.hedge, "");
  const Calibration kept = calibrate("minmax", clipping);
  EXPECT_EQ(kept.hedge, "");
  EXPECT_EQ(kept.quantization, plain.quantization);
  const Calibration changed = calibrate("percentile:90", range);
  EXPECT_EQ(changed.hedge, "minmax");
  EXPECT_EQ(changed.quantization, plain.quantization);
  // Equal methods: no gain of 1 dB.
  EXPECT_EQ(calibrate("minmax", range).hedge, "");
}

TEST(CalibrateTest, HedgesCountInTheRunsThatAreAnnounced) {
  const Graph graph = SmallNetwork();
  const Dataset samples = Images(graph, 7);
  std::size_t last = 0;
  std::size_t announced = 0;
  CalibrationOptions options{.hedges = CalibrationHedges()};
  options.on_progress = [&](std::size_t done, std::size_t planned) {
    last = done;
    announced = planned;
  };
  Calibrate(graph, samples, options);
  EXPECT_EQ(last, announced);
}

TEST(CalibrateTest, ThreadsDoNotMatter) {
  const Graph graph = SmallNetwork();
  const Dataset samples = Images(graph, 7);
  CalibrationOptions options;
  const Calibration one = Calibrate(graph, samples, options);
  options.threads = 2;
  const Calibration two = Calibrate(graph, samples, options);
  EXPECT_EQ(one.quantization, two.quantization);
  EXPECT_EQ(one.quantization.Digest(), two.quantization.Digest());
  ASSERT_EQ(one.tensors.size(), two.tensors.size());
  for (const auto& [name, tensor] : one.tensors) {
    EXPECT_EQ(tensor.range, two.tensors.at(name).range) << name;
    EXPECT_EQ(tensor.statistics.histogram, two.tensors.at(name).statistics.histogram) << name;
  }
}

// The second pass counts all that the first has seen.
TEST(CalibrateTest, HistogramsCountEveryElementOfTheObservedRange) {
  const Graph graph = SmallNetwork();
  const Calibration calibration = Calibrate(graph, Images(graph, 5), {});
  const TensorStatistics& input = calibration.tensors.at("x").statistics;
  EXPECT_EQ(input.histogram.total(), 5 * 3 * 8 * 8);
  EXPECT_EQ(input.histogram.low, input.observed.low);
  EXPECT_EQ(input.histogram.high, input.observed.high);
  EXPECT_GE(input.observed.low, -2);
  EXPECT_LE(input.observed.high, 1);
  EXPECT_GT(input.histogram.counts.front(), 0U);
  EXPECT_GT(input.histogram.counts.back(), 0U);
}

TEST(CalibrateTest, ProgressEndsAtWhatWasPlanned) {
  const Graph graph = SmallNetwork();
  for (const bool equalise : {false, true}) {
    std::size_t last = 0;
    std::size_t of = 0;
    CalibrationOptions options{.equalise = equalise};
    options.on_progress = [&](std::size_t done, std::size_t planned) {
      EXPECT_EQ(done, last + 1);
      last = done;
      of = planned;
    };
    Calibrate(graph, Images(graph, 3), options);
    EXPECT_EQ(last, of);
    EXPECT_GT(last, 0U);
  }
}

// A reader of a float tensor may read booleans beside it: the condition of a Where.
TEST(CalibrateTest, OperatorsThatReadAConditionAreCalibrated) {
  testing::GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 4});
  const ValueId limit =
      builder.Constant("limit", Tensor::From<float>({1, 4}, std::vector<float>(4, 0.5F)));
  const ValueId less = builder.Add(OpKind::kLess, "less", {x, limit});
  const ValueId twice = builder.Add(OpKind::kAdd, "twice", {x, x});
  const Graph graph = builder.Finish({builder.Add(OpKind::kWhere, "choose", {less, twice, x})});
  std::vector<Sample> samples;
  samples.push_back(
      {"sample", {Tensor::From<float>({1, 4}, std::vector<float>{0.1F, 0.9F, 0.3F, 0.7F})}});
  const Calibration calibration = Calibrate(graph, Dataset(std::move(samples)), {});
  EXPECT_TRUE(calibration.quantization.activations.contains("x"));
}

TEST(CalibrateTest, NoSamplesAreRefused) {
  const Graph graph = SmallNetwork();
  EXPECT_THROW(Calibrate(graph, Dataset(std::vector<Sample>()), {}), Error);
}

// ---- Range classes

TEST(RangeClassesTest, MoversViewsAndMaxPoolTakeTheRangeOver) {
  const Graph graph = SmallNetwork();
  const std::vector<ValueId> sources = RangeSources(graph);
  const auto id = [&](const std::string& name) {
    for (std::size_t i = 0; i < graph.values.size(); ++i) {
      if (graph.values[i].name == name) {
        return static_cast<ValueId>(i);
      }
    }
    return kNoValue;
  };
  const auto source = [&](const std::string& name) {
    return graph.value(sources[static_cast<std::size_t>(id(name))]).name;
  };
  EXPECT_EQ(source("flat:0"), "r:0");
  EXPECT_EQ(source("pool:0"), "r:0");
  EXPECT_EQ(source("r:0"), "r:0");
  EXPECT_EQ(source("c:0"), "c:0");
  const Quantization quantization = Calibrate(graph, Images(graph, 4), {}).quantization;
  EXPECT_EQ(quantization.activations.at("flat:0"), quantization.activations.at("r:0"));
  EXPECT_NE(quantization.activations.at("c:0"), quantization.activations.at("r:0"));
}

TEST(RangeClassesTest, AResizeBetweenNeighboursTakesTheRangeOver) {
  for (const std::string mode : {"nearest", "linear", "cubic"}) {
    GraphBuilder net;
    const ValueId x = net.Input("x", {1, 2, 3, 3});
    const ValueId scales =
        net.Constant("scales", Tensor::From<float>({4}, std::vector<float>{1, 1, 2, 2}));
    Attributes attributes;
    attributes.Set("mode", mode);
    const ValueId y = net.Add(OpKind::kResize, "up", {x, kNoValue, scales}, attributes);
    const Graph graph = net.Finish({y});
    EXPECT_EQ(RangeSources(graph)[static_cast<std::size_t>(y)], mode == "cubic" ? y : x) << mode;
  }
}

struct JoinCase {
  double second;  // end of the range of the second part; that of the first is 1
  double first_after;
};

TEST(RangeClassesTest, PartsOfAConcatJoinWithinAFactorOfFour) {
  GraphBuilder net;
  const ValueId a = net.Input("a", {2, 3});
  const ValueId b = net.Input("b", {2, 3});
  const ValueId c = net.Add(OpKind::kConcat, "concat", {a, b}, Axis(1));
  const Graph graph = net.Finish({c});
  for (const JoinCase& join : {JoinCase{3.9, 3.9}, JoinCase{4, 4}, JoinCase{4.1, 1}}) {
    std::vector<ValueRange> ranges(graph.values.size());
    ranges[static_cast<std::size_t>(a)] = {0, 1};
    ranges[static_cast<std::size_t>(b)] = {0, join.second};
    JoinConcats(graph, RangeSources(graph), ranges);
    EXPECT_EQ(ranges[static_cast<std::size_t>(a)].high, join.first_after);
    EXPECT_EQ(ranges[static_cast<std::size_t>(b)].high, join.second);
    EXPECT_EQ(ranges[static_cast<std::size_t>(c)].high, join.second) << "the hull";
  }
}

// ---- Ranges by readers

// Values up to 1 but for a channel that reaches 100: a reader that sums over the small ones takes
// the narrow range, one of the large channel the wide one.
TEST(BestAtReadersTest, TakesThePlantedRange) {
  for (const bool reads_outlier : {false, true}) {
    GraphBuilder net;
    const ValueId x = net.Input("x", {1, 8, 4, 4});
    const ValueId w = net.Constant("w", Filled({3, 8, 1, 1}, [&](std::int64_t i) {
                                     return (i % 8 == 0) == reads_outlier ? 1 + i / 8 : 0;
                                   }));
    const Graph graph = net.Finish({net.Add(OpKind::kConv, "c", {x, w})});
    const Dataset samples =
        SamplesOf(graph, 3, [](std::size_t /*input*/, std::int64_t i, Rng& rng) {
          return rng.Uniform(0, i / 16 % 8 == 0 ? 100 : 1);
        });
    const ThreadPool pool(1);
    const CompileOptions compile;
    std::size_t runs = 0;
    const auto best =
        BestAtReaders(graph, {{x, {{0, 100}, {0, 1}, {0, 100}}}}, {}, {samples, compile, pool, [&] {
                                                                         ++runs;
                                                                         return true;
                                                                       }});
    EXPECT_EQ(best.at(x), reads_outlier ? 0U : 1U) << "the first of equal ones";
    EXPECT_EQ(runs, 3U);
  }
}

// Time may be over within the first sample: values that were judged until then are known.
TEST(BestAtReadersTest, ValuesBehindTheEndOfTimeAreNotJudged) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {1, 8});
  const ValueId y = net.Add(OpKind::kSigmoid, "s", {x});
  const Graph graph = net.Finish({net.Add(OpKind::kTanh, "t", {y})});
  const Dataset samples = SamplesOf(
      graph, 3,
      [](std::size_t /*input*/, std::int64_t /*i*/, Rng& rng) { return rng.Uniform(0, 1); });
  const ThreadPool pool(1);
  const CompileOptions compile;
  std::size_t asked = 0;
  std::size_t runs = 0;
  const auto best = BestAtReaders(graph, {{x, {{0, 100}, {0, 1}}}, {y, {{0, 100}, {0, 1}}}}, {},
                                  {samples, compile, pool,
                                   [&] {
                                     ++runs;
                                     return true;
                                   },
                                   [&] { return ++asked < 2; }});
  EXPECT_EQ(best, (std::map<ValueId, std::size_t>{{x, 1}}));
  EXPECT_EQ(asked, 2U);
  EXPECT_EQ(runs, 0U);
}

// With the outlier's factor the same narrow range serves both.
TEST(BestAtReadersTest, RangesAreOfValuesDividedByTheirFactors) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {1, 2, 4, 4});
  const ValueId w =
      net.Constant("w", Filled({1, 2, 1, 1}, [](std::int64_t i) { return i == 0 ? 0.01 : 1; }));
  const Graph graph = net.Finish({net.Add(OpKind::kConv, "c", {x, w})});
  const Dataset samples = SamplesOf(graph, 3, [](std::size_t /*input*/, std::int64_t i, Rng& rng) {
    return rng.Uniform(0, i / 16 == 0 ? 100 : 1);
  });
  const ThreadPool pool(1);
  const CompileOptions compile;
  const std::map<ValueId, ChannelFactors> factors = {{x, {.axis = 1, .factors = {100, 1}}}};
  EXPECT_EQ(BestAtReaders(graph, {{x, {{0, 100}, {0, 1}}}}, factors,
                          {samples, compile, pool, [] { return true; }})
                .at(x),
            1U);
}

// Samples of another shape are part of the ranges, and of nothing else than these.
TEST(CalibrateTest, RangesAreOfTheSamplesOfAllShapes) {
  const auto network = [](std::int64_t width) {
    GraphBuilder net;
    const ValueId x = net.Input("x", {1, 2, 3, width});
    const ValueId w = net.Constant(
        "w", Tensor::From<float>(Shape{2, 2, 1, 1}, std::vector<float>{1, 0.5, -1, 0.25}));
    return net.Finish({net.Add(OpKind::kConv, "c", {x, w})});
  };
  const auto constant = [](const Graph& graph, std::vector<double> values) {
    return SamplesOf(graph, values.size(),
                     [&, sample = std::size_t{0}, left = std::int64_t{0}](
                         std::size_t /*input*/, std::int64_t i, Rng& /*rng*/) mutable {
                       sample += i == 0 && left > 0 ? 1 : 0;
                       left = i + 1;
                       return values.at(sample);
                     });
  };
  const Graph narrow = network(3);
  const Graph wide = network(5);
  const Dataset of_narrow = constant(narrow, {1, 2});
  const Dataset of_wide = constant(wide, {-7, 4});
  CalibrationOptions options{
      .methods = {ParseCalibrationMethod("minmax")}, .equalise = false, .correct_bias = false};
  const Calibration alone = Calibrate(narrow, of_narrow, options);
  EXPECT_EQ(alone.tensors.at("x").statistics.observed, (ValueRange{1, 2}));
  options.others.push_back({&wide, of_wide});
  const Calibration all = Calibrate(narrow, of_narrow, options);
  EXPECT_EQ(all.samples, 4U);
  EXPECT_EQ(all.tensors.at("x").statistics.observed, (ValueRange{-7, 4}));
  EXPECT_EQ(all.tensors.at("x").statistics.histogram.total(), 2 * (2 * 3 * 3 + 2 * 3 * 5));
  EXPECT_EQ(all.tensors.at("c:0").statistics.observed, (ValueRange{-10.5, 6}));
}

// log 0 is -inf: no range holds it, and what makes and reads it is named.
TEST(CalibrateTest, ATensorThatIsInfiniteHasNoScale) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {1, 4});
  const ValueId w = net.Constant("w", Tensor::From<float>(Shape{4, 4}, std::vector<float>(16, 1)));
  const ValueId a = net.Add(OpKind::kMatMul, "first", {x, w});
  const ValueId positive = net.Add(OpKind::kRelu, "positive", {a});
  const ValueId log = net.Add(OpKind::kLog, "log", {positive});
  const ValueId b = net.Add(OpKind::kMatMul, "second", {log, w});
  const Graph graph = net.Finish({net.Add(OpKind::kMatMul, "third", {a, w}), b});
  const Dataset samples = SamplesOf(
      graph, 2, [](std::size_t /*input*/, std::int64_t /*i*/, Rng& /*rng*/) { return -1.0; });
  const Quantization quantization = Calibrate(graph, samples, {}).quantization;
  const auto name_of = [&](ValueId value) { return graph.value(value).name; };
  EXPECT_TRUE(quantization.activations.contains(name_of(a)));
  EXPECT_FALSE(quantization.activations.contains(name_of(log)));
  EXPECT_FALSE(quantization.activations.contains(name_of(b)));
  std::vector<std::string> notes;
  for (const NonFiniteTensor& tensor : NonFiniteTensors(graph, quantization)) {
    notes.push_back(Describe(tensor));
  }
  EXPECT_THAT(notes,
              ::testing::Contains("node 'log' stays out of 8 bits: its result '" + name_of(log) +
                                  "' is infinite or NaN on samples of the calibration"));
  const PrecisionPlan plan = Int8Plan(graph, SharedQuantization(quantization));
  const auto ops = testing::StepOps(graph, plan);
  EXPECT_THAT(ops, ::testing::Contains("Log"));
}

}  // namespace
}  // namespace halftone
