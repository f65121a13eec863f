// QLinearConvTranspose against the formula, with the sums of the float operator in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "kernels/quantized/quantized.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::BothLayouts;
using testing::EntriesFor;
using testing::ExactResult;
using testing::KernelCall;
using testing::RandomTensor;
using testing::RunEntry;
using testing::TensorOf;
using testing::WithChannelsLast;
using Ints = std::vector<std::int64_t>;

constexpr DType kF32 = DType::kFloat32;
constexpr DType kS8 = DType::kInt8;
constexpr DType kU8 = DType::kUInt8;

struct Case {
  const char* name;
  Shape x, w;  // [N, C, ...], [C, M / groups, ...]
  Ints strides, pads;
  Ints output_padding = {};
  std::int64_t group = 1;
  bool is_fast = true;  // phases serve it
};

const Case kCases[] = {
    {"Twice", {1, 24, 7, 9}, {24, 16, 2, 2}, {2, 2}, {0, 0, 0, 0}},
    {"TwiceOfFew", {2, 5, 4, 3}, {5, 1, 2, 2}, {2, 2}, {0, 0, 0, 0}},
    {"Four", {1, 16, 6, 5}, {16, 20, 4, 4}, {2, 2}, {1, 1, 1, 1}},
    {"Three", {1, 16, 6, 5}, {16, 12, 3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
    {"ThreeOddly", {1, 7, 5, 4}, {7, 9, 3, 5}, {3, 2}, {0, 2, 1, 1}},
    {"One", {1, 8, 5, 4}, {8, 9, 3, 3}, {1, 1}, {1, 1, 1, 1}},
    {"Line", {2, 12, 11}, {12, 10, 4}, {2}, {1, 1}},
    {"Depthwise", {1, 20, 6, 7}, {20, 1, 4, 4}, {2, 2}, {1, 1, 1, 1}, {}, 20},
    {"Threads", {1, 32, 40, 41}, {32, 24, 2, 2}, {2, 2}, {0, 0, 0, 0}},
    {"Groups", {1, 8, 4, 4}, {8, 3, 2, 2}, {2, 2}, {0, 0, 0, 0}, {}, 2, false},
    {"ShortWindow", {1, 8, 4, 4}, {8, 3, 1, 1}, {2, 2}, {0, 0, 0, 0}, {}, 1, false},
};

Attributes AttributesOf(const Case& c) {
  Attributes attributes;
  attributes.Set("strides", c.strides);
  attributes.Set("pads", c.pads);
  attributes.Set("group", c.group);
  if (!c.output_padding.empty()) {
    attributes.Set("output_padding", c.output_padding);
  }
  return attributes;
}

Tensor Random(DType dtype, Shape shape, Rng& rng) {
  const double low = dtype == kS8 ? -128 : 0;
  return RandomTensor({dtype, std::move(shape)}, rng, low, low + 256);
}

double At(const Tensor& tensor, std::int64_t index) {
  return static_cast<double>(IntegerAt(tensor.dtype(), tensor.data(), index));
}

// Float32 numbers of q - zero.
Tensor Steps(const Tensor& q, const std::function<double(std::int64_t)>& zero) {
  Tensor steps(kF32, q.shape());
  for (std::int64_t i = 0; i < q.ElementCount(); ++i) {
    StoreDouble(kF32, steps.mutable_data(), i, At(q, i) - zero(i));
  }
  return steps;
}

struct Call {
  KernelCall call;
  Tensor want;
};

Call CallOf(const Case& c, DType a, DType y, Rng& rng) {
  const std::int64_t channels = c.w[1] * c.group;
  const Tensor x = Random(a, c.x, rng);
  const Tensor w = Random(kS8, c.w, rng);
  const Tensor a_zero = Random(a, {}, rng);
  const Tensor b_zero = RandomTensor({kS8, {channels}}, rng, -3, 4);
  const Tensor b_scale = RandomTensor({kF32, {channels}}, rng, 0.001, 0.004);
  const Tensor bias = RandomTensor({DType::kInt32, {channels}}, rng, -5000, 5000);
  const float a_scale = 0.02F;
  const float y_scale = y == kF32 ? 1.0F : 0.35F;
  const std::int32_t y_zero = y == kS8 ? -3 : 117;
  KernelCall call{.op = OpKind::kQLinearConvTranspose, .attributes = AttributesOf(c)};
  call.inputs = {x, TensorOf(kF32, {}, {static_cast<double>(a_scale)}), a_zero, w, b_scale, b_zero};
  if (y == kF32) {
    call.inputs.resize(8);
  } else {
    call.inputs.emplace_back(TensorOf(kF32, {}, {static_cast<double>(y_scale)}));
    call.inputs.emplace_back(TensorOf(y, {}, {static_cast<double>(y_zero)}));
  }
  call.inputs.emplace_back(bias);
  call.constant = {false, true, true, true, true, true, true, true, true};
  call.fusion.activation = StepActivation{.op = OpKind::kRelu};

  // Sums are whole numbers below 2^53.
  KernelCall sums{.op = OpKind::kConvTranspose, .attributes = call.attributes};
  const std::int64_t taps = c.w.ElementCount(2, c.w.rank());
  sums.inputs = {Steps(x, [&](std::int64_t) { return At(a_zero, 0); }),
                 Steps(w, [&](std::int64_t i) {
                   const std::int64_t group = i / taps / c.w[1] / (c.w[0] / c.group);
                   return At(b_zero, group * c.w[1] + i / taps % c.w[1]);
                 })};
  const Tensor exact = ExactResult(sums)[0];
  const std::vector<double> of = DoublesOf(exact);
  Tensor want(y, exact.shape());
  const std::int64_t pixels = exact.shape().ElementCount(2, exact.shape().rank());
  for (std::int64_t i = 0; i < want.ElementCount(); ++i) {
    const std::int64_t channel = i / pixels % channels;
    const auto sum = static_cast<float>(of[static_cast<std::size_t>(i)] + At(bias, channel));
    const float m = a_scale * b_scale.values<float>()[static_cast<std::size_t>(channel)] / y_scale;
    const float v = std::max(sum * m, 0.0F);
    const double low = y == kS8 ? -128 : 0;
    StoreDouble(y, want.mutable_data(), i,
                y == kF32
                    ? static_cast<double>(v)
                    : std::clamp(std::nearbyint(static_cast<double>(v)) + y_zero, low, low + 255));
  }
  return {std::move(call), std::move(want)};
}

class QLinearConvTransposeTest : public ::testing::TestWithParam<Case> {};

TEST_P(QLinearConvTransposeTest, EveryKernelFollowsTheFormula) {
  Rng rng(51);
  for (const DType a : {kU8, kS8}) {
    for (const DType y : {kU8, kS8, kF32}) {
      const auto [call, want] = CallOf(GetParam(), a, y, rng);
      const std::vector<KernelCall> layouts = BothLayouts(call);
      ASSERT_EQ(layouts.size(), 2U);
      for (const bool last : {false, true}) {
        const KernelCall& of = layouts[last ? 1 : 0];
        const std::vector<const KernelEntry*> entries = EntriesFor(of);
        EXPECT_EQ(entries.size(), last && GetParam().is_fast ? 2U : 1U);
        for (const KernelEntry* entry : entries) {
          for (const int threads : {1, 3}) {
            EXPECT_TRUE(
                AllEqual(RunEntry(*entry, of, threads)[0], last ? WithChannelsLast(want) : want))
                << entry->name;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, QLinearConvTransposeTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace halftone
