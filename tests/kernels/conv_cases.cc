#include "tests/kernels/conv_cases.h"

#include <cmath>

#include "src/ir/op_table.h"

namespace halftone::testing {
namespace {

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
    {.name = "ThreeAxesOfOneByOne", .x = {2, 5, 3, 4, 11}, .w = {14, 5, 1, 1, 1}},
    {.name = "ThreeAxesStrided",
     .x = {2, 3, 7, 9, 38},
     .w = {13, 3, 3, 3, 3},
     .strides = {2, 2, 2},
     .pads = {1, 1, 1, 1, 1, 1},
     .activation = "Clip"},
    {.name = "ThreeAxesOneByOneStrided",
     .x = {1, 4, 7, 5, 9},
     .w = {6, 4, 1, 1, 1},
     .strides = {3, 2, 1}},
    {.name = "ThreeAxesDilatedGrouped",
     .x = {1, 6, 9, 8, 10},
     .w = {4, 3, 3, 2, 3},
     .strides = {1, 2, 1},
     .pads = {2, 0, 1, 1, 2, 3},
     .dilations = {2, 3, 1},
     .group = 2},
    {.name = "ThreeAxesPadWiderThanInput",
     .x = {1, 2, 1, 2, 3},
     .w = {3, 2, 3, 2, 2},
     .pads = {4, 1, 0, 3, 2, 1}},
    {.name = "ThreeAxesSeveralBlocks",
     .x = {1, 24, 3, 7, 7},
     .w = {27, 24, 3, 3, 3},
     .pads = {1, 1, 1, 1, 1, 1}},
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

}  // namespace

std::span<const ConvCase> AllConvCases() {
  return kCases;
}

KernelCall ConvCallOf(const ConvCase& c, DType dtype, DType result, Rng& rng) {
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
    call.fusion.activation =
        StepActivation{.op = FindOp(c.activation)->kind, .low = -0.25F, .high = 0.5F};
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

ElementBound WinogradBound(const KernelEntry& entry, const KernelCall& call, int added) {
  const Shape& w = call.inputs[1]->shape();
  const std::vector<double> weights = DoublesOf(*call.inputs[1]);
  const auto channels = static_cast<double>(w[1]);
  const auto gamma = [](double n) { return n * 0x1p-24 / (1 - n * 0x1p-24); };
  std::vector<double> bounds(static_cast<std::size_t>(w[0]));
  const std::size_t per_channel = weights.size() / bounds.size();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    bounds[i / per_channel] += std::abs(weights[i]);
  }
  for (double& bound : bounds) {
    if (entry.product.rounds_operands) {
      constexpr double kOperands = 0x1p-7 + 0x1p-16;  // both rounded to bfloat16
      const double sums = gamma(channels + 7 + added);
      bound = 16 * bound * (kOperands + (1 + kOperands) * sums) + sums * added +
              0x1p-119 * channels * (bound + 2);
    } else {
      bound = gamma(channels + 29 + added) * (176 * bound + added);
    }
  }
  return [bounds](std::int64_t i, double) {
    return bounds[static_cast<std::size_t>(i) % bounds.size()];
  };
}

}  // namespace halftone::testing
