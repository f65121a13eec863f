#include "search/calibrate/channel_factors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "search/calibrate/calibrate.h"
#include "search/calibrate/int8_plan.h"
#include "tests/search/calibrate/int8_fixture.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using testing::Filled;
using ::testing::FloatNear;
using testing::GraphBuilder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SamplesOf;
using testing::SqnrDb;

TEST(FactorsOfClassTest, AlphaOneIsTheMagnitude) {
  EXPECT_THAT(FactorsOfClass({1, 4, 16}, {5, 6, 7}, 1, 1e30),
              ElementsAre(FloatNear(0.25F, 1e-6F), FloatNear(1, 1e-6F), FloatNear(4, 1e-6F)));
}

TEST(FactorsOfClassTest, AlphaOneHalfEvensActivationsAndWeights) {
  const auto factors = FactorsOfClass({1, 16}, {1, 1.0 / 16}, 0.5, 1e30);
  EXPECT_FLOAT_EQ(factors[1] / factors[0], 16);
  const auto balanced = FactorsOfClass({1, 16}, {1, 16}, 0.5, 1e30);
  EXPECT_FLOAT_EQ(balanced[1] / balanced[0], 1);
}

TEST(FactorsOfClassTest, DeadChannelsHaveFactorOneAndTheRatioIsBounded) {
  const auto factors = FactorsOfClass({0, 1e-8, 1e3}, {1, 1, 1}, 1, 1e30);
  EXPECT_FLOAT_EQ(factors[0], std::max(1.0F, factors[2] / 256));
  EXPECT_FLOAT_EQ(factors[2] / factors[1], 256);
  for (const float factor : FactorsOfClass({0, 0}, {0, 0}, 0.5, 1e30)) {
    EXPECT_EQ(factor, 1);
  }
}

// With T the end of the range divided by the factors, f_c T stays within the bound, and T itself is
// what it was.
TEST(FactorsOfClassTest, NoChannelReachesBeyondTheBound) {
  const std::vector<double> magnitudes = {6, 5, 0.5, 0.01};
  const std::vector<double> weights = {1, 100, 0.001, 3};
  for (const double alpha : kFactorAlphas) {
    const auto end_of = [&](const std::vector<float>& factors) {
      double end = 0;
      for (std::size_t c = 0; c < factors.size(); ++c) {
        end = std::max(end, magnitudes[c] / static_cast<double>(factors[c]));
      }
      return end;
    };
    const auto bounded = FactorsOfClass(magnitudes, weights, alpha, 6);
    const double end = end_of(bounded);
    EXPECT_NEAR(end, end_of(FactorsOfClass(magnitudes, weights, alpha, 1e30)), 1e-6 * end);
    for (const float factor : bounded) {
      EXPECT_LE(static_cast<double>(factor) * end, 6 * (1 + 1e-6)) << alpha;
    }
  }
}

// ---- Networks

Attributes Depthwise(std::int64_t channels) {
  Attributes attributes;
  attributes.Set("group", channels);
  attributes.Set("pads", std::vector<std::int64_t>{1, 1, 1, 1});
  return attributes;
}

// Channel c of the feature maps is 100^(c / (channels - 1)) times as large as channel 0; what reads
// it takes that back, so that each channel counts as much in the result.
double SizeOf(std::int64_t channel, std::int64_t channels) {
  return std::pow(100.0, static_cast<double>(channel) / static_cast<double>(channels - 1));
}

double Noise(const std::string& name, std::int64_t i) {
  return std::sin(static_cast<double>(i * 7919 + std::ssize(name) * 131) * 0.61803);
}

enum class Behind : std::uint8_t { kRelu, kClip, kSilu };

// conv 1x1, activation, depthwise 3x3, activation, conv 1x1.
Graph DepthwiseChain(Behind behind) {
  constexpr std::int64_t kChannels = 12;
  GraphBuilder net;
  const auto activate = [&](const std::string& name, ValueId y) {
    switch (behind) {
      case Behind::kRelu:
        return net.Add(OpKind::kRelu, name, {y});
      case Behind::kClip: {
        const ValueId l = net.Constant(name + ".l", Filled({}, [](std::int64_t) { return 0; }));
        const ValueId h = net.Constant(name + ".h", Filled({}, [](std::int64_t) { return 60; }));
        return net.Add(OpKind::kClip, name, {y, l, h});
      }
      case Behind::kSilu: {
        const ValueId gate = net.Add(OpKind::kSigmoid, name + ".gate", {y});
        return net.Add(OpKind::kMul, name, {y, gate});
      }
    }
    return y;
  };
  const ValueId x = net.Input("x", {1, 3, 8, 8});
  const ValueId w1 = net.Constant("w1", Filled({kChannels, 3, 1, 1}, [](std::int64_t i) {
                                    return Noise("w1", i) * SizeOf(i / 3, kChannels);
                                  }));
  const ValueId y = activate("a1", net.Add(OpKind::kConv, "c1", {x, w1}));
  const ValueId w2 = net.Constant("w2", Filled({kChannels, 1, 3, 3}, [](std::int64_t i) {
                                    return 0.2 + 0.1 * Noise("depth", i);
                                  }));
  const ValueId z = activate("a2", net.Add(OpKind::kConv, "c2", {y, w2}, Depthwise(kChannels)));
  const ValueId w3 = net.Constant("w3", Filled({5, kChannels, 1, 1}, [](std::int64_t i) {
                                    return Noise("third", i) / SizeOf(i % kChannels, kChannels);
                                  }));
  return net.Finish({net.Add(OpKind::kConv, "c3", {z, w3})});
}

Dataset Images(const Graph& graph, std::size_t count, std::uint64_t seed) {
  return SamplesOf(
      graph, count,
      [](std::size_t /*input*/, std::int64_t /*i*/, Rng& rng) { return rng.Uniform(-1, 1); }, seed);
}

struct Outcome {
  std::size_t factors;
  double gain_db;  // over the same without factors
};

Outcome GainOf(const Graph& graph, const Dataset& calibrated, const Dataset& measured) {
  CalibrationOptions options;
  const Quantization with = Calibrate(graph, calibrated, options).quantization;
  options.equalise = false;
  const Quantization without = Calibrate(graph, calibrated, options).quantization;
  EXPECT_THAT(without.channel_factors, IsEmpty());
  return {with.channel_factors.size(),
          SqnrDb(graph, Int8Plan(graph, SharedQuantization(with)), measured) -
              SqnrDb(graph, Int8Plan(graph, SharedQuantization(without)), measured)};
}

TEST(ChannelFactorsTest, EvenADepthwiseChain) {
  const Graph graph = DepthwiseChain(Behind::kRelu);
  const Outcome outcome = GainOf(graph, Images(graph, 8, 1), Images(graph, 4, 2));
  EXPECT_EQ(outcome.factors, 4) << "before and behind each Relu";
  EXPECT_GT(outcome.gain_db, 6);
}

// Time may end at each question, between runs as well: factors are of all candidates, or none are.
TEST(ChannelFactorsTest, ThereAreNoFactorsWhereTimeEndsWithinTheirTrial) {
  const Graph graph = DepthwiseChain(Behind::kRelu);
  const Dataset samples = Images(graph, 4, 1);
  const ThreadPool pool(1);
  std::size_t asked = 0;
  const auto chosen_with = [&](std::size_t questions) {
    asked = 0;
    const CompileOptions compile;
    const auto goes_on = [&] { return ++asked <= questions; };
    return ChooseChannelFactors(graph, true, {samples, compile, pool, [] { return true; }, goes_on})
        .factors;
  };
  const auto all = chosen_with(1000);
  EXPECT_EQ(all.size(), 4U);
  const std::size_t needed = asked;
  EXPECT_GT(needed, 2 * std::size(kFactorAlphas)) << "each candidate is asked for";
  for (std::size_t questions = 0; questions < needed; ++questions) {
    EXPECT_THAT(chosen_with(questions), IsEmpty()) << questions;
    EXPECT_EQ(asked, questions + 1) << "nothing is begun behind the end";
  }
  EXPECT_EQ(chosen_with(needed).size(), 4U);
}

// A clock that moves with every question while candidates are compiled, and at no other time.
TEST(ChannelFactorsTest, RangesHaveHalfOfTheTimeWhateverFactorsTake) {
  const Graph graph = DepthwiseChain(Behind::kRelu);
  constexpr std::size_t kSamples = 4;
  const Dataset samples = Images(graph, kSamples, 1);
  double now_s = 0;
  bool moves = false;
  const TimeBudget budget(40, [&] {
    now_s += moves ? 1 : 0;
    return now_s;
  });
  CalibrationOptions options;
  options.time = budget.Slice(1);
  options.on_progress = [&](std::size_t done, std::size_t /*planned*/) {
    moves = done == 1 + kSamples;  // the run that is timed, and those before the candidates
  };
  const Calibration made = Calibrate(graph, samples, options);
  EXPECT_THAT(made.quantization.channel_factors, IsEmpty());
  EXPECT_EQ(made.samples, kSamples);
  EXPECT_LT(now_s, 25);
  EXPECT_THAT(made.cut, HasSubstr("without factors of channels"));
}

// The bound is reached by the largest channels: all stay on integers.
TEST(ChannelFactorsTest, EvenADepthwiseChainOfClips) {
  const Graph graph = DepthwiseChain(Behind::kClip);
  const Outcome outcome = GainOf(graph, Images(graph, 8, 1), Images(graph, 4, 2));
  EXPECT_EQ(outcome.factors, 2);
  EXPECT_GT(outcome.gain_db, 6);
  const Quantization quantization = Calibrate(graph, Images(graph, 8, 1), {}).quantization;
  const auto ops = testing::StepOps(graph, Int8Plan(graph, SharedQuantization(quantization)));
  EXPECT_EQ(std::ranges::count(ops, "QLinearConv"), 3) << ::testing::PrintToString(ops);
}

// A table for each channel lets the depthwise convolution read factors, and the function others; a
// convolution of all channels gets none.
TEST(ChannelFactorsTest, CrossSiluInFrontOfADepthwiseConvolution) {
  const Graph graph = DepthwiseChain(Behind::kSilu);
  const std::vector<FactorClass> classes = FactorClasses(graph);
  ASSERT_EQ(classes.size(), 2) << "the input, and what the depthwise convolution reads";
  EXPECT_EQ(classes[0].members[0].value, graph.inputs[0]);
  EXPECT_EQ(classes[0].front.value, kNoValue);
  EXPECT_EQ(graph.value(classes[1].members[0].value).name, "a1:0");
  EXPECT_EQ(graph.value(classes[1].front.value).name, "c1:0");
}

// conv 1x1, the function, and a depthwise convolution that takes the sizes of the channels back.
TEST(ChannelFactorsTest, EvenBothSidesOfAFunction) {
  constexpr std::int64_t kChannels = 12;
  for (const OpKind function : {OpKind::kHardSwish, OpKind::kSwish}) {
    GraphBuilder net;
    const ValueId x = net.Input("x", {1, 3, 8, 8});
    const ValueId w1 = net.Constant("w1", Filled({kChannels, 3, 1, 1}, [](std::int64_t i) {
                                      return Noise("w1", i) * SizeOf(i / 3, kChannels);
                                    }));
    const ValueId y = net.Add(function, "f", {net.Add(OpKind::kConv, "c1", {x, w1})});
    const ValueId w2 =
        net.Constant("w2", Filled({kChannels, 1, 3, 3}, [](std::int64_t i) {
                       return (0.2 + 0.1 * Noise("depth", i)) / SizeOf(i / 9, kChannels);
                     }));
    const Graph graph = net.Finish({net.Add(OpKind::kConv, "c2", {y, w2}, Depthwise(kChannels))});
    const Outcome outcome = GainOf(graph, Images(graph, 8, 1), Images(graph, 4, 2));
    EXPECT_EQ(outcome.factors, 2) << "before and behind the function";
    EXPECT_GT(outcome.gain_db, 6);
    const Quantization quantization = Calibrate(graph, Images(graph, 8, 1), {}).quantization;
    const auto ops = testing::StepOps(graph, Int8Plan(graph, SharedQuantization(quantization)));
    EXPECT_EQ(std::ranges::count(ops, "QLinearLookup"), 1) << ::testing::PrintToString(ops);
    EXPECT_EQ(std::ranges::count(ops, "QLinearConv"), 2) << ::testing::PrintToString(ops);
  }
}

// LayerNormalization with two columns 60 times as large as the others, in front of two products.
TEST(ChannelFactorsTest, SmoothOutlierColumns) {
  constexpr std::int64_t kWidth = 48;
  GraphBuilder net;
  const ValueId x = net.Input("x", {1, 6, kWidth});
  const auto is_outlier = [](std::int64_t c) { return c == 5 || c == 31; };
  const ValueId scale = net.Constant(
      "scale", Filled({kWidth}, [&](std::int64_t c) { return is_outlier(c) ? 60 : 1; }));
  const ValueId bias = net.Constant("bias", Filled({kWidth}, [](std::int64_t) { return 0; }));
  const ValueId y = net.Add(OpKind::kLayerNormalization, "norm", {x, scale, bias});
  const auto weights = [&](const std::string& name) {
    return net.Constant(name, Filled({kWidth, 20}, [&](std::int64_t i) {
                          return Noise(name, i) * (is_outlier(i / 20) ? 0.02 : 1);
                        }));
  };
  const ValueId q = net.Add(OpKind::kMatMul, "q", {y, weights("q.w")});
  const ValueId k = net.Add(OpKind::kMatMul, "k", {y, weights("key.w")});
  const Graph graph = net.Finish({q, k});
  const Outcome outcome = GainOf(graph, Images(graph, 8, 1), Images(graph, 4, 2));
  EXPECT_EQ(outcome.factors, 1);
  EXPECT_GT(outcome.gain_db, 6);
}

// Weights are those that a step multiplies with: BatchNormalization behind a product changes which
// are large. The factors are those of the network with the fold done by hand.
TEST(ChannelFactorsTest, AreOfWeightsWithBatchNormalizationFolded) {
  constexpr std::int64_t kChannels = 8;
  const auto network = [&](bool folded) {
    GraphBuilder net;
    const ValueId x = net.Input("x", {1, 3, 8, 8});
    const ValueId w1 = net.Constant("w1", Filled({kChannels, 3, 1, 1}, [&](std::int64_t i) {
                                      return Noise("w1", i) * SizeOf(i / 3, kChannels);
                                    }));
    const ValueId y = net.Add(OpKind::kRelu, "r", {net.Add(OpKind::kConv, "c1", {x, w1})});
    // Result o has a large weight for channel o alone, and the scale 2^-o.
    const auto scale_of = [](std::int64_t o) { return std::ldexp(1.0, static_cast<int>(-o)); };
    const ValueId w2 = net.Constant("w2", Filled({kChannels, kChannels, 1, 1}, [&](std::int64_t i) {
                                      const std::int64_t o = i / kChannels;
                                      const double weight =
                                          o == i % kChannels ? 1 : 0.01 * Noise("second", i);
                                      return folded ? weight * scale_of(o) : weight;
                                    }));
    const ValueId z = net.Add(OpKind::kConv, "c2", {y, w2});
    if (folded) {
      return net.Finish({z});
    }
    const auto constant = [&](const char* name, const std::function<double(std::int64_t)>& of) {
      return net.Constant(name, Filled({kChannels}, of));
    };
    Attributes attributes;
    attributes.Set("epsilon", 0.0F);
    return net.Finish(
        {net.Add(OpKind::kBatchNormalization, "bn",
                 {z, constant("scale", scale_of), constant("bias", [](std::int64_t) { return 0; }),
                  constant("mean", [](std::int64_t) { return 0; }),
                  constant("var", [](std::int64_t) { return 1; })},
                 attributes)});
  };
  const auto factors_of = [&](bool folded) {
    const Graph graph = network(folded);
    return Calibrate(graph, Images(graph, 8, 1), {.correct_bias = false})
        .quantization.channel_factors;
  };
  const auto by_hand = factors_of(true);
  ASSERT_THAT(by_hand, ::testing::Not(IsEmpty()));
  EXPECT_EQ(factors_of(false), by_hand);
}

// Channels of one size gain nothing by factors, and have none.
TEST(ChannelFactorsTest, AreNotThereWhereTheyGainNothing) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {1, 4, 6, 6});
  const ValueId w1 = net.Constant(
      "w1", Filled({8, 4, 1, 1}, [](std::int64_t i) { return Noise("w1", i) < 0 ? -0.5 : 0.5; }));
  const ValueId y = net.Add(OpKind::kRelu, "r", {net.Add(OpKind::kConv, "c1", {x, w1})});
  const ValueId w2 = net.Constant("w2", Filled({8, 8, 1, 1}, [](std::int64_t i) {
                                    return Noise("second", i) < 0 ? -0.3 : 0.3;
                                  }));
  const Graph graph = net.Finish({net.Add(OpKind::kConv, "c2", {y, w2})});
  EXPECT_EQ(FactorClasses(graph).size(), 2) << "the input, and what stands around Relu";
  EXPECT_THAT(Calibrate(graph, Images(graph, 8, 1), {}).quantization.channel_factors, IsEmpty());
}

// ---- Classes

std::vector<std::string> Members(const Graph& graph) {
  std::vector<std::string> names;
  for (const FactorClass& found : FactorClasses(graph)) {
    for (const FactorClass::Member& member : found.members) {
      names.push_back(graph.value(member.value).name);
    }
  }
  std::ranges::sort(names);
  return names;
}

struct RefusalCase {
  const char* name;
  // Reads y, the result of the Relu "r", beside the convolution.
  ValueId (*read)(GraphBuilder& net, ValueId y);
  bool allowed;
};

class FactorRefusals : public ::testing::TestWithParam<RefusalCase> {};

TEST_P(FactorRefusals, OneReaderThatCannotIsEnough) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {1, 4, 6, 6}, DType::kFloat32);
  const ValueId w1 =
      net.Constant("w1", Filled({8, 4, 1, 1}, [](std::int64_t i) { return Noise("w1", i); }));
  const ValueId y = net.Add(OpKind::kRelu, "r", {net.Add(OpKind::kConv, "c1", {x, w1})});
  const ValueId w2 =
      net.Constant("w2", Filled({8, 8, 1, 1}, [](std::int64_t i) { return Noise("w2", i); }));
  const ValueId z = net.Add(OpKind::kConv, "c2", {y, w2});
  const ValueId other = GetParam().read(net, y);
  const Graph graph = net.Finish({z, other});
  const auto members = Members(graph);
  EXPECT_EQ(std::ranges::count(members, "r:0"), GetParam().allowed ? 1 : 0);
  EXPECT_EQ(std::ranges::count(members, "c1:0"), GetParam().allowed ? 1 : 0);
  EXPECT_EQ(std::ranges::count(members, "x"), 1) << "a class of its own";
}

INSTANTIATE_TEST_SUITE_P(
    Readers, FactorRefusals,
    ::testing::Values(
        RefusalCase{"Output", [](GraphBuilder& /*net*/, ValueId y) { return y; }, true},
        RefusalCase{
            "FloatOperator",
            [](GraphBuilder& net, ValueId y) { return net.Add(OpKind::kSoftmax, "other", {y}); },
            true},
        RefusalCase{"Pool",
                    [](GraphBuilder& net, ValueId y) {
                      return net.Add(OpKind::kGlobalAveragePool, "other", {y});
                    },
                    true},
        RefusalCase{"Sum",
                    [](GraphBuilder& net, ValueId y) {
                      return net.Add(OpKind::kAdd, "other", {y, y});
                    },
                    false},
        RefusalCase{
            "Table",
            [](GraphBuilder& net, ValueId y) { return net.Add(OpKind::kSigmoid, "other", {y}); },
            false},
        RefusalCase{"Concat",
                    [](GraphBuilder& net, ValueId y) {
                      Attributes attributes;
                      attributes.Set("axis", std::int64_t{1});
                      return net.Add(OpKind::kConcat, "other", {y, y}, std::move(attributes));
                    },
                    false},
        RefusalCase{
            "ViewThatMixesChannels",
            [](GraphBuilder& net, ValueId y) {
              return net.Add(OpKind::kReshape, "other", {y, net.Integers("shape", {1, 288})});
            },
            false},
        RefusalCase{
            "ProductOverAnotherAxis",
            [](GraphBuilder& net, ValueId y) {
              const ValueId w = net.Constant("w", Filled({6, 2}, [](std::int64_t) { return 1; }));
              return net.Add(OpKind::kMatMul, "other", {y, w});
            },
            false}),
    [](const auto& param) { return param.param.name; });

TEST(FactorClassesTest, AResidualSumHasNone) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {1, 4, 6, 6});
  const auto conv = [&](const std::string& name, ValueId of) {
    const ValueId w = net.Constant(
        name + ".w", Filled({4, 4, 1, 1}, [&](std::int64_t i) { return Noise(name, i); }));
    return net.Add(OpKind::kConv, name, {of, w});
  };
  const ValueId sum = net.Add(OpKind::kAdd, "sum", {conv("a", x), conv("branch", x)});
  const ValueId y = net.Add(OpKind::kRelu, "r", {sum});
  const Graph graph = net.Finish({conv("last", y)});
  EXPECT_THAT(Members(graph), ElementsAre("x"));
}

}  // namespace
}  // namespace halftone
