// Every binary table entry against the reference, over shapes that are broadcast in all ways.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "kernels/cpu_isa.h"
#include "src/base/error.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::AllWithin;
using testing::EntriesFor;
using testing::ErrorBound;
using testing::ExactResult;
using testing::KernelCall;
using testing::RandomTensor;
using testing::RunEntry;
using testing::RunSelected;
using testing::SpecialValues;
using testing::TensorOf;
using testing::WithSpecialValues;

// One rounding to float32 (f32: the result; 16-bit types round once more, which AllWithin allows
// for); Pow is computed in double and rounded, so twice at most.
constexpr ErrorBound kOneRounding{0x1p-24 * (1 + 0x1p-20), testing::kFloatSubnormalUlp};

struct Shapes {
  const char* name;
  Shape a;
  Shape b;
};

const Shapes kShapes[] = {
    {"Scalar", {}, {}},
    {"Same", {3, 17}, {3, 17}},
    {"SameLong", {4, 67}, {4, 67}},
    {"ScalarRight", {2, 19}, {}},
    {"ScalarLeft", {1}, {35}},
    {"InnerRight", {5, 3, 16}, {16}},
    {"InnerLeft", {33}, {2, 2, 33}},
    {"ChannelRight", {2, 3, 4, 5}, {3, 1, 1}},
    {"ChannelLeft", {1, 3, 1, 1}, {2, 3, 4, 5}},
    {"OuterRight", {4, 15}, {4, 1}},
    {"Outer", {7, 1}, {1, 9}},
    {"Alternating", {2, 1, 3, 1, 5}, {1, 4, 1, 2, 5}},
    {"Middle", {2, 1, 3}, {2, 5, 3}},
    {"Empty", {0, 3}, {1, 3}},
};

struct Case {
  const char* name;
  OpKind op;
  std::vector<DType> dtypes;
};

const std::vector<DType> kFloats = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
const std::vector<DType> kNumbers = {DType::kFloat32, DType::kFloat16, DType::kBFloat16,
                                     DType::kInt32,   DType::kInt64,   DType::kUInt8,
                                     DType::kInt8,    DType::kUInt64};
const std::vector<DType> kAll = {DType::kFloat32, DType::kFloat16, DType::kBFloat16,
                                 DType::kFloat64, DType::kInt32,   DType::kInt64,
                                 DType::kUInt8,   DType::kBool};

const std::vector<DType> kUnsigned = {DType::kUInt8, DType::kUInt16, DType::kUInt32,
                                      DType::kUInt64};
const std::vector<DType> kIntegers = {DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64,
                                      DType::kInt8,  DType::kInt16,  DType::kInt32,  DType::kInt64};

const Case kCases[] = {
    {"Add", OpKind::kAdd, kNumbers},
    {"Sub", OpKind::kSub, kNumbers},
    {"Mul", OpKind::kMul, kNumbers},
    {"Div", OpKind::kDiv, kNumbers},
    {"Max", OpKind::kMax, kNumbers},
    {"Min", OpKind::kMin, kNumbers},
    {"PRelu", OpKind::kPRelu, kNumbers},
    {"Pow", OpKind::kPow, kNumbers},
    {"Mod", OpKind::kMod, {DType::kInt32, DType::kInt64, DType::kInt8, DType::kUInt64}},
    {"FMod", OpKind::kMod, kNumbers},
    {"And", OpKind::kAnd, {DType::kBool}},
    {"Or", OpKind::kOr, {DType::kBool}},
    {"Xor", OpKind::kXor, {DType::kBool}},
    {"ShiftLeft", OpKind::kBitShift, kUnsigned},
    {"ShiftRight", OpKind::kBitShift, kUnsigned},
    {"BitwiseAnd", OpKind::kBitwiseAnd, kIntegers},
    {"BitwiseOr", OpKind::kBitwiseOr, kIntegers},
    {"BitwiseXor", OpKind::kBitwiseXor, kIntegers},
    {"Equal", OpKind::kEqual, kAll},
    {"Greater", OpKind::kGreater, kNumbers},
    {"GreaterOrEqual", OpKind::kGreaterOrEqual, kNumbers},
    {"Less", OpKind::kLess, kNumbers},
    {"LessOrEqual", OpKind::kLessOrEqual, kNumbers},
};

class BinaryTest : public ::testing::TestWithParam<Case> {};

TEST_P(BinaryTest, AllEntriesAgreeWithTheReference) {
  Rng rng(11);
  for (const DType dtype : GetParam().dtypes) {
    for (const Shapes& shapes : kShapes) {
      KernelCall call{.op = GetParam().op};
      call.inputs = {WithSpecialValues(RandomTensor({dtype, shapes.a}, rng, -4, 4), rng),
                     WithSpecialValues(RandomTensor({dtype, shapes.b}, rng, -4, 4), rng)};
      if (GetParam().name == std::string("FMod")) {
        call.attributes.Set("fmod", std::int64_t{1});
      }
      if (GetParam().op == OpKind::kBitShift) {
        const bool left = GetParam().name == std::string("ShiftLeft");
        call.attributes.Set("direction", std::string(left ? "LEFT" : "RIGHT"));
      }
      const Tensor exact = ExactResult(call)[0];
      for (const KernelEntry* entry : EntriesFor(call)) {
        EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact, kOneRounding))
            << entry->name << " " << NameOf(dtype) << " " << shapes.name;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, BinaryTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

// Dividends just below, at and just above multiples, quotients up to 2^40, zeros with signs.
TEST(ModTest, FloatRemaindersAreExact) {
  Rng rng(12);
  std::vector<float> a;
  std::vector<float> b;
  for (int i = 0; i < 6000; ++i) {
    const float divisor = std::ldexp(static_cast<float>(rng.Uniform(1, 2)), i % 60 - 30);
    const double times = std::floor(std::ldexp(1.0, i % 41) * rng.Uniform(0.5, 1));
    auto dividend = static_cast<float>(times * static_cast<double>(divisor));
    dividend = std::nextafter(dividend, i % 3 == 0 ? 0.0F : (i % 3 == 1 ? dividend : INFINITY));
    a.push_back(i % 2 == 0 ? dividend : -dividend);
    b.push_back(i % 5 == 0 ? -divisor : divisor);
  }
  const auto count = static_cast<std::int64_t>(a.size());
  KernelCall call{.op = OpKind::kMod};
  call.inputs = {Tensor::From<float>({count}, a), Tensor::From<float>({count}, b)};
  call.attributes.Set("fmod", std::int64_t{1});
  for (const KernelEntry* entry : EntriesFor(call)) {
    const Tensor y = RunEntry(*entry, call)[0];
    for (std::size_t i = 0; i < a.size(); ++i) {
      const float want = std::fmod(a[i], b[i]);
      const float got = y.values<float>()[i];
      ASSERT_TRUE(got == want && std::signbit(got) == std::signbit(want))
          << entry->name << ": " << a[i] << " mod " << b[i] << " is " << want << ", got " << got;
    }
  }
}

TEST(WhereTest, AllEntriesAgreeOverBroadcasts) {
  Rng rng(5);
  for (const DType dtype : kAll) {
    for (const Shapes& shapes : kShapes) {
      for (const Shape& condition : {shapes.a, shapes.b, Shape{}}) {
        const KernelCall call{.op = OpKind::kWhere,
                              .inputs = {RandomTensor({DType::kBool, condition}, rng),
                                         RandomTensor({dtype, shapes.a}, rng, -9, 9),
                                         RandomTensor({dtype, shapes.b}, rng, -9, 9)}};
        const Tensor exact = ExactResult(call)[0];
        for (const KernelEntry* entry : EntriesFor(call)) {
          EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact, ErrorBound{}))
              << entry->name << " " << shapes.name;
        }
      }
    }
  }
}

// The reference against values worked out by hand.
TEST(BinaryReferenceTest, Broadcasts) {
  const KernelCall call{.op = OpKind::kSub,
                        .inputs = {TensorOf(DType::kFloat32, {2, 1}, {10, 20}),
                                   TensorOf(DType::kFloat32, {3}, {1, 2, 3})}};
  EXPECT_TRUE(
      AllEqual(RunSelected(call)[0], TensorOf(DType::kFloat32, {2, 3}, {9, 8, 7, 19, 18, 17})));
  EXPECT_TRUE(AllWithin(ExactResult(call)[0],
                        TensorOf(DType::kFloat64, {2, 3}, {9, 8, 7, 19, 18, 17}), ErrorBound{}));
}

TEST(BinaryReferenceTest, ShiftsByTheWidthOrMoreGiveZero) {
  KernelCall call{.op = OpKind::kBitShift,
                  .inputs = {TensorOf(DType::kUInt8, {5}, {255, 255, 255, 129, 129}),
                             TensorOf(DType::kUInt8, {5}, {1, 8, 200, 0, 7})}};
  call.attributes.Set("direction", std::string("LEFT"));
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kUInt8, {5}, {254, 0, 0, 129, 128})));
  call.attributes.Set("direction", std::string("RIGHT"));
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kUInt8, {5}, {127, 0, 0, 129, 1})));
}

TEST(BinaryReferenceTest, AShiftNeedsADirection) {
  KernelCall call{.op = OpKind::kBitShift,
                  .inputs = {TensorOf(DType::kUInt8, {1}, {1}), TensorOf(DType::kUInt8, {1}, {1})}};
  for (const char* stated : {"", "left"}) {
    call.attributes.Set("direction", std::string(stated));
    try {
      RunSelected(call);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.what(),
                "attribute 'direction': expected LEFT or RIGHT, got '" + std::string(stated) + "'");
    }
  }
}

struct IntegerCase {
  const char* name;
  OpKind op;
  std::int64_t a;
  std::int64_t b;
  std::int64_t y;
  bool c_remainder = false;
};

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

constexpr IntegerCase kIntegerCases[] = {
    {"AddBeyondDouble", OpKind::kAdd, (std::int64_t{1} << 60) + 1, 2, (std::int64_t{1} << 60) + 3},
    {"AddWraps", OpKind::kAdd, kLeast, -1, std::numeric_limits<std::int64_t>::max()},
    {"DivTowardZero", OpKind::kDiv, -7, 2, -3},
    {"DivByZeroIsZero", OpKind::kDiv, 7, 0, 0},
    {"DivOfLeastWraps", OpKind::kDiv, kLeast, -1, kLeast},
    {"ModTakesSignOfDivisor", OpKind::kMod, -7, 3, 2},
    {"ModNegativeDivisor", OpKind::kMod, 7, -3, -2},
    {"FModTakesSignOfDividend", OpKind::kMod, -7, 3, -1, true},
    {"ModByZeroIsZero", OpKind::kMod, 7, 0, 0},
    {"Pow", OpKind::kPow, -3, 3, -27},
    {"PowNegativeExponent", OpKind::kPow, 2, -1, 0},
    {"PowOfMinusOne", OpKind::kPow, -1, -3, -1},
};

class BinaryIntegerTest : public ::testing::TestWithParam<IntegerCase> {};

TEST_P(BinaryIntegerTest, IsExact) {
  const IntegerCase& c = GetParam();
  KernelCall call{.op = c.op};
  call.inputs = {Tensor::From<std::int64_t>({1}, {&c.a, 1}),
                 Tensor::From<std::int64_t>({1}, {&c.b, 1})};
  call.attributes.Set("fmod", std::int64_t{c.c_remainder});
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_EQ(RunEntry(*entry, call)[0].values<std::int64_t>()[0], c.y) << entry->name;
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, BinaryIntegerTest, ::testing::ValuesIn(kIntegerCases),
                         [](const auto& test) { return test.param.name; });

// A square is rounded once, a cube twice in float32.
TEST(PowTest, SmallConstantExponentsRunAsProducts) {
  Rng rng(1);
  for (const DType dtype : kFloats) {
    for (const double exponent : {2.0, 3.0}) {
      const KernelCall call{
          .op = OpKind::kPow,
          .inputs = {RandomTensor({dtype, {3, 50}}, rng, -40, 40), TensorOf(dtype, {}, {exponent})},
          .constant = {false, true}};
      EXPECT_EQ(EntriesFor(call)[0]->name, "binary.pow.product");
      const testing::ErrorBound bound =
          exponent == 2 ? kOneRounding : testing::ErrorBound{.relative = 2 * 0x1p-24 + 0x1p-47};
      EXPECT_TRUE(AllWithin(RunSelected(call)[0], ExactResult(call)[0], bound))
          << NameOf(dtype) << " to the power of " << exponent;
    }
  }
  const KernelCall other{
      .op = OpKind::kPow,
      .inputs = {TensorOf(DType::kFloat32, {1}, {2}), TensorOf(DType::kFloat32, {}, {4})},
      .constant = {false, true}};
  const bool has_avx2 = (DetectIsa() & kIsaAvx2) != 0;
  EXPECT_EQ(EntriesFor(other)[0]->name, has_avx2 ? "binary.pow.avx2" : "binary.pow.loop");
}

// The loop read the exponent in the dtype of the base: the bytes of an int64 3 are no float 3.
TEST(PowTest, ACubeByAConstantOfAnotherDtypeWasASquare) {
  Rng rng(2);
  for (const DType dtype : kFloats) {
    for (const DType other : {DType::kInt64, DType::kInt32, DType::kFloat64, DType::kFloat32,
                              DType::kFloat16, DType::kUInt8}) {
      for (const double exponent : {2.0, 3.0}) {
        const KernelCall call{.op = OpKind::kPow,
                              .inputs = {RandomTensor({dtype, {3, 50}}, rng, -40, 40),
                                         TensorOf(other, {1}, {exponent})},
                              .constant = {false, true}};
        EXPECT_EQ(EntriesFor(call)[0]->name, "binary.pow.product");
        EXPECT_TRUE(AllWithin(RunSelected(call)[0], ExactResult(call)[0],
                              testing::ErrorBound{.relative = 2 * 0x1p-24 + 0x1p-47}))
            << NameOf(dtype) << " to the power of " << exponent << " as " << NameOf(other);
      }
    }
  }
}

// Bases and exponents over their whole range, near 1 with great exponents, and where results leave
// the range of float32 or are subnormal.
TEST(PowTest, StaysWithinBound) {
  Rng rng(7);
  constexpr std::int64_t kCount = 20'003;
  for (const DType dtype : kFloats) {
    for (const int form : {0, 1, 2, 3, 4}) {
      Tensor a(dtype, {kCount});
      Tensor b(dtype, {kCount});
      for (std::int64_t i = 0; i < kCount; ++i) {
        const double exponent = rng.Uniform(-149, 128);
        double base = form == 2 ? 1 + rng.Uniform(-1, 1) * std::exp2(rng.Uniform(-24, -2))
                                : std::exp2(exponent);
        double power = form == 0 ? rng.Uniform(-3, 3) : rng.Uniform(-150, 150) / exponent;
        power = form == 2 ? rng.Uniform(-150, 150) / std::log2(base + 1e-12) : power;
        if (form == 3) {  // signs, and exponents that are whole or end in 1/2
          base = rng.Uniform(-9, 9);
          power = std::round(rng.Uniform(-40, 40)) / 2;
        }
        power = form == 4 ? rng.Uniform(0, 1) * 1e-6 : power;
        StoreDouble(dtype, a.mutable_data(), i, base);
        StoreDouble(dtype, b.mutable_data(), i, power);
      }
      const KernelCall call{.op = OpKind::kPow, .inputs = {a, b}};
      const Tensor exact = ExactResult(call)[0];
      for (const KernelEntry* entry : EntriesFor(call)) {
        EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact, kOneRounding))
            << entry->name << " " << NameOf(dtype) << " form " << form;
      }
    }
  }
}

// What IEEE 754 says of pow, by the standard library: every special value to every other, with the
// sign of zeros.
TEST(PowTest, SpecialValues) {
  for (const DType dtype : kFloats) {
    std::vector<double> values = SpecialValues(dtype);
    for (const double value : {0.5, -0.5, 1.5, -3.0, 3.0, 4.0, 0x1p30, -0x1p30 - 64.0}) {
      values.push_back(value);
    }
    std::vector<double> bases;
    std::vector<double> powers;
    for (const double base : values) {
      for (const double power : values) {
        bases.push_back(base);
        powers.push_back(power);
      }
    }
    const auto count = static_cast<std::int64_t>(bases.size());
    const KernelCall call{
        .op = OpKind::kPow,
        .inputs = {TensorOf(dtype, {count}, bases), TensorOf(dtype, {count}, powers)}};
    const Tensor exact = ExactResult(call)[0];
    for (const KernelEntry* entry : EntriesFor(call)) {
      const Tensor got = RunEntry(*entry, call)[0];
      EXPECT_TRUE(AllWithin(got, exact, kOneRounding)) << entry->name << " " << NameOf(dtype);
      for (std::int64_t i = 0; i < count; ++i) {
        const double y = DoubleAt(dtype, got.data(), i);
        const double want = DoubleAt(DType::kFloat64, exact.data(), i);
        EXPECT_TRUE(std::isnan(y) || std::signbit(y) == std::signbit(want))
            << entry->name << ": " << bases[static_cast<std::size_t>(i)] << " ^ "
            << powers[static_cast<std::size_t>(i)] << " = " << y;
      }
    }
  }
}

TEST(PowTest, ExponentOfAnotherDtype) {
  const KernelCall call{
      .op = OpKind::kPow,
      .inputs = {TensorOf(DType::kFloat32, {2}, {2, 3}), TensorOf(DType::kInt64, {2}, {10, -1})}};
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kFloat32, {2}, {1024, 1.0 / 3})));
}

TEST(BinaryParallelTest, ThreadsDoNotChangeTheResult) {
  Rng rng(2);
  for (const Shapes& shapes :
       {Shapes{"", {1024, 1031}, {1031}}, Shapes{"", {1024, 1031}, {1024, 1}}}) {
    const KernelCall call{.op = OpKind::kAdd,
                          .inputs = {RandomTensor({DType::kFloat32, shapes.a}, rng),
                                     RandomTensor({DType::kFloat32, shapes.b}, rng)}};
    EXPECT_TRUE(AllEqual(RunSelected(call, 2)[0], RunSelected(call, 1)[0]));
  }
}

}  // namespace
}  // namespace halftone
