// Operators that mark elements, in vectors, against loops of the test; indexing_test.cc has values
// worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

constexpr DType kPrecisions[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

void ExpectAll(const KernelCall& call, const Tensor& want) {
  for (const KernelEntry* entry : EntriesFor(call)) {
    for (const int threads : {1, 3}) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, call, threads)[0], want))
          << entry->name << " of " << call.inputs[0]->shape().ToString();
    }
  }
}

// The first of the greatest of x[outer, length, inner], NaN the greatest of all.
Tensor Hardmax(const Tensor& x, std::int64_t length, std::int64_t inner) {
  const std::vector<double> values = DoublesOf(x);
  std::vector<double> marks(values.size(), 0);
  const auto count = static_cast<std::int64_t>(values.size());
  for (std::int64_t first = 0; first < count; ++first) {
    if (first / inner % length != 0) {
      continue;
    }
    const auto at = [&](std::int64_t k) { return static_cast<std::size_t>(first + k * inner); };
    std::int64_t best = 0;
    for (std::int64_t k = 1; k < length && !std::isnan(values[at(best)]); ++k) {
      best = std::isnan(values[at(k)]) || values[at(k)] > values[at(best)] ? k : best;
    }
    marks[at(best)] = 1;
  }
  return TensorOf(x.dtype(), x.shape(), marks);
}

TEST(HardmaxTest, MarksTheFirstOfTheGreatest) {
  Rng rng(51);
  const Shape shapes[] = {{1},        {17},       {3, 1},       {1, 3},     {0, 3},    {3, 17},
                          {2, 3, 17}, {5, 67, 3}, {2, 17, 530}, {3, 2, 64}, {9, 1500}, {2, 0, 3}};
  for (const Shape& shape : shapes) {
    for (const DType dtype : kPrecisions) {
      for (int axis = 0; axis < shape.rank(); ++axis) {
        const Tensor few = Convert(RandomTensor({DType::kInt32, shape}, rng, -3, 3), dtype);
        for (const Tensor& x : {few, WithSpecialValues(few, rng, 7)}) {
          KernelCall call{.op = OpKind::kHardmax, .inputs = {x}};
          call.attributes.Set("axis", std::int64_t{axis});
          const std::int64_t inner = shape.ElementCount(axis + 1, shape.rank());
          ExpectAll(call, Hardmax(x, shape[axis], inner));
        }
      }
    }
  }
}

TEST(HardmaxTest, AllAxesFromOneOn) {
  Rng rng(52);
  KernelCall call{.op = OpKind::kHardmax};
  call.inputs = {RandomTensor({DType::kFloat32, {3, 5, 7}}, rng)};
  call.attributes.Set("axis", std::int64_t{1});
  call.attributes.Set("coerce_2d", std::int64_t{1});
  ExpectAll(call, Hardmax(*call.inputs[0], 35, 1));
}

TEST(SpecialMarksTest, InfinitiesOfTheSignsAskedForAndNaN) {
  Rng rng(53);
  for (const DType dtype :
       {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kInt8}) {
    for (const std::int64_t count : {0, 1, 3, 15, 16, 17, 67, 1000, 300'000}) {
      const Tensor x = WithSpecialValues(RandomTensor({dtype, {count}}, rng), rng);
      const std::vector<double> values = DoublesOf(x);
      for (const int signs : {0, 1, 2, 3}) {
        KernelCall call{.op = OpKind::kIsInf, .inputs = {x}};
        call.attributes.Set("detect_negative", std::int64_t{signs & 1});
        call.attributes.Set("detect_positive", std::int64_t{signs >> 1});
        std::vector<double> marks;
        for (const double value : values) {
          marks.push_back(std::isinf(value) && (signs & (value < 0 ? 1 : 2)) != 0 ? 1 : 0);
        }
        ExpectAll(call, TensorOf(DType::kBool, {count}, marks));
      }
      std::vector<double> marks;
      for (const double value : values) {
        marks.push_back(std::isnan(value) ? 1 : 0);
      }
      ExpectAll({.op = OpKind::kIsNaN, .inputs = {x}}, TensorOf(DType::kBool, {count}, marks));
    }
  }
}

// Every sign and payload.
TEST(SpecialMarksTest, EverySixteenBitPattern) {
  Tensor f16(DType::kFloat16, {65536});
  Tensor bf16(DType::kBFloat16, {65536});
  for (std::size_t i = 0; i < 65536; ++i) {
    f16.mutable_values<Float16>()[i].bits = static_cast<std::uint16_t>(i);
    bf16.mutable_values<BFloat16>()[i].bits = static_cast<std::uint16_t>(i);
  }
  for (const Tensor& x : {f16, bf16}) {
    for (const OpKind op : {OpKind::kIsInf, OpKind::kIsNaN}) {
      const KernelCall call{.op = op, .inputs = {x}};
      const std::vector<const KernelEntry*> entries = EntriesFor(call);
      ExpectAll(call, RunEntry(*entries.back(), call)[0]);
    }
  }
}

}  // namespace
}  // namespace halftone::testing
