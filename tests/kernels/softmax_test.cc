// Softmax and LogSoftmax against the reference, within the bounds stated in
// kernels/softmax/softmax.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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
using testing::TensorOf;

constexpr double kU = 0x1p-24;

struct Case {
  const char* name;
  Shape shape;
  std::int64_t axis;
  bool coerce_2d = false;
  double range = 10;
};

const Case kCases[] = {
    {"One", {3, 1}, -1},
    {"Two", {2, 2}, -1},
    {"Three", {5, 3}, -1},
    {"BelowVector", {3, 15}, 1},
    {"Vector", {3, 16}, 1},
    {"AboveVector", {3, 17}, 1},
    {"TwoVectorsAndThree", {2, 35}, 1},
    {"Attention", {2, 4, 128}, -1},
    {"Classes", {2, 1000}, 1},
    {"Long", {1, 9001}, 1},
    {"WideRange", {4, 300}, 1, false, 200},
    {"SmallRange", {4, 300}, 1, false, 1e-3},
    {"MiddleAxis", {2, 21, 19}, 1},
    {"FirstAxis", {7, 33}, 0},
    {"Coerced", {2, 3, 4, 5}, 2, true},
    {"CoercedDefaultOnes", {2, 10, 1, 1}, 1, true},
    {"Empty", {0, 5}, 1},
};

KernelCall CallOf(OpKind op, const Case& c, DType dtype) {
  Rng rng(21);
  KernelCall call{.op = op, .inputs = {RandomTensor({dtype, c.shape}, rng, -c.range, c.range)}};
  call.attributes.Set("axis", c.axis);
  call.attributes.Set("coerce_2d", std::int64_t{c.coerce_2d});
  return call;
}

double GroupLength(const Case& c) {
  const int axis = NormalizeAxis(c.axis, c.shape.rank());
  return static_cast<double>(c.coerce_2d ? c.shape.ElementCount(axis, c.shape.rank())
                                         : c.shape[axis]);
}

class SoftmaxTest : public ::testing::TestWithParam<Case> {};

TEST_P(SoftmaxTest, SoftmaxStaysWithinBound) {
  const double n = GroupLength(GetParam());
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const KernelCall call = CallOf(OpKind::kSoftmax, GetParam(), dtype);
    const Tensor exact = ExactResult(call)[0];
    for (const KernelEntry* entry : EntriesFor(call)) {
      const bool fast = entry->impl_mode == ImplMode::kHighPerformance;
      const auto bound = [&](std::int64_t, double y) {
        const double roundings = -std::log(y) + std::log(n) + (fast ? n / 4 + 8 : 7);
        return y == 0 ? 0x1p-126 : ((fast ? 1.9e-4 : 0) + roundings * kU) * y + 0x1p-126;
      };
      EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact, bound)) << entry->name;
    }
  }
}

TEST_P(SoftmaxTest, LogSoftmaxStaysWithinBound) {
  const double n = GroupLength(GetParam());
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const KernelCall call = CallOf(OpKind::kLogSoftmax, GetParam(), dtype);
    const Tensor exact = ExactResult(call)[0];
    for (const KernelEntry* entry : EntriesFor(call)) {
      const bool fast = entry->impl_mode == ImplMode::kHighPerformance;
      const auto bound = [&](std::int64_t, double y) {
        const double roundings = 2 * std::abs(y) + 2 * std::log(n) + (fast ? n / 4 + 8 : 6);
        return (fast ? 1e-4 : 0) + roundings * kU;
      };
      EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact, bound)) << entry->name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, SoftmaxTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

TEST(SoftmaxSpecialTest, InfinitiesAndNaN) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor x =
      TensorOf(DType::kFloat32, {5, 3},
               {-inf, 0, 0, inf, 0, 0, nan, 1, 2, -inf, -inf, -inf, 3e38, -3e38, 3e38});
  const Tensor y =
      TensorOf(DType::kFloat64, {5, 3},
               {0, 0.5, 0.5, nan, nan, nan, nan, nan, nan, nan, nan, nan, 0.5, 0, 0.5});
  const KernelCall call{.op = OpKind::kSoftmax, .inputs = {x}};
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], y, ErrorBound{.relative = 2e-4}))
        << entry->name;
  }
}

TEST(SoftmaxReferenceTest, KnownValues) {
  const KernelCall call{.op = OpKind::kSoftmax,
                        .inputs = {TensorOf(DType::kFloat64, {3}, {-1, 0, 1})}};
  const Tensor want = TensorOf(DType::kFloat64, {3},
                               {0.09003057317038046, 0.24472847105479764, 0.6652409557748219});
  EXPECT_TRUE(AllWithin(ExactResult(call)[0], want, ErrorBound{.relative = 1e-15}));
}

TEST(SoftmaxParallelTest, ThreadsDoNotChangeTheResult) {
  const KernelCall call = CallOf(OpKind::kSoftmax, {"", {700, 512}, -1}, DType::kFloat16);
  EXPECT_TRUE(AllEqual(RunSelected(call, 2)[0], RunSelected(call, 1)[0]));
}

}  // namespace
}  // namespace halftone
