// Operators that read, write, sort or mark by position, each against a plain formula, in every
// dtype and with one and two threads.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "tests/kernels/index_oracle.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

Tensor Int64s(Shape shape, std::vector<std::int64_t> values) {
  return Tensor::From<std::int64_t>(std::move(shape), values);
}

// All entries give `want`, with one thread and with two.
void ExpectAll(const KernelCall& call, const Tensor& want, std::size_t output = 0) {
  for (const KernelEntry* entry : EntriesFor(call)) {
    for (const int threads : {1, 2}) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, call, threads)[output], want)) << entry->name;
    }
  }
}

TEST(GatherElementsTest, TakesOneElementPerIndex) {
  Rng rng(11);
  for (const DTypeRow& row : kDTypes) {
    for (const int axis : {0, 1, -1}) {
      KernelCall call{.op = OpKind::kGatherElements};
      call.attributes.Set("axis", std::int64_t{axis});
      const Tensor data = RandomTensor({row.dtype, {4, 5, 4}}, rng, -100, 100);
      const Tensor index = RandomTensor({DType::kInt64, {3, 4, 4}}, rng, -4, 4);
      call.inputs = {data, index};
      const std::size_t at = axis < 0 ? 2 : static_cast<std::size_t>(axis);
      const std::int64_t extent = data.shape()[static_cast<int>(at)];
      ExpectAll(call, ByIndex(data, index.shape(), [&](Position p) {
                  const std::int64_t i =
                      IntegerAt(DType::kInt64, index.data(), LinearIndex(index.shape(), p));
                  p[at] = i < 0 ? i + extent : i;
                  return std::optional(p);
                }));
    }
  }
}

TEST(GatherElementsTest, AnIndexOutsideGivesZeroAtRunTimeAndIsAnErrorWhenConstant) {
  KernelCall call{.op = OpKind::kGatherElements};
  call.inputs = {TensorOf(DType::kFloat32, {2}, {5, 6}), Int64s({3}, {1, 2, -3})};
  ExpectAll(call, TensorOf(DType::kFloat32, {3}, {6, 0, 0}));
  call.constant = {false, true};
  try {
    RunSelected(call);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "GatherElements: index 2 is outside [-2, 2) of the data's axis");
  }
}

TEST(GatherNdTest, TakesSlicesByTuplesInsideBatches) {
  Rng rng(12);
  for (const DTypeRow& row : kDTypes) {
    KernelCall call{.op = OpKind::kGatherNd};
    call.attributes.Set("batch_dims", std::int64_t{1});
    const Tensor data = RandomTensor({row.dtype, {2, 3, 4, 5}}, rng, -100, 100);
    const Tensor index = Int64s({2, 3, 2}, {0, 1, 2, -1, -3, 0, 1, 1, 2, 3, 0, -4});
    call.inputs = {data, index};
    ExpectAll(
        call, ByIndex(data, {2, 3, 5}, [&](const Position& p) {
          const auto value = [&](std::int64_t k) {
            return index.values<std::int64_t>()[static_cast<std::size_t>(
                LinearIndex({2, 3, 2}, {p[0], p[1], k}))];
          };
          return std::optional<Position>({p[0], (value(0) + 3) % 3, (value(1) + 4) % 4, p[2]});
        }));
  }
}

TEST(GatherNdTest, NoIndicesGiveNothing) {
  KernelCall call{.op = OpKind::kGatherNd};
  call.inputs = {TensorOf(DType::kFloat32, {2, 2}, {1, 2, 3, 4}), Int64s({0, 1}, {})};
  ExpectAll(call, Tensor(DType::kFloat32, {0, 2}));
}

struct ScatterCase {
  const char* reduction;
  double (*join)(double, double);
};

const ScatterCase kReductions[] = {
    {"none", [](double, double b) { return b; }},
    {"add", [](double a, double b) { return a + b; }},
    {"mul", [](double a, double b) { return a * b; }},
    {"max", [](double a, double b) { return std::isnan(a) || a > b ? a : b; }},
    {"min", [](double a, double b) { return std::isnan(a) || a < b ? a : b; }},
};

// Small whole numbers: every dtype but bool is exact.
class ScatterTest : public ::testing::TestWithParam<ScatterCase> {};

TEST_P(ScatterTest, ElementsAreJoinedInTheirOrder) {
  Rng rng(13);
  for (const DTypeRow& row : kDTypes) {
    if (row.dtype == DType::kBool) {
      continue;
    }
    KernelCall call{.op = OpKind::kScatterElements};
    call.attributes.Set("axis", std::int64_t{1});
    call.attributes.Set("reduction", std::string(GetParam().reduction));
    const Tensor data = Convert(RandomTensor({DType::kInt32, {3, 5}}, rng, 1, 4), row.dtype);
    const Tensor index = Int64s({2, 4}, {0, 4, 0, -1, 2, 2, -3, 1});  // some twice
    const Tensor updates = Convert(RandomTensor({DType::kInt32, {2, 4}}, rng, 1, 4), row.dtype);
    call.inputs = {data, index, updates};
    std::vector<double> want = DoublesOf(data);
    for (std::size_t i = 0; i < 8; ++i) {
      const std::int64_t at = (index.values<std::int64_t>()[i] + 5) % 5;
      double& value = want[i / 4 * 5 + static_cast<std::size_t>(at)];
      value = GetParam().join(value, DoublesOf(updates)[i]);
    }
    ExpectAll(call, TensorOf(row.dtype, {3, 5}, want));
  }
}

TEST_P(ScatterTest, SlicesAreJoinedInTheirOrder) {
  Rng rng(14);
  for (const DTypeRow& row : kDTypes) {
    for (const std::int64_t width : {1, 3000}) {
      if (row.dtype == DType::kBool) {
        continue;
      }
      KernelCall call{.op = OpKind::kScatterNd};
      call.attributes.Set("reduction", std::string(GetParam().reduction));
      const Tensor data =
          Convert(RandomTensor({DType::kInt32, {3, 4, width}}, rng, 1, 4), row.dtype);
      const Tensor index = Int64s({4, 2}, {2, 1, 0, -1, 2, 1, -3, 3});  // {2, 1} and {0, 3} twice
      const Tensor updates =
          Convert(RandomTensor({DType::kInt32, {4, width}}, rng, 1, 4), row.dtype);
      call.inputs = {data, index, updates};
      std::vector<double> want = DoublesOf(data);
      const std::vector<double> from = DoublesOf(updates);
      const std::int64_t rows[] = {9, 3, 9, 3};
      for (std::int64_t i = 0; i < 4 * width; ++i) {
        double& value = want[static_cast<std::size_t>(rows[i / width] * width + i % width)];
        value = GetParam().join(value, from[static_cast<std::size_t>(i)]);
      }
      ExpectAll(call, TensorOf(row.dtype, {3, 4, width}, want));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Reductions, ScatterTest, ::testing::ValuesIn(kReductions),
                         [](const auto& test) { return std::string(test.param.reduction); });

TEST(ScatterSpecial, AnUpdateOutsideIsDroppedAndNaNStands) {
  KernelCall call{.op = OpKind::kScatterNd};
  call.attributes.Set("reduction", std::string("max"));
  call.inputs = {TensorOf(DType::kFloat32, {3}, {1, NAN, 3}), Int64s({4, 1}, {0, 1, 3, -4}),
                 TensorOf(DType::kFloat32, {4}, {NAN, 9, 7, 7})};
  ExpectAll(call, TensorOf(DType::kFloat32, {3}, {NAN, NAN, 3}));
}

TEST(TensorScatterTest, WritesFromItsIndexOnAndAroundTheEnd) {
  for (const bool circular : {false, true}) {
    KernelCall call{.op = OpKind::kTensorScatter};
    call.attributes.Set("mode", std::string(circular ? "circular" : "linear"));
    call.inputs = {TensorOf(DType::kFloat32, {2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8}),
                   TensorOf(DType::kFloat32, {2, 2, 1}, {10, 20, 30, 40}),
                   Int64s({2}, {1, circular ? 3 : 2})};
    ExpectAll(call, circular ? TensorOf(DType::kFloat32, {2, 4, 1}, {1, 10, 20, 4, 40, 6, 7, 30})
                             : TensorOf(DType::kFloat32, {2, 4, 1}, {1, 10, 20, 4, 5, 6, 30, 40}));
  }
}

// Known in the run only, any number may come: the sum with the next places of the update
// overflowed, and its bytes went to where no tensor is.
TEST(TensorScatterTest, TheGreatestIndexWritesNothingBesideTheCache) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const bool circular : {false, true}) {
    KernelCall call{.op = OpKind::kTensorScatter};
    call.attributes.Set("mode", std::string(circular ? "circular" : "linear"));
    call.inputs = {TensorOf(DType::kFloat32, {2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8}),
                   TensorOf(DType::kFloat32, {2, 2, 1}, {10, 20, 30, 40}),
                   Int64s({2}, {kMost, -1})};
    // 2^63 - 1 is 3 modulo 4.
    ExpectAll(call, circular ? TensorOf(DType::kFloat32, {2, 4, 1}, {20, 2, 3, 10, 5, 6, 7, 8})
                             : *call.inputs[0]);
  }
}

TEST(TopKTest, SortsEveryDTypeAlongEveryAxis) {
  Rng rng(15);
  for (const DTypeRow& row : kDTypes) {
    for (const int axis : {0, 1, 2}) {
      for (const bool largest : {true, false}) {
        KernelCall call{.op = OpKind::kTopK};
        call.attributes.Set("axis", std::int64_t{axis});
        call.attributes.Set("largest", std::int64_t{largest ? 1 : 0});
        const Tensor x = RandomTensor({row.dtype, {5, 7, 6}}, rng, -3, 3);  // with equals
        const std::int64_t k = axis == 1 ? 7 : 3;
        call.inputs = {x, Int64s({1}, {k})};
        call.constant = {false, true};
        Shape shape = x.shape();
        shape[axis] = k;
        call.outputs = {{row.dtype, shape}, {DType::kInt64, shape}};
        Tensor values(row.dtype, shape);
        Tensor indices(DType::kInt64, shape);
        for (std::int64_t i = 0; i < values.ElementCount(); ++i) {
          Position p = PositionAt(shape, i);
          const auto rank = static_cast<std::size_t>(p[static_cast<std::size_t>(axis)]);
          std::vector<std::pair<double, std::int64_t>> line;
          for (std::int64_t j = 0; j < x.shape()[axis]; ++j) {
            p[static_cast<std::size_t>(axis)] = j;
            const double value = DoubleAt(row.dtype, x.data(), LinearIndex(x.shape(), p));
            line.emplace_back(largest ? -value : value, j);
          }
          std::sort(line.begin(), line.end());
          p[static_cast<std::size_t>(axis)] = line[rank].second;
          CopyElement(x, LinearIndex(x.shape(), p), values, i);
          indices.mutable_values<std::int64_t>()[static_cast<std::size_t>(i)] = line[rank].second;
        }
        ExpectAll(call, values, 0);
        ExpectAll(call, indices, 1);
      }
    }
  }
}

// Long rows, of which the k best come early, late, or everywhere.
TEST(TopKTest, LongRowsKeepTheBestWhereverTheyStand) {
  Rng rng(16);
  for (const std::int64_t k : {0, 1, 5, 300, 999, 1000}) {
    for (const int order : {0, 1, 2}) {
      std::vector<std::int64_t> values;
      for (std::int64_t i = 0; i < 1000; ++i) {
        values.push_back(order == 0   ? i
                         : order == 1 ? -i
                                      : static_cast<std::int64_t>(rng.Below(50)));
      }
      KernelCall call{.op = OpKind::kTopK};
      call.inputs = {Convert(Int64s({1000}, values), DType::kFloat32), Int64s({1}, {k})};
      call.constant = {false, true};
      call.outputs = {{DType::kFloat32, {k}}, {DType::kInt64, {k}}};
      std::vector<std::int64_t> best;
      for (std::int64_t i = 0; i < 1000; ++i) {
        best.push_back(i);
      }
      std::stable_sort(best.begin(), best.end(), [&](std::int64_t a, std::int64_t b) {
        return values[static_cast<std::size_t>(a)] > values[static_cast<std::size_t>(b)];
      });
      best.resize(static_cast<std::size_t>(k));
      ExpectAll(call, Int64s({k}, best), 1);
    }
  }
}

TEST(TopKTest, NaNComesFirstZerosAreEqualAndExtremesAreOrdered) {
  KernelCall call{.op = OpKind::kTopK};
  call.inputs = {TensorOf(DType::kFloat32, {6}, {-0.0, 0.0, -INFINITY, NAN, INFINITY, -NAN}),
                 Int64s({1}, {6})};
  call.constant = {false, true};
  call.outputs = {{DType::kFloat32, {6}}, {DType::kInt64, {6}}};
  ExpectAll(call, Int64s({6}, {3, 5, 4, 0, 1, 2}), 1);
  call.inputs[0] = Tensor::From<std::uint64_t>(
      {3}, std::vector<std::uint64_t>{1, ~std::uint64_t{0}, std::uint64_t{1} << 63});
  call.inputs[1] = Int64s({1}, {2});
  call.outputs = {{DType::kUInt64, {2}}, {DType::kInt64, {2}}};
  ExpectAll(call, Int64s({2}, {1, 2}), 1);
}

TEST(CumSumTest, AddsAlongTheAxis) {
  for (const bool exclusive : {false, true}) {
    for (const bool reverse : {false, true}) {
      for (const DTypeRow& row : kDTypes) {
        if (row.dtype == DType::kBool) {
          continue;
        }
        KernelCall call{.op = OpKind::kCumSum};
        call.attributes.Set("exclusive", std::int64_t{exclusive});
        call.attributes.Set("reverse", std::int64_t{reverse});
        call.inputs = {TensorOf(row.dtype, {2, 3, 1}, {1, 2, 3, 4, 5, 6}), Int64s({}, {-2})};
        const std::vector<double> want = exclusive
                                             ? (reverse ? std::vector<double>{5, 3, 0, 11, 6, 0}
                                                        : std::vector<double>{0, 1, 3, 0, 4, 9})
                                             : (reverse ? std::vector<double>{6, 5, 3, 15, 11, 6}
                                                        : std::vector<double>{1, 3, 6, 4, 9, 15});
        ExpectAll(call, TensorOf(row.dtype, {2, 3, 1}, want));
      }
    }
  }
}

TEST(CumSumTest, RoundsOnce) {
  KernelCall call{.op = OpKind::kCumSum};
  // In float16, 2048 + 1 rounds to 2048 twice over if each sum is rounded.
  call.inputs = {TensorOf(DType::kFloat16, {3}, {2048, 1, 1}), Int64s({}, {0})};
  ExpectAll(call, TensorOf(DType::kFloat16, {3}, {2048, 2048, 2050}));
}

TEST(SelectTest, MarksAndChooses) {
  KernelCall inf{.op = OpKind::kIsInf};
  inf.attributes.Set("detect_negative", std::int64_t{0});
  inf.inputs = {TensorOf(DType::kFloat16, {4}, {INFINITY, -INFINITY, NAN, 1})};
  ExpectAll(inf, TensorOf(DType::kBool, {4}, {1, 0, 0, 0}));
  KernelCall nan{.op = OpKind::kIsNaN};
  nan.inputs = {TensorOf(DType::kBFloat16, {4}, {INFINITY, -NAN, NAN, 1})};
  ExpectAll(nan, TensorOf(DType::kBool, {4}, {0, 1, 1, 0}));
  KernelCall hard{.op = OpKind::kHardmax};
  hard.attributes.Set("axis", std::int64_t{0});
  hard.inputs = {TensorOf(DType::kFloat32, {3, 3}, {1, 5, 0, 2, 5, NAN, 2, 1, NAN})};
  ExpectAll(hard, TensorOf(DType::kFloat32, {3, 3}, {0, 1, 0, 1, 0, 1, 0, 0, 0}));
  KernelCall hot{.op = OpKind::kOneHot};
  hot.attributes.Set("axis", std::int64_t{0});
  hot.inputs = {TensorOf(DType::kFloat32, {4}, {1, -1, 3, -4}), Int64s({1}, {3}),
                TensorOf(DType::kInt8, {2}, {7, 9})};
  hot.constant = {false, true, false};
  ExpectAll(hot, TensorOf(DType::kInt8, {3, 4}, {7, 7, 7, 7, 9, 7, 7, 7, 7, 9, 7, 7}));
  KernelCall eye{.op = OpKind::kEyeLike};
  eye.attributes.Set("k", std::int64_t{-1});
  eye.inputs = {Tensor(DType::kFloat32, {3, 2})};
  ExpectAll(eye, TensorOf(DType::kFloat32, {3, 2}, {0, 0, 1, 0, 0, 1}));
}

TEST(SelectTest, ResultsOfConstantsWhoseExtentsDependOnThem) {
  KernelCall non_zero{.op = OpKind::kNonZero};
  non_zero.inputs = {TensorOf(DType::kFloat32, {2, 3}, {0, 4, NAN, 0, 0, -1})};
  non_zero.constant = {true};
  ExpectAll(non_zero, Int64s({2, 3}, {0, 0, 1, 1, 2, 2}));
  KernelCall compress{.op = OpKind::kCompress};
  compress.attributes.Set("axis", std::int64_t{1});
  compress.inputs = {TensorOf(DType::kInt32, {2, 3}, {1, 2, 3, 4, 5, 6}),
                     TensorOf(DType::kBool, {2}, {0, 1})};
  compress.constant = {false, true};
  ExpectAll(compress, TensorOf(DType::kInt32, {2, 1}, {2, 5}));
  compress.attributes = {};
  ExpectAll(compress, TensorOf(DType::kInt32, {1}, {2}));
}

TEST(SelectTest, PartsOfMatricesAndSequences) {
  KernelCall trilu{.op = OpKind::kTrilu};
  trilu.inputs = {TensorOf(DType::kInt8, {2, 3}, {1, 2, 3, 4, 5, 6}), Int64s({}, {1})};
  ExpectAll(trilu, TensorOf(DType::kInt8, {2, 3}, {0, 2, 3, 0, 0, 6}));
  trilu.attributes.Set("upper", std::int64_t{0});
  trilu.inputs[1] = Int64s({}, {-1});
  ExpectAll(trilu, TensorOf(DType::kInt8, {2, 3}, {0, 0, 0, 4, 0, 0}));
  trilu.inputs[1] = Int64s({}, {INT64_MIN});
  ExpectAll(trilu, Tensor(DType::kInt8, {2, 3}));
  KernelCall reverse{.op = OpKind::kReverseSequence};
  reverse.inputs = {TensorOf(DType::kInt16, {3, 2}, {1, 2, 3, 4, 5, 6}), Int64s({2}, {2, 3})};
  ExpectAll(reverse, TensorOf(DType::kInt16, {3, 2}, {3, 6, 1, 4, 5, 2}));
}

TEST(NonMaxSuppressionTest, KeepsTheBestOfBoxesThatOverlap) {
  KernelCall call{.op = OpKind::kNonMaxSuppression};
  call.inputs = {
      TensorOf(DType::kFloat32, {1, 4, 4}, {0, 0, 1, 1, 0, 0.1, 1, 1.1, 1, 1, 0, 0, 0, 5, 1, 6}),
      TensorOf(DType::kFloat32, {1, 1, 4}, {0.5, 0.9, 0.5, 0.2}), Int64s({1}, {3}),
      TensorOf(DType::kFloat32, {1}, {0.5}), TensorOf(DType::kFloat32, {1}, {0.1})};
  call.constant.assign(5, true);
  ExpectAll(call, Int64s({2, 3}, {0, 0, 1, 0, 0, 3}));
  call.inputs[4] = TensorOf(DType::kFloat32, {1}, {0.95});
  ExpectAll(call, Tensor(DType::kInt64, {0, 3}));
}

}  // namespace
}  // namespace halftone::testing
