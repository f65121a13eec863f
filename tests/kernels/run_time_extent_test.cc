// NonZero, NonMaxSuppression and Unique of operands that a run computes: the planned number of
// results, or none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "src/ir/box_selection.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::EntriesFor;
using testing::KernelCall;
using testing::RandomTensor;
using testing::RunEntry;
using testing::SpecialValues;
using testing::TensorOf;

Tensor Int64s(Shape shape, const std::vector<std::int64_t>& values) {
  return Tensor::From<std::int64_t>(std::move(shape), values);
}

void ExpectAll(KernelCall call, const Tensor& expected) {
  call.outputs = {expected.type()};
  for (const KernelEntry* entry : EntriesFor(call)) {
    bool other_count = false;
    EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 1, &other_count)[0], expected)) << entry->name;
    EXPECT_FALSE(other_count) << entry->name;
  }
}

// Where the results are planned to have this shape, the status says that they do not, and they are
// zero.
void ExpectOther(KernelCall call, const Shape& shape) {
  call.outputs.resize(std::max<std::size_t>(call.outputs.size(), 1));
  call.outputs[0] = {DType::kInt64, shape};
  for (const KernelEntry* entry : EntriesFor(call)) {
    bool other_count = false;
    for (const Tensor& result : RunEntry(*entry, call, 1, &other_count)) {
      EXPECT_TRUE(AllEqual(result, Tensor(result.type()))) << entry->name;
    }
    EXPECT_TRUE(other_count) << entry->name;
  }
}

// Indices of what is not zero, by value, one row an axis.
Tensor NonZeroOracle(const Tensor& x) {
  const std::vector<double> values = DoublesOf(x);
  std::vector<std::vector<std::int64_t>> found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) {
      continue;
    }
    std::vector<std::int64_t> index(static_cast<std::size_t>(std::max(x.shape().rank(), 1)));
    auto rest = static_cast<std::int64_t>(i);
    for (int axis = x.shape().rank() - 1; axis >= 0; --axis) {
      index[static_cast<std::size_t>(axis)] = rest % x.shape()[axis];
      rest /= x.shape()[axis];
    }
    found.push_back(index);
  }
  std::vector<std::int64_t> rows;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(std::max(x.shape().rank(), 1));
       ++axis) {
    for (const auto& index : found) {
      rows.push_back(index[axis]);
    }
  }
  return Int64s({std::max(x.shape().rank(), 1), static_cast<std::int64_t>(found.size())}, rows);
}

TEST(NonZeroTest, FindsThePlannedNumberInEveryType) {
  Rng rng(4);
  for (const auto& row : kDTypes) {
    std::vector<double> values = SpecialValues(row.dtype);
    while (values.size() % 3 != 0 || values.size() < 12) {
      values.push_back(0);
    }
    const Tensor special =
        TensorOf(row.dtype, {3, static_cast<std::int64_t>(values.size()) / 3}, values);
    for (const Tensor& x : {special, RandomTensor({row.dtype, {2, 1, 3, 5}}, rng, 0, 3),
                            RandomTensor({row.dtype, {}}, rng, 1, 2), Tensor(row.dtype, {4})}) {
      KernelCall call{.op = OpKind::kNonZero};
      call.inputs = {x};
      const Tensor expected = NonZeroOracle(x);
      ExpectAll(call, expected);
      Shape more = expected.shape();
      ++more[1];
      ExpectOther(call, more);
      if (expected.shape()[1] > 0) {
        more[1] -= 2;
        ExpectOther(call, more);
      }
    }
  }
}

// Takes the best that is left and drops what it overlaps, class by class.
std::vector<std::int64_t> SelectionOracle(const Tensor& boxes, const Tensor& scores,
                                          std::int64_t most, float overlap, float least) {
  const BoxSelection all{.boxes = boxes.values<float>().data()};
  const std::int64_t count = boxes.shape()[1];
  std::vector<std::int64_t> result;
  for (std::int64_t row = 0; row < scores.shape()[0] * scores.shape()[1]; ++row) {
    const std::int64_t image = row / scores.shape()[1];
    std::vector<std::int64_t> left;
    for (std::int64_t i = 0; i < count; ++i) {
      if (scores.values<float>()[static_cast<std::size_t>(row * count + i)] > least) {
        left.push_back(i);
      }
    }
    for (std::int64_t n = 0; n < most && !left.empty(); ++n) {
      const auto best = *std::max_element(left.begin(), left.end(), [&](auto a, auto b) {
        return scores.values<float>()[static_cast<std::size_t>(row * count + a)] <
               scores.values<float>()[static_cast<std::size_t>(row * count + b)];
      });
      result.insert(result.end(), {image, row % scores.shape()[1], best});
      std::erase_if(left, [&](std::int64_t i) {
        return i == best ||
               Suppresses(all.BoxAt(image * count + best), all.BoxAt(image * count + i), overlap);
      });
    }
  }
  return result;
}

TEST(NonMaxSuppressionTest, SelectsInEveryRun) {
  Rng rng(9);
  for (const std::int64_t count : {1, 7, 40}) {
    KernelCall call{.op = OpKind::kNonMaxSuppression};
    const Tensor boxes = RandomTensor({DType::kFloat32, {2, count, 4}}, rng, 0, 1);
    // Few different scores: ties are broken by position.
    Tensor scores = RandomTensor({DType::kFloat32, {2, 3, count}}, rng, 0, 8);
    for (float& score : scores.mutable_values<float>()) {
      score = std::floor(score) / 8;
    }
    const auto expected = SelectionOracle(boxes, scores, 5, 0.4F, 0.2F);
    const Shape shape{static_cast<std::int64_t>(expected.size()) / 3, 3};
    call.inputs = {boxes, scores, Int64s({1}, {5}), TensorOf(DType::kFloat32, {1}, {0.4}),
                   TensorOf(DType::kFloat32, {}, {0.2})};
    ExpectAll(call, Int64s(shape, expected));
    for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
      KernelCall half = call;
      half.inputs[0] = Convert(boxes, dtype);
      half.inputs[1] = Convert(scores, dtype);  // exact
      const auto rounded =
          SelectionOracle(Convert(*half.inputs[0], DType::kFloat32), scores, 5, 0.4F, 0.2F);
      ExpectAll(half, Int64s({static_cast<std::int64_t>(rounded.size()) / 3, 3}, rounded));
    }
    ExpectOther(call, {shape[0] + 1, 3});
    ExpectOther(call, {shape[0] - 1, 3});
  }
}

// A score that is NaN is above no threshold; without one it comes last.
TEST(NonMaxSuppressionTest, NaNIsTheLeastScore) {
  KernelCall call{.op = OpKind::kNonMaxSuppression};
  call.inputs = {TensorOf(DType::kFloat32, {1, 3, 4}, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}),
                 TensorOf(DType::kFloat32, {1, 1, 3}, {NAN, -3, 2}), Int64s({1}, {9})};
  ExpectAll(call, Int64s({3, 3}, {0, 0, 2, 0, 0, 1, 0, 0, 0}));
  call.inputs.push_back(TensorOf(DType::kFloat32, {1}, {0.5}));
  call.inputs.push_back(TensorOf(DType::kFloat32, {1}, {-5}));
  ExpectAll(call, Int64s({2, 3}, {0, 0, 2, 0, 0, 1}));
}

struct UniqueCase {
  const char* name;
  Shape shape;
  std::vector<double> x;
  std::optional<std::int64_t> axis;
  bool sorted;
  std::vector<std::int64_t> indices;
  std::vector<std::int64_t> inverse;
  std::vector<std::int64_t> counts;
};

const UniqueCase kUniqueCases[] = {
    {"Sorted", {6}, {2, 1, 1, 3, 4, 3}, {}, true, {1, 0, 3, 4}, {1, 0, 0, 2, 3, 2}, {2, 1, 2, 1}},
    {"Found", {6}, {2, 1, 1, 3, 4, 3}, {}, false, {0, 1, 3, 4}, {0, 1, 1, 2, 3, 2}, {1, 2, 2, 1}},
    {"Flat", {2, 2}, {5, 0, 5, 5}, {}, true, {1, 0}, {1, 0, 1, 1}, {1, 3}},
    {"Rows", {3, 2}, {1, 9, 1, 2, 1, 9}, 0, true, {1, 0}, {1, 0, 1}, {1, 2}},
    {"Columns", {2, 3}, {1, 1, 0, 4, 4, 9}, -1, true, {2, 0}, {1, 1, 0}, {1, 2}},
    {"Middle", {2, 2, 1}, {1, 0, 3, 5}, 1, true, {1, 0}, {1, 0}, {1, 1}},
    {"One", {}, {7}, {}, true, {0}, {0}, {1}},
    {"None", {0}, {}, {}, true, {}, {}, {}},
};

KernelCall UniqueCall(const UniqueCase& c, DType dtype, std::int64_t planned) {
  KernelCall call{.op = OpKind::kUnique, .inputs = {TensorOf(dtype, c.shape, c.x)}};
  if (c.axis) {
    call.attributes.Set("axis", *c.axis);
  }
  call.attributes.Set("sorted", std::int64_t{c.sorted});
  const auto length = static_cast<std::int64_t>(c.inverse.size());
  call.outputs = {
      {DType::kInt64, {planned}}, {DType::kInt64, {length}}, {DType::kInt64, {planned}}};
  return call;
}

TEST(UniqueTest, GroupsEqualSlicesInEveryType) {
  for (const UniqueCase& c : kUniqueCases) {
    const auto count = static_cast<std::int64_t>(c.indices.size());
    for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64,
                              DType::kInt8, DType::kUInt64, DType::kInt64}) {
      const KernelCall call = UniqueCall(c, dtype, count);
      for (const KernelEntry* entry : EntriesFor(call)) {
        const auto got = RunEntry(*entry, call);
        EXPECT_TRUE(AllEqual(got[0], Int64s({count}, c.indices))) << c.name;
        EXPECT_TRUE(AllEqual(got[1], Int64s(got[1].shape(), c.inverse))) << c.name;
        EXPECT_TRUE(AllEqual(got[2], Int64s({count}, c.counts))) << c.name;
      }
    }
  }
}

TEST(UniqueTest, AnotherNumberIsNoResult) {
  for (const std::int64_t planned : {1, 3, 5, 9}) {
    ExpectOther(UniqueCall(kUniqueCases[0], DType::kFloat32, planned), {planned});
  }
}

// NaN is one value, the greatest; both zeros are one; integers beyond 2^53 stay apart.
TEST(UniqueTest, SpecialValues) {
  KernelCall call{
      .op = OpKind::kUnique,
      .inputs = {TensorOf(DType::kFloat32, {7}, {NAN, 0, -0.0, INFINITY, NAN, -INFINITY, 1})}};
  call.outputs = {{DType::kInt64, {5}}};
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], Int64s({5}, {5, 1, 6, 3, 0})));
  }
  constexpr std::int64_t kBig = std::int64_t{1} << 60;
  call.inputs = {Int64s({3}, {kBig + 1, kBig, kBig + 1})};
  call.outputs = {{DType::kInt64, {2}}};
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], Int64s({2}, {1, 0})));
  }
}

}  // namespace
}  // namespace halftone
