// Softmax in float16 arithmetic, within the bound of kernels/softmax/fp16_rows.h.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/cpu_isa.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllWithin;
using testing::EntriesFor;
using testing::ExactResult;
using testing::KernelCall;
using testing::RandomTensor;
using testing::RunEntry;
using testing::TensorOf;

auto Float16Bound(double n) {
  return [n](std::int64_t, double y) {
    const double k = y == 0 ? 0 : (-std::log(y) + std::log(n) + 9) * 0x1p-11;
    return (k / (1 - k) + n * 0x1p-24) * y + 0x1p-24;
  };
}

void ExpectWithinBound(const Tensor& x) {
  const KernelCall call{.op = OpKind::kSoftmax, .inputs = {x}};
  const Tensor exact = ExactResult(call)[0];
  const std::int64_t length = x.shape()[1];
  bool tried = false;
  for (const KernelEntry* entry : EntriesFor(call)) {
    if (entry->float16_arithmetic) {
      tried = true;
      EXPECT_TRUE(
          AllWithin(RunEntry(*entry, call)[0], exact, Float16Bound(static_cast<double>(length))))
          << entry->name << " of " << length;
    }
  }
  EXPECT_TRUE(tried) << "no kernel in float16 arithmetic for " << length;
}

TEST(SoftmaxFloat16Test, RandomRowsStayWithinBound) {
  if ((DetectIsa() & kIsaAvx512Fp16) == 0) {
    GTEST_SKIP() << "needs avx512_fp16";
  }
  Rng rng(23);
  for (const std::int64_t length : {1, 2, 31, 32, 33, 64, 128, 197, 1000, 16384}) {
    for (const double range : {0.01, 1.0, 10.0, 200.0}) {
      ExpectWithinBound(RandomTensor({DType::kFloat16, {2, length}}, rng, -range, range));
    }
  }
}

// Elements far below the largest, a row of equal ones up to the longest, and infinities.
TEST(SoftmaxFloat16Test, AwkwardRowsStayWithinBound) {
  if ((DetectIsa() & kIsaAvx512Fp16) == 0) {
    GTEST_SKIP() << "needs avx512_fp16";
  }
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> rows;
  for (const std::size_t length : {1U, 31U, 32U, 33U, 127U, 128U, 131U, 4097U, 16384U}) {
    std::vector<double> falling(length);
    for (std::size_t i = 0; i < length; ++i) {
      falling[i] = 8 - 0.37 * static_cast<double>(i % 71);
    }
    rows.push_back(falling);
    rows.emplace_back(length, -3.25);
    falling.back() = -inf;
    falling.front() = 65504;
    rows.push_back(falling);
  }
  for (const std::vector<double>& row : rows) {
    const auto n = static_cast<std::int64_t>(row.size());
    ExpectWithinBound(TensorOf(DType::kFloat16, {1, n}, row));
  }
}

TEST(SoftmaxFloat16Test, InfinitiesAndNaN) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const KernelCall call{
      .op = OpKind::kSoftmax,
      .inputs = {TensorOf(DType::kFloat16, {5, 3},
                          {-inf, 0, 0, inf, 0, 0, nan, 1, 2, -inf, -inf, -inf, 6e4, -6e4, 6e4})}};
  const Tensor y =
      TensorOf(DType::kFloat64, {5, 3},
               {0, 0.5, 0.5, nan, nan, nan, nan, nan, nan, nan, nan, nan, 0.5, 0, 0.5});
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], y, Float16Bound(3))) << entry->name;
  }
}

}  // namespace
}  // namespace halftone
