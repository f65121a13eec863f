#include "kernels/conv/conv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "src/ir/graph.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::AllWithin;
using testing::BothLayouts;
using testing::EntriesFor;
using testing::ExactResult;
using testing::KernelCall;
using testing::OutputTypesOf;
using testing::RandomTensor;
using testing::RunEntry;
using testing::RunSelected;
using testing::TensorOf;

using Ints = std::vector<std::int64_t>;

constexpr double kUnit = 0x1p-24;  // of float32
constexpr DType kPrecisions[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

double Gamma(double n) {
  return n * kUnit / (1 - n * kUnit);
}

struct ConvCase {
  const char* name;
  Shape x;
  Shape w;
  Ints strides = {};
  Ints pads = {};
  Ints dilations = {};
  std::int64_t group = 1;
  std::string auto_pad = {};
  bool bias = true;
  std::string activation = {};
  bool constant_weights = true;
};

void PrintTo(const ConvCase& c, std::ostream* out) {
  *out << c.name;
}

KernelCall CallOf(const ConvCase& c, DType dtype, DType result, Rng& rng) {
  KernelCall call;
  call.op = OpKind::kConv;
  const auto set = [&](const char* name, const Ints& values) {
    if (!values.empty()) {
      call.attributes.Set(name, values);
    }
  };
  set("strides", c.strides);
  set("pads", c.pads);
  set("dilations", c.dilations);
  call.attributes.Set("group", c.group);
  if (!c.auto_pad.empty()) {
    call.attributes.Set("auto_pad", c.auto_pad);
  }
  if (!c.activation.empty()) {
    call.attributes.Set(std::string(kActivation), c.activation);
    call.attributes.Set(std::string(kActivationMin), -0.25F);
    call.attributes.Set(std::string(kActivationMax), 0.5F);
  }
  call.inputs = {RandomTensor({dtype, c.x}, rng), RandomTensor({dtype, c.w}, rng)};
  if (c.bias) {
    call.inputs.emplace_back(RandomTensor({result, Shape{c.w[0]}}, rng));
  }
  call.constant = {false, c.constant_weights, c.constant_weights};
  call.constant.resize(call.inputs.size());
  call.outputs = OutputTypesOf(call);
  call.outputs[0].dtype = result;
  return call;
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
  result.attributes.Erase(kActivation);
  return ExactResult(result)[0];
}

// The bounds that kernels/conv/implicit_gemm.h, depthwise.h and kernels/onednn/conv.h document, for
// elements of magnitude at most 1.
testing::ElementBound DocumentedBound(const KernelEntry& entry, const KernelCall& call,
                                      const Tensor& sums) {
  const Shape& w = call.inputs[1]->shape();
  const auto k = static_cast<double>(w.ElementCount(1, w.rank()));
  const bool pairs = entry.name.find("avx512_bf16") != std::string_view::npos ||
                     entry.name.find("bf16.onednn") != std::string_view::npos ||
                     entry.name.find("onednn.fast") != std::string_view::npos;
  const bool rounds_operands = entry.name.find("fast") != std::string_view::npos;
  const double relative = Gamma(k + 2) + (rounds_operands ? 0x1p-7 + 0x1p-16 : 0.0);
  const double flushed = pairs ? 0x1p-126 * 4 * k : 0.0;
  return [sums, relative, flushed](std::int64_t i, double) {
    return relative * sums.values<double>()[static_cast<std::size_t>(i)] + flushed;
  };
}

// Its own bound and its own way with infinities: kernels/onednn/conv.h.
bool IsWinograd(const KernelEntry& entry) {
  return entry.name.find("winograd") != std::string_view::npos;
}

// For |x| <= 1 and |bias| <= 1.
testing::ElementBound WinogradBound(const KernelCall& call) {
  const Shape& w = call.inputs[1]->shape();
  const std::vector<double> weights = DoublesOf(*call.inputs[1]);
  std::vector<double> bounds(static_cast<std::size_t>(w[0]));
  const std::size_t per_channel = weights.size() / bounds.size();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    bounds[i / per_channel] += std::abs(weights[i]);
  }
  for (double& bound : bounds) {
    bound = Gamma(static_cast<double>(w[1] + 30)) * (176 * bound + 1);
  }
  return [bounds](std::int64_t i, double) {
    return bounds[static_cast<std::size_t>(i) % bounds.size()];
  };
}

class ConvTest : public ::testing::TestWithParam<ConvCase> {};

TEST_P(ConvTest, ErrorBound) {
  Rng rng(20261120);
  for (const DType dtype : kPrecisions) {
    for (const DType result : {dtype, DType::kFloat32}) {
      for (const KernelCall& call : BothLayouts(CallOf(GetParam(), dtype, result, rng))) {
        const Tensor exact = ExactResult(call)[0];
        const Tensor sums = Magnitudes(call);
        for (const KernelEntry* entry : EntriesFor(call)) {
          const testing::ElementBound bound =
              IsWinograd(*entry) ? WinogradBound(call) : DocumentedBound(*entry, call, sums);
          EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact, bound))
              << entry->name << " to " << NameOf(result);
        }
      }
    }
  }
}

// The reference, which the other tests trust, computes the same in both layouts.
TEST_P(ConvTest, ReferenceDoesNotDependOnTheLayout) {
  Rng rng(9);
  const std::vector<KernelCall> calls =
      BothLayouts(CallOf(GetParam(), DType::kFloat32, DType::kFloat32, rng));
  for (std::size_t i = 1; i < calls.size(); ++i) {
    EXPECT_TRUE(
        AllEqual(ExactResult(calls[i])[0], testing::WithChannelsLast(ExactResult(calls[0])[0])));
  }
}

TEST_P(ConvTest, ResultDoesNotDependOnThreads) {
  Rng rng(5);
  for (const DType dtype : kPrecisions) {
    for (const KernelCall& call : BothLayouts(CallOf(GetParam(), dtype, dtype, rng))) {
      for (const KernelEntry* entry : EntriesFor(call)) {
        if (!entry->is_reference) {
          EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 3)[0], RunEntry(*entry, call, 1)[0]))
              << entry->name;
        }
      }
    }
  }
}

const ConvCase kCases[] = {
    {.name = "OneByOne", .x = {1, 5, 7, 9}, .w = {13, 5, 1, 1}},
    {.name = "OneByOneOneColumn", .x = {1, 8, 1, 1}, .w = {25, 8, 1, 1}},
    {.name = "OneByOneManyPixels", .x = {2, 70, 14, 14}, .w = {24, 70, 1, 1}, .bias = false},
    {.name = "OneByOneStride2", .x = {1, 6, 9, 11}, .w = {12, 6, 1, 1}, .strides = {2, 2}},
    {.name = "OneByOnePadded", .x = {1, 3, 4, 5}, .w = {4, 3, 1, 1}, .pads = {1, 0, 2, 1}},
    {.name = "Same3x3", .x = {1, 3, 12, 13}, .w = {11, 3, 3, 3}, .pads = {1, 1, 1, 1}},
    {.name = "Valid3x3", .x = {2, 4, 8, 33}, .w = {12, 4, 3, 3}},
    {.name = "SeveralBlocks", .x = {1, 60, 7, 7}, .w = {27, 60, 3, 3}, .pads = {1, 1, 1, 1}},
    {.name = "ThreeBlocksManyRows", .x = {1, 115, 4, 5}, .w = {280, 115, 3, 3}},
    {.name = "Stem7x7Stride2",
     .x = {1, 3, 20, 21},
     .w = {16, 3, 7, 7},
     .strides = {2, 2},
     .pads = {3, 3, 3, 3}},
    {.name = "Stride3And1", .x = {1, 4, 11, 17}, .w = {5, 4, 3, 2}, .strides = {3, 1}},
    {.name = "Stride1And3", .x = {1, 4, 11, 17}, .w = {5, 4, 2, 3}, .strides = {1, 3}},
    {.name = "Dilated",
     .x = {1, 4, 14, 15},
     .w = {6, 4, 3, 3},
     .strides = {1, 2},
     .pads = {2, 3, 2, 3},
     .dilations = {2, 3}},
    {.name = "PadWiderThanInput", .x = {1, 2, 2, 1}, .w = {3, 2, 3, 3}, .pads = {3, 4, 3, 4}},
    {.name = "AsymmetricPads", .x = {1, 2, 6, 7}, .w = {3, 2, 3, 3}, .pads = {0, 2, 1, 0}},
    {.name = "SameUpper",
     .x = {1, 2, 7, 8},
     .w = {3, 2, 3, 4},
     .strides = {2, 2},
     .auto_pad = "SAME_UPPER"},
    {.name = "SameLower",
     .x = {1, 2, 7, 8},
     .w = {3, 2, 3, 4},
     .strides = {2, 2},
     .auto_pad = "SAME_LOWER"},
    {.name = "Wide",
     .x = {1, 2, 3, 700},
     .w = {3, 2, 3, 5},
     .strides = {1, 2},
     .pads = {1, 2, 1, 2}},
    {.name = "OneAxis", .x = {2, 6, 40}, .w = {8, 6, 5}, .strides = {2}, .pads = {2, 1}},
    {.name = "ThreeAxes", .x = {1, 2, 4, 5, 6}, .w = {3, 2, 2, 3, 3}, .pads = {0, 1, 1, 1, 1, 0}},
    {.name = "Grouped", .x = {2, 12, 9, 10}, .w = {18, 4, 3, 3}, .pads = {1, 1, 1, 1}, .group = 3},
    {.name = "Depthwise3x3",
     .x = {2, 7, 19, 37},
     .w = {7, 1, 3, 3},
     .pads = {1, 1, 1, 1},
     .group = 7},
    {.name = "Depthwise3x3Stride2",
     .x = {1, 5, 18, 35},
     .w = {5, 1, 3, 3},
     .strides = {2, 2},
     .pads = {0, 0, 1, 1},
     .group = 5},
    {.name = "Depthwise5x5Stride2",
     .x = {1, 3, 21, 40},
     .w = {3, 1, 5, 5},
     .strides = {2, 2},
     .pads = {2, 2, 2, 2},
     .group = 3},
    {.name = "DepthwiseBands3x3",  // 4, 4, 2 and 1 rows; whole vectors and a part
     .x = {2, 35, 11, 10},
     .w = {35, 1, 3, 3},
     .pads = {1, 1, 1, 1},
     .group = 35,
     .activation = "Clip"},
    {.name = "DepthwiseBands3x3Stride2",
     .x = {1, 40, 23, 13},
     .w = {40, 1, 3, 3},
     .strides = {2, 2},
     .pads = {1, 1, 1, 1},
     .group = 40},
    {.name = "DepthwiseBands5x5",
     .x = {1, 19, 9, 14},
     .w = {19, 1, 5, 5},
     .pads = {2, 2, 2, 2},
     .group = 19},
    {.name = "DepthwisePadWiderThanWindow",
     .x = {1, 17, 6, 5},
     .w = {17, 1, 3, 3},
     .pads = {4, 4, 4, 4},
     .group = 17},
    {.name = "DepthwiseForThreads",
     .x = {1, 48, 61, 43},
     .w = {48, 1, 3, 3},
     .pads = {1, 1, 1, 1},
     .group = 48},
    {.name = "DepthwiseDilated",
     .x = {1, 3, 17, 20},
     .w = {3, 1, 3, 3},
     .pads = {2, 2, 2, 2},
     .dilations = {2, 2},
     .group = 3},
    {.name = "DepthwiseSmall",
     .x = {1, 9, 4, 3},
     .w = {9, 1, 3, 3},
     .pads = {1, 1, 1, 1},
     .group = 9},
    {.name = "DepthwiseMultiplier", .x = {1, 3, 8, 9}, .w = {6, 1, 3, 3}, .group = 3},
    {.name = "DepthwiseOneAxis", .x = {1, 4, 50}, .w = {4, 1, 7}, .pads = {3, 3}, .group = 4},
    {.name = "FusedRelu",
     .x = {1, 3, 12, 13},
     .w = {11, 3, 3, 3},
     .bias = false,
     .activation = "Relu"},
    {.name = "FusedClip", .x = {1, 3, 12, 13}, .w = {11, 3, 3, 3}, .activation = "Clip"},
    {.name = "DepthwiseFusedClip",
     .x = {1, 4, 12, 20},
     .w = {4, 1, 3, 3},
     .group = 4,
     .activation = "Clip"},
    {.name = "WeightsNotConstant",
     .x = {1, 5, 9, 9},
     .w = {14, 5, 3, 3},
     .constant_weights = false},
    {.name = "DepthwiseNotConstant",
     .x = {1, 5, 9, 9},
     .w = {5, 1, 3, 3},
     .group = 5,
     .constant_weights = false},
    {.name = "Same3x3ManyChannels",
     .x = {1, 128, 28, 28},
     .w = {64, 128, 3, 3},
     .pads = {1, 1, 1, 1}},
    {.name = "LargeForThreads", .x = {1, 24, 28, 28}, .w = {40, 24, 3, 3}, .pads = {1, 1, 1, 1}},
};

INSTANTIATE_TEST_SUITE_P(Conv, ConvTest, ::testing::ValuesIn(kCases),
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
    call.attributes.Set(std::string(kActivation), "Relu");
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
