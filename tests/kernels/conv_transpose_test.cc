#include "kernels/conv_transpose/conv_transpose.h"

#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "src/base/rng.h"
#include "tests/kernels/index_oracle.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

struct Case {
  const char* name;
  Shape x;
  Shape w;  // [C, M / group, window...]
  std::int64_t group = 1;
  Ints strides = {};
  Ints pads = {};
  Ints dilations = {};
  Ints output_padding = {};
  Ints output_shape = {};
  const char* auto_pad = "NOTSET";
  bool bias = true;
};

const Case kCases[] = {
    {.name = "Plain", .x = {2, 3, 5, 4}, .w = {3, 5, 3, 3}},
    {.name = "Upsample2", .x = {1, 24, 7, 9}, .w = {24, 24, 2, 2}, .strides = {2, 2}},
    {.name = "OneChannel", .x = {1, 24, 7, 9}, .w = {24, 1, 2, 2}, .strides = {2, 2}},
    {.name = "Line", .x = {2, 4, 11}, .w = {4, 3, 5}, .strides = {3}, .pads = {2, 1}},
    {.name = "Volume", .x = {1, 2, 3, 4, 5}, .w = {2, 3, 2, 3, 2}, .strides = {2, 1, 2}},
    {.name = "Groups",
     .x = {2, 6, 5, 5},
     .w = {6, 4, 3, 3},
     .group = 2,
     .strides = {2, 2},
     .pads = {1, 1, 1, 1}},
    {.name = "Depthwise", .x = {1, 16, 6, 7}, .w = {16, 1, 3, 3}, .group = 16, .strides = {2, 2}},
    {.name = "Dilated",
     .x = {1, 3, 6, 6},
     .w = {3, 4, 3, 2},
     .pads = {1, 0, 2, 1},
     .dilations = {2, 3}},
    {.name = "OutputPadding",
     .x = {1, 3, 5, 5},
     .w = {3, 33, 3, 3},
     .strides = {3, 2},
     .pads = {1, 1, 1, 1},
     .output_padding = {2, 1}},
    {.name = "OutputShape",
     .x = {1, 2, 3, 3},
     .w = {2, 3, 3, 3},
     .strides = {3, 2},
     .output_shape = {10, 8}},
    {.name = "SameUpper",
     .x = {1, 2, 4, 5},
     .w = {2, 3, 3, 4},
     .strides = {2, 3},
     .auto_pad = "SAME_UPPER",
     .bias = false},
    {.name = "SameLower",
     .x = {1, 2, 4, 5},
     .w = {2, 3, 4, 3},
     .strides = {2, 1},
     .auto_pad = "SAME_LOWER"},
    {.name = "Generator",
     .x = {2, 5, 6, 19},
     .w = {5, 7, 4, 4},
     .strides = {2, 2},
     .pads = {1, 1, 1, 1}},
    {.name = "DepthwiseUpsample",
     .x = {2, 19, 6, 7},
     .w = {19, 1, 4, 4},
     .group = 19,
     .strides = {2, 2},
     .pads = {1, 1, 1, 1}},
    {.name = "DepthwiseLine",
     .x = {1, 5, 40},
     .w = {5, 1, 9},
     .group = 5,
     .strides = {3},
     .pads = {2, 4},
     .bias = false},
    {.name = "GeneratorUncut", .x = {1, 3, 5, 4}, .w = {3, 2, 4, 6}, .strides = {2, 2}},
    {.name = "GeneratorWide",
     .x = {1, 9, 9, 11},
     .w = {9, 17, 8, 4},
     .strides = {4, 2},
     .pads = {3, 0, 2, 1},
     .output_padding = {1, 0},
     .bias = false},
    {.name = "LongRows", .x = {1, 2, 2, 333}, .w = {2, 3, 4, 7}, .strides = {1, 4}},
    {.name = "Vocoder", .x = {1, 6, 70}, .w = {6, 3, 16}, .strides = {8}, .pads = {4, 4}},
    {.name = "UnevenPhases",
     .x = {2, 5, 9, 11},
     .w = {5, 7, 3, 3},
     .strides = {2, 2},
     .pads = {1, 1, 1, 1},
     .output_padding = {1, 1}},
    {.name = "UnevenRows",
     .x = {1, 6, 7, 6},
     .w = {6, 19, 5, 4},
     .strides = {3, 2},
     .pads = {2, 1, 1, 0},
     .bias = false},
    {.name = "PhaseWithoutPixels",
     .x = {1, 4, 1, 40},
     .w = {4, 6, 5, 5},
     .strides = {2, 2},
     .pads = {2, 2, 2, 2}},
    {.name = "PhaseOfOneRow",
     .x = {1, 4, 2, 40},
     .w = {4, 6, 7, 7},
     .strides = {2, 2},
     .pads = {4, 2, 4, 2}},
    {.name = "DepthwiseWithoutPixels",
     .x = {1, 4, 1, 40},
     .w = {4, 1, 4, 4},
     .group = 4,
     .strides = {2, 2},
     .pads = {2, 1, 1, 1}},
    {.name = "DepthwiseCut",
     .x = {1, 16, 20, 20},
     .w = {16, 1, 4, 4},
     .group = 16,
     .strides = {2, 2},
     .pads = {0, 0, 3, 3}},
    {.name = "UnevenLine", .x = {1, 9, 50}, .w = {9, 4, 15}, .strides = {8}, .pads = {4, 3}},
    {.name = "VolumeThatMeets",
     .x = {1, 2, 3, 4, 21},
     .w = {2, 3, 3, 3, 4},
     .strides = {2, 1, 2},
     .pads = {1, 1, 1, 0, 1, 1},
     .output_padding = {1, 0, 0}},
    {.name = "GapsBetweenTaps", .x = {1, 3, 4, 4}, .w = {3, 5, 2, 2}, .strides = {4, 3}},
    {.name = "DisjointLine", .x = {2, 4, 401}, .w = {4, 3, 3}, .strides = {3}},
    {.name = "DisjointVolume", .x = {1, 3, 2, 3, 5}, .w = {3, 2, 2, 3, 2}, .strides = {2, 3, 2}},
    {.name = "DisjointGroups",
     .x = {2, 6, 5, 211},
     .w = {6, 7, 1, 2},
     .group = 2,
     .strides = {1, 2}},
    {.name = "NoImages", .x = {0, 3, 4, 4}, .w = {3, 5, 2, 2}},
    {.name = "Large",
     .x = {1, 40, 20, 20},
     .w = {40, 34, 3, 3},
     .strides = {2, 2},
     .pads = {1, 1, 1, 1}},
};

KernelCall CallOf(const Case& c, DType dtype, Rng& rng) {
  KernelCall call{.op = OpKind::kConvTranspose};
  call.inputs = {RandomTensor({dtype, c.x}, rng), RandomTensor({dtype, c.w}, rng)};
  call.constant = {false, true, true};
  if (c.bias) {
    call.inputs.emplace_back(RandomTensor({dtype, {c.w[1] * c.group}}, rng));
  }
  call.attributes.Set("group", c.group);
  call.attributes.Set("auto_pad", std::string(c.auto_pad));
  const auto set = [&](const char* name, const Ints& values) {
    if (!values.empty()) {
      call.attributes.Set(name, values);
    }
  };
  set("strides", c.strides);
  set("pads", c.pads);
  set("dilations", c.dilations);
  set("output_padding", c.output_padding);
  set("output_shape", c.output_shape);
  return call;
}

// Scatters every input, which is the definition; and the sums of magnitudes for the bound.
struct Oracle {
  Tensor exact;
  std::vector<double> magnitude;
};

Oracle OracleOf(const Case& c, const KernelCall& call, const Ints& pad_begin) {
  const Shape y = OutputTypesOf(call)[0].shape;
  Oracle oracle{Tensor(DType::kFloat64, y), {}};
  const auto exact = oracle.exact.mutable_values<double>();
  oracle.magnitude.assign(exact.size(), 0);
  const std::vector<double> x = DoublesOf(*call.inputs[0]);
  const std::vector<double> w = DoublesOf(*call.inputs[1]);
  const std::int64_t per_group = c.x[1] / c.group;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Position from = PositionAt(c.x, static_cast<std::int64_t>(i));
    for (std::int64_t k = 0; k < c.w.ElementCount(1, c.w.rank()); ++k) {
      const Shape taps(std::vector<std::int64_t>(c.w.dims().begin() + 1, c.w.dims().end()));
      const Position tap = PositionAt(taps, k);
      Position to = from;
      to[1] = from[1] / per_group * c.w[1] + tap[0];
      bool inside = true;
      for (std::size_t axis = 0; axis + 2 < from.size(); ++axis) {
        const std::int64_t stride = c.strides.empty() ? 1 : c.strides[axis];
        const std::int64_t dilation = c.dilations.empty() ? 1 : c.dilations[axis];
        to[axis + 2] = from[axis + 2] * stride + tap[axis + 1] * dilation - pad_begin[axis];
        inside = inside && to[axis + 2] >= 0 && to[axis + 2] < y[static_cast<int>(axis) + 2];
      }
      if (inside) {
        const double term = x[i] * w[static_cast<std::size_t>(from[1] * taps.ElementCount() + k)];
        const auto at = static_cast<std::size_t>(LinearIndex(y, to));
        exact[at] += term;
        oracle.magnitude[at] += std::abs(term);
      }
    }
  }
  for (std::size_t i = 0; c.bias && i < exact.size(); ++i) {
    const auto channel = PositionAt(y, static_cast<std::int64_t>(i))[1];
    const double bias = DoubleAt(call.inputs[2]->dtype(), call.inputs[2]->data(), channel);
    exact[i] += bias;
    oracle.magnitude[i] += std::abs(bias);
  }
  return oracle;
}

// The padding in front that attributes stand for, by the formulas of the ONNX specification.
Ints PadsInFront(const Case& c) {
  Ints pads;
  const std::string auto_pad = c.auto_pad;
  for (int axis = 2; axis < c.x.rank(); ++axis) {
    const auto i = static_cast<std::size_t>(axis) - 2;
    const std::int64_t stride = c.strides.empty() ? 1 : c.strides[i];
    const std::int64_t dilation = c.dilations.empty() ? 1 : c.dilations[i];
    const std::int64_t extra = c.output_padding.empty() ? 0 : c.output_padding[i];
    const std::int64_t output = !c.output_shape.empty()
                                    ? c.output_shape[i]
                                    : (auto_pad == "NOTSET" ? -1 : c.x[axis] * stride);
    const std::int64_t total = std::max<std::int64_t>(
        stride * (c.x[axis] - 1) + extra + (c.w[axis] - 1) * dilation + 1 - output, 0);
    pads.push_back(output < 0                 ? (c.pads.empty() ? 0 : c.pads[i])
                   : auto_pad == "SAME_UPPER" ? total / 2
                                              : total - total / 2);
  }
  return pads;
}

// kernels/conv_transpose/phases.h, times the unit roundoff.
double TermsOfPhases(const Case& c) {
  std::int64_t taps = 1;
  for (int axis = 2; axis < c.w.rank(); ++axis) {
    const auto i = static_cast<std::size_t>(axis) - 2;
    const std::int64_t stride = c.strides.empty() ? 1 : c.strides[i];
    taps *= (c.w[axis] + stride - 1) / stride;
  }
  return static_cast<double>(c.x[1] / c.group * taps + 2) * 0x1p-24;
}

class ConvTransposeTest : public ::testing::TestWithParam<Case> {};

TEST_P(ConvTransposeTest, ErrorBound) {
  const Case& c = GetParam();
  Rng rng(71);
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const KernelCall call = CallOf(c, dtype, rng);
    const Oracle oracle = OracleOf(c, call, PadsInFront(c));
    const double terms =
        static_cast<double>(c.x[1] / c.group + c.w.ElementCount(2, c.w.rank()) + 1) * 0x1p-24;
    for (const KernelEntry* entry : EntriesFor(call)) {
      const bool phases = entry->name.find("phases") != std::string_view::npos;
      const double sums = phases ? TermsOfPhases(c) : terms;
      const double relative = entry->product.Relative(sums / (1 - sums));
      // Every tap that reaches an output adds the error of its product.
      const double absolute = entry->product.Absolute(
          static_cast<double>(c.x[1] / c.group * c.w.ElementCount(2, c.w.rank())));
      for (const int threads : {1, 2}) {
        EXPECT_TRUE(AllWithin(RunEntry(*entry, call, threads)[0], oracle.exact,
                              [&](std::int64_t i, double) {
                                return relative * oracle.magnitude[static_cast<std::size_t>(i)] +
                                       absolute;
                              }))
            << entry->name;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ConvTransposeTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(ConvTransposeRefusal, WeightsThatAreComputedAreLeftToTheReference) {
  Rng rng(72);
  KernelCall call = CallOf(kCases[0], DType::kFloat32, rng);
  call.constant[1] = false;
  const auto entries = EntriesFor(call);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0]->name, "conv_transpose.reference");
}

// An infinite pixel reaches the outputs of its taps and no others.
TEST(ConvTransposeSpecial, StaysWhereItsTapsReach) {
  Rng rng(73);
  for (const std::int64_t taps : {2, 3, 5}) {
    const Case c{.name = "", .x = {1, 4, 7, 9}, .w = {4, 6, taps, taps}, .strides = {2, 2}};
    KernelCall call = CallOf(c, DType::kFloat32, rng);
    call.inputs[0]->mutable_values<float>()[0] = INFINITY;  // channel 0, pixel (0, 0)
    for (const KernelEntry* entry : EntriesFor(call)) {
      const Tensor y = RunEntry(*entry, call)[0];
      for (std::int64_t i = 0; i < y.ElementCount(); ++i) {
        const Position at = PositionAt(y.shape(), i);
        EXPECT_EQ(std::isfinite(y.values<float>()[static_cast<std::size_t>(i)]),
                  at[2] >= taps || at[3] >= taps)
            << entry->name << " element " << i << ", " << taps << " taps";
      }
    }
  }
}

// Padding times an infinite weight would be no number where the reference has one.
TEST(ConvTransposeSpecial, InfiniteWeightsStayWithTheirPixels) {
  Rng rng(74);
  const Case c{
      .name = "", .x = {1, 3, 8, 9}, .w = {3, 2, 4, 4}, .strides = {2, 2}, .pads = {1, 1, 1, 1}};
  KernelCall call = CallOf(c, DType::kFloat32, rng);
  call.inputs[1]->mutable_values<float>()[0] = INFINITY;
  const Tensor exact = ExactResult(call)[0];
  for (const KernelEntry* entry : EntriesFor(call)) {
    const Tensor y = RunEntry(*entry, call)[0];
    for (std::int64_t i = 0; i < y.ElementCount(); ++i) {
      EXPECT_EQ(std::isfinite(y.values<float>()[static_cast<std::size_t>(i)]),
                std::isfinite(exact.values<double>()[static_cast<std::size_t>(i)]))
          << entry->name << " element " << i;
    }
  }
}

// Weights that another executable packed and let go: kernels are chosen again without them.
TEST(ConvTransposeRefusalTest, DoesNotReadWeightsWithoutBytes) {
  Attributes attributes;
  attributes.Set("strides", std::vector<std::int64_t>{2, 2});
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const TensorType x{dtype, {1, 4, 9, 9}};
    const TensorType y{dtype, {1, 3, 19, 19}};
    const Tensor weights(TensorType{dtype, {4, 3, 3, 3}}, nullptr);
    KernelQuery query;
    query.op = OpKind::kConvTranspose;
    query.attributes = &attributes;
    query.inputs = {&x, &weights.type()};
    query.constants = {nullptr, &weights};
    query.outputs = {&y};
    EXPECT_FALSE(SelectKernel(query).entry->is_reference) << NameOf(dtype);
  }
}

}  // namespace
}  // namespace halftone::testing
