// Reductions against the specification, within the bounds of kernels/reduce/reduce.h.
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
    {{9, 80}, {1}},
    {{6, 256}, {1}},
    {{5, 257}, {1}},
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

// The byte of a bool is 0 or 1 whatever was summed: anything else is read as no bool is.
TEST(ReduceFormTest, SumsOfBooleansAreBooleans) {
  const Tensor x = TensorOf(DType::kBool, {2, 4}, {1, 1, 1, 1, 0, 0, 0, 0});
  for (const OpKind op : {OpKind::kReduceSum, OpKind::kReduceL1, OpKind::kReduceSumSquare,
                          OpKind::kReduceMax, OpKind::kReduceMin}) {
    const Tensor y = RunSelected(CallOf(op, x, {1}))[0];
    EXPECT_EQ(y.bytes()[0], std::byte{1}) << static_cast<int>(op);
    EXPECT_EQ(y.bytes()[1], std::byte{0}) << static_cast<int>(op);
  }
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

// However the rows are handed out: one row alone, beside others, and beside a NaN.
TEST_P(ReduceTest, ARowDoesNotDependOnItsNeighbours) {
  const OpKind op = GetParam().op;
  constexpr std::int64_t kRows = 7;
  Rng rng(47);
  const auto [least, most] = RangeOf(op);
  for (const std::int64_t length : {5, 80, 256, 300}) {
    Tensor x = RandomTensor({DType::kFloat32, {kRows, length}}, rng, least, most);
    const auto values = x.mutable_values<float>();
    values[static_cast<std::size_t>(2 * length + 3)] = std::numeric_limits<float>::quiet_NaN();
    const KernelCall call = CallOf(op, x, {1});
    for (const KernelEntry* entry : EntriesFor(call)) {
      const Tensor together = RunEntry(*entry, call)[0];
      for (std::int64_t row = 0; row < kRows; ++row) {
        const auto first = values.subspan(static_cast<std::size_t>(row * length),
                                          static_cast<std::size_t>(length));
        const KernelCall alone = CallOf(op, Tensor::From<float>({1, length}, first), {1});
        const float want = RunEntry(*entry, alone)[0].values<float>()[0];
        const float got = together.values<float>()[static_cast<std::size_t>(row)];
        EXPECT_EQ(std::isnan(got), row == 2) << entry->name << ", row " << row;
        EXPECT_TRUE(got == want || row == 2) << entry->name << ", row " << row << " of " << length;
      }
    }
  }
}

TEST(ReduceFormTest, InfinitiesAreExtremes) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {-infinity, infinity}) {
    for (const OpKind op : {OpKind::kReduceMax, OpKind::kReduceMin}) {
      const KernelCall call =
          CallOf(op, TensorOf(DType::kFloat32, {2, 3}, std::vector<double>(6, value)), {1});
      for (const KernelEntry* entry : EntriesFor(call)) {
        const Tensor y = RunEntry(*entry, call)[0];
        EXPECT_THAT(y.values<float>(), ::testing::Each(value)) << entry->name;
      }
    }
  }
}

// Rows split between threads: a range begins at any row, in whatever group of four.
TEST_P(ReduceTest, ThreadsDoNotMatter) {
  const OpKind op = GetParam().op;
  const auto [least, most] = RangeOf(op);
  Rng rng(48);
  for (const Shape& shape : {Shape{20'011, 5}, Shape{5003, 80}}) {
    const KernelCall call =
        CallOf(op, RandomTensor({DType::kFloat32, shape}, rng, least, most), {1});
    for (const KernelEntry* entry : EntriesFor(call)) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 3)[0], RunEntry(*entry, call, 1)[0]))
          << entry->name << " " << shape.ToString();
    }
  }
}

}  // namespace
}  // namespace halftone
