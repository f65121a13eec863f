// Channel factors in steps (src/exec/channel_factors.h): what the integers compute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/exec/channel_factors.h"
#include "src/quantization/schemes.h"
#include "tests/search/calibrate/int8_fixture.h"

namespace halftone {
namespace {

using ::testing::Contains;
using testing::Filled;
using testing::FloatsOf;
using testing::Formats;
using testing::GraphBuilder;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::PlanWith;
using testing::RunPlan;
using testing::StepOps;

Attributes Of(const std::string& name, Attribute value) {
  Attributes attributes;
  attributes.Set(name, std::move(value));
  return attributes;
}

constexpr float kFactors[] = {1, 64, 0.25F, 16};
constexpr std::int64_t kChannels = 4;

double FactorOf(std::int64_t channel) {
  return static_cast<double>(kFactors[channel]);
}

Quantization WithFactors(int axis, const std::vector<std::string>& names) {
  Quantization quantization;
  for (const std::string& name : names) {
    quantization.activations[name] = {.scale = 1, .zero_point = 0};
    quantization.channel_factors[name] = {.axis = axis,
                                          .factors = {std::begin(kFactors), std::end(kFactors)}};
  }
  return quantization;
}

// Weights whose products with the factors are integers, 127 the largest of each result channel: the
// 8-bit network is exact with the factors, and far from it without.
double ExactWeight(std::int64_t result, std::int64_t tap, std::int64_t channel) {
  const std::int64_t integer = tap == 0 ? 127 : (7 * result + 3 * tap + 5 * channel) % 11 - 5;
  return static_cast<double>(integer) / FactorOf(channel);
}

struct ReaderCase {
  const char* name;
  // A network that reads x, with channels of kFactors along `axis`, by one product "p".
  Graph (*make)();
  int axis;
};

Graph ConvOfGroups(std::int64_t groups) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {1, kChannels, 4, 5});
  const std::int64_t read = kChannels / groups;
  const std::int64_t taps = read * 3;
  const ValueId w = net.Constant("w", Filled({8, read, 1, 3}, [&](std::int64_t i) {
                                   const std::int64_t result = i / taps;
                                   const std::int64_t channel =
                                       result / (8 / groups) * read + i % taps / 3;
                                   return ExactWeight(result, i % taps, channel);
                                 }));
  const ValueId b = net.Constant(
      "b", Filled({8}, [](std::int64_t i) { return static_cast<double>(3 * i - 10); }));
  return net.Finish({net.Add(OpKind::kConv, "p", {x, w, b}, Of("group", groups))});
}

Graph MatrixOf(OpKind op, Shape shape, bool transposed) {
  GraphBuilder net;
  const ValueId x = net.Input("x", std::move(shape));
  const std::int64_t columns = 6;
  const ValueId w = net.Constant(
      "w", transposed ? Filled({columns, kChannels},
                               [](std::int64_t i) {
                                 return ExactWeight(i / kChannels, i % kChannels, i % kChannels);
                               })
                      : Filled({kChannels, columns}, [&](std::int64_t i) {
                          return ExactWeight(i % columns, i / columns, i / columns);
                        }));
  Attributes attributes;
  if (transposed) {
    attributes.Set("transB", std::int64_t{1});
  }
  return net.Finish({net.Add(op, "p", {x, w}, std::move(attributes))});
}

class ReadFactors : public ::testing::TestWithParam<ReaderCase> {};

TEST_P(ReadFactors, WeightsTakeThemUp) {
  const Graph graph = GetParam().make();
  const Shape& shape = graph.value(graph.inputs[0]).type.shape;
  const std::int64_t inner = shape.ElementCount(GetParam().axis + 1, shape.rank());
  const std::vector<Tensor> inputs = {Filled(shape, [&](std::int64_t i) {
    return static_cast<double>(i * 37 % 256) * FactorOf(i / inner % kChannels);
  })};
  const std::vector<float> exact = FloatsOf(RunPlan(graph, ReferencePlan(graph), inputs)[0]);
  Quantization quantization = WithFactors(GetParam().axis, {"x"});
  const PrecisionPlan plan = PlanWith(graph, {{"p", "qint8 to float32"}}, quantization);
  EXPECT_THAT(StepOps(graph, plan), Contains(HasSubstr("QLinear")));
  EXPECT_EQ(FloatsOf(RunPlan(graph, plan, inputs)[0]), exact);
  quantization.channel_factors.clear();
  quantization.activations["x"].scale = 64;
  const PrecisionPlan without = PlanWith(graph, {{"p", "qint8 to float32"}}, quantization);
  EXPECT_NE(FloatsOf(RunPlan(graph, without, inputs)[0]), exact) << "the test cannot fail";
}

INSTANTIATE_TEST_SUITE_P(
    Products, ReadFactors,
    ::testing::Values(ReaderCase{"Conv", [] { return ConvOfGroups(1); }, 1},
                      ReaderCase{"ConvOfTwoGroups", [] { return ConvOfGroups(2); }, 1},
                      ReaderCase{"Depthwise", [] { return ConvOfGroups(4); }, 1},
                      ReaderCase{"MatMul",
                                 [] {
                                   return MatrixOf(OpKind::kMatMul, {2, 3, kChannels}, false);
                                 },
                                 2},
                      ReaderCase{"Gemm",
                                 [] {
                                   return MatrixOf(OpKind::kGemm, {3, kChannels}, false);
                                 },
                                 1},
                      ReaderCase{"GemmOfTransposed",
                                 [] {
                                   return MatrixOf(OpKind::kGemm, {3, kChannels}, true);
                                 },
                                 1}),
    [](const auto& param) { return param.param.name; });

// x -> c1 -> behind -> c2: the value "mid" between them has factors. All integers are exact.
struct Chain {
  Graph graph;
  std::string mid;
};

Chain ChainOf(const std::function<ValueId(GraphBuilder&, ValueId)>& behind, bool output = false) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {1, 2, 3, 3});
  const ValueId w1 = net.Constant("w1", Filled({kChannels, 2, 1, 1}, [](std::int64_t i) {
                                    return (i % 2 == 0 ? 127 : -1) * FactorOf(i / 2);
                                  }));
  ValueId y = behind(net, net.Add(OpKind::kConv, "c1", {x, w1}));
  const ValueId w2 = net.Constant("w2", Filled({3, kChannels, 1, 1}, [](std::int64_t i) {
                                    return ExactWeight(i / kChannels, i % kChannels, i % kChannels);
                                  }));
  const ValueId z = net.Add(OpKind::kConv, "c2", {y, w2});
  Chain chain;
  chain.graph = output ? net.Finish({z, y}) : net.Finish({z});
  chain.mid = chain.graph.value(y).name;
  return chain;
}

std::vector<Tensor> BinaryImage() {
  return {Filled({1, 2, 3, 3}, [](std::int64_t i) { return i * 5 % 3 % 2; })};
}

const Formats kBoth = {{"c1", "qint8"}, {"act", "qint8"}, {"c2", "qint8 to float32"}};

Quantization ScalesOf(const Chain& chain) {
  Quantization quantization = WithFactors(1, {chain.mid});
  quantization.activations["x"] = {.scale = 1, .zero_point = 0};
  quantization.activations["c1:0"] = {.scale = 1, .zero_point = 10};
  quantization.activations[chain.mid].scale = 1;
  return quantization;
}

TEST(MadeFactorsTest, ScalesOfSumsAreDivided) {
  const Chain chain =
      ChainOf([](GraphBuilder& net, ValueId y) { return net.Add(OpKind::kRelu, "act", {y}); });
  const PrecisionPlan plan = PlanWith(chain.graph, kBoth, ScalesOf(chain));
  EXPECT_THAT(StepOps(chain.graph, plan), Not(Contains("Conv")));
  EXPECT_EQ(FloatsOf(RunPlan(chain.graph, plan, BinaryImage())[0]),
            FloatsOf(RunPlan(chain.graph, ReferencePlan(chain.graph), BinaryImage())[0]));
}

TEST(MadeFactorsTest, FloatReadersGetAScaleForEachChannel) {
  const Chain chain = ChainOf(
      [](GraphBuilder& net, ValueId y) { return net.Add(OpKind::kRelu, "act", {y}); }, true);
  const auto exact = RunPlan(chain.graph, ReferencePlan(chain.graph), BinaryImage());
  const auto actual =
      RunPlan(chain.graph, PlanWith(chain.graph, kBoth, ScalesOf(chain)), BinaryImage());
  EXPECT_EQ(FloatsOf(actual[0]), FloatsOf(exact[0]));
  EXPECT_EQ(FloatsOf(actual[1]), FloatsOf(exact[1]));
}

ValueId Clipped(GraphBuilder& net, ValueId y, double low, double high) {
  const ValueId l = net.Constant("low", Filled({}, [&](std::int64_t) { return low; }));
  const ValueId h = net.Constant("high", Filled({}, [&](std::int64_t) { return high; }));
  return net.Add(OpKind::kClip, "act", {y, l, h});
}

// The greatest factor is 64: its integers end at 64 * 255, at or below the bound.
TEST(MadeFactorsTest, ABoundBehindTheEndOfEveryChannelGoes) {
  const Chain chain =
      ChainOf([](GraphBuilder& net, ValueId y) { return Clipped(net, y, 0, 64 * 255); });
  const PrecisionPlan plan = PlanWith(chain.graph, kBoth, ScalesOf(chain));
  EXPECT_THAT(StepOps(chain.graph, plan), Not(Contains("Conv")));
  EXPECT_EQ(FloatsOf(RunPlan(chain.graph, plan, BinaryImage())[0]),
            FloatsOf(RunPlan(chain.graph, ReferencePlan(chain.graph), BinaryImage())[0]));
}

TEST(MadeFactorsTest, ABoundInsideAChannelIsComputedInFloat) {
  const Chain chain =
      ChainOf([](GraphBuilder& net, ValueId y) { return Clipped(net, y, 0, 64 * 64); });
  const PrecisionPlan plan = PlanWith(chain.graph, kBoth, ScalesOf(chain));
  EXPECT_THAT(StepOps(chain.graph, plan), Contains("Conv"));
  EXPECT_EQ(FloatsOf(RunPlan(chain.graph, plan, BinaryImage())[0]),
            FloatsOf(RunPlan(chain.graph, ReferencePlan(chain.graph), BinaryImage())[0]));
}

TEST(WithoutIdleBoundsTest, TakesAwayWhatChangesNoInteger) {
  const ChannelFactors factors{.axis = 1, .factors = {1, 2}};
  const ActivationScale scale{.scale = 1, .zero_point = 100};
  const auto left = [&](float low, float high) {
    return WithoutIdleBounds(StepActivation{.op = OpKind::kClip, .low = low, .high = high}, scale,
                             factors);
  };
  ASSERT_TRUE(left(-200, 310));  // -100 * 2, and 154.5 * 2 = 309 rounds to the end
  EXPECT_FALSE(left(-200, 310)->has_value());
  EXPECT_FALSE(left(-200, 308));
  EXPECT_FALSE(left(-198, 310));  // -99.5 * 2 = -199 rounds to the end
  ASSERT_TRUE(left(-199, 309));
  ASSERT_TRUE(left(0, 310));
  EXPECT_EQ((*left(0, 310))->op, OpKind::kRelu);
  EXPECT_TRUE(WithoutIdleBounds(std::nullopt, scale, factors));
  EXPECT_FALSE(WithoutIdleBounds(StepActivation{.op = OpKind::kSigmoid}, scale, factors));
}

// f uniform and a power of two is a scale f times as large: the same bits.
TEST(MadeFactorsTest, OneFactorForAllIsALargerScale) {
  const Chain chain =
      ChainOf([](GraphBuilder& net, ValueId y) { return net.Add(OpKind::kRelu, "act", {y}); });
  Quantization quantization = ScalesOf(chain);
  quantization.activations[chain.mid] = {.scale = 0.37F, .zero_point = 3};
  quantization.channel_factors[chain.mid].factors.assign(kChannels, 8);
  const auto with =
      FloatsOf(RunPlan(chain.graph, PlanWith(chain.graph, kBoth, quantization), BinaryImage())[0]);
  quantization.channel_factors.clear();
  quantization.activations[chain.mid].scale *= 8;
  EXPECT_EQ(
      FloatsOf(RunPlan(chain.graph, PlanWith(chain.graph, kBoth, quantization), BinaryImage())[0]),
      with);
}

// Operators between that keep channels, and functions, run on integers; the others in float, and
// are right too.
struct BetweenCase {
  const char* name;
  ValueId (*add)(GraphBuilder& net, ValueId y);
  bool on_integers;
};

class BetweenFactors : public ::testing::TestWithParam<BetweenCase> {};

TEST_P(BetweenFactors, ResultsAreThoseOfFloat32) {
  std::string made;
  const Chain chain = ChainOf([&](GraphBuilder& net, ValueId y) {
    const ValueId act = net.Add(OpKind::kRelu, "act", {y});
    return GetParam().add(net, act);
  });
  Quantization quantization = ScalesOf(chain);
  quantization.activations["act:0"] = {.scale = 1, .zero_point = 0};
  quantization.channel_factors["act:0"] = quantization.channel_factors[chain.mid];
  Formats formats = kBoth;
  formats["between"] = "qint8";
  const PrecisionPlan plan = PlanWith(chain.graph, formats, quantization);
  const auto ops = StepOps(chain.graph, plan);
  EXPECT_EQ(std::ranges::count(ops, "DequantizeLinear") == 0, GetParam().on_integers)
      << ::testing::PrintToString(ops);
  EXPECT_EQ(FloatsOf(RunPlan(chain.graph, plan, BinaryImage())[0]),
            FloatsOf(RunPlan(chain.graph, ReferencePlan(chain.graph), BinaryImage())[0]));
}

Attributes Kernel() {
  Attributes attributes = Of("kernel_shape", std::vector<std::int64_t>{2, 2});
  attributes.Set("strides", std::vector<std::int64_t>{1, 1});
  return attributes;
}

INSTANTIATE_TEST_SUITE_P(
    Operators, BetweenFactors,
    ::testing::Values(BetweenCase{"MaxPool",
                                  [](GraphBuilder& net, ValueId y) {
                                    return net.Add(OpKind::kMaxPool, "between", {y}, Kernel());
                                  },
                                  true},
                      BetweenCase{"Relu",
                                  [](GraphBuilder& net, ValueId y) {
                                    return net.Add(OpKind::kRelu, "between", {y});
                                  },
                                  true},
                      BetweenCase{"AddOfItself",
                                  [](GraphBuilder& net, ValueId y) {
                                    const ValueId zero = net.Constant(
                                        "zero", Filled({}, [](std::int64_t) { return 0; }));
                                    return net.Add(OpKind::kAdd, "between", {y, zero});
                                  },
                                  false},
                      BetweenCase{"Abs",
                                  [](GraphBuilder& net, ValueId y) {
                                    return net.Add(OpKind::kAbs, "between", {y});
                                  },
                                  true}),
    [](const auto& param) { return param.param.name; });

// A classifier head: the factors of the feature map go through the pool and the view into the
// weights of the last product.
TEST(ClassifierHead, FactorsGoThroughPoolAndView) {
  GraphBuilder net;
  Rng rng(9);
  const auto random = [&](std::int64_t) { return rng.Uniform(-1, 1); };
  const ValueId x = net.Input("x", {1, 3, 6, 6});
  const ValueId w = net.Constant("w", Filled({kChannels, 3, 1, 1}, random));
  const ValueId a = net.Add(OpKind::kConv, "conv", {x, w});
  const ValueId b = net.Add(OpKind::kGlobalAveragePool, "mean", {a});
  const ValueId c = net.Add(OpKind::kFlatten, "flat", {b});
  const ValueId v = net.Constant("v", Filled({5, kChannels}, random));
  const ValueId y = net.Add(OpKind::kGemm, "fc", {c, v}, Of("transB", std::int64_t{1}));
  Graph graph = net.Finish({y});
  const Dataset data = testing::SamplesOf(
      graph, 8, [](std::size_t, std::int64_t, Rng& r) { return r.Uniform(-1, 1); });
  Quantization quantization;
  const auto give = [&](ValueId value, double low, double high) {
    quantization.activations[graph.value(value).name] = ActivationScaleOf({low, high});
  };
  give(x, -1, 1);
  give(a, -3, 3);
  give(b, -0.5, 0.5);
  give(c, -0.5, 0.5);
  give(y, -1, 1);
  const Formats formats = {
      {"conv", "qint8"}, {"mean", "qint8"}, {"flat", "qint8"}, {"fc", "qint8"}};
  const double without = testing::SqnrDb(graph, PlanWith(graph, formats, quantization), data);
  for (const ValueId value : {a, b, c}) {
    quantization.channel_factors[graph.value(value).name] = {.axis = 1, .factors = {1, 0.5F, 2, 1}};
  }
  const PrecisionPlan plan = PlanWith(graph, formats, quantization);
  EXPECT_EQ(std::ranges::count(StepOps(graph, plan), "DequantizeLinear"), 1);  // of the output
  // The steps of a channel are at most twice as wide: four times the power of the error.
  EXPECT_GT(testing::SqnrDb(graph, plan, data), without - 10 * std::log10(4));
}

TEST(FactorsOfTest, TheirNumberAndAxisAreThoseOfTheTensor) {
  const Chain chain =
      ChainOf([](GraphBuilder& net, ValueId y) { return net.Add(OpKind::kRelu, "act", {y}); });
  for (const int axis : {0, 2, 4, -1}) {
    Quantization quantization = ScalesOf(chain);
    quantization.channel_factors[chain.mid].axis = axis;
    try {
      RunPlan(chain.graph, PlanWith(chain.graph, kBoth, quantization), BinaryImage());
      ADD_FAILURE() << axis;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_THAT(error.what(), HasSubstr("gives 4 factors along axis"));
    }
  }
}

TEST(KeptChannelAxisTest, FollowsTransposesAndViews) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {2, 6, 1, 1});
  net.Add(OpKind::kFlatten, "flatten", {x}, Of("axis", std::int64_t{1}));
  net.Add(OpKind::kTranspose, "turn", {x}, Of("perm", std::vector<std::int64_t>{0, 2, 3, 1}));
  net.Add(OpKind::kReshape, "cut", {x, net.Integers("s", {2, 3, 2})});
  net.Add(OpKind::kReshape, "keep", {x, net.Integers("t", {1, 2, 6})});
  net.Add(OpKind::kSigmoid, "sigmoid", {x});
  const Graph graph = net.Finish({x});
  const std::optional<int> expected[] = {1, 3, std::nullopt, 2, std::nullopt};
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    EXPECT_EQ(KeptChannelAxis(graph, graph.nodes[n], 1), expected[n]) << graph.nodes[n].name;
  }
}

}  // namespace
}  // namespace halftone
