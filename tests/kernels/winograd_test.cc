// Winograd's method keeps, where it is measured, the bound that the direct form has in the worst
// case: so it counts as float32 (docs/measurements/performance.md). Its own worst case is wider
// (kernels/onednn/conv.h). From 16 channels on, where it is chosen: with three, some elements are
// beyond that bound, which is narrow for short sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::EntriesFor;
using testing::ExactResult;
using testing::KernelCall;
using testing::OutputTypesOf;
using testing::RunEntry;
using testing::TensorOf;

struct Layer {
  const char* name;
  std::int64_t size;
  std::int64_t in_channels;
  std::int64_t out_channels;
};

void PrintTo(const Layer& layer, std::ostream* out) {
  *out << layer.name;
}

// As after a Relu: half of the values are 0, the others as large as a weight is small.
Tensor Activations(const Shape& shape, Rng& rng) {
  std::vector<double> values(static_cast<std::size_t>(shape.ElementCount()));
  for (double& value : values) {
    value = std::max(0.0, 6 * rng.Uniform() - 3);
  }
  return TensorOf(DType::kFloat32, shape, values);
}

KernelCall CallOf(const Layer& layer, Rng& rng) {
  KernelCall call;
  call.op = OpKind::kConv;
  call.attributes.Set("pads", std::vector<std::int64_t>(4, 1));
  call.layout.channels_last = true;
  call.inputs = {
      Activations({1, layer.size, layer.size, layer.in_channels}, rng),
      testing::RandomTensor({DType::kFloat32, {layer.out_channels, layer.in_channels, 3, 3}}, rng,
                            -0.1, 0.1)};
  call.constant = {false, true};
  call.outputs = {{DType::kFloat32, {1, layer.size, layer.size, layer.out_channels}}};
  return call;
}

Tensor Magnitudes(KernelCall call) {
  for (auto& input : call.inputs) {
    std::vector<double> values = DoublesOf(*input);
    std::transform(values.begin(), values.end(), values.begin(),
                   [](double v) { return std::abs(v); });
    input = TensorOf(DType::kFloat64, input->shape(), values);
  }
  return ExactResult(call)[0];
}

class WinogradTest : public ::testing::TestWithParam<Layer> {};

TEST_P(WinogradTest, MeasuredErrorIsWithinTheBoundOfTheDirectForm) {
  Rng rng(20261121);
  const KernelCall call = CallOf(GetParam(), rng);
  const Tensor exact = ExactResult(call)[0];
  const Tensor sums = Magnitudes(call);
  constexpr double kUnit = 0x1p-24;
  const double n = static_cast<double>(9 * GetParam().in_channels + 2);
  const double direct = n * kUnit / (1 - n * kUnit);  // times the sum of |x w|
  bool ran = false;
  for (const KernelEntry* entry : EntriesFor(call)) {
    if (entry->name.find("winograd") != std::string_view::npos) {
      ran = true;
      EXPECT_TRUE(testing::AllWithin(RunEntry(*entry, call)[0], exact, [&](std::int64_t i, double) {
        return direct * sums.values<double>()[static_cast<std::size_t>(i)];
      })) << entry->name;
    }
  }
  if (!ran) {
    GTEST_SKIP() << "no kernel by Winograd's method runs on this machine";
  }
}

Tensor NormalTensor(const Shape& shape, Rng& rng) {
  std::vector<double> values(static_cast<std::size_t>(shape.ElementCount()));
  for (double& value : values) {
    value = rng.Normal();
  }
  return TensorOf(DType::kFloat16, shape, values);
}

// Of the dot units, with normal operands of mean 0, which stay normal when they are transformed:
// each product carries the roundings of two operands, independent of each other, so that the powers
// of the errors add up. Directly, 9 taps of power |x w|^2. By F(2x2, 3x3), along each axis sum_i
// A^T_ri^2 |B^T_i|^2 |G_i|^2 = 2 + 1.5 + 1.5 = 5 for 3 taps: 25 for 9, an error of 5/3. How much
// of a value its rounding is depends on where it lies between powers of two, a few percent for
// normal values of any width; means over some thousand errors of one filter add as much.
TEST_P(WinogradTest, RoundingErrorOfTheDotUnitsIsAsDerived) {
  Rng rng(20261123);
  const Layer& layer = GetParam();
  KernelCall call = CallOf(layer, rng);
  call.inputs = {NormalTensor({1, layer.size, layer.size, layer.in_channels}, rng),
                 NormalTensor({layer.out_channels, layer.in_channels, 3, 3}, rng)};
  const std::vector<double> exact = DoublesOf(ExactResult(call)[0]);
  double direct = 0;
  double winograd = 0;
  for (const KernelEntry* entry : EntriesFor(call)) {
    const std::vector<double> result = DoublesOf(RunEntry(*entry, call)[0]);
    double power = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      power += (result[i] - exact[i]) * (result[i] - exact[i]);
    }
    if (entry->name == "conv.f16.avx512_bf16.fast_channels_last") {
      direct = std::sqrt(power);
    } else if (entry->name == "conv.f16.avx512_bf16.winograd") {
      winograd = std::sqrt(power);
    }
  }
  if (direct == 0 || winograd == 0) {
    GTEST_SKIP() << "this machine has no dot units";
  }
  EXPECT_NEAR(winograd / direct, 5.0 / 3, 0.05 * 5 / 3);
}

INSTANTIATE_TEST_SUITE_P(Layers, WinogradTest,
                         ::testing::Values(Layer{"Squeeze", 55, 16, 16},
                                           Layer{"Stage1", 28, 64, 64},
                                           Layer{"Stage2", 28, 128, 16},
                                           Layer{"Stage3", 14, 256, 32}, Layer{"Vgg", 14, 512, 16}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace halftone
