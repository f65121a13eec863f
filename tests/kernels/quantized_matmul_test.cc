// MatMulInteger and QLinearMatMul against sums in 64 bits, written out here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/quantized/quantized.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::EntriesFor;
using testing::KernelCall;
using testing::RandomTensor;
using testing::RunEntry;
using testing::TensorOf;

constexpr DType kS8 = DType::kInt8;
constexpr DType kU8 = DType::kUInt8;

double LowestOf(DType dtype) {
  return dtype == kS8 ? -128 : 0;
}

Tensor RandomBytes(DType dtype, Shape shape, Rng& rng) {
  const double low = LowestOf(dtype);
  return RandomTensor({dtype, std::move(shape)}, rng, low, low + 256);
}

Tensor Floats(Shape shape, Rng& rng, double low, double high) {
  return RandomTensor({DType::kFloat32, std::move(shape)}, rng, low, high);
}

struct Product {
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  DType a = kU8;
  DType b = kS8;
  std::int64_t a_zeros = 0;  // 0: absent, 1, or m
  std::int64_t b_zeros = 0;  // 0: absent, 1, or n
  bool constant = true;      // all but A
};

KernelCall IntegerCall(const Product& p, Rng& rng) {
  KernelCall call;
  call.op = OpKind::kMatMulInteger;
  call.inputs = {RandomBytes(p.a, {p.m, p.k}, rng), RandomBytes(p.b, {p.k, p.n}, rng), std::nullopt,
                 std::nullopt};
  if (p.a_zeros > 0) {
    call.inputs[2] = RandomBytes(p.a, p.a_zeros == 1 ? Shape{} : Shape{p.a_zeros}, rng);
  }
  if (p.b_zeros > 0) {
    call.inputs[3] = RandomBytes(p.b, p.b_zeros == 1 ? Shape{} : Shape{p.b_zeros}, rng);
  }
  call.constant = {false, p.constant, p.constant, p.constant};
  return call;
}

std::int64_t At(const std::optional<Tensor>& tensor, std::int64_t index) {
  if (!tensor) {
    return 0;
  }
  return IntegerAt(tensor->dtype(), tensor->data(), tensor->ElementCount() == 1 ? 0 : index);
}

// sum_k (a - za) (b - zb) of element (i, j).
std::int64_t SumAt(const Product& p, const Tensor& a, const std::optional<Tensor>& a_zero,
                   const Tensor& b, const std::optional<Tensor>& b_zero, std::int64_t i,
                   std::int64_t j) {
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < p.k; ++k) {
    sum += (IntegerAt(a.dtype(), a.data(), i * p.k + k) - At(a_zero, i)) *
           (IntegerAt(b.dtype(), b.data(), k * p.n + j) - At(b_zero, j));
  }
  return sum;
}

Tensor IntegerResult(const Product& p, const KernelCall& call) {
  Tensor y(DType::kInt32, Shape{p.m, p.n});
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      y.mutable_values<std::int32_t>()[static_cast<std::size_t>(i * p.n + j)] =
          static_cast<std::int32_t>(
              SumAt(p, *call.inputs[0], call.inputs[2], *call.inputs[1], call.inputs[3], i, j));
    }
  }
  return y;
}

// Where it would take seconds, the reference is left out.
constexpr std::int64_t kSlow = 10'000'000;

void ExpectExact(const Product& p, Rng& rng) {
  const KernelCall call = IntegerCall(p, rng);
  const Tensor want = IntegerResult(p, call);
  for (const KernelEntry* entry : EntriesFor(call)) {
    if (entry->is_reference && p.m * p.n * p.k > kSlow) {
      continue;
    }
    EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], want))
        << entry->name
        << fmt::format(" {}x{}x{} of {} by {}, {} and {} zero points", p.m, p.n, p.k, NameOf(p.a),
                       NameOf(p.b), p.a_zeros, p.b_zeros);
  }
}

TEST(QuantizedMatMulTest, IntegerSumsAreExact) {
  Rng rng(20261121);
  for (const std::int64_t m : {1, 2, 4, 5, 11, 12, 13, 27}) {
    for (const std::int64_t n : {1, 2, 15, 16, 17, 31, 32, 33, 67}) {
      for (const std::int64_t k : {1, 2, 3, 4, 5, 63, 64, 67}) {
        ExpectExact({.m = m, .n = n, .k = k}, rng);
      }
    }
  }
}

TEST(QuantizedMatMulTest, EveryTypeAndZeroPoint) {
  Rng rng(2);
  for (const DType a : {kS8, kU8}) {
    for (const DType b : {kS8, kU8}) {
      for (const std::int64_t a_zeros : {0, 1, 13}) {
        for (const std::int64_t b_zeros : {0, 1, 35}) {
          for (const bool constant : {true, false}) {
            ExpectExact({.m = 13,
                         .n = 35,
                         .k = 70,
                         .a = a,
                         .b = b,
                         .a_zeros = a_zeros,
                         .b_zeros = b_zeros,
                         .constant = constant},
                        rng);
          }
        }
      }
    }
  }
}

// K beyond one block of 2048, tiles beyond one block of 20, panels beyond one block of 6.
TEST(QuantizedMatMulTest, SeveralBlocks) {
  Rng rng(3);
  for (const std::int64_t k : {2047, 2048, 2049, 4099}) {
    ExpectExact({.m = 13, .n = 35, .k = k, .a = kS8, .b = kU8, .a_zeros = 1, .b_zeros = 35}, rng);
  }
  ExpectExact({.m = 253, .n = 196, .k = 2052, .a = kS8, .a_zeros = 1, .b_zeros = 1}, rng);
  ExpectExact({.m = 1, .n = 40, .k = 5000, .b = kU8, .b_zeros = 1}, rng);
}

// The operands with the largest products: sums of pairs do not fit 16 bits, and at K = 33025 the
// sum nearly fills 32.
TEST(QuantizedMatMulTest, NothingSaturatesUpToTheDocumentedK) {
  for (const DType b : {kS8, kU8}) {
    for (const std::int64_t k : {std::int64_t{64}, std::int64_t{33025}}) {
      KernelCall call;
      call.op = OpKind::kMatMulInteger;
      const double b_value = b == kS8 ? -128 : 255;
      call.inputs = {
          TensorOf(kU8, {2, k}, std::vector<double>(static_cast<std::size_t>(2 * k), 255)),
          TensorOf(b, {k, 3}, std::vector<double>(static_cast<std::size_t>(3 * k), b_value)),
          TensorOf(kU8, Shape{}, {0}), TensorOf(b, Shape{}, {b == kS8 ? 127.0 : 0.0})};
      call.constant = {false, true, true, true};
      const std::int32_t sum =
          static_cast<std::int32_t>((b == kS8 ? -255 : 255) * std::int64_t{255} * k);
      const Tensor want = TensorOf(DType::kInt32, {2, 3}, std::vector<double>(6, sum));
      for (const KernelEntry* entry : EntriesFor(call)) {
        EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], want)) << entry->name << " K " << k;
      }
    }
  }
}

TEST(QuantizedMatMulTest, EmptyOperands) {
  Rng rng(4);
  for (const Product& p : {Product{.m = 0, .n = 5, .k = 7}, Product{.m = 3, .n = 0, .k = 7},
                           Product{.m = 3, .n = 5, .k = 0, .a_zeros = 1, .b_zeros = 1}}) {
    ExpectExact(p, rng);
  }
}

struct BatchCase {
  const char* name;
  Shape a;
  Shape b;
  Shape a_zero;  // of the matrices' rows
  Shape b_zero;
};

class QuantizedBatches : public ::testing::TestWithParam<BatchCase> {};

// Against the float64 product of the differences, which is exact.
TEST_P(QuantizedBatches, FollowTheBroadcastRule) {
  const BatchCase& test = GetParam();
  Rng rng(5);
  for (const bool constant : {true, false}) {
    KernelCall call;
    call.op = OpKind::kMatMulInteger;
    call.inputs = {RandomBytes(kU8, test.a, rng), RandomBytes(kS8, test.b, rng),
                   RandomBytes(kU8, test.a_zero, rng), RandomBytes(kS8, test.b_zero, rng)};
    call.constant = {false, constant, constant, constant};
    KernelCall floats;
    floats.op = OpKind::kMatMul;
    for (const std::size_t i : {0, 1}) {
      const Tensor& x = *call.inputs[i];
      const Tensor& zero = *call.inputs[i + 2];
      KernelCall difference;
      difference.op = OpKind::kSub;
      // [rows] of a matrix stands for [rows, 1].
      const bool rows = i == 0 && zero.shape().rank() == 1;
      difference.inputs = {
          Convert(x, DType::kFloat64),
          Convert(rows ? zero.Reshaped({zero.shape()[0], 1}) : zero, DType::kFloat64)};
      floats.inputs.emplace_back(testing::RunSelected(difference)[0]);
    }
    const Tensor want = Convert(testing::RunSelected(floats)[0], DType::kInt32);
    for (const KernelEntry* entry : EntriesFor(call)) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], want)) << entry->name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Quantized, QuantizedBatches,
    ::testing::Values(BatchCase{"Vectors", {5}, {5}, {}, {}},
                      BatchCase{"RowVector", {5}, {5, 7}, {}, {7}},
                      BatchCase{"Batch", {3, 4, 5}, {3, 5, 7}, {}, {7}},
                      BatchCase{"SharedB", {2, 3, 4, 5}, {5, 7}, {1}, {7}},
                      BatchCase{"SharedA", {4, 5}, {2, 3, 5, 7}, {4}, {1}},
                      BatchCase{"Crossed", {2, 1, 4, 5}, {1, 3, 5, 7}, {}, {}},
                      BatchCase{"ZerosOfRows", {2, 4, 5}, {5, 7}, {2, 4, 1}, {7}},
                      BatchCase{"ZerosOfColumns", {2, 4, 5}, {2, 5, 7}, {}, {2, 1, 7}}),
    [](const auto& suite) { return suite.param.name; });

// QLinearMatMul: the operands of `p`, scales of both sides, a result in `y`.
KernelCall LinearCall(const Product& p, DType y, bool scale_per_column, Rng& rng) {
  const KernelCall integer = IntegerCall(p, rng);
  KernelCall call;
  call.op = OpKind::kQLinearMatMul;
  call.inputs = {
      integer.inputs[0], Floats({}, rng, 0.001, 0.02), integer.inputs[2], integer.inputs[1],
      Floats(scale_per_column ? Shape{p.n} : Shape{}, rng, 0.001, 0.02), integer.inputs[3],
      // So that results fill the range and some saturate: deviations of about 74 each.
      TensorOf(DType::kFloat32, {}, {1e-4 * 74 * std::sqrt(static_cast<double>(p.k))}),
      RandomBytes(y, {}, rng)};
  call.constant = {false,      p.constant, p.constant, p.constant,
                   p.constant, p.constant, p.constant, p.constant};
  return call;
}

float FloatAt(const Tensor& tensor, std::int64_t index) {
  return tensor.values<float>()[static_cast<std::size_t>(tensor.ElementCount() == 1 ? 0 : index)];
}

Tensor LinearResult(const Product& p, const KernelCall& call) {
  const DType dtype = call.inputs[7]->dtype();
  Tensor y(dtype, Shape{p.m, p.n});
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      const std::int64_t sum =
          SumAt(p, *call.inputs[0], call.inputs[2], *call.inputs[3], call.inputs[5], i, j);
      const auto factor = static_cast<float>(static_cast<double>(FloatAt(*call.inputs[1], i)) *
                                             static_cast<double>(FloatAt(*call.inputs[4], j)) /
                                             static_cast<double>(FloatAt(*call.inputs[6], 0)));
      const double scaled = std::nearbyint(static_cast<float>(sum) * factor);
      const double low = LowestOf(dtype);
      StoreDouble(dtype, y.mutable_data(), i * p.n + j,
                  std::clamp(scaled + static_cast<double>(At(call.inputs[7], 0)), low, low + 255));
    }
  }
  return y;
}

TEST(QuantizedMatMulTest, ResultsAreRoundedOnce) {
  Rng rng(6);
  for (const DType a : {kS8, kU8}) {
    for (const DType b : {kS8, kU8}) {
      for (const DType y : {kS8, kU8}) {
        for (const bool per_column : {false, true}) {
          for (const bool constant : {true, false}) {
            for (const std::int64_t n : {7, 16, 35}) {
              const Product p{.m = 14,
                              .n = n,
                              .k = 67,
                              .a = a,
                              .b = b,
                              .a_zeros = 1,
                              .b_zeros = per_column ? n : 1,
                              .constant = constant};
              const KernelCall call = LinearCall(p, y, per_column, rng);
              const Tensor want = LinearResult(p, call);
              for (const KernelEntry* entry : EntriesFor(call)) {
                EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], want)) << entry->name;
              }
            }
          }
        }
      }
    }
  }
}

// A classifier's last layer: oneDNN has such a product, but cannot pack all weights for it.
TEST(QuantizedMatMulTest, ARowOfManyColumns) {
  Rng rng(8);
  for (const DType a : {kS8, kU8}) {
    const Product p{.m = 1, .n = 1000, .k = 1024, .a = a, .a_zeros = 1, .b_zeros = 1};
    const KernelCall call = LinearCall(p, a, false, rng);
    const Tensor want = LinearResult(p, call);
    for (const KernelEntry* entry : EntriesFor(call)) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], want)) << entry->name;
    }
  }
}

// Half to even on both sides of zero, then saturation, then values that are no numbers.
TEST(QuantizedMatMulTest, TiesGoToEvenAndTheRestSaturates) {
  const auto quotients = [](float y_scale, DType dtype, std::initializer_list<double> want) {
    KernelCall call;
    call.op = OpKind::kQLinearMatMul;
    call.inputs = {TensorOf(kU8, {1, 1}, {1}),
                   TensorOf(DType::kFloat32, {}, {1}),
                   TensorOf(kU8, {}, {0}),
                   TensorOf(kS8, {1, 8}, {1, 3, 5, -1, -3, -5, 127, -128}),
                   TensorOf(DType::kFloat32, {}, {1}),
                   TensorOf(kS8, {}, {0}),
                   TensorOf(DType::kFloat32, {}, {y_scale}),
                   TensorOf(dtype, {}, {1})};
    call.constant = std::vector<bool>(8, true);
    call.constant[0] = false;
    for (const KernelEntry* entry : EntriesFor(call)) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], TensorOf(dtype, {1, 8}, want)))
          << entry->name << " scale " << y_scale;
    }
  };
  quotients(2, kS8, {1, 3, 3, 1, -1, -1, 65, -63});
  quotients(0.25F, kS8, {5, 13, 21, -3, -11, -19, 127, -128});
  quotients(0.25F, kU8, {5, 13, 21, 0, 0, 0, 255, 0});
  quotients(std::nanf(""), kU8, {0, 0, 0, 0, 0, 0, 0, 0});
  quotients(0, kS8, {127, 127, 127, -128, -128, -128, 127, -128});
}

TEST(QuantizedMatMulTest, ResultDoesNotDependOnThreads) {
  Rng rng(7);
  for (const Product& p : {Product{.m = 1, .n = 700, .k = 2048, .b_zeros = 1},
                           Product{.m = 200, .n = 500, .k = 700, .a = kS8, .b = kU8}}) {
    for (const KernelCall& call : {IntegerCall(p, rng), LinearCall(p, kS8, true, rng)}) {
      for (const KernelEntry* entry : EntriesFor(call)) {
        if (!entry->is_reference) {
          EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 3)[0], RunEntry(*entry, call, 1)[0]))
              << entry->name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace halftone
