// Reductions against the specification, within the bounds of kernels/reduce/reduce.h; ArgMax.
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
using testing::WithSpecialValues;

constexpr double kU = 0x1p-24;

struct OpCase {
  const char* name;
  OpKind op;
};

constexpr OpCase kOps[] = {
    {"Sum", OpKind::kReduceSum},
    {"Mean", OpKind::kReduceMean},
    {"L1", OpKind::kReduceL1},
    {"L2", OpKind::kReduceL2},
    {"SumSquare", OpKind::kReduceSumSquare},
    {"Max", OpKind::kReduceMax},
    {"Min", OpKind::kReduceMin},
    {"Prod", OpKind::kReduceProd},
    {"LogSum", OpKind::kReduceLogSum},
    {"LogSumExp", OpKind::kReduceLogSumExp},
};

// Where elements lie: products that neither over- nor underflow, sums with a logarithm.
std::pair<double, double> RangeOf(OpKind op) {
  switch (op) {
    case OpKind::kReduceProd:
      return {0.7, 1.3};
    case OpKind::kReduceLogSum:
      return {0.01, 4};
    case OpKind::kReduceLogSumExp:
      return {-90, 90};
    default:
      return {-4, 4};
  }
}

struct ShapeCase {
  Shape shape;
  std::vector<std::int64_t> axes;
};

const ShapeCase kShapes[] = {
    {{1}, {0}},
    {{3}, {0}},
    {{2, 15}, {1}},
    {{2, 16}, {-1}},
    {{2, 17}, {1}},
    {{3, 35}, {1}},
    {{2, 1000}, {1}},
    {{7, 33}, {0}},
    {{2, 5, 19}, {1}},
    {{2, 3, 4, 5}, {2, 3}},
    {{2, 3, 4, 5}, {1, 3}},
    {{2, 3, 4}, {}},
};

Tensor AxesOf(const std::vector<std::int64_t>& axes) {
  return Tensor::From<std::int64_t>({static_cast<std::int64_t>(axes.size())}, axes);
}

KernelCall CallOf(OpKind op, Tensor x, const std::vector<std::int64_t>& axes) {
  return {.op = op, .inputs = {std::move(x), AxesOf(axes)}, .constant = {false, true}};
}

// Of n elements, kernels/reduce/reduce.h.
double BoundOfLogSumExp(bool fast, double n, double y) {
  return (fast ? 1e-4 + (n / 4 + 8) * kU : 5 * kU) + (std::log(n) + std::abs(y)) * kU;
}

class ReduceTest : public ::testing::TestWithParam<OpCase> {};

TEST_P(ReduceTest, StaysWithinBound) {
  const OpKind op = GetParam().op;
  Rng rng(41);
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    for (const ShapeCase& c : kShapes) {
      const auto [least, most] = RangeOf(op);
      const KernelCall call = CallOf(op, RandomTensor({dtype, c.shape}, rng, least, most), c.axes);
      const Tensor exact = ExactResult(call)[0];
      // The sum of magnitudes, which bounds the error of a sum.
      const bool squares = op == OpKind::kReduceSumSquare || op == OpKind::kReduceL2;
      const Tensor magnitude = ExactResult(CallOf(
          squares ? OpKind::kReduceSumSquare : OpKind::kReduceL1, *call.inputs[0], c.axes))[0];
      const double n =
          static_cast<double>(c.shape.ElementCount()) / static_cast<double>(exact.ElementCount());
      for (const KernelEntry* entry : EntriesFor(call)) {
        const bool fast = entry->impl_mode == ImplMode::kHighPerformance;
        const double k = fast ? n / 4 + 8 : 2;
        const auto bound = [&](std::int64_t i, double y) {
          switch (op) {
            case OpKind::kReduceMax:
            case OpKind::kReduceMin:
              return 0.0;
            case OpKind::kReduceProd:
              return (n + 6) * kU * std::abs(y);
            case OpKind::kReduceL2:
              return (k / 2 + 2) * kU * y;
            case OpKind::kReduceLogSum:  // all are positive: ln(1 + r), |r| <= k u
              return k * kU / (1 - k * kU) + kU * std::abs(y);
            case OpKind::kReduceLogSumExp:
              return BoundOfLogSumExp(fast, n, y);
            default:
              return k * kU * magnitude.values<double>()[static_cast<std::size_t>(i)] /
                     (op == OpKind::kReduceMean ? n : 1);
          }
        };
        EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact, bound))
            << entry->name << " " << c.shape.ToString();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, ReduceTest, ::testing::ValuesIn(kOps),
                         [](const auto& test) { return test.param.name; });

struct Known {
  const char* name;
  OpKind op;
  double rows[2];  // of {{1, -2, 3}, {-4, 5, 6}} along axis 1
};

constexpr Known kKnown[] = {
    {"Sum", OpKind::kReduceSum, {2, 7}},
    {"Mean", OpKind::kReduceMean, {2.0 / 3, 7.0 / 3}},
    {"Max", OpKind::kReduceMax, {3, 6}},
    {"Min", OpKind::kReduceMin, {-2, -4}},
    {"Prod", OpKind::kReduceProd, {-6, -120}},
    {"L1", OpKind::kReduceL1, {6, 15}},
    {"L2", OpKind::kReduceL2, {3.7416573867739413, 8.774964387392123}},
    {"SumSquare", OpKind::kReduceSumSquare, {14, 77}},
};

class ReduceReferenceTest : public ::testing::TestWithParam<Known> {};

TEST_P(ReduceReferenceTest, KnownValues) {
  const auto x = [](DType dtype) { return TensorOf(dtype, {2, 3}, {1, -2, 3, -4, 5, 6}); };
  const Tensor want = TensorOf(DType::kFloat64, {2, 1}, {GetParam().rows[0], GetParam().rows[1]});
  EXPECT_TRUE(AllWithin(ExactResult(CallOf(GetParam().op, x(DType::kFloat64), {1}))[0], want,
                        ErrorBound{.relative = 1e-15}));
  for (const DType dtype : {DType::kInt32, DType::kInt64, DType::kInt8}) {
    EXPECT_TRUE(
        AllEqual(RunSelected(CallOf(GetParam().op, x(dtype), {1}))[0], Convert(want, dtype)))
        << NameOf(dtype);
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, ReduceReferenceTest, ::testing::ValuesIn(kKnown),
                         [](const auto& test) { return test.param.name; });

// On the fallback of vectors too, whose conversion to float has no infinities.
TEST(ReduceTest, InfinitiesOfColumns) {
  const double infinity = std::numeric_limits<double>::infinity();
  KernelCall call{.op = OpKind::kReduceSum};
  call.inputs = {
      testing::TensorOf(DType::kFloat32, {2, 3}, {infinity, -1, 3e38, 1, -infinity, 3e38}),
      Tensor::From<std::int64_t>({1}, std::vector<std::int64_t>{0})};
  call.constant = {false, true};
  call.attributes.Set("keepdims", std::int64_t{0});
  const Tensor want = testing::TensorOf(DType::kFloat32, {3}, {infinity, -infinity, infinity});
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(testing::AllEqual(RunEntry(*entry, call)[0], want)) << entry->name;
  }
}

// ln(2 e^1000 + e^999) without an overflow; infinities and NaN as they are.
TEST(ReduceLogTest, KnownValues) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor x = TensorOf(DType::kFloat64, {2, 3}, {1, 2, 3, 0.5, 0, 0});
  EXPECT_TRUE(AllWithin(RunSelected(CallOf(OpKind::kReduceLogSum, x, {1}))[0],
                        TensorOf(DType::kFloat64, {2, 1}, {std::log(6.0), std::log(0.5)}),
                        ErrorBound{.relative = 1e-15}));
  const Tensor large = TensorOf(
      DType::kFloat64, {4, 3},
      {1000, 1000, 999, -infinity, -infinity, -infinity, infinity, -infinity, 1, 1, NAN, 2});
  const Tensor got = RunSelected(CallOf(OpKind::kReduceLogSumExp, large, {1}))[0];
  EXPECT_TRUE(AllWithin(got,
                        TensorOf(DType::kFloat64, {4, 1},
                                 {1000 + std::log(2 + std::exp(-1.0)), -infinity, infinity, NAN}),
                        ErrorBound{.absolute = 1e-12}));
}

// Along rows and along columns, on all entries.
TEST(ReduceLogTest, InfinitiesAndNoNumbers) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> columns[] = {
      {1000, 1000, 999}, {-infinity, -infinity, -infinity}, {infinity, -infinity, 1}, {1, NAN, 2},
      {-3e38, 3e38, 0},
  };
  const double want[] = {1000 + std::log(2 + std::exp(-1.0)), -infinity, infinity, NAN, 3e38};
  for (const std::int64_t length : {3, 35}) {
    for (std::size_t i = 0; i < std::size(columns); ++i) {
      std::vector<double> values(static_cast<std::size_t>(length), -infinity);
      std::copy(columns[i].begin(), columns[i].end(), values.end() - 3);
      std::vector<double> twice;
      for (const double value : values) {
        twice.insert(twice.end(), {value, value});
      }
      const Tensor row = TensorOf(DType::kFloat32, {length}, values);
      const Tensor column = TensorOf(DType::kFloat32, {length, 2}, twice);
      for (const Tensor& x : {row, column}) {
        const KernelCall call = CallOf(OpKind::kReduceLogSumExp, x, {0});
        for (const KernelEntry* entry : EntriesFor(call)) {
          const bool fast = entry->impl_mode == ImplMode::kHighPerformance;
          const double bound = BoundOfLogSumExp(fast, static_cast<double>(length), want[i]);
          const double got = RunEntry(*entry, call)[0].values<float>()[0];
          EXPECT_TRUE(std::isnan(want[i])   ? std::isnan(got)
                      : std::isinf(want[i]) ? got == want[i]
                                            : std::abs(got - want[i]) <= bound)
              << entry->name << " " << i << ": " << got;
        }
      }
    }
  }
}

TEST(ReduceFormTest, KeepdimsAndNoop) {
  KernelCall call = CallOf(OpKind::kReduceL1, TensorOf(DType::kFloat32, {1, 2}, {-1, 2}), {});
  call.attributes.Set("noop_with_empty_axes", std::int64_t{1});
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kFloat32, {1, 2}, {-1, 2})));
  call = CallOf(OpKind::kReduceSum, TensorOf(DType::kFloat32, {1, 2}, {-1, 2}), {1});
  call.attributes.Set("keepdims", std::int64_t{0});
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kFloat32, {1}, {1})));
}

TEST(ReduceFormTest, NaNReachesMaxAndMin) {
  std::vector<double> values(40, 1.0);
  values[3] = std::numeric_limits<double>::quiet_NaN();
  for (const OpKind op : {OpKind::kReduceMax, OpKind::kReduceMin}) {
    const KernelCall call = CallOf(op, TensorOf(DType::kFloat32, {40}, values), {0});
    for (const KernelEntry* entry : EntriesFor(call)) {
      EXPECT_TRUE(std::isnan(RunEntry(*entry, call)[0].values<float>()[0])) << entry->name;
    }
  }
}

// Indices are exact: every entry gives those of the reference. Few different values, so that many
// are equal, and special ones; sizes around vectors, blocks of a row and tiles of columns.
TEST(ArgMaxTest, AllEntriesAgreeWithTheReference) {
  constexpr struct {
    std::int64_t outer, length, inner;
  } kSizes[] = {
      {1, 1, 1},    {3, 2, 1},    {2, 3, 1},    {1, 17, 1}, {4, 33, 1}, {2, 1023, 1},
      {2, 1024, 1}, {2, 1025, 1}, {1, 5000, 1}, {1, 1, 7},  {2, 3, 5},  {3, 17, 16},
      {1, 21, 513}, {2, 5, 1031}, {1, 2, 512},  {0, 3, 1},  {2, 3, 0},
  };

  Rng rng(43);
  for (const DType dtype :
       {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kInt8}) {
    for (const auto& size : kSizes) {
      const TensorType type{dtype, {size.outer, size.length, size.inner}};
      Tensor few = Convert(RandomTensor({DType::kInt8, type.shape}, rng, -3, 4), dtype);
      const Tensor inputs[] = {RandomTensor(type, rng), few, WithSpecialValues(few, rng, 7),
                               WithSpecialValues(few, rng, 4000)};
      for (const Tensor& x : inputs) {
        for (const int form : {0, 1, 2, 3}) {
          KernelCall call{.op = form < 2 ? OpKind::kArgMax : OpKind::kArgMin, .inputs = {x}};
          call.attributes.Set("axis", std::int64_t{1});
          call.attributes.Set("select_last_index", std::int64_t{form % 2});
          const auto entries = EntriesFor(call);
          const Tensor want = RunEntry(*entries.back(), call)[0];
          for (const KernelEntry* entry : entries) {
            EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], want))
                << entry->name << " " << type.ToString() << " form " << form;
            EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 2)[0], want)) << entry->name;
          }
        }
      }
    }
  }
}

// The reference itself, worked out by hand: infinities and zeros of both signs are equal to
// themselves, NaN is what is sought.
TEST(ArgMaxTest, SpecialValues) {
  constexpr double kInf = std::numeric_limits<double>::infinity();

  const struct {
    std::vector<double> row;
    std::int64_t max_first, max_last, min_first, min_last;
  } cases[] = {
      {{-0.0, 0, -0.0}, 0, 2, 0, 2},       {{-kInf, -kInf}, 0, 1, 0, 1},
      {{kInf, kInf, 1}, 0, 1, 2, 2},       {{1, NAN, 3, NAN, 9}, 1, 3, 1, 3},
      {{NAN, kInf, -kInf, 0}, 0, 0, 0, 0}, {{0x1p-149, 0, -0x1p-149}, 0, 0, 2, 2},
  };

  for (const auto& c : cases) {
    const auto length = static_cast<std::int64_t>(c.row.size());
    for (const Shape& shape : {Shape{1, length}, Shape{1, length, 1}}) {
      const Tensor x = TensorOf(DType::kFloat32, shape, c.row);
      const std::int64_t want[] = {c.max_first, c.max_last, c.min_first, c.min_last};
      for (const int form : {0, 1, 2, 3}) {
        KernelCall call{.op = form < 2 ? OpKind::kArgMax : OpKind::kArgMin, .inputs = {x}};
        call.attributes.Set("axis", std::int64_t{1});
        call.attributes.Set("select_last_index", std::int64_t{form % 2});
        for (const KernelEntry* entry : EntriesFor(call)) {
          EXPECT_EQ(RunEntry(*entry, call)[0].values<std::int64_t>()[0], want[form])
              << entry->name << " form " << form;
        }
      }
    }
  }
}

TEST(ArgMaxTest, AnEmptyAxisIsLeftToTheReference) {
  KernelCall call{.op = OpKind::kArgMax, .inputs = {Tensor(DType::kFloat32, {2, 0})}};
  call.attributes.Set("axis", std::int64_t{1});
  EXPECT_EQ(EntriesFor(call).size(), 1U);
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kInt64, {2, 1}, {0, 0})));
}

TEST(ArgMaxTest, FirstLastAxesAndDtypes) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kInt32, DType::kUInt8}) {
    KernelCall call{.op = OpKind::kArgMax, .inputs = {TensorOf(dtype, {2, 3}, {1, 5, 5, 7, 0, 7})}};
    call.attributes.Set("axis", std::int64_t{-1});
    EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kInt64, {2, 1}, {1, 0})));
    call.attributes.Set("select_last_index", std::int64_t{1});
    EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kInt64, {2, 1}, {2, 2})));
    call.attributes.Set("axis", std::int64_t{0});
    call.attributes.Set("keepdims", std::int64_t{0});
    EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kInt64, {3}, {1, 0, 1})));
  }
}

TEST(ArgMinTest, FirstAndLast) {
  KernelCall call{.op = OpKind::kArgMin,
                  .inputs = {TensorOf(DType::kUInt64, {2, 3}, {5, 1, 1, 7, 0, 9})}};
  call.attributes.Set("axis", std::int64_t{1});
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kInt64, {2, 1}, {1, 1})));
  call.attributes.Set("select_last_index", std::int64_t{1});
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kInt64, {2, 1}, {2, 1})));
}

}  // namespace
}  // namespace halftone
