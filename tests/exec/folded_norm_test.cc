// The bound that fold_batch_norm.h states for a step, and that of its parts apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "src/exec/executable.h"
#include "src/exec/fuse_by_plan.h"
#include "tests/exec/fusion_rows.h"

namespace halftone {
namespace {

using namespace fusion_rows;  // NOLINT(google-build-using-namespace): of the samples

constexpr std::int64_t kChannels = 6;
constexpr std::int64_t kTaps = 4;

// A convolution of one pixel with the run y -> m (s y + t) behind it. Operands are drawn, but x,
// which every dtype holds.
struct Sample {
  Graph graph;
  std::vector<double> weights;  // [channels, taps]
  std::vector<double> bias;     // [channels]; zeros: the convolution has none
  std::vector<double> scale;    // of the whole run
  std::vector<double> shift;
};

Sample ConvNormOf(const std::string& seed, bool has_bias, double most_shift) {
  Net net;
  const ValueId x = net.Input("x", {1, kTaps, 3, 5});
  const ValueId w = net.Weights(seed + "w", {kChannels, kTaps, 1, 1});
  std::vector<ValueId> operands = {x, w};
  if (has_bias) {
    operands.push_back(net.Weights(seed + "b", {kChannels}));
  }
  const ValueId gamma = net.Weights(seed + "gamma", {kChannels}, 0.5, 2);
  const ValueId beta = net.Weights(seed + "beta", {kChannels}, -most_shift, most_shift);
  const ValueId mean = net.Weights(seed + "mean", {kChannels});
  const ValueId variance = net.Weights(seed + "variance", {kChannels}, 0.5, 2);
  const ValueId norm =
      net.Add(OpKind::kBatchNormalization, "bn",
              {net.Add(OpKind::kConv, "conv", operands), gamma, beta, mean, variance},
              With("epsilon", 0.0F));
  Sample sample{.graph = net.Finish({norm}),
                .weights = {},
                .bias = std::vector<double>(kChannels, 0.0),
                .scale = {},
                .shift = {}};
  const auto values = [&](ValueId id) { return DoublesOf(*sample.graph.value(id).constant); };
  sample.weights = values(w);
  if (has_bias) {
    sample.bias = values(operands[2]);
  }
  for (std::size_t c = 0; c < kChannels; ++c) {
    sample.scale.push_back(values(gamma)[c] / std::sqrt(values(variance)[c]));
    sample.shift.push_back(values(beta)[c] - values(mean)[c] * sample.scale[c]);
  }
  return sample;
}

// Both nodes in one dtype; the parameters of the norm are float32 in every plan.
PrecisionPlan PlanIn(const Graph& graph, DType dtype) {
  PrecisionPlan plan = ReferencePlan(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    NodePrecision& precision = plan.nodes[n];
    for (std::size_t i = 0; i < precision.inputs.size(); ++i) {
      if (SignatureItemAt(InfoOf(graph.nodes[n].op).inputs, i)->letter != 'F') {
        precision.inputs[i] = dtype;
      }
    }
    precision.outputs.assign(precision.outputs.size(), dtype);
  }
  return plan;
}

// What the bounds are made of, for one result.
struct Terms {
  double exact = 0;     // s (sum W x + b) + t
  double products = 0;  // |s| sum |W x|
  double bias = 0;      // |s b|
  double folded = 0;    // |s b + t|
  double inside = 0;    // |s z|
};

Terms TermsOf(const Sample& sample, const std::vector<double>& x, std::size_t i) {
  constexpr std::size_t kPixels = 15;
  const std::size_t c = i / kPixels;
  Terms terms;
  double z = sample.bias[c];
  for (std::size_t k = 0; k < kTaps; ++k) {
    const double product = sample.weights[c * kTaps + k] * x[k * kPixels + i % kPixels];
    z += product;
    terms.products += std::abs(sample.scale[c] * product);
  }
  terms.exact = sample.scale[c] * z + sample.shift[c];
  terms.bias = std::abs(sample.scale[c] * sample.bias[c]);
  terms.folded = std::abs(sample.scale[c] * sample.bias[c] + sample.shift[c]);
  terms.inside = std::abs(sample.scale[c] * z);
  return terms;
}

class FoldedNorm : public ::testing::TestWithParam<DType> {};

// Subnormal numbers are left out of the statement: no term is below 2^-14 but by chance, and each
// rounding of one is off by half a step.
TEST_P(FoldedNorm, AStepAndItsPartsKeepTheirBounds) {
  const DType dtype = GetParam();
  const double model = 0x1p-24;  // weights of the model are float32
  const double plan_unit = testing::UnitRoundoff(dtype);
  const double again = dtype == kF32 ? 0 : plan_unit;
  const double v = model + again + model * again;
  const double step = 4 * (kTaps + 2) * testing::HalfSubnormalStep(dtype);
  double worst_fused = 0;  // of the result
  double worst_apart = 0;
  for (int sample_number = 0; sample_number < 40; ++sample_number) {
    const bool has_bias = sample_number % 2 == 0;
    const double most_shift = sample_number % 4 < 2 ? 1 : 64;
    const Sample sample = ConvNormOf(std::to_string(sample_number), has_bias, most_shift);
    Rng rng(static_cast<std::uint64_t>(sample_number));
    const std::vector<Tensor> inputs = {Multiples({kF32, {1, kTaps, 3, 5}}, rng, 2, 0.125)};
    const PrecisionPlan plan = PlanIn(sample.graph, dtype);
    ASSERT_EQ(FuseByPlan(sample.graph, plan, nullptr).graph.nodes.size(), 1U);
    const auto run = [&](bool fuse) {
      CompileOptions options;
      options.kernels.reference_only = true;
      options.fuse = fuse;
      return DoublesOf(Compile(sample.graph, plan, options).Run(inputs).at(0));
    };
    const std::vector<double> fused = run(true);
    const std::vector<double> apart = run(false);
    const std::vector<double> x = DoublesOf(inputs[0]);
    for (std::size_t i = 0; i < fused.size(); ++i) {
      const Terms terms = TermsOf(sample, x, i);
      // One rounding of the result, of a value that is off already.
      const auto whole = [&](double operands) {
        return operands + plan_unit * (std::abs(terms.exact) + operands) + step;
      };
      const double fused_bound = whole(v * (terms.products + terms.folded));
      // z is off already when it is rounded.
      const double operands = again * (terms.products + terms.bias);
      const double apart_bound = whole(operands + plan_unit * (terms.inside + operands));
      const double fused_error = std::abs(fused[i] - terms.exact);
      const double apart_error = std::abs(apart[i] - terms.exact);
      ASSERT_LE(fused_error, fused_bound) << "sample " << sample_number << ", element " << i;
      ASSERT_LE(apart_error, apart_bound) << "sample " << sample_number << ", element " << i;
      worst_fused = std::max(worst_fused, fused_error / fused_bound);
      worst_apart = std::max(worst_apart, apart_error / apart_bound);
    }
  }
  // Bounds that nothing comes near would say nothing.
  EXPECT_GT(worst_fused, 0.25);
  EXPECT_GT(worst_apart, 0.25);
}

INSTANTIATE_TEST_SUITE_P(DTypes, FoldedNorm, ::testing::Values(kF32, kF16, kBF16),
                         [](const auto& c) { return std::string(NameOf(c.param)); });

// y = g (x - mean) + b of values near a large mean: a shift b - g mean in float32 would be off by
// 2^-24 of the mean, which is 1e5 times the result.
TEST(FactorBehindANorm, LeavesTheMeanWhereItIsSubtracted) {
  Net net;
  const auto one = [&](const char* name, float value) {
    return net.Constant(name, Tensor::From<float>({1}, {&value, 1}));
  };
  const ValueId norm = net.Add(OpKind::kBatchNormalization, "bn",
                               {net.Input("x", {1, 1, 1, 4}), one("gamma", 1.0F), one("beta", 0.0F),
                                one("mean", 100000.3F), one("variance", 1.0F)},
                               With("epsilon", 0.0F));
  const Graph graph = net.Finish({net.Add(OpKind::kMul, "times", {norm, net.Number(0.7)})});
  const PrecisionPlan plan = ReferencePlan(graph);
  ASSERT_EQ(FuseByPlan(graph, plan, nullptr).graph.nodes.size(), 1U);
  const float x[] = {100000.0F, 100000.25F, 100000.5F, 100001.0F};
  CompileOptions options;
  options.kernels.reference_only = true;
  const std::vector<Tensor> inputs = {Tensor::From<float>({1, 1, 1, 4}, x)};
  const std::vector<double> y = DoublesOf(Compile(graph, plan, options).Run(inputs).at(0));
  for (std::size_t i = 0; i < 4; ++i) {
    const double exact = static_cast<double>(0.7F) * (static_cast<double>(x[i]) - 100000.3F);
    // The factor, which scale holds already, is not rounded; the result is once.
    EXPECT_LE(std::abs(y[i] - exact), 0x1p-24 * std::abs(exact)) << "element " << i;
  }
}

}  // namespace
}  // namespace halftone
