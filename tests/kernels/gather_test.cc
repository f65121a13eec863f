#include "kernels/gather/gather.h"

#include "gtest/gtest.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "tests/kernels/index_oracle.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

struct Case {
  const char* name;
  Shape data;
  std::int64_t axis;
  Shape index_shape;
  std::vector<std::int64_t> indices;
};

class GatherTest : public ::testing::TestWithParam<Case> {};

TEST_P(GatherTest, TakesTheSlicesByIndex) {
  const Case& param = GetParam();
  Rng rng(61);
  const auto axis = static_cast<std::size_t>(NormalizeAxis(param.axis, param.data.rank()));
  const auto index_rank = static_cast<std::ptrdiff_t>(param.index_shape.rank());
  for (const DTypeRow& row : kDTypes) {
    for (const DType index_dtype : {DType::kInt32, DType::kInt64}) {
      for (const bool constant : {false, true}) {
        const Tensor data = RandomTensor({row.dtype, param.data}, rng, -100, 100);
        KernelCall call{.op = OpKind::kGather};
        call.attributes.Set("axis", param.axis);
        call.inputs = {data, Convert(Tensor::From<std::int64_t>(param.index_shape, param.indices),
                                     index_dtype)};
        call.constant = {false, constant};
        const Tensor want = ByIndex(data, OutputTypesOf(call)[0].shape, [&](const Position& at) {
          const auto begin = at.begin() + static_cast<std::ptrdiff_t>(axis);
          const Position in_index(begin, begin + index_rank);
          Position from = at;
          from.erase(from.begin() + static_cast<std::ptrdiff_t>(axis),
                     from.begin() + static_cast<std::ptrdiff_t>(axis) + index_rank);
          std::int64_t index =
              param.indices[static_cast<std::size_t>(LinearIndex(param.index_shape, in_index))];
          index = index < 0 ? index + param.data[static_cast<int>(axis)] : index;
          from.insert(from.begin() + static_cast<std::ptrdiff_t>(axis), index);
          return std::optional(from);
        });
        EXPECT_TRUE(AllEqual(RunSelected(call, 2)[0], want)) << row.name;
      }
    }
  }
}

const Case kCases[] = {
    {"Embedding", {7, 5}, 0, {2, 3}, {0, 6, 3, 3, 1, 5}},
    {"Scalar", {7, 5}, 0, {}, {4}},
    {"Negative", {7, 5}, 0, {3}, {-1, -7, 2}},
    {"LastAxis", {3, 9}, -1, {4}, {8, 0, -9, 4}},
    {"Middle", {2, 4, 3}, 1, {2, 2}, {3, 0, -1, 1}},
    {"NoIndices", {3, 4}, 0, {0}, {}},
    {"EmptyInner", {3, 0}, 0, {2}, {0, 2}},
};

INSTANTIATE_TEST_SUITE_P(Cases, GatherTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

KernelCall OutOfRange(bool constant, DType index_dtype) {
  KernelCall call{.op = OpKind::kGather};
  const std::int64_t indices[] = {1, 3, -4, 9223372036854775807, -9223372036854775807 - 1};
  Tensor index = Tensor::From<std::int64_t>({5}, indices);
  call.inputs = {TensorOf(DType::kFloat32, {3, 2}, {1, 2, 3, 4, 5, 6}),
                 Convert(index, index_dtype)};
  call.constant = {false, constant};
  return call;
}

TEST(GatherOutOfRange, WritesZerosAtRunTime) {
  EXPECT_TRUE(AllEqual(RunSelected(OutOfRange(false, DType::kInt64))[0],
                       TensorOf(DType::kFloat32, {5, 2}, {3, 4, 0, 0, 0, 0, 0, 0, 0, 0})));
}

TEST(GatherOutOfRange, IsAnErrorWhenConstant) {
  try {
    RunSelected(OutOfRange(true, DType::kInt64));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "Gather: index 3 is outside [-3, 3) of the data's axis");
  }
}

}  // namespace
}  // namespace halftone::testing
