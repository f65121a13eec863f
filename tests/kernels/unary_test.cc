// Every unary table entry against the reference in double, within the bound its formula states.
#include "kernels/unary/unary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/error.h"
#include "src/ir/op_table.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::AllWithin;
using testing::EntriesFor;
using testing::ExactResult;
using testing::KernelCall;
using testing::RandomTensor;
using testing::RunEntry;
using testing::TensorOf;
using testing::WithSpecialValues;

constexpr double kU = 0x1p-24;
constexpr double kRoundOnly = kU;  // rel: one rounding
constexpr double kTiny = testing::kFloatSubnormalUlp;

// |error| <= relative |y| + absolute + per_x |x|, as stated with the formula.
struct Bound {
  double relative = kRoundOnly;
  double absolute = kTiny;
  double per_x = 0;
};

struct Case {
  const char* name;
  OpKind op;
  double low;  // the dense range
  double high;
  Bound precise;
  Bound fast = {};
  const char* text_attribute = nullptr;  // approximate of Gelu
  float alpha = 0;                       // of Swish; 0: not given
};

// Results below 2^-126 may be flushed (Sigmoid); mish underflows by |x| 2^-149 per x.
constexpr Case kCases[] = {
    {"Abs", OpKind::kAbs, -100, 100, {0, 0}},
    {"Acos", OpKind::kAcos, -1.05, 1.05, {4 * kU, kTiny}},
    {"Acosh", OpKind::kAcosh, 0.9, 100, {6 * kU, kTiny}},
    {"AcoshNearOne", OpKind::kAcosh, 1, 1.01, {6 * kU, kTiny}},
    {"Asin", OpKind::kAsin, -1.05, 1.05, {6 * kU, kTiny}},
    {"AsinNear", OpKind::kAsin, -0.5, 0.5, {4 * kU, kTiny}},
    {"Asinh", OpKind::kAsinh, -100, 100, {6 * kU, kTiny}},
    {"AsinhNear", OpKind::kAsinh, -0.1, 0.1, {6 * kU, kTiny}},
    {"Atan", OpKind::kAtan, -10, 10, {6 * kU, kTiny}},
    {"AtanNear", OpKind::kAtan, -0.1, 0.1, {6 * kU, kTiny}},
    {"Atanh", OpKind::kAtanh, -1.05, 1.05, {6 * kU, kTiny}},
    {"AtanhNear", OpKind::kAtanh, -0.01, 0.01, {6 * kU, kTiny}},
    {"Ceil", OpKind::kCeil, -100, 100, {0, 0}},
    // |x / a| <= 20 with a = 1, the default.
    {"Celu", OpKind::kCelu, -20, 5, {51 * kU, kTiny}},
    {"Clip", OpKind::kClip, -3, 9, {0, 0}},
    {"Cos", OpKind::kCos, -39000, 39000, {0, 4 * kU}},
    {"CosNear", OpKind::kCos, -7, 7, {0, 4 * kU}},
    {"Cosh", OpKind::kCosh, -91, 91, {8 * kU, kTiny}},
    {"CoshNear", OpKind::kCosh, -2, 2, {8 * kU, kTiny}},
    {"Elu", OpKind::kElu, -20, 5, {11 * kU, kTiny}},
    {"Erf", OpKind::kErf, -5, 5, {4 * kU, kTiny}, {0, 1.1e-4}},
    {"Exp", OpKind::kExp, -105, 90, {2 * kU, kTiny}, {9e-5, kTiny}},
    {"ExpNear", OpKind::kExp, -1, 1, {2 * kU, kTiny}, {9e-5, kTiny}},
    {"Floor", OpKind::kFloor, -100, 100, {0, 0}},
    {"Gelu", OpKind::kGelu, -8, 8, {0, kTiny, 4 * kU}, {kU, 1.3e-4}},
    {"GeluTanh", OpKind::kGelu, -8, 8, {0, kTiny, 4 * kU}, {0, kTiny, 7e-5}, "tanh"},
    {"HardSigmoid", OpKind::kHardSigmoid, -5, 5, {kU, kTiny, kU}},
    {"HardSwish", OpKind::kHardSwish, -5, 5, {0, kTiny, 3 * kU}},
    {"LeakyRelu", OpKind::kLeakyRelu, -5, 5, {kU, kTiny}},
    {"Log", OpKind::kLog, 1e-3, 100, {8 * kU, kTiny}},
    {"LogNearOne", OpKind::kLog, 0.5, 2, {8 * kU, kTiny}},
    {"Mish", OpKind::kMish, -90, 30, {12 * kU, kTiny, kTiny}},
    {"Neg", OpKind::kNeg, -100, 100, {0, 0}},
    {"Reciprocal", OpKind::kReciprocal, -10, 10, {kU, kTiny}, {6.2e-5, 0x1p-126}},
    {"Relu", OpKind::kRelu, -5, 5, {0, 0}},
    {"Round", OpKind::kRound, -100, 100, {0, 0}},
    {"Selu", OpKind::kSelu, -20, 5, {11 * kU, kTiny}},
    {"Shrink", OpKind::kShrink, -5, 5, {kU, kTiny}},
    {"Sigmoid", OpKind::kSigmoid, -90, 90, {4 * kU, 0x1p-126}, {1.6e-4, 0x1p-126}},
    {"SigmoidNear", OpKind::kSigmoid, -8, 8, {4 * kU, kTiny}, {1.6e-4, kTiny}},
    {"Sign", OpKind::kSign, -5, 5, {0, 0}},
    {"Sin", OpKind::kSin, -39000, 39000, {0, 4 * kU}},
    {"SinNear", OpKind::kSin, -7, 7, {0, 4 * kU}},
    {"Sinh", OpKind::kSinh, -91, 91, {12 * kU, kTiny}},
    {"SinhNear", OpKind::kSinh, -1, 1, {12 * kU, kTiny}},
    {"Softplus", OpKind::kSoftplus, -90, 30, {7 * kU, kTiny}},
    {"Softsign", OpKind::kSoftsign, -100, 100, {2 * kU, kTiny}},
    {"Sqrt", OpKind::kSqrt, 0, 100, {kU, kTiny}},
    {"Swish", OpKind::kSwish, -90, 90, {4 * kU, kTiny, 0x1p-126}, {1.6e-4, kTiny, 0x1p-126}},
    {"SwishNear", OpKind::kSwish, -8, 8, {4 * kU, kTiny, 0x1p-126}, {1.6e-4, kTiny, 0x1p-126}},
    // |1.702 x| < 14, and 1 for the special values beyond.
    {"SwishSteep",
     OpKind::kSwish,
     -8,
     8,
     {18 * kU, kTiny, 0x1p-126},
     {1.6e-4 + 14 * kU, kTiny, 0x1p-126},
     nullptr,
     1.702F},
    {"Tan", OpKind::kTan, -40000, 40000, {kU * (1 + 0x1p-20), kTiny}},
    {"TanNear", OpKind::kTan, -2, 2, {kU * (1 + 0x1p-20), kTiny}},
    {"Tanh", OpKind::kTanh, -10, 10, {4 * kU, kTiny}, {0, 1.3e-4}},
    {"ThresholdedRelu", OpKind::kThresholdedRelu, -5, 5, {0, 0}},
    {"TanhNearZero", OpKind::kTanh, -0.7, 0.7, {4 * kU, kTiny}, {0, 1.3e-4}},
};

KernelCall CallOf(const Case& c, Tensor x) {
  KernelCall call;
  call.op = c.op;
  const DType dtype = x.dtype();
  call.inputs = {std::move(x)};
  if (c.text_attribute != nullptr) {
    call.attributes.Set("approximate", std::string(c.text_attribute));
  }
  if (c.alpha != 0) {
    call.attributes.Set("alpha", c.alpha);
  }
  if (c.op == OpKind::kClip) {
    call.inputs.emplace_back(TensorOf(dtype, {}, {-1.5}));
    call.inputs.emplace_back(TensorOf(dtype, {}, {6}));
    call.constant = {false, true, true};
  }
  return call;
}

void CheckAllEntries(const Case& c, const Tensor& x) {
  const KernelCall call = CallOf(c, x);
  const Tensor exact = ExactResult(call)[0];
  for (const KernelEntry* entry : EntriesFor(call)) {
    const Bound bound = entry->is_reference                              ? Bound{}
                        : entry->impl_mode == ImplMode::kHighPerformance ? c.fast
                                                                         : c.precise;
    const auto allowed = [&](std::int64_t i, double value) {
      if (!std::isfinite(value)) {
        return 0.0;
      }
      const double at = std::abs(DoubleAt(x.dtype(), x.data(), i));
      return bound.relative * std::abs(value) + bound.absolute + bound.per_x * at;
    };
    EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact, allowed))
        << entry->name << " of " << c.name;
  }
}

class UnaryTest : public ::testing::TestWithParam<Case> {};

TEST_P(UnaryTest, StaysWithinBound) {
  const Case& c = GetParam();
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    constexpr std::int64_t kCount = 50'000;
    Tensor x(dtype, {kCount});
    for (std::int64_t i = 0; i < kCount; ++i) {
      const double step = (c.high - c.low) / static_cast<double>(kCount - 1);
      StoreDouble(dtype, x.mutable_data(), i, c.low + step * static_cast<double>(i));
    }
    CheckAllEntries(c, x);
  }
}

TEST_P(UnaryTest, AwkwardSizesAndSpecialValues) {
  constexpr std::uint64_t kSeed = 7;
  Rng rng(kSeed);
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    for (const std::int64_t count : {1, 2, 3, 7, 8, 9, 15, 16, 17, 19, 35, 64, 67, 131}) {
      const Tensor x = RandomTensor({dtype, Shape{count}}, rng, GetParam().low, GetParam().high);
      CheckAllEntries(GetParam(), WithSpecialValues(x, rng, 3));
    }
  }
}

TEST_P(UnaryTest, ThreadsDoNotChangeTheResult) {
  Rng rng(3);
  const KernelCall call =
      CallOf(GetParam(), RandomTensor({DType::kFloat32, Shape{600'011}}, rng, -5, 5));
  for (const KernelEntry* entry : EntriesFor(call)) {
    if (!entry->is_reference) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 2)[0], RunEntry(*entry, call, 1)[0]))
          << entry->name;
    }
  }
}

// kCases, and each other operator with a vector kernel: rounded once, between -100 and 100.
std::vector<Case> EveryOperator() {
  std::vector<Case> cases(std::begin(kCases), std::end(kCases));
  for (const KernelEntry& entry : UnaryKernels()) {
    const bool has_case =
        std::any_of(cases.begin(), cases.end(), [&](const Case& c) { return c.op == entry.op; });
    if (!entry.is_reference && !has_case) {
      cases.push_back({InfoOf(entry.op).name.data(), entry.op, -100, 100, {}});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Operators, UnaryTest, ::testing::ValuesIn(EveryOperator()),
                         [](const auto& test) { return test.param.name; });

// Known values: the reference itself is checked, not only agreed with.
struct KnownValue {
  const char* name;
  OpKind op;
  double x;
  double y;
};

constexpr KnownValue kKnown[] = {
    {"Acos", OpKind::kAcos, 0.5, 1.0471975511965979},
    {"Acosh", OpKind::kAcosh, 2, 1.3169578969248166},
    {"Asin", OpKind::kAsin, 0.5, 0.5235987755982989},
    {"Asinh", OpKind::kAsinh, 1, 0.881373587019543},
    {"Atan", OpKind::kAtan, 1, 0.7853981633974483},
    {"Atanh", OpKind::kAtanh, 0.5, 0.5493061443340548},
    {"CeilDown", OpKind::kCeil, -1.5, -1},
    {"Cos", OpKind::kCos, 1, 0.5403023058681398},
    {"Cosh", OpKind::kCosh, 1, 1.5430806348152437},
    {"Elu", OpKind::kElu, -1, -0.6321205588285577},
    {"Erf", OpKind::kErf, 0.5, 0.5204998778130465},
    {"Exp", OpKind::kExp, 1, 2.718281828459045},
    {"FloorDown", OpKind::kFloor, -1.5, -2},
    {"Gelu", OpKind::kGelu, 1, 0.8413447460685429},
    {"HardSigmoid", OpKind::kHardSigmoid, 1, 0.7},
    {"HardSwish", OpKind::kHardSwish, 1, 2.0 / 3},
    {"LeakyRelu", OpKind::kLeakyRelu, -2, -0.02},
    {"Log", OpKind::kLog, 10, 2.302585092994046},
    {"Mish", OpKind::kMish, 1, 0.8650983882673103},
    {"Reciprocal", OpKind::kReciprocal, 8, 0.125},
    {"RoundHalfToEven", OpKind::kRound, 2.5, 2},
    {"RoundHalfUpToEven", OpKind::kRound, 3.5, 4},
    {"Selu", OpKind::kSelu, -1, -1.1113307378125625},
    {"Sigmoid", OpKind::kSigmoid, 1, 0.7310585786300049},
    {"Sign", OpKind::kSign, -3, -1},
    {"Sinh", OpKind::kSinh, 1, 1.1752011936438014},
    {"Softplus", OpKind::kSoftplus, 1, 1.3132616875182228},
    {"Softsign", OpKind::kSoftsign, -3, -0.75},
    {"Sqrt", OpKind::kSqrt, 2, 1.4142135623730951},
    {"Swish", OpKind::kSwish, 1, 0.7310585786300049},
    {"Tan", OpKind::kTan, 1, 1.5574077246549023},
    {"Tanh", OpKind::kTanh, 1, 0.7615941559557649},
};

class UnaryReferenceTest : public ::testing::TestWithParam<KnownValue> {};

TEST_P(UnaryReferenceTest, KnownValue) {
  const KernelCall call{.op = GetParam().op,
                        .inputs = {TensorOf(DType::kFloat64, {1}, {GetParam().x})}};
  // 1e-7: the attributes (alpha, gamma) are stored as float.
  EXPECT_NEAR(ExactResult(call)[0].values<double>()[0], GetParam().y,
              1e-7 * std::abs(GetParam().y));
}

INSTANTIATE_TEST_SUITE_P(Operators, UnaryReferenceTest, ::testing::ValuesIn(kKnown),
                         [](const auto& test) { return test.param.name; });

// Each of the 65536, as bits: zeros of both signs, NaN with a sign.
template <typename T>
void ExpectEveryElement(DType dtype) {
  constexpr std::int64_t kCount = 1 << 16;
  Tensor x(dtype, Shape{kCount});
  for (std::int64_t i = 0; i < kCount; ++i) {
    x.mutable_values<T>()[static_cast<std::size_t>(i)] = {static_cast<std::uint16_t>(i)};
  }
  Tensor relu = x;
  Tensor magnitude = x;
  for (std::size_t i = 0; i < kCount; ++i) {
    const float value = x.values<T>()[i].ToFloat();
    relu.mutable_values<T>()[i] = value < 0 ? T{} : x.values<T>()[i];
    magnitude.mutable_values<T>()[i] = T::FromFloat(std::abs(value));
  }
  EXPECT_TRUE(AllEqual(testing::RunEntry(testing::EntryNamed("unary.relu.vector"),
                                         {.op = OpKind::kRelu, .inputs = {x}})[0],
                       relu));
  EXPECT_TRUE(AllEqual(testing::RunEntry(testing::EntryNamed("unary.abs.vector"),
                                         {.op = OpKind::kAbs, .inputs = {x}})[0],
                       magnitude));
}

TEST(UnaryBitsTest, EveryElementOf16Bits) {
  ExpectEveryElement<Float16>(DType::kFloat16);
  ExpectEveryElement<BFloat16>(DType::kBFloat16);
}

TEST(UnaryIntegerTest, IsExactBeyondTheRangeOfDouble) {
  constexpr std::int64_t kBig = (std::int64_t{1} << 62) + 1;
  const std::int64_t values[] = {kBig, -kBig, 0, -1};
  const KernelCall call{.op = OpKind::kNeg, .inputs = {Tensor::From<std::int64_t>({4}, values)}};
  const auto got = testing::RunSelected(call)[0];
  EXPECT_THAT(std::vector<std::int64_t>(got.values<std::int64_t>().begin(),
                                        got.values<std::int64_t>().end()),
              ::testing::ElementsAre(-kBig, kBig, 0, 1));
}

TEST(UnaryIntegerTest, TheLeastIntegerIsItsOwnNegative) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const Tensor x = Tensor::From<std::int64_t>({2}, std::vector<std::int64_t>{kLeast, -1});
  const Tensor want = Tensor::From<std::int64_t>({2}, std::vector<std::int64_t>{kLeast, 1});
  for (const OpKind op : {OpKind::kNeg, OpKind::kAbs}) {
    EXPECT_TRUE(AllEqual(testing::RunSelected({.op = op, .inputs = {x}})[0], want));
  }
}

// Above 2^63, bounds that were compared as signed made the greatest numbers the least.
TEST(UnaryIntegerTest, ClipOrdersUnsignedIntegers) {
  const auto numbers = [](std::vector<std::uint64_t> values) {
    return Tensor::From<std::uint64_t>({static_cast<std::int64_t>(values.size())}, values);
  };
  constexpr std::uint64_t kGreatest = std::numeric_limits<std::uint64_t>::max();
  KernelCall call{.op = OpKind::kClip,
                  .inputs = {numbers({3, 20, kGreatest}), numbers({5}), numbers({10})}};
  EXPECT_TRUE(AllEqual(testing::RunSelected(call)[0], numbers({5, 10, 10})));
  call.inputs = {numbers({3, 20, kGreatest}), numbers({5})};
  EXPECT_TRUE(AllEqual(testing::RunSelected(call)[0], numbers({5, 20, kGreatest})));
}

// Below -lambd and above lambd at once: the specification looks at the first.
TEST(ShrinkTest, ANegativeLambdTakesTheFirstCase) {
  KernelCall call{.op = OpKind::kShrink, .inputs = {TensorOf(DType::kFloat32, {3}, {-3, 0.25, 3})}};
  call.attributes.Set("lambd", -1.0F);
  call.attributes.Set("bias", 2.0F);
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], TensorOf(DType::kFloat32, {3}, {-1, 2.25, 1})))
        << entry->name;
  }
}

TEST(UnaryIntegerTest, NotInvertsBool) {
  const KernelCall call{.op = OpKind::kNot, .inputs = {TensorOf(DType::kBool, {2}, {0, 1})}};
  EXPECT_TRUE(AllEqual(testing::RunSelected(call)[0], TensorOf(DType::kBool, {2}, {1, 0})));
}

TEST(UnaryIntegerTest, BitwiseNotInvertsEveryBit) {
  const std::pair<DType, std::vector<double>> cases[] = {
      {DType::kUInt8, {255, 254, 127, 0}},
      {DType::kInt16, {-1, -2, -129, -256}},
      {DType::kUInt32, {4294967295, 4294967294, 4294967167, 4294967040}},
      {DType::kInt64, {-1, -2, -129, -256}},
  };
  for (const auto& [dtype, want] : cases) {
    const KernelCall call{.op = OpKind::kBitwiseNot,
                          .inputs = {TensorOf(dtype, {4}, {0, 1, 128, 255})}};
    EXPECT_TRUE(AllEqual(testing::RunSelected(call)[0], TensorOf(dtype, {4}, want)))
        << NameOf(dtype);
  }
}

TEST(ClipTest, BoundsThatAreComputedAtRunTime) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kInt64}) {
    KernelCall call{
        .op = OpKind::kClip,
        .inputs = {TensorOf(dtype, {3}, {-5, 1, 9}), std::nullopt, TensorOf(dtype, {}, {4})}};
    for (const KernelEntry* entry : EntriesFor(call)) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], TensorOf(dtype, {3}, {-5, 1, 4})))
          << entry->name;
    }
    call.inputs[1] = TensorOf(dtype, {}, {-2});
    for (const KernelEntry* entry : EntriesFor(call)) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], TensorOf(dtype, {3}, {-2, 1, 4})))
          << entry->name;
    }
  }
}

TEST(GeluTest, RefusesAnUnknownForm) {
  KernelCall call{.op = OpKind::kGelu, .inputs = {TensorOf(DType::kFloat32, {1}, {1})}};
  call.attributes.Set("approximate", std::string("sigmoid"));
  try {
    testing::RunSelected(call);
    FAIL() << "an unknown form was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    EXPECT_STREQ(error.what(), "attribute 'approximate' must be none or tanh, found 'sigmoid'");
  }
}

}  // namespace
}  // namespace halftone
