// The normalisations against their specification, within the bounds of
// kernels/normalization/normalization.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/ir/layout.h"
#include "src/ir/op_table.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::AllWithin;
using testing::BothLayouts;
using testing::EntriesFor;
using testing::ErrorBound;
using testing::ExactResult;
using testing::KernelCall;
using testing::RandomTensor;
using testing::RunEntry;
using testing::RunSelected;
using testing::TensorOf;
using testing::WithSpecialValues;

constexpr double kU = 0x1p-24;
constexpr DType kDTypes[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

struct RowStatistics {
  double mean = 0;
  double variance = 0;
};

RowStatistics StatisticsOf(const Tensor& x, std::int64_t row, std::int64_t length) {
  RowStatistics s;
  for (std::int64_t i = 0; i < length; ++i) {
    s.mean += DoubleAt(x.dtype(), x.data(), row * length + i) / static_cast<double>(length);
  }
  for (std::int64_t i = 0; i < length; ++i) {
    const double c = DoubleAt(x.dtype(), x.data(), row * length + i) - s.mean;
    s.variance += c * c / static_cast<double>(length);
  }
  return s;
}

struct Case {
  const char* name;
  Shape shape;
  std::int64_t axis;
  double mean = 0;
  bool bias = true;
};

const Case kCases[] = {
    {"One", {3, 1}, -1},
    {"Three", {2, 3}, -1},
    {"BelowVector", {4, 15}, 1},
    {"Vector", {4, 16}, 1},
    {"AboveVector", {4, 17}, -1},
    {"TwoVectorsAndThree", {2, 35}, -1},
    {"Bert", {2, 5, 768}, -1},
    {"TwoAxes", {3, 7, 11}, 1},
    {"WithoutBias", {3, 64}, -1, 0, false},
    {"MeanHundred", {4, 768}, -1, 100},
};

class LayerNormalizationTest : public ::testing::TestWithParam<Case> {};

TEST_P(LayerNormalizationTest, StaysWithinBound) {
  const Case& c = GetParam();
  Rng rng(31);
  for (const DType dtype : kDTypes) {
    const int axis = NormalizeAxis(c.axis, c.shape.rank());
    const std::int64_t length = c.shape.ElementCount(axis, c.shape.rank());
    const Shape operand(
        std::vector<std::int64_t>(c.shape.dims().begin() + axis, c.shape.dims().end()));
    KernelCall call{.op = OpKind::kLayerNormalization};
    call.attributes.Set("axis", c.axis);
    call.attributes.Set("epsilon", 1e-3F);
    call.inputs = {RandomTensor({dtype, c.shape}, rng, c.mean - 3, c.mean + 3),
                   RandomTensor({dtype, operand}, rng, -2, 2)};
    if (c.bias) {
      call.inputs.emplace_back(RandomTensor({dtype, operand}, rng, -2, 2));
    }
    const Tensor exact = ExactResult(call)[0];
    for (const KernelEntry* entry : EntriesFor(call)) {
      if (entry->float16_arithmetic) {
        continue;  // normalization_float16_test.cc
      }
      const auto bound = [&](std::int64_t i, double y) {
        const RowStatistics s = StatisticsOf(*call.inputs[0], i / length, length);
        const double scale = std::abs(DoubleAt(dtype, call.inputs[1]->data(), i % length));
        const double shift = c.bias ? DoubleAt(dtype, call.inputs[2]->data(), i % length) : 0;
        const double v = s.variance + 1e-3;
        if (entry->impl_mode == ImplMode::kHighPerformance) {
          // Lanes: 8 at least where the tests run (AVX2); with more the sum is shorter.
          const double k = static_cast<double>(length) / 8 + 12;
          return kU * k * (1 + (s.mean * s.mean + s.variance) / v) * (std::abs(y - shift) + scale);
        }
        return 9 * kU * std::abs(y - shift) + kU * std::abs(y) +
               4 * kU * kU * std::abs(s.mean * scale) / std::sqrt(v) + testing::kFloatSubnormalUlp;
      };
      EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact, bound)) << entry->name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, LayerNormalizationTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

TEST(LayerNormalizationReferenceTest, BroadcastScale) {
  KernelCall call{
      .op = OpKind::kLayerNormalization,
      .inputs = {TensorOf(DType::kFloat32, {1, 2}, {1, 3}), TensorOf(DType::kFloat32, {1}, {2})}};
  call.attributes.Set("epsilon", 0.0F);
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kFloat32, {1, 2}, {-2, 2})));
}

TEST_P(LayerNormalizationTest, WithoutTheMeanStaysWithinBound) {
  const Case& c = GetParam();
  Rng rng(34);
  for (const DType dtype : kDTypes) {
    const int axis = NormalizeAxis(c.axis, c.shape.rank());
    const std::int64_t length = c.shape.ElementCount(axis, c.shape.rank());
    const Shape operand(
        std::vector<std::int64_t>(c.shape.dims().begin() + axis, c.shape.dims().end()));
    KernelCall call{.op = OpKind::kRmsNormalization};
    call.attributes.Set("axis", c.axis);
    call.attributes.Set("epsilon", 1e-3F);
    call.inputs = {RandomTensor({dtype, c.shape}, rng, c.mean - 3, c.mean + 3),
                   RandomTensor({dtype, operand}, rng, -2, 2)};
    const Tensor exact = ExactResult(call)[0];
    for (const KernelEntry* entry : EntriesFor(call)) {
      if (entry->float16_arithmetic) {
        continue;  // normalization_float16_test.cc
      }
      const auto bound = [&](std::int64_t, double y) {
        const double k = static_cast<double>(length) / 8 + 12;  // lanes as above
        const double relative = entry->impl_mode == ImplMode::kHighPerformance ? k / 2 : 4;
        return (relative * kU + 0x1p-127 / 1e-3) * std::abs(y) + testing::kFloatSubnormalUlp;
      };
      EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact, bound)) << entry->name;
    }
  }
}

TEST(RmsNormalizationTest, KnownValues) {
  KernelCall call{.op = OpKind::kRmsNormalization,
                  .inputs = {TensorOf(DType::kFloat32, {2, 2}, {3, 3, -6, 8}),
                             TensorOf(DType::kFloat32, {2}, {2, 4})}};
  call.attributes.Set("epsilon", 0.0F);
  const double root = std::sqrt(50);  // of (36 + 64) / 2
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0],
                          TensorOf(DType::kFloat64, {2, 2}, {2, 4, -12 / root, 32 / root}),
                          ErrorBound{.relative = 7 * kU}))
        << entry->name;
  }
}

TEST(RmsNormalizationTest, InfinityAndNaNStayInTheirRows) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  KernelCall call{.op = OpKind::kRmsNormalization,
                  .inputs = {TensorOf(DType::kFloat32, {4, 2}, {inf, 1, 1, nan, 0, 0, 1, 1}),
                             TensorOf(DType::kFloat32, {2}, {1, 1})}};
  call.attributes.Set("epsilon", 0.0F);
  for (const KernelEntry* entry : EntriesFor(call)) {
    // inf / inf, 1 / inf; 0 / 0.
    EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0],
                          TensorOf(DType::kFloat64, {4, 2}, {nan, 0, nan, nan, nan, nan, 1, 1}),
                          ErrorBound{.relative = 7 * kU}))
        << entry->name;
  }
}

TEST(InstanceNormalizationTest, StaysWithinBound) {
  Rng rng(32);
  for (const DType dtype : kDTypes) {
    const Shape shape{2, 3, 5, 7};
    const KernelCall call{.op = OpKind::kInstanceNormalization,
                          .inputs = {RandomTensor({dtype, shape}, rng, -1, 4),
                                     RandomTensor({DType::kFloat32, {3}}, rng, -2, 2),
                                     RandomTensor({DType::kFloat32, {3}}, rng, -2, 2)}};
    const Tensor exact = ExactResult(call)[0];
    for (const KernelEntry* entry : EntriesFor(call)) {
      const auto bound = [&](std::int64_t i, double y) {
        const double shift = call.inputs[2]->values<float>()[static_cast<std::size_t>(i / 35 % 3)];
        return 9 * kU * std::abs(y - shift) + kU * std::abs(y) +
               100 * kU * kU;  // |m s| / sqrt(v) < 25
      };
      EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact, bound)) << entry->name;
    }
  }
}

struct BatchCase {
  const char* name;
  Shape shape;
  const char* activation;
  bool constant;
};

class BatchNormalizationTest : public ::testing::TestWithParam<BatchCase> {};

// In both layouts, with parameters that are known beforehand and that are not.
TEST_P(BatchNormalizationTest, StaysWithinBound) {
  const BatchCase& c = GetParam();
  Rng rng(33);
  const std::int64_t channels = c.shape[1];
  for (const DType dtype : kDTypes) {
    const auto operand = [&](double low, double high) {
      return RandomTensor({DType::kFloat32, {channels}}, rng, low, high);
    };
    KernelCall first{.op = OpKind::kBatchNormalization,
                     .inputs = {WithSpecialValues(RandomTensor({dtype, c.shape}, rng, -4, 4), rng),
                                operand(-2, 2), operand(-2, 2), operand(-3, 3), operand(0.1, 4)}};
    if (c.constant) {
      first.constant = {false, true, true, true, true};
    }
    if (c.activation != nullptr) {
      first.fusion.activation =
          StepActivation{.op = FindOp(c.activation)->kind, .low = -0.5F, .high = 1.25F};
    }
    for (const KernelCall& call : BothLayouts(first)) {
      const bool last = call.layout.channels_last;
      const Tensor exact = ExactResult(call)[0];
      const std::int64_t inner = c.shape.ElementCount(2, c.shape.rank());
      const auto bound = [&](std::int64_t i, double) {
        const auto channel = static_cast<std::size_t>((last ? i : i / inner) % channels);
        const auto at = [&](std::size_t k) {
          return std::abs(static_cast<double>(call.inputs[k]->values<float>()[channel]));
        };
        const double a = at(1) / std::sqrt(at(4) + 1e-5);
        const double x = std::abs(DoubleAt(dtype, call.inputs[0]->data(), i));
        return 4 * kU * (x * a + at(3) * a + at(2));
      };
      for (const KernelEntry* entry : EntriesFor(call)) {
        for (const int threads : {1, 2}) {
          EXPECT_TRUE(AllWithin(RunEntry(*entry, call, threads)[0], exact, bound))
              << entry->name << (last ? ", channels last" : "");
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, BatchNormalizationTest,
    ::testing::Values(BatchCase{"Picture", {2, 5, 3, 7}, nullptr, true},
                      BatchCase{"Relu", {2, 33, 3, 7}, "Relu", true},
                      BatchCase{"Clip", {1, 17, 2, 2}, "Clip", false},
                      BatchCase{"NoSpatialAxis", {3, 5}, nullptr, false},
                      BatchCase{"OneSpatialAxis", {1, 48, 33}, "Relu", false},
                      BatchCase{"ThreeSpatialAxes", {2, 3, 2, 3, 5}, "Clip", true},
                      BatchCase{"OneChannel", {3, 1, 4, 5}, "Relu", true},
                      BatchCase{"LongerThanAPart", {2, 64, 56, 57}, "Relu", true}),
    [](const auto& test) { return test.param.name; });

TEST(GroupNormalizationTest, StaysWithinBound) {
  Rng rng(35);
  for (const DType dtype : kDTypes) {
    for (const Shape& shape : {Shape{2, 6, 3, 7}, Shape{3, 6}, Shape{1, 6, 700}}) {
      for (const std::int64_t parameters : {6, 3}) {  // a value per channel, or per group
        KernelCall call{.op = OpKind::kGroupNormalization,
                        .inputs = {RandomTensor({dtype, shape}, rng, -4, 6),
                                   RandomTensor({dtype, {parameters}}, rng, -2, 2),
                                   RandomTensor({dtype, {parameters}}, rng, -2, 2)}};
        call.attributes.Set("num_groups", std::int64_t{3});
        const Tensor exact = ExactResult(call)[0];
        const std::int64_t inner = shape.ElementCount(2, shape.rank());
        for (const KernelEntry* entry : EntriesFor(call)) {
          const auto bound = [&](std::int64_t i, double) {
            const std::int64_t channel = i / inner % 6;
            const RowStatistics row = StatisticsOf(*call.inputs[0], i / inner / 2, 2 * inner);
            const auto at = [&](std::size_t k) {
              return std::abs(
                  DoubleAt(dtype, call.inputs[k]->data(), parameters == 6 ? channel : channel / 2));
            };
            const double a = at(1) / std::sqrt(row.variance + 1e-5);
            const double x = std::abs(DoubleAt(dtype, call.inputs[0]->data(), i));
            return 4 * kU * (x * a + std::abs(row.mean) * a + at(2));
          };
          EXPECT_TRUE(AllWithin(RunEntry(*entry, call, 2)[0], exact, bound)) << entry->name;
        }
      }
    }
  }
}

TEST(AxesNormalizationTest, KnownValues) {
  const Tensor x = TensorOf(DType::kFloat32, {1, 2, 1, 2}, {3, 4, 0, 0});
  KernelCall norm{.op = OpKind::kLpNormalization, .inputs = {x}};
  EXPECT_TRUE(
      AllEqual(RunSelected(norm)[0], TensorOf(DType::kFloat32, {1, 2, 1, 2}, {0.6, 0.8, 0, 0})));
  norm.attributes.Set("p", std::int64_t{1});
  norm.attributes.Set("axis", std::int64_t{1});
  EXPECT_TRUE(
      AllEqual(RunSelected(norm)[0], TensorOf(DType::kFloat32, {1, 2, 1, 2}, {1, 1, 0, 0})));
  KernelCall mean{.op = OpKind::kMeanVarianceNormalization, .inputs = {x}};
  EXPECT_TRUE(AllWithin(RunSelected(mean)[0],
                        TensorOf(DType::kFloat64, {1, 2, 1, 2}, {-1, 1, 0, 0}),
                        ErrorBound{.absolute = 2e-9 + 2 * kU}));
}

TEST(LayerNormalizationReferenceTest, StatisticsAreFloat32) {
  KernelCall call{.op = OpKind::kLayerNormalization,
                  .inputs = {TensorOf(DType::kFloat16, {2, 2}, {1, 3, 5, 5}),
                             TensorOf(DType::kFloat16, {2}, {1, 1})}};
  call.attributes.Set("epsilon", 0.0625F);
  call.outputs = {{DType::kFloat16, {2, 2}}, {DType::kFloat32, {2, 1}}, {DType::kFloat32, {2, 1}}};
  const std::vector<Tensor> got = RunSelected(call);
  EXPECT_TRUE(AllEqual(got[1], TensorOf(DType::kFloat32, {2, 1}, {2, 5})));
  EXPECT_TRUE(AllEqual(got[2], TensorOf(DType::kFloat32, {2, 1}, {1 / std::sqrt(1.0625), 4})));
}

struct LrnCase {
  const char* name;
  Shape shape;
  std::int64_t size;
  float beta;
};

class LrnTest : public ::testing::TestWithParam<LrnCase> {};

// In both layouts, against the specification in the same one.
TEST_P(LrnTest, StaysWithinBound) {
  const LrnCase& c = GetParam();
  Rng rng(34);
  for (const DType dtype : kDTypes) {
    for (const bool channels_last : {false, true}) {
      if (channels_last && !HasChannelsLast(c.shape.rank())) {
        continue;
      }
      const Shape shape = channels_last ? ChannelsLastOf(c.shape) : c.shape;
      KernelCall call{.op = OpKind::kLrn, .inputs = {RandomTensor({dtype, shape}, rng, -40, 40)}};
      call.attributes.Set("size", c.size);
      call.attributes.Set("alpha", 0.3F);
      call.attributes.Set("beta", c.beta);
      call.layout.channels_last = channels_last;
      const Tensor exact = ExactResult(call)[0];
      const double relative =
          (static_cast<double>(c.beta) * static_cast<double>(c.size + 4) + 5) * kU;
      bool vector_ran = false;
      for (const KernelEntry* entry : EntriesFor(call)) {
        vector_ran = vector_ran || !entry->is_reference;
        EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact, ErrorBound{.relative = relative}))
            << entry->name << (channels_last ? ", channels last" : "");
      }
      EXPECT_EQ(vector_ran, c.beta != 0.6F);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, LrnTest,
                         ::testing::Values(LrnCase{"OneChannel", {2, 1, 3, 3}, 5, 0.75F},
                                           LrnCase{"FewerThanTheWindow", {1, 3, 5, 7}, 9, 0.75F},
                                           LrnCase{"AlexNet", {1, 96, 5, 5}, 5, 0.75F},
                                           LrnCase{"EvenWindow", {2, 17, 4, 5}, 4, 0.5F},
                                           LrnCase{"WindowOfOne", {1, 16, 17}, 1, 1.0F},
                                           LrnCase{"MoreThanABlock", {1, 530, 1, 3}, 33, 0.75F},
                                           LrnCase{"NoPixels", {1, 20}, 5, 0.75F},
                                           LrnCase{"OtherExponent", {1, 20, 3, 2}, 5, 0.6F}),
                         [](const auto& test) { return test.param.name; });

TEST(LrnValuesTest, KnownValues) {
  KernelCall call{.op = OpKind::kLrn,
                  .inputs = {TensorOf(DType::kFloat32, {1, 4, 1, 1}, {1, 2, 3, 4})}};
  call.attributes.Set("size", std::int64_t{3});
  call.attributes.Set("alpha", 3.0F);
  call.attributes.Set("beta", 1.0F);
  // 1 + the squares of the neighbours: 1+1+4, 1+1+4+9, 1+4+9+16, 1+9+16.
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kFloat32, {1, 4, 1, 1},
                                                      {1.0 / 6, 2.0 / 15, 3.0 / 30, 4.0 / 26})));
  call.attributes.Set("beta", 0.75F);
  call.attributes.Set("size", std::int64_t{2});  // an even window reaches one further up
  call.attributes.Set("alpha", 2.0F);
  const double want[] = {std::pow(6, -0.75), 2 * std::pow(14, -0.75), 3 * std::pow(26, -0.75),
                         4 * std::pow(17, -0.75)};
  EXPECT_TRUE(AllWithin(RunSelected(call)[0], TensorOf(DType::kFloat64, {1, 4, 1, 1}, want),
                        ErrorBound{.relative = (0.75 * 6 + 5) * kU}));
}

}  // namespace
}  // namespace halftone
