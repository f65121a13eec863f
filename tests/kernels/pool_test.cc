#include "kernels/pool/pool.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::AllWithin;
using testing::BothLayouts;
using testing::EntriesFor;
using testing::ExactResult;
using testing::KernelCall;
using testing::RandomTensor;
using testing::RunEntry;
using testing::RunSelected;
using testing::TensorOf;
using testing::WithSpecialValues;

using Ints = std::vector<std::int64_t>;

constexpr double kUnit = 0x1p-24;  // of float32
constexpr DType kPrecisions[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

double Gamma(double n) {
  return n * kUnit / (1 - n * kUnit);
}

struct PoolCase {
  const char* name;
  OpKind op;
  Shape x;
  Ints kernel = {};
  Ints strides = {};
  Ints pads = {};
  Ints dilations = {};
  bool ceil_mode = false;
  bool count_include_pad = false;
  std::string auto_pad = {};
};

void PrintTo(const PoolCase& c, std::ostream* out) {
  *out << c.name;
}

KernelCall CallOf(const PoolCase& c, Tensor x) {
  KernelCall call;
  call.op = c.op;
  const auto set = [&](const char* name, const Ints& values) {
    if (!values.empty()) {
      call.attributes.Set(name, values);
    }
  };
  set("kernel_shape", c.kernel);
  set("strides", c.strides);
  set("pads", c.pads);
  set("dilations", c.dilations);
  call.attributes.Set("ceil_mode", std::int64_t{c.ceil_mode ? 1 : 0});
  call.attributes.Set("count_include_pad", std::int64_t{c.count_include_pad ? 1 : 0});
  if (!c.auto_pad.empty()) {
    call.attributes.Set("auto_pad", c.auto_pad);
  }
  call.inputs = {std::move(x)};
  return call;
}

bool IsAverage(OpKind op) {
  return op == OpKind::kAveragePool || op == OpKind::kGlobalAveragePool;
}

// The averages of the absolute values, which scale the documented bounds; zeros for maxima.
Tensor Magnitudes(const KernelCall& call) {
  KernelCall result = call;
  std::vector<double> values = DoublesOf(*call.inputs[0]);
  for (double& value : values) {
    value = IsAverage(call.op) ? std::abs(value) : 0.0;
  }
  result.inputs = {TensorOf(DType::kFloat64, call.inputs[0]->shape(), values)};
  return ExactResult(result)[0];
}

class PoolTest : public ::testing::TestWithParam<PoolCase> {};

class MaximumTest : public ::testing::TestWithParam<PoolCase> {};

// The bounds that kernels/pool/windowed.h and global.h document.
TEST_P(PoolTest, ErrorBound) {
  Rng rng(20261120);
  const PoolCase& c = GetParam();
  for (const DType dtype : kPrecisions) {
    const KernelCall call = CallOf(c, RandomTensor({dtype, c.x}, rng, -2, 1));
    double taps = 1;
    for (int axis = 2; axis < c.x.rank(); ++axis) {
      taps *= static_cast<double>(c.kernel.empty() ? c.x[axis]
                                                   : c.kernel[static_cast<std::size_t>(axis) - 2]);
    }
    for (const KernelCall& layout : BothLayouts(call)) {
      const Tensor exact = ExactResult(layout)[0];
      const Tensor sums = Magnitudes(layout);
      for (const KernelEntry* entry : EntriesFor(layout)) {
        EXPECT_TRUE(AllWithin(RunEntry(*entry, layout)[0], exact,
                              [&](std::int64_t i, double) {
                                return Gamma(taps + 1) *
                                       sums.values<double>()[static_cast<std::size_t>(i)];
                              }))
            << entry->name << " " << NameOf(dtype);
      }
    }
  }
}

// The reference, which the other tests trust, computes the same in both layouts.
TEST_P(PoolTest, ReferenceDoesNotDependOnTheLayout) {
  Rng rng(9);
  const std::vector<KernelCall> calls =
      BothLayouts(CallOf(GetParam(), RandomTensor({DType::kFloat32, GetParam().x}, rng)));
  for (std::size_t i = 1; i < calls.size(); ++i) {
    EXPECT_TRUE(
        AllEqual(ExactResult(calls[i])[0], testing::WithChannelsLast(ExactResult(calls[0])[0])));
  }
}

TEST_P(PoolTest, ResultDoesNotDependOnThreads) {
  Rng rng(5);
  const PoolCase& c = GetParam();
  for (const DType dtype : kPrecisions) {
    for (const KernelCall& call : BothLayouts(CallOf(c, RandomTensor({dtype, c.x}, rng)))) {
      for (const KernelEntry* entry : EntriesFor(call)) {
        EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 3)[0], RunEntry(*entry, call, 1)[0]))
            << entry->name;
      }
    }
  }
}

// Maxima of special values are exact; NaN is kept.
TEST_P(MaximumTest, IsExactForSpecialValues) {
  const PoolCase& c = GetParam();
  Rng rng(17);
  for (const DType dtype : kPrecisions) {
    const KernelCall first = CallOf(c, WithSpecialValues(RandomTensor({dtype, c.x}, rng), rng, 11));
    for (const KernelCall& call : BothLayouts(first)) {
      const Tensor exact = ExactResult(call)[0];
      for (const KernelEntry* entry : EntriesFor(call)) {
        EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact, testing::ErrorBound{}))
            << entry->name << " " << NameOf(dtype);
      }
    }
  }
}

constexpr OpKind kMax = OpKind::kMaxPool;
constexpr OpKind kAverage = OpKind::kAveragePool;

const PoolCase kCases[] = {
    {.name = "Max2x2", .op = kMax, .x = {2, 3, 8, 33}, .kernel = {2, 2}, .strides = {2, 2}},
    {.name = "Max3x3Padded",
     .op = kMax,
     .x = {1, 5, 13, 16},
     .kernel = {3, 3},
     .strides = {2, 2},
     .pads = {1, 1, 1, 1}},
    {.name = "MaxCeil",
     .op = kMax,
     .x = {1, 2, 12, 15},
     .kernel = {3, 3},
     .strides = {2, 3},
     .ceil_mode = true},
    {.name = "MaxCeilPadded",
     .op = kMax,
     .x = {1, 2, 10, 11},
     .kernel = {3, 3},
     .strides = {3, 2},
     .pads = {1, 1, 1, 1},
     .ceil_mode = true},
    {.name = "MaxDilated", .op = kMax, .x = {1, 2, 9, 34}, .kernel = {2, 3}, .dilations = {3, 2}},
    {.name = "MaxSameLower",
     .op = kMax,
     .x = {1, 2, 9, 7},
     .kernel = {2, 2},
     .strides = {2, 2},
     .auto_pad = "SAME_LOWER"},
    {.name = "MaxOneAxis", .op = kMax, .x = {1, 3, 45}, .kernel = {4}, .strides = {3}},
    {.name = "MaxThreeAxes", .op = kMax, .x = {1, 2, 4, 5, 6}, .kernel = {2, 3, 2}},
    {.name = "MaxManyPlanes", .op = kMax, .x = {1, 80, 28, 28}, .kernel = {3, 3}},
    {.name = "Average2x2", .op = kAverage, .x = {2, 3, 8, 33}, .kernel = {2, 2}, .strides = {2, 2}},
    {.name = "AveragePadded",
     .op = kAverage,
     .x = {1, 3, 13, 17},
     .kernel = {3, 3},
     .pads = {1, 1, 1, 1}},
    {.name = "AverageCountsPad",
     .op = kAverage,
     .x = {1, 3, 13, 17},
     .kernel = {3, 3},
     .pads = {1, 1, 1, 1},
     .count_include_pad = true},
    {.name = "AverageCeilCountsPad",
     .op = kAverage,
     .x = {1, 3, 10, 11},
     .kernel = {4, 3},
     .strides = {3, 2},
     .pads = {1, 1, 0, 1},
     .ceil_mode = true,
     .count_include_pad = true},
    {.name = "AverageCeil",
     .op = kAverage,
     .x = {1, 3, 10, 12},
     .kernel = {3, 3},
     .strides = {2, 2},
     .ceil_mode = true},
    {.name = "AverageDilated",
     .op = kAverage,
     .x = {1, 2, 12, 20},
     .kernel = {3, 2},
     .strides = {1, 2},
     .pads = {2, 1, 2, 1},
     .dilations = {2, 3}},
    {.name = "AverageOneAxis", .op = kAverage, .x = {1, 3, 45}, .kernel = {4}, .pads = {1, 2}},
    {.name = "AverageThreeAxes",
     .op = kAverage,
     .x = {1, 2, 4, 5, 6},
     .kernel = {2, 3, 2},
     .pads = {1, 0, 1, 0, 1, 0}},
    {.name = "AverageThreeAxesCountsPad",
     .op = kAverage,
     .x = {2, 2, 5, 7, 21},
     .kernel = {3, 2, 3},
     .strides = {2, 1, 2},
     .pads = {1, 1, 1, 1, 0, 1},
     .ceil_mode = true,
     .count_include_pad = true},
    {.name = "MaxThreeAxesPadded",
     .op = kMax,
     .x = {2, 3, 6, 7, 35},
     .kernel = {3, 3, 3},
     .strides = {2, 2, 2},
     .pads = {1, 1, 1, 1, 1, 1}},
    {.name = "MaxThreeAxesDilated",
     .op = kMax,
     .x = {1, 2, 7, 6, 9},
     .kernel = {2, 3, 2},
     .strides = {1, 1, 3},
     .dilations = {3, 2, 2}},
    {.name = "MaxGapsBetweenWindows",
     .op = kMax,
     .x = {2, 3, 9, 87},
     .kernel = {2, 2},
     .strides = {3, 5}},
    {.name = "AverageOfAWholeLine",
     .op = kAverage,
     .x = {1, 2, 700},
     .kernel = {700},
     .strides = {700}},
    {.name = "AverageOfLongWindows",
     .op = kAverage,
     .x = {2, 2, 333},
     .kernel = {11},
     .strides = {11},
     .pads = {10, 3}},
    {.name = "NoImages", .op = kMax, .x = {0, 3, 5, 5}, .kernel = {2, 2}},
    {.name = "GlobalMax", .op = OpKind::kGlobalMaxPool, .x = {2, 5, 7, 11}},
    {.name = "GlobalMaxOne", .op = OpKind::kGlobalMaxPool, .x = {2, 5, 1, 1}},
    {.name = "GlobalMaxOneAxis", .op = OpKind::kGlobalMaxPool, .x = {1, 3, 131}},
    {.name = "GlobalAverage", .op = OpKind::kGlobalAveragePool, .x = {2, 5, 7, 7}},
    {.name = "GlobalAverageLarge", .op = OpKind::kGlobalAveragePool, .x = {1, 2, 113, 112}},
    {.name = "GlobalAverageThreeAxes", .op = OpKind::kGlobalAveragePool, .x = {1, 2, 3, 4, 5}},
};

INSTANTIATE_TEST_SUITE_P(Pool, PoolTest, ::testing::ValuesIn(kCases),
                         [](const auto& suite) { return suite.param.name; });

std::vector<PoolCase> MaximumCases() {
  std::vector<PoolCase> cases;
  for (const PoolCase& c : kCases) {
    if (!IsAverage(c.op)) {
      cases.push_back(c);
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Pool, MaximumTest, ::testing::ValuesIn(MaximumCases()),
                         [](const auto& suite) { return suite.param.name; });

TEST(PoolSpecialValues, AveragesPropagateInfinityAndNan) {
  for (const DType dtype : kPrecisions) {
    std::vector<double> x(std::size_t{4} * 20, 1);
    x[3] = INFINITY;
    x[20 + 7] = std::nan("");
    x[60 + 2] = -INFINITY;
    x[60 + 3] = INFINITY;
    for (const OpKind op : {kAverage, OpKind::kGlobalAveragePool}) {
      const KernelCall call = CallOf({.name = "", .op = op, .x = {}, .kernel = {1, 3}},
                                     TensorOf(dtype, {1, 4, 1, 20}, x));
      const Tensor exact = ExactResult(call)[0];
      for (const KernelEntry* entry : EntriesFor(call)) {
        EXPECT_TRUE(
            AllWithin(RunEntry(*entry, call)[0], exact, testing::ErrorBound{.relative = Gamma(21)}))
            << entry->name;
      }
    }
  }
}

// The sum of 3 x 60000 does not fit into float16; the average does.
TEST(PoolSpecialValues, AveragesOfFloat16DoNotOverflow) {
  const KernelCall call = CallOf({.name = "", .op = kAverage, .x = {}, .kernel = {3}},
                                 TensorOf(DType::kFloat16, {1, 1, 3}, {60000, 60000, 60000}));
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], TensorOf(DType::kFloat16, {1, 1, 1}, {60000})))
        << entry->name;
  }
}

// 1 + 2^-24 is 1 in float32, so that the order decides: (a + c) + (b + d) for rows a b, c d.
TEST(PoolSpecialValues, AveragesAddTheColumnsOfTheWindowFirst) {
  const double small = 0x1p-24;
  const PoolCase square{.name = "", .op = kAverage, .x = {}, .kernel = {2, 2}};
  const Tensor x = TensorOf(DType::kFloat32, {1, 1, 2, 2}, {1, small, small, small});
  const Tensor want = TensorOf(DType::kFloat32, {1, 1, 1, 1}, {(1 + 0x1p-23) / 4});
  for (const KernelCall& call : BothLayouts(CallOf(square, x))) {
    for (const KernelEntry* entry : EntriesFor(call)) {
      if (!entry->is_reference) {
        EXPECT_TRUE(
            AllEqual(RunEntry(*entry, call)[0], want.Reshaped(OutputTypesOf(call)[0].shape)))
            << entry->name;
      }
    }
  }
}

TEST(PoolReference, ComputesExamplesByHand) {
  const Tensor x = TensorOf(DType::kFloat32, {1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const PoolCase padded{.name = "",
                        .op = kAverage,
                        .x = {},
                        .kernel = {2, 2},
                        .strides = {2, 2},
                        .pads = {1, 1, 0, 0}};
  EXPECT_TRUE(AllEqual(RunSelected(CallOf(padded, x))[0],
                       TensorOf(DType::kFloat32, {1, 1, 2, 2}, {1, 2.5, 5.5, 7})));
  PoolCase counted = padded;
  counted.count_include_pad = true;
  EXPECT_TRUE(AllEqual(RunSelected(CallOf(counted, x))[0],
                       TensorOf(DType::kFloat32, {1, 1, 2, 2}, {0.25, 1.25, 2.75, 7})));
  PoolCase maximum = padded;
  maximum.op = kMax;
  EXPECT_TRUE(AllEqual(RunSelected(CallOf(maximum, x))[0],
                       TensorOf(DType::kFloat32, {1, 1, 2, 2}, {1, 3, 7, 9})));
  const Tensor bytes = TensorOf(DType::kUInt8, {1, 1, 4}, {3, 250, 7, 1});
  EXPECT_TRUE(
      AllEqual(RunSelected(CallOf({.name = "", .op = kMax, .x = {}, .kernel = {2}}, bytes))[0],
               TensorOf(DType::kUInt8, {1, 1, 3}, {250, 250, 7})));
}

// The first of equal maxima; storage_order 1 counts down the columns.
TEST(PoolReference, IndicesCountOverTheWholeInput) {
  const Tensor x = TensorOf(DType::kFloat32, {1, 2, 2, 3}, {1, 5, 5, 4, 2, 3, 9, 8, 7, 6, 5, 4});
  KernelCall call{.op = kMax, .inputs = {x}};
  call.attributes.Set("kernel_shape", std::vector<std::int64_t>{2, 2});
  call.outputs = {{DType::kFloat32, {1, 2, 1, 2}}, {DType::kInt64, {1, 2, 1, 2}}};
  for (const std::int64_t by_columns : {0, 1}) {
    call.attributes.Set("storage_order", by_columns);
    const auto entries = EntriesFor(call);
    ASSERT_EQ(entries.size(), 1U);
    const std::vector<Tensor> got = RunEntry(*entries[0], call);
    EXPECT_TRUE(AllEqual(got[0], TensorOf(DType::kFloat32, {1, 2, 1, 2}, {5, 5, 9, 8})));
    EXPECT_TRUE(AllEqual(got[1], by_columns == 1
                                     ? TensorOf(DType::kInt64, {1, 2, 1, 2}, {2, 2, 6, 8})
                                     : TensorOf(DType::kInt64, {1, 2, 1, 2}, {1, 1, 6, 7})));
  }
}

TEST(PoolReference, NormsOfWindows) {
  KernelCall call{.op = OpKind::kLpPool,
                  .inputs = {TensorOf(DType::kFloat32, {1, 1, 3}, {3, -4, 0})}};
  call.attributes.Set("kernel_shape", std::vector<std::int64_t>{2});
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kFloat32, {1, 1, 2}, {5, 4})));
  call.attributes.Set("p", std::int64_t{1});
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kFloat32, {1, 1, 2}, {7, 4})));
}

}  // namespace
}  // namespace halftone
