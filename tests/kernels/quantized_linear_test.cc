// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear against their definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/quantized/quantized.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::EntriesFor;
using testing::KernelCall;
using testing::RandomTensor;
using testing::RunEntry;
using testing::SpecialValues;
using testing::TensorOf;

constexpr DType kF32 = DType::kFloat32;
constexpr DType kQuantized[] = {DType::kInt8, DType::kUInt8, DType::kInt16, DType::kUInt16};

struct Limits {
  double low;
  double high;
};

Limits LimitsOf(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
      return {-128, 127};
    case DType::kUInt8:
      return {0, 255};
    case DType::kInt16:
      return {-32768, 32767};
    default:
      return {0, 65535};
  }
}

struct ScaleCase {
  const char* name;
  Shape x;
  Shape scale;
  std::int64_t axis = 1;
  std::int64_t block = 0;
};

const ScaleCase kCases[] = {
    {"OneElement", {1}, {}},
    {"Tensor", {3, 5, 7}, {}},
    {"TensorByOneElement", {3, 5, 7}, {1}},
    {"LongTensor", {70001}, {}},
    {"FirstAxis", {5, 33}, {5}, 0},
    {"MiddleAxis", {2, 5, 3, 19}, {5}},
    {"LastAxis", {4, 67}, {67}, -1},
    {"OneElementOnAnAxis", {4, 1, 3}, {1}},
    {"Blocks", {3, 7, 4}, {3, 3, 4}, 1, 3},
    {"BlocksOfTheLastAxis", {5, 8}, {5, 2}, 1, 4},
    {"Empty", {0, 5}, {5}},
};

// The scale that each element of x has.
std::int64_t ScaleIndex(const ScaleCase& test, std::int64_t element) {
  if (test.scale.ElementCount() == 1 && test.block == 0) {
    return 0;
  }
  const int rank = test.x.rank();
  const int axis = static_cast<int>(test.axis < 0 ? test.axis + rank : test.axis);
  const std::int64_t inner = test.x.ElementCount(axis + 1, rank);
  const std::int64_t along = element / inner % test.x[axis];
  if (test.block == 0) {
    return along;
  }
  return (element / inner / test.x[axis] * test.scale[axis] + along / test.block) * inner +
         element % inner;
}

KernelCall CallOf(OpKind op, const ScaleCase& test, Tensor x, DType dtype, bool zero, Rng& rng) {
  KernelCall call;
  call.op = op;
  call.attributes.Set("axis", test.axis);
  if (test.block > 0) {
    call.attributes.Set("block_size", test.block);
  }
  call.inputs = {std::move(x), RandomTensor({kF32, test.scale}, rng, 0.01, 0.5)};
  if (zero) {
    const Limits limits = LimitsOf(dtype);
    call.inputs.emplace_back(RandomTensor({dtype, test.scale}, rng, limits.low, limits.high + 1));
  }
  return call;
}

std::int64_t ZeroAt(const KernelCall& call, std::int64_t index) {
  return call.inputs.size() < 3 ? 0
                                : IntegerAt(call.inputs[2]->dtype(), call.inputs[2]->data(), index);
}

class QuantizedLinearTest : public ::testing::TestWithParam<ScaleCase> {};

TEST_P(QuantizedLinearTest, QuantizesHalfToEvenAndSaturates) {
  const ScaleCase& test = GetParam();
  Rng rng(20261121);
  for (const DType dtype : kQuantized) {
    const double range = LimitsOf(dtype).high;
    Tensor x = RandomTensor({kF32, test.x}, rng, -0.3 * range, 0.3 * range);
    const KernelCall call = CallOf(OpKind::kQuantizeLinear, test, x, dtype, true, rng);
    Tensor want(dtype, test.x);
    for (std::int64_t i = 0; i < x.ElementCount(); ++i) {
      const std::int64_t at = ScaleIndex(test, i);
      const float quotient = x.values<float>()[static_cast<std::size_t>(i)] /
                             call.inputs[1]->values<float>()[static_cast<std::size_t>(at)];
      StoreDouble(dtype, want.mutable_data(), i,
                  std::clamp(std::nearbyint(static_cast<double>(quotient)) +
                                 static_cast<double>(ZeroAt(call, at)),
                             LimitsOf(dtype).low, LimitsOf(dtype).high));
    }
    for (const KernelEntry* entry : EntriesFor(call)) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 2)[0], want))
          << entry->name << " " << NameOf(dtype);
    }
  }
}

TEST_P(QuantizedLinearTest, DequantizesWithOneRounding) {
  const ScaleCase& test = GetParam();
  Rng rng(2);
  for (const DType dtype :
       {DType::kInt8, DType::kUInt8, DType::kInt16, DType::kUInt16, DType::kInt32}) {
    for (const bool zero : {true, false}) {
      if (zero && dtype == DType::kInt32) {
        continue;  // has none, as the specification says
      }
      const Limits limits = dtype == DType::kInt32 ? Limits{-0x1p31, 0x1p31 - 1} : LimitsOf(dtype);
      const Tensor x = RandomTensor({dtype, test.x}, rng, limits.low, limits.high);
      const KernelCall call = CallOf(OpKind::kDequantizeLinear, test, x, dtype, zero, rng);
      Tensor want(kF32, test.x);
      for (std::int64_t i = 0; i < x.ElementCount(); ++i) {
        const std::int64_t at = ScaleIndex(test, i);
        const auto difference =
            static_cast<float>(IntegerAt(dtype, x.data(), i) - ZeroAt(call, at));
        want.mutable_values<float>()[static_cast<std::size_t>(i)] =
            difference * call.inputs[1]->values<float>()[static_cast<std::size_t>(at)];
      }
      for (const KernelEntry* entry : EntriesFor(call)) {
        EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 2)[0], want))
            << entry->name << " " << NameOf(dtype);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Quantized, QuantizedLinearTest, ::testing::ValuesIn(kCases),
                         [](const auto& suite) { return suite.param.name; });

// Any grid point comes back: x = scale (q - zero) is off by an ulp of the quotient at most.
TEST(QuantizedLinearTest, RoundTripGivesTheIntegersBack) {
  std::vector<double> all(256);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = static_cast<double>(i);
  }
  KernelCall back;
  back.op = OpKind::kDequantizeLinear;
  back.inputs = {TensorOf(DType::kUInt8, {256}, all), TensorOf(kF32, {}, {0.0375}),
                 TensorOf(DType::kUInt8, {}, {121})};
  for (const KernelEntry* entry : EntriesFor(back)) {
    KernelCall there = back;
    there.op = OpKind::kQuantizeLinear;
    there.inputs[0] = RunEntry(*entry, back)[0];
    for (const KernelEntry* other : EntriesFor(there)) {
      EXPECT_TRUE(AllEqual(RunEntry(*other, there)[0], *back.inputs[0]))
          << entry->name << " then " << other->name;
    }
  }
}

TEST(QuantizedLinearTest, SpecialValues) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  KernelCall call;
  call.op = OpKind::kQuantizeLinear;
  call.inputs = {
      TensorOf(kF32, {11}, {0.5, 1.5, 2.5, -0.5, -1.5, -2.5, -0.0, nan, inf, -inf, 1e30}),
      TensorOf(kF32, {}, {1}), TensorOf(DType::kInt8, {}, {3})};
  const Tensor want = TensorOf(DType::kInt8, {11}, {3, 5, 5, 3, 1, 1, 3, -128, 127, -128, 127});
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], want)) << entry->name;
  }
}

struct DynamicCase {
  const char* name;
  std::vector<double> x;
  double scale;
  double zero;
  std::vector<double> y;
};

class DynamicQuantizeTest : public ::testing::TestWithParam<DynamicCase> {};

TEST_P(DynamicQuantizeTest, GivesScaleZeroPointAndIntegers) {
  const DynamicCase& test = GetParam();
  const Shape shape{static_cast<std::int64_t>(test.x.size())};
  KernelCall call;
  call.op = OpKind::kDynamicQuantizeLinear;
  call.inputs = {TensorOf(kF32, shape, test.x)};
  call.outputs = {{DType::kUInt8, shape}, {kF32, Shape{}}, {DType::kUInt8, Shape{}}};
  for (const KernelEntry* entry : EntriesFor(call)) {
    const std::vector<Tensor> got = RunEntry(*entry, call);
    EXPECT_TRUE(AllEqual(got[0], TensorOf(DType::kUInt8, shape, test.y))) << entry->name;
    EXPECT_TRUE(AllEqual(got[1], TensorOf(kF32, {}, {test.scale}))) << entry->name;
    EXPECT_TRUE(AllEqual(got[2], TensorOf(DType::kUInt8, {}, {test.zero}))) << entry->name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Quantized, DynamicQuantizeTest,
    ::testing::Values(
        // (255 - -0) / 255 = 1
        DynamicCase{"Positive", {0, 1, 254.5, 255}, 1, 0, {0, 1, 254, 255}},
        // Zero belongs to the range: -51 to 0 in steps of 0.2.
        DynamicCase{"Negative", {-51, -20, -10}, 51 / 255.0, 255, {0, 155, 205}},
        DynamicCase{"BothSides", {-100, 155, 0, 0.5, 1.5}, 1, 100, {0, 255, 100, 100, 102}},
        DynamicCase{"AllZero", {0, -0.0, 0}, 1, 0, {0, 0, 0}}, DynamicCase{"Empty", {}, 1, 0, {}},
        DynamicCase{"NanIsNoEnd", {std::nan(""), 255, 3}, 1, 0, {0, 255, 3}}),
    [](const auto& suite) { return suite.param.name; });

// Long enough for several partial ranges, with its ends in the middle of two of them.
TEST(DynamicQuantizeTest, ResultDoesNotDependOnThreads) {
  Rng rng(5);
  Tensor x = RandomTensor({kF32, {200003}}, rng);
  x.mutable_values<float>()[70000] = -3;
  x.mutable_values<float>()[150000] = 4;
  KernelCall call;
  call.op = OpKind::kDynamicQuantizeLinear;
  call.inputs = {x};
  call.outputs = {{DType::kUInt8, x.shape()}, {kF32, Shape{}}, {DType::kUInt8, Shape{}}};
  const std::vector<Tensor> want = RunEntry(*EntriesFor(call).back(), call);
  EXPECT_EQ(want[1].values<float>()[0], 7.0F / 255.0F);
  for (const KernelEntry* entry : EntriesFor(call)) {
    for (const int threads : {1, 3}) {
      const std::vector<Tensor> got = RunEntry(*entry, call, threads);
      for (std::size_t i = 0; i < want.size(); ++i) {
        EXPECT_TRUE(AllEqual(got[i], want[i])) << entry->name << " output " << i;
      }
    }
  }
}

}  // namespace
}  // namespace halftone
