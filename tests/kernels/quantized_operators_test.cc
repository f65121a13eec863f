// Operators between quantised tensors against the formulas of kernels/quantized/quantized.h,
// written here once more for one element.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/quantized/byte_table.h"
#include "kernels/quantized/quantized.h"
#include "src/base/error.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::BothLayouts;
using testing::EntriesFor;
using testing::KernelCall;
using testing::RandomTensor;
using testing::RunEntry;
using testing::TensorOf;
using testing::WithChannelsLast;
using Ints = std::vector<std::int64_t>;

constexpr DType kF32 = DType::kFloat32;
constexpr DType kS8 = DType::kInt8;
constexpr DType kU8 = DType::kUInt8;

Tensor Bytes(DType dtype, Shape shape, Rng& rng) {
  const double low = dtype == kS8 ? -128 : 0;
  return RandomTensor({dtype, std::move(shape)}, rng, low, low + 256);
}

Tensor Scale(double value) {
  return TensorOf(kF32, {}, {value});
}

std::int32_t At(const std::optional<Tensor>& tensor, std::int64_t index = 0) {
  return static_cast<std::int32_t>(IntegerAt(tensor->dtype(), tensor->data(), index));
}

float FloatAt(const std::optional<Tensor>& tensor) {
  return tensor->values<float>()[0];
}

double Stored(DType dtype, float v, std::int32_t zero) {
  const double low = dtype == kS8 ? -128 : 0;
  return std::clamp(std::nearbyint(static_cast<double>(v)) + zero, low, low + 255);
}

// Every entry, with one thread and with three.
void ExpectEverywhere(const KernelCall& call, const Tensor& want, const std::string& what) {
  for (const KernelEntry* entry : EntriesFor(call)) {
    for (const int threads : {1, 3}) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, call, threads)[0], want)) << entry->name << " " << what;
    }
  }
}

bool HasFastKernel(const KernelCall& call) {
  return !EntriesFor(call).front()->is_reference;
}

// Sums and products.

struct BroadcastCase {
  const char* name;
  Shape a, b;
};

const BroadcastCase kBroadcasts[] = {
    {"Equal", {2, 3, 7, 11}, {2, 3, 7, 11}},
    {"Scalar", {5, 37}, {}},
    {"ScalarFirst", {1}, {3, 70}},
    {"Channels", {2, 37, 3, 5}, {37, 1, 1}},
    {"ChannelsOfBatches", {2, 5, 3}, {2, 5, 1}},
    {"Last", {2, 3, 5, 37}, {37}},
    {"BothWays", {4, 1, 19}, {3, 1}},
    {"Long", {3, 70001}, {3, 70001}},
    {"Empty", {2, 0, 3}, {2, 0, 3}},
    {"One", {1, 1}, {1, 1}},
    {"Pixels", {1, 1, 6, 7}, {1, 24, 6, 7}},
};

class QLinearBinaryTest : public ::testing::TestWithParam<BroadcastCase> {};

KernelCall BinaryCall(OpKind op, const BroadcastCase& test, DType a, DType b, DType y, Rng& rng) {
  KernelCall call;
  call.op = op;
  call.inputs = {Bytes(a, test.a, rng),
                 Scale(0.021),
                 Bytes(a, {}, rng),
                 Bytes(b, test.b, rng),
                 Scale(0.034),
                 Bytes(b, {}, rng),
                 Scale(op == OpKind::kQLinearAdd ? 0.029 : 0.05),
                 Bytes(y, {}, rng)};
  return call;
}

// The element of a broadcast operand that belongs to element `index` of `y`.
std::int64_t Broadcast(const Shape& x, const Shape& y, std::int64_t index) {
  std::int64_t at = 0;
  std::int64_t stride = 1;
  for (int axis = y.rank() - 1; axis >= 0; --axis) {
    const int own = axis - (y.rank() - x.rank());
    if (own >= 0 && x[own] != 1) {
      at += index % y[axis] * stride;
    }
    stride *= own >= 0 ? x[own] : 1;
    index /= y[axis];
  }
  return at;
}

Tensor ExpectedPairs(const KernelCall& call) {
  Tensor want(testing::OutputTypesOf(call)[0]);
  const float y_scale = FloatAt(call.inputs[6]);
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  if (const auto& activation = call.fusion.activation) {
    low = activation->op == OpKind::kRelu ? 0 : activation->low / y_scale;
    high = activation->op == OpKind::kRelu ? high : activation->high / y_scale;
  }
  for (std::int64_t i = 0; i < want.ElementCount(); ++i) {
    const std::int32_t a = At(call.inputs[0], Broadcast(call.inputs[0]->shape(), want.shape(), i)) -
                           At(call.inputs[2]);
    const std::int32_t b = At(call.inputs[3], Broadcast(call.inputs[3]->shape(), want.shape(), i)) -
                           At(call.inputs[5]);
    const double product =
        static_cast<double>(FloatAt(call.inputs[1])) * static_cast<double>(FloatAt(call.inputs[4]));
    const float from_a = static_cast<float>(a) * (FloatAt(call.inputs[1]) / y_scale);
    const float from_b = static_cast<float>(b) * (FloatAt(call.inputs[4]) / y_scale);
    const float v = call.op == OpKind::kQLinearAdd
                        ? from_a + from_b
                        : static_cast<float>(a * b) *
                              static_cast<float>(product / static_cast<double>(y_scale));
    StoreDouble(want.dtype(), want.mutable_data(), i,
                Stored(want.dtype(), std::min(std::max(v, low), high), At(call.inputs[7])));
  }
  return want;
}

TEST_P(QLinearBinaryTest, EveryKernelFollowsTheFormula) {
  Rng rng(31);
  for (const OpKind op : {OpKind::kQLinearAdd, OpKind::kQLinearMul}) {
    for (const DType a : {kU8, kS8}) {
      for (const DType y : {kU8, kS8}) {
        KernelCall call = BinaryCall(op, GetParam(), a, y == kU8 ? kS8 : a, y, rng);
        EXPECT_TRUE(HasFastKernel(call));
        ExpectEverywhere(call, ExpectedPairs(call), "plain");
        call.fusion.activation = StepActivation{.op = OpKind::kRelu};
        ExpectEverywhere(call, ExpectedPairs(call), "Relu");
        call.fusion.activation = StepActivation{.op = OpKind::kClip, .low = -0.3F, .high = 0.7F};
        ExpectEverywhere(call, ExpectedPairs(call), "Clip");
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Quantized, QLinearBinaryTest, ::testing::ValuesIn(kBroadcasts),
                         [](const auto& suite) { return suite.param.name; });

TEST(QLinearBinaryTest, OtherActivationsAreRefused) {
  Rng rng(5);
  KernelCall call = BinaryCall(OpKind::kQLinearAdd, kBroadcasts[0], kU8, kU8, kU8, rng);
  call.fusion.activation = StepActivation{.op = OpKind::kTanh};
  EXPECT_FALSE(HasFastKernel(call));
  EXPECT_THROW((void)RunEntry(*EntriesFor(call).back(), call), Error);
}

// Concatenation.

struct ConcatCase {
  const char* name;
  std::int64_t axis;
  std::vector<Shape> parts;
};

const ConcatCase kConcats[] = {
    {"Channels", 1, {{2, 3, 4, 5}, {2, 17, 4, 5}, {2, 1, 4, 5}}},
    {"Last", -1, {{2, 3, 20}, {2, 3, 37}, {2, 3, 16}}},
    {"Batches", 0, {{1, 50000}, {2, 50000}}},
    {"One", 0, {{7}}},
    {"EmptyPart", 1, {{2, 3}, {2, 0}, {2, 5}}},
};

class QLinearConcatTest : public ::testing::TestWithParam<ConcatCase> {};

TEST_P(QLinearConcatTest, EveryKernelFollowsTheFormula) {
  Rng rng(32);
  const ConcatCase& test = GetParam();
  for (const DType y : {kU8, kS8}) {
    KernelCall call;
    call.op = OpKind::kQLinearConcat;
    call.attributes.Set("axis", test.axis);
    call.inputs = {Scale(0.02), Bytes(y, {}, rng)};
    for (std::size_t p = 0; p < test.parts.size(); ++p) {
      const DType x = p % 2 == 0 ? y : kU8;
      call.inputs.emplace_back(Bytes(x, test.parts[p], rng));
      // The first part has scale and zero point of the result: its bytes are copied.
      call.inputs.emplace_back(Scale(p == 0 ? 0.02 : 0.013 * static_cast<double>(p)));
      call.inputs.push_back(p == 0 ? call.inputs[1] : Bytes(x, {}, rng));
    }
    Tensor want(testing::OutputTypesOf(call)[0]);
    const int axis = NormalizeAxis(test.axis, want.shape().rank());
    const std::int64_t row = want.shape().ElementCount(axis, want.shape().rank());
    std::int64_t offset = 0;
    for (std::size_t p = 0; p < test.parts.size(); ++p) {
      const std::int64_t part = test.parts[p].ElementCount(axis, want.shape().rank());
      const float ratio = FloatAt(call.inputs[3 * p + 3]) / FloatAt(call.inputs[0]);
      for (std::int64_t i = 0; i < test.parts[p].ElementCount(); ++i) {
        const std::int32_t steps = At(call.inputs[3 * p + 2], i) - At(call.inputs[3 * p + 4]);
        StoreDouble(y, want.mutable_data(), i / part * row + offset + i % part,
                    Stored(y, static_cast<float>(steps) * ratio, At(call.inputs[1])));
      }
      offset += part;
    }
    EXPECT_TRUE(HasFastKernel(call));
    ExpectEverywhere(call, want, std::string(NameOf(y)));
  }
}

INSTANTIATE_TEST_SUITE_P(Quantized, QLinearConcatTest, ::testing::ValuesIn(kConcats),
                         [](const auto& suite) { return suite.param.name; });

// Averages.

struct AverageCase {
  const char* name;
  Shape x;
  Ints kernel, strides, pads;
  bool count_include_pad = false;
};

const AverageCase kAverages[] = {
    {"Window", {2, 37, 7, 9}, {3, 3}, {2, 2}, {1, 1, 1, 1}},
    {"CountsPadding", {1, 64, 6, 5}, {3, 3}, {1, 1}, {1, 1, 1, 1}, true},
    {"Pairs", {1, 16, 8, 8}, {2, 2}, {2, 2}, {0, 0, 0, 0}},
    {"Line", {2, 20, 11}, {3}, {2}, {1, 1}},
    {"Global", {2, 300, 13, 13}, {}, {}, {}},
    {"GlobalManyTaps", {1, 20, 31, 17}, {}, {}, {}},
    {"GlobalLarge", {1, 70, 40, 41}, {}, {}, {}},
    {"GlobalOnePixel", {1, 33, 1, 1}, {}, {}, {}},
    {"WholeImage", {1, 17, 18, 18}, {18, 18}, {1, 1}, {0, 0, 0, 0}},
};

class QLinearAverageTest : public ::testing::TestWithParam<AverageCase> {};

// Channels first.
Tensor ExpectedAverages(const KernelCall& call, const AverageCase& test) {
  Tensor want(testing::OutputTypesOf(call)[0]);
  const Shape& x = test.x;
  const bool line = x.rank() == 3;
  const std::int64_t height = line ? 1 : x[2];
  const std::int64_t width = x.dims().back();
  const bool global = test.kernel.empty();
  const std::int64_t kh = global ? height : line ? 1 : test.kernel[0];
  const std::int64_t kw = global ? width : test.kernel.back();
  const std::int64_t sh = global || line ? 1 : test.strides[0];
  const std::int64_t sw = global ? 1 : test.strides.back();
  const std::int64_t ph = global || line ? 0 : test.pads[0];
  const std::int64_t pw = global ? 0 : line ? test.pads[0] : test.pads[1];
  const std::int64_t rows = line ? 1 : want.shape()[2];
  const std::int64_t columns = want.shape().dims().back();
  for (std::int64_t i = 0; i < want.ElementCount(); ++i) {
    const std::int64_t plane = i / (rows * columns);
    std::int32_t sum = 0;
    std::int64_t count = 0;
    for (std::int64_t t = 0; t < kh * kw; ++t) {
      const std::int64_t at_y = i / columns % rows * sh - ph + t / kw;
      const std::int64_t at_x = i % columns * sw - pw + t % kw;
      const bool inside = at_y >= 0 && at_y < height && at_x >= 0 && at_x < width;
      sum += inside
                 ? At(call.inputs[0], (plane * height + at_y) * width + at_x) - At(call.inputs[2])
                 : 0;
      count += inside || test.count_include_pad ? 1 : 0;
    }
    const auto multiplier = static_cast<float>(
        static_cast<double>(FloatAt(call.inputs[1])) /
        (static_cast<double>(FloatAt(call.inputs[3])) * static_cast<double>(count)));
    StoreDouble(want.dtype(), want.mutable_data(), i,
                Stored(want.dtype(), static_cast<float>(sum) * multiplier, At(call.inputs[4])));
  }
  return want;
}

TEST_P(QLinearAverageTest, EveryKernelFollowsTheFormula) {
  Rng rng(33);
  const AverageCase& test = GetParam();
  for (const DType x : {kU8, kS8}) {
    for (const DType y : {kU8, kS8}) {
      KernelCall call;
      call.op =
          test.kernel.empty() ? OpKind::kQLinearGlobalAveragePool : OpKind::kQLinearAveragePool;
      if (!test.kernel.empty()) {
        call.attributes.Set("kernel_shape", test.kernel);
        call.attributes.Set("strides", test.strides);
        call.attributes.Set("pads", test.pads);
        call.attributes.Set("count_include_pad", std::int64_t{test.count_include_pad});
      }
      // Averages lie near the middle: a small scale makes them saturate at both ends.
      call.inputs = {Bytes(x, test.x, rng), Scale(0.05), Bytes(x, {}, rng), Scale(0.011),
                     Bytes(y, {}, rng)};
      const Tensor want = ExpectedAverages(call, test);
      const std::vector<KernelCall> layouts = BothLayouts(call);
      ASSERT_EQ(layouts.size(), 2U);
      ExpectEverywhere(layouts[0], want, "channels first");
      ExpectEverywhere(layouts[1], WithChannelsLast(want), "channels last");
      EXPECT_TRUE(HasFastKernel(layouts[1]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Quantized, QLinearAverageTest, ::testing::ValuesIn(kAverages),
                         [](const auto& suite) { return suite.param.name; });

// Tables.

TEST(QLinearLookupTest, EveryByteFindsItsValue) {
  Rng rng(34);
  for (const DType x : {kU8, kS8}) {
    for (const std::int64_t count : {1, 15, 64, 256, 1000, 300001}) {
      KernelCall call;
      call.op = OpKind::kQLinearLookup;
      call.inputs = {Bytes(x, {count}, rng), Bytes(kS8, {256}, rng)};
      Tensor want(kS8, Shape{count});
      for (std::int64_t i = 0; i < count; ++i) {
        want.mutable_data()[i] =
            call.inputs[1]->data()[static_cast<std::size_t>(call.inputs[0]->data()[i])];
      }
      ExpectEverywhere(call, want, fmt::format("{} of {}", count, NameOf(x)));
    }
  }
}

TEST(QLinearLookupTest, EachIndexOfAnAxisHasItsTable) {
  const Shape x{2, 37, 5, 3};
  for (const int axis : {0, 1, 3}) {
    Rng rng(35);
    KernelCall call{.op = OpKind::kQLinearLookup};
    call.attributes.Set("axis", std::int64_t{axis});
    call.inputs = {Bytes(kU8, x, rng), Bytes(kU8, {x[axis], 256}, rng)};
    Tensor want(kU8, x);
    for (std::int64_t i = 0; i < want.ElementCount(); ++i) {
      const std::int64_t table = i / x.ElementCount(axis + 1, x.rank()) % x[axis] * 256;
      StoreDouble(kU8, want.mutable_data(), i, At(call.inputs[1], table + At(call.inputs[0], i)));
    }
    ExpectEverywhere(call, want, "axes");
  }
}

// A table is the chain of DequantizeLinear, the function and QuantizeLinear.
TEST(ByteTableTest, IsTheChainThroughFloat32) {
  for (const DType x : {kU8, kS8}) {
    for (const DType y : {kU8, kS8}) {
      const ByteScale from{.dtype = x, .scale = 0.047F, .zero_point = x == kS8 ? -9 : 119};
      const ByteScale to{.dtype = y, .scale = 0.0039F, .zero_point = y == kS8 ? -128 : 3};
      const auto sigmoid = [](float v) { return 1.0F / (1.0F + std::exp(-v)); };
      const Tensor table = MakeByteTable(sigmoid, from, to);
      ASSERT_EQ(table.type(), (TensorType{y, {256}}));
      for (int q = x == kS8 ? -128 : 0; q < (x == kS8 ? 128 : 256); ++q) {
        const float real = static_cast<float>(q - from.zero_point) * from.scale;
        EXPECT_EQ(IntegerAt(y, table.data(), q & 255),
                  static_cast<std::int64_t>(Stored(y, sigmoid(real) / to.scale, to.zero_point)))
            << q;
      }
    }
  }
}

// Maxima of bytes need no rescaling.

TEST(MaximaOfBytesTest, ChannelsLastIsTheReference) {
  Rng rng(35);
  for (const DType dtype : {kU8, kS8}) {
    for (const std::int64_t channels : {1, 24, 64, 300}) {
      for (const OpKind op : {OpKind::kMaxPool, OpKind::kGlobalMaxPool}) {
        KernelCall call;
        call.op = op;
        if (op == OpKind::kMaxPool) {
          call.attributes.Set("kernel_shape", Ints{3, 2});
          call.attributes.Set("strides", Ints{2, 1});
          call.attributes.Set("pads", Ints{1, 0, 1, 1});
        }
        call.inputs = {Bytes(dtype, {2, channels, 9, 7}, rng)};
        const KernelCall last = BothLayouts(call).back();
        EXPECT_TRUE(HasFastKernel(last));
        ExpectEverywhere(last, WithChannelsLast(RunEntry(*EntriesFor(call).back(), call)[0]),
                         fmt::format("{} channels", channels));
      }
    }
  }
}

}  // namespace
}  // namespace halftone
