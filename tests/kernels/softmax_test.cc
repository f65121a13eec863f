// Softmax and LogSoftmax against the reference, within the bounds stated in
// kernels/softmax/softmax.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

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
    {"BlocksOfColumns", {2, 5, 300}, 1},
    {"AColumnBehindABlock", {3, 129}, 0},
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
      if (entry->float16_arithmetic) {
        continue;  // softmax_float16_test.cc
      }
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

TEST_P(SoftmaxTest, ResultDoesNotDependOnThreads) {
  for (const OpKind op : {OpKind::kSoftmax, OpKind::kLogSoftmax}) {
    const KernelCall call = CallOf(op, GetParam(), DType::kFloat32);
    for (const KernelEntry* entry : EntriesFor(call)) {
      EXPECT_TRUE(testing::AllEqual(RunEntry(*entry, call, 3)[0], RunEntry(*entry, call, 1)[0]))
          << entry->name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, SoftmaxTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

// ---- Scale, mask and keep -----------------------------------------------------------------------

struct MaskedCase {
  const char* name;
  Shape shape;
  std::optional<Shape> mask;
  std::optional<Shape> keep;
  float scale = 1;
  std::int64_t axis = -1;
  std::optional<float> fill = {};
  bool drop = false;
  bool mask_last = false;
};

const MaskedCase kMaskedCases[] = {
    {"ScaleOnly", {3, 17}, {}, {}, 0.125F},
    {"NegativeScale", {3, 35}, {}, {}, -0.3F},
    {"ScaleZero", {2, 5}, {}, {}, 0},
    {"MaskOfAllRows", {2, 3, 5, 19}, Shape{19}, {}, 0.25F},
    {"MaskPerRow", {2, 3, 5, 19}, Shape{5, 19}, {}, 0.25F},
    {"MaskPerSample", {2, 3, 5, 19}, Shape{2, 1, 1, 19}, {}, 0.25F},
    {"MaskOfTheWhole", {2, 3, 5, 16}, Shape{2, 3, 5, 16}, {}},
    {"MaskPerHead", {2, 3, 5, 15}, Shape{3, 1, 15}, {}, 0.5F},
    {"KeepOnly", {4, 5, 33}, {}, Shape{5, 33}},
    {"KeepOrFill", {4, 5, 33}, {}, Shape{5, 33}, 0.5F, -1, 2.5F},
    {"FillOfGpt2", {4, 5, 33}, {}, Shape{5, 33}, 0.125F, -1, -1e4F},
    {"Drop", {4, 5, 33}, {}, Shape{5, 33}, 0.5F, -1, {}, true},
    {"DropAndMask", {4, 5, 7}, Shape{7}, Shape{5, 7}, 0.5F, -1, -3e38F, true},
    {"KeepAndMask", {4, 5, 33}, Shape{4, 1, 33}, Shape{5, 33}, 0.5F},
    {"KeepThenMask", {4, 5, 33}, Shape{4, 1, 33}, Shape{5, 33}, 0.5F, -1, -2.5F, false, true},
    {"KeepThenMaskOfGpt2", {2, 5, 35}, Shape{2, 1, 35}, Shape{5, 35}, 1, -1, -3e38F, false, true},
    {"DropThenMask", {4, 5, 7}, Shape{7}, Shape{5, 7}, 0.5F, -1, {}, true, true},
    {"OneElement", {3, 1}, Shape{3, 1}, Shape{1, 1}, 2},
    {"Long", {2, 5003}, Shape{5003}, Shape{2, 5003}, 0.125F},
    {"MaskBroadcastAlongTheAxis", {4, 9}, Shape{4, 1}, {}, 0.5F},
    {"KeepBroadcastAlongTheAxis", {4, 9}, {}, Shape{4, 1}},
    {"OtherAxis", {3, 7, 5}, Shape{7, 5}, Shape{3, 1, 5}, 0.5F, 1},
    {"Empty", {0, 4}, Shape{4}, {}, 0.5F},
};

KernelCall MaskedCallOf(const MaskedCase& c, DType dtype) {
  Rng rng(22);
  KernelCall call{.op = OpKind::kSoftmax};
  call.inputs = {RandomTensor({dtype, c.shape}, rng, -10, 10), std::nullopt, std::nullopt};
  if (c.mask) {
    call.inputs[1] = RandomTensor({dtype, *c.mask}, rng, -4, 4);
    for (std::int64_t i = 1; i < c.mask->ElementCount(); i += 4) {
      StoreDouble(dtype, call.inputs[1]->mutable_data(), i,
                  -std::numeric_limits<double>::infinity());
    }
  }
  if (c.keep) {
    call.inputs[2] = RandomTensor({DType::kBool, *c.keep}, rng, 0, 1);
    for (std::int64_t i = 0; i < c.keep->ElementCount(); ++i) {
      StoreDouble(DType::kBool, call.inputs[2]->mutable_data(), i, i % 3 == 1 ? 0 : 1);
    }
  }
  call.fusion.softmax =
      StepSoftmax{.scale = c.scale, .fill = c.fill, .drop = c.drop, .mask_last = c.mask_last};
  call.attributes.Set("axis", c.axis);
  return call;
}

// The element of an operand of shape `own` that stands for `element` of one of shape `shape`.
std::int64_t BroadcastIndex(std::int64_t element, const Shape& shape, const Shape& own) {
  std::int64_t index = 0;
  std::int64_t stride = 1;
  for (int back = 1; back <= own.rank(); ++back) {
    const std::int64_t extent = own[own.rank() - back];
    const std::int64_t whole = shape[shape.rank() - back];
    index += (extent == 1 ? 0 : element % whole) * stride;
    stride *= extent;
    element /= whole;
  }
  return index;
}

class MaskedSoftmaxTest : public ::testing::TestWithParam<MaskedCase> {
 protected:
  // The operand that a plain Softmax has to be of, in double, and what its roundings grow with.
  static void Spell(const KernelCall& call, Tensor& t, std::vector<double>& a) {
    const Tensor& x = *call.inputs[0];
    const StepSoftmax& fused = *call.fusion.softmax;
    for (std::int64_t i = 0; i < x.ElementCount(); ++i) {
      const double product = fused.scale * DoubleAt(x.dtype(), x.data(), i);
      double mask = 0;
      if (call.inputs[1]) {
        const Tensor& m = *call.inputs[1];
        mask = DoubleAt(m.dtype(), m.data(), BroadcastIndex(i, x.shape(), m.shape()));
      }
      bool kept = true;
      if (call.inputs[2]) {
        const std::int64_t at = BroadcastIndex(i, x.shape(), call.inputs[2]->shape());
        const bool set = call.inputs[2]->data()[at] != std::byte{0};
        kept = set != fused.drop;
      }
      const double fill = fused.fill.value_or(-std::numeric_limits<float>::infinity());
      const double added = kept || fused.mask_last ? mask : 0;
      const double score = kept ? product : fill;
      StoreDouble(DType::kFloat64, t.mutable_data(), i, score + added);
      // Nothing is rounded where nothing is added to the fill, or where it is infinite.
      const bool rounds = (kept || added != 0) && !std::isinf(score) && !std::isinf(added);
      a.push_back(rounds ? std::abs(score) + std::abs(added) : 0);
    }
  }
};

TEST_P(MaskedSoftmaxTest, IsTheSoftmaxOfTheSum) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const KernelCall call = MaskedCallOf(GetParam(), dtype);
    KernelCall spelled{.op = OpKind::kSoftmax,
                       .inputs = {Tensor(DType::kFloat64, GetParam().shape)}};
    spelled.attributes.Set("axis", GetParam().axis);
    std::vector<double> a;
    Spell(call, *spelled.inputs[0], a);
    const Tensor exact = ExactResult(spelled)[0];
    EXPECT_TRUE(AllWithin(ExactResult(call)[0], exact, ErrorBound{.relative = 1e-13}));
    const std::vector<double> y = DoublesOf(exact);
    const int axis = NormalizeAxis(GetParam().axis, GetParam().shape.rank());
    const std::int64_t length = GetParam().shape[axis];
    const std::int64_t inner = GetParam().shape.ElementCount(axis + 1, GetParam().shape.rank());
    for (const KernelEntry* entry : EntriesFor(call)) {
      const bool fast = entry->impl_mode == ImplMode::kHighPerformance;
      const auto n = static_cast<double>(length);
      const auto bound = [&](std::int64_t i, double yi) {
        double average = 0;
        const std::int64_t first = i / (length * inner) * length * inner + i % inner;
        for (std::int64_t k = 0; k < length; ++k) {
          const auto at = static_cast<std::size_t>(first + k * inner);
          average += y[at] * a[at];
        }
        const double moved = 2 * (a[static_cast<std::size_t>(i)] + average);
        const double roundings = moved - std::log(yi) + std::log(n) + (fast ? n / 4 + 8 : 7);
        return yi == 0 ? 0x1p-126 : ((fast ? 1.9e-4 : 0) + roundings * kU) * yi + 0x1p-126;
      };
      EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact, bound)) << entry->name;
    }
  }
}

TEST_P(MaskedSoftmaxTest, ThreadsDoNotChangeTheResult) {
  const KernelCall call = MaskedCallOf(GetParam(), DType::kFloat16);
  EXPECT_TRUE(AllEqual(RunSelected(call, 2)[0], RunSelected(call, 1)[0]));
}

INSTANTIATE_TEST_SUITE_P(Shapes, MaskedSoftmaxTest, ::testing::ValuesIn(kMaskedCases),
                         [](const auto& test) { return test.param.name; });

TEST(MaskedSoftmaxSpecialTest, WhatIsNotKeptIsNotLookedAt) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  KernelCall call{.op = OpKind::kSoftmax,
                  .inputs = {TensorOf(DType::kFloat32, {2, 3}, {inf, 1, 1, nan, 5, -inf}),
                             std::nullopt, TensorOf(DType::kBool, {3}, {0, 1, 1})}};
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0],
                          TensorOf(DType::kFloat64, {2, 3}, {0, 0.5, 0.5, 0, 1, 0}),
                          ErrorBound{.relative = 2e-4}))
        << entry->name;
  }
}

// As the Add of a mask does: inf - inf.
TEST(MaskedSoftmaxSpecialTest, AMaskOfMinusInfinityDoesNotHideInfinity) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  KernelCall call{.op = OpKind::kSoftmax,
                  .inputs = {TensorOf(DType::kFloat32, {2, 2}, {inf, 1, 3, 1}),
                             TensorOf(DType::kFloat32, {2}, {-inf, 0})}};
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0],
                          TensorOf(DType::kFloat64, {2, 2}, {nan, nan, 0, 1}),
                          ErrorBound{.relative = 2e-4}))
        << entry->name;
  }
}

TEST(MaskedSoftmaxSpecialTest, AGroupWithoutAKeptElementHasEqualParts) {
  KernelCall call{.op = OpKind::kSoftmax,
                  .inputs = {TensorOf(DType::kFloat32, {1, 4}, {9, 1, 3, 1}), std::nullopt,
                             TensorOf(DType::kBool, {4}, {0, 0, 0, 0})}};
  call.fusion.softmax = StepSoftmax{.fill = -1e4F};
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0],
                          TensorOf(DType::kFloat64, {1, 4}, {0.25, 0.25, 0.25, 0.25}),
                          ErrorBound{.relative = 2e-4}))
        << entry->name;
  }
}

TEST(MaskedSoftmaxRefusalTest, VectorsTakeWholeRows) {
  const auto reason = [](const MaskedCase& c) {
    const KernelCall call = MaskedCallOf(c, DType::kFloat32);
    const auto entries = EntriesFor(call);
    return entries.size() == 1 && entries[0]->is_reference;
  };
  EXPECT_TRUE(reason({"", {4, 9}, Shape{4, 1}, {}}));
  EXPECT_TRUE(reason({"", {4, 9}, {}, Shape{1}}));
  EXPECT_TRUE(reason({"", {4, 9}, {}, {}, 0.5F, 0}));
  EXPECT_FALSE(reason({"", {4, 9}, Shape{9}, {}}));
}

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
