#include "kernels/conv/conv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/kernels/conv_cases.h"
#include "tests/kernels/kernel_test_support.h"
#include "tests/kernels/traps/instruction_traps.h"

namespace halftone {
namespace {

using testing::AllConvCases;
using testing::AllEqual;
using testing::AllWithin;
using testing::BothLayouts;
using testing::ConvCallOf;
using testing::ConvCase;
using testing::EntriesFor;
using testing::ExactResult;
using testing::Ints;
using testing::KernelCall;
using testing::OutputTypesOf;
using testing::RandomTensor;
using testing::RunEntry;
using testing::RunSelected;
using testing::TensorOf;

constexpr double kUnit = 0x1p-24;  // of float32
constexpr DType kPrecisions[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

double Gamma(double n) {
  return n * kUnit / (1 - n * kUnit);
}

// The sums of absolute products plus the absolute bias.
Tensor Magnitudes(const KernelCall& call) {
  KernelCall result = call;
  for (auto& input : result.inputs) {
    std::vector<double> values = DoublesOf(*input);
    for (double& value : values) {
      value = std::abs(value);
    }
    input = TensorOf(DType::kFloat64, input->shape(), values);
  }
  result.fusion.activation.reset();
  return ExactResult(result)[0];
}

// The bounds that kernels/conv/implicit_gemm.h, depthwise.h and kernels/onednn/conv.h document, for
// elements of magnitude at most 1.
testing::ElementBound DocumentedBound(const KernelEntry& entry, const KernelCall& call,
                                      const Tensor& sums) {
  const Shape& w = call.inputs[1]->shape();
  const auto k = static_cast<double>(w.ElementCount(1, w.rank()));
  const double relative = entry.product.Relative(Gamma(k + 2));
  const double absolute = entry.product.Absolute(k);
  return [sums, relative, absolute](std::int64_t i, double) {
    return relative * sums.values<double>()[static_cast<std::size_t>(i)] + absolute;
  };
}

// Its own bound and its own way with infinities: kernels/onednn/conv.h, kernels/conv/winograd.h.
bool IsWinograd(const KernelEntry& entry) {
  return entry.name.find("winograd") != std::string_view::npos;
}

class ConvTest : public ::testing::TestWithParam<ConvCase> {};

// The reference takes most of the time: it computes in one layout, and the test behind this one
// says that the other is the same.
TEST_P(ConvTest, ErrorBound) {
  Rng rng(20261120);
  for (const DType dtype : kPrecisions) {
    for (const DType result : std::set{dtype, DType::kFloat32}) {
      const KernelCall plain = ConvCallOf(GetParam(), dtype, result, rng);
      const std::vector<KernelCall> calls = BothLayouts(plain);
      if (std::ranges::none_of(calls, testing::IsTestedHere)) {
        continue;
      }
      const Tensor plain_exact = ExactResult(plain)[0];
      const Tensor plain_sums = Magnitudes(plain);
      for (const KernelCall& call : calls) {
        const bool last = call.layout.channels_last;
        const Tensor exact = last ? testing::WithChannelsLast(plain_exact) : plain_exact;
        const Tensor sums = last ? testing::WithChannelsLast(plain_sums) : plain_sums;
        for (const KernelEntry* entry : EntriesFor(call)) {
          if (entry->is_reference && last) {
            continue;
          }
          const testing::ElementBound bound = IsWinograd(*entry)
                                                  ? testing::WinogradBound(*entry, call, 1)
                                                  : DocumentedBound(*entry, call, sums);
          EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact, bound))
              << entry->name << " to " << NameOf(result);
        }
      }
    }
  }
}

// The reference, which the other tests trust, computes the same in both layouts.
TEST_P(ConvTest, ReferenceDoesNotDependOnTheLayout) {
  if (testing::IsaOfTrapRun() != kIsaAny) {
    GTEST_SKIP() << "of the references";
  }
  Rng rng(9);
  const std::vector<KernelCall> calls =
      BothLayouts(ConvCallOf(GetParam(), DType::kFloat32, DType::kFloat32, rng));
  for (std::size_t i = 1; i < calls.size(); ++i) {
    EXPECT_TRUE(
        AllEqual(ExactResult(calls[i])[0], testing::WithChannelsLast(ExactResult(calls[0])[0])));
  }
}

TEST_P(ConvTest, ResultDoesNotDependOnThreads) {
  Rng rng(5);
  for (const DType dtype : kPrecisions) {
    for (const KernelCall& call : BothLayouts(ConvCallOf(GetParam(), dtype, dtype, rng))) {
      for (const KernelEntry* entry : EntriesFor(call)) {
        if (!entry->is_reference) {
          EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 3)[0], RunEntry(*entry, call, 1)[0]))
              << entry->name;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Conv, ConvTest,
                         ::testing::ValuesIn(AllConvCases().begin(), AllConvCases().end()),
                         [](const auto& suite) { return suite.param.name; });

// An infinite pixel reaches exactly the windows that read it, and its neighbours in memory do not.
TEST(ConvSpecialValues, StayInTheirWindows) {
  const Ints channels_and_groups[] = {{3, 1}, {3, 3}, {18, 1}, {18, 3}, {18, 18}};
  for (const Ints& counts : channels_and_groups) {
    const std::int64_t channels = counts[0];
    const std::int64_t in = channels / counts[1];
    for (const double special : {double{INFINITY}, -double{INFINITY}, std::nan("")}) {
      for (const DType dtype : kPrecisions) {
        KernelCall call;
        call.op = OpKind::kConv;
        call.attributes.Set("group", counts[1]);
        call.attributes.Set("pads", Ints{1, 1, 1, 1});
        std::vector<double> x(static_cast<std::size_t>(channels) * 9 * 20, 0.5);
        x[4 * 20 + 19] = special;  // the end of a row: the next row's first pixels must not see it
        x[2 * 180 + 179] = special;
        std::vector<double> w(static_cast<std::size_t>(channels * in) * 9, 0.25);
        call.inputs = {TensorOf(dtype, {1, channels, 9, 20}, x),
                       TensorOf(dtype, {channels, in, 3, 3}, w)};
        call.constant = {false, true};
        call.outputs = {{DType::kFloat32, {1, channels, 9, 20}}};
        const testing::ErrorBound bound{.relative = Gamma(static_cast<double>(9 * in + 2))};
        for (const KernelCall& layout : BothLayouts(call)) {
          const Tensor exact = ExactResult(layout)[0];
          for (const KernelEntry* entry : EntriesFor(layout)) {
            EXPECT_TRUE(IsWinograd(*entry) || AllWithin(RunEntry(*entry, layout)[0], exact, bound))
                << entry->name << " " << special;
          }
        }
      }
    }
  }
}

TEST(ConvSpecialValues, FusedReluKeepsNan) {
  for (const DType dtype : kPrecisions) {
    KernelCall call;
    call.op = OpKind::kConv;
    call.fusion.activation = StepActivation{.op = OpKind::kRelu};
    call.inputs = {TensorOf(dtype, {1, 2, 1, 2}, {std::nan(""), -1, 1, 1}),
                   TensorOf(dtype, {1, 2, 1, 1}, {1, 0.5})};
    call.constant = {false, true};
    call.outputs = {{dtype, {1, 1, 1, 2}}};
    for (const KernelCall& layout : BothLayouts(call)) {
      for (const KernelEntry* entry : EntriesFor(layout)) {
        EXPECT_TRUE(AllEqual(RunEntry(*entry, layout)[0],
                             TensorOf(dtype, layout.outputs[0].shape, {std::nan(""), 0})))
            << entry->name;
      }
    }
  }
}

TEST(ConvSpecialValues, Float16ResultsOverflowToInfinity) {
  KernelCall call;
  call.op = OpKind::kConv;
  call.inputs = {TensorOf(DType::kFloat16, {1, 1, 1, 2}, {60000, 60000}),
                 TensorOf(DType::kFloat16, {2, 1, 1, 2}, {1, 1, -1, -1})};
  const Tensor want = TensorOf(DType::kFloat16, {1, 2, 1, 1}, {INFINITY, -INFINITY});
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], want)) << entry->name;
  }
}

// By hand: a 2x2 window of ones over 1..9 with the corner sums, and twice the dilation.
TEST(ConvReference, ComputesAnExampleByHand) {
  KernelCall call;
  call.op = OpKind::kConv;
  call.inputs = {TensorOf(DType::kFloat32, {1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
                 TensorOf(DType::kFloat32, {1, 1, 2, 2}, {1, 1, 1, 1})};
  EXPECT_TRUE(
      AllEqual(RunSelected(call)[0], TensorOf(DType::kFloat32, {1, 1, 2, 2}, {12, 16, 24, 28})));
  call.attributes.Set("dilations", Ints{2, 2});
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kFloat32, {1, 1, 1, 1}, {20})));
}

}  // namespace
}  // namespace halftone
