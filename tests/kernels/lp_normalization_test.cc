// The vectors of LpNormalization against the specification, within the bound of
// kernels/normalization/normalization.h.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

constexpr double kU = 0x1p-24;
constexpr DType kPrecisions[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

void ExpectWithinBound(const KernelCall& call, std::int64_t length) {
  const Tensor exact = ExactResult(call)[0];
  const ErrorBound bound{.relative = kU + (static_cast<double>(length) + 4) * 0x1p-53,
                         .absolute = 0x1p-149};
  for (const KernelEntry* entry : EntriesFor(call)) {
    for (const int threads : {1, 3}) {
      EXPECT_TRUE(AllWithin(RunEntry(*entry, call, threads)[0], exact, bound))
          << entry->name << " of " << call.inputs[0]->shape().ToString();
    }
  }
}

KernelCall CallOf(const Tensor& x, std::int64_t p, std::int64_t axis) {
  KernelCall call{.op = OpKind::kLpNormalization, .inputs = {x}};
  call.attributes.Set("p", p);
  call.attributes.Set("axis", axis);
  return call;
}

TEST(LpNormalizationTest, ErrorBound) {
  Rng rng(41);
  const Shape shapes[] = {{1},     {17},       {3, 1},     {1, 3},       {0, 3},       {3, 0},
                          {3, 17}, {2, 3, 17}, {5, 67, 3}, {2, 17, 130}, {40, 770, 3}, {9, 1000}};
  for (const Shape& shape : shapes) {
    for (const DType dtype : kPrecisions) {
      for (int axis = 0; axis < shape.rank(); ++axis) {
        for (const std::int64_t p : {1, 2}) {
          ExpectWithinBound(CallOf(RandomTensor({dtype, shape}, rng, -3, 3), p, axis), shape[axis]);
        }
      }
    }
  }
}

// Squares that float32 does not hold, and rows and columns of zeros.
TEST(LpNormalizationTest, ExtremesAndZeros) {
  const Tensor x = TensorOf(DType::kFloat32, {4, 3},
                            {3e38, -3e38, 0, 1e-45, 3e-45, 0, 1e-30, -1e-30, 0, 0, -0.0, 0});
  for (const std::int64_t p : {1, 2}) {
    ExpectWithinBound(CallOf(x, p, 1), 3);
    ExpectWithinBound(CallOf(x, p, 0), 4);
  }
}

TEST(LpNormalizationTest, SpecialValuesPropagate) {
  const double infinity = std::numeric_limits<double>::infinity();
  Rng rng(42);
  for (const DType dtype : kPrecisions) {
    std::vector<double> values(5 * 35, 0.5);
    values[3] = infinity;
    values[38] = std::nan("");
    values[80] = -infinity;
    values[100] = std::nan("");
    for (const std::int64_t p : {1, 2}) {
      for (const std::int64_t axis : {0, 1}) {
        ExpectWithinBound(CallOf(TensorOf(dtype, {5, 35}, values), p, axis), 35);
      }
    }
  }
}

TEST(LpNormalizationTest, OtherPowersAreLeftToTheReference) {
  const Tensor x = TensorOf(DType::kFloat32, {2}, {3, 4});
  EXPECT_EQ(EntriesFor(CallOf(x, 2, 0))[0]->name, "normalization.lp.vector");
  EXPECT_EQ(EntriesFor(CallOf(x, 3, 0))[0]->name, "normalization.lp.reference");
}

}  // namespace
}  // namespace halftone::testing
