#include "kernels/fill/fill.h"

#include "gtest/gtest.h"
#include "src/base/error.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

Tensor Int64s(std::vector<std::int64_t> values) {
  return Tensor::From<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

TEST(FillTest, ConstantOfShapeRepeatsOneElement) {
  for (const DTypeRow& row : kDTypes) {
    KernelCall call{.op = OpKind::kConstantOfShape};
    call.attributes.Set("value", TensorOf(row.dtype, {1}, {1}));
    call.inputs = {Int64s({2, 3})};
    call.constant = {true};
    EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(row.dtype, {2, 3}, {1, 1, 1, 1, 1, 1})))
        << row.name;
  }
}

TEST(FillTest, ConstantOfShapeIsZeroFloatsByDefault) {
  KernelCall call{.op = OpKind::kConstantOfShape};
  call.inputs = {Int64s({3})};
  call.constant = {true};
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kFloat32, {3}, {0, 0, 0})));
}

KernelCall RangeOf(DType dtype, double start, double limit, double delta) {
  KernelCall call{.op = OpKind::kRange};
  call.inputs = {TensorOf(dtype, {}, {start}), TensorOf(dtype, {}, {limit}),
                 TensorOf(dtype, {}, {delta})};
  call.constant = {true, true, true};
  return call;
}

TEST(FillTest, RangeCountsUpAndDown) {
  for (const DType dtype :
       {DType::kInt16, DType::kInt32, DType::kInt64, DType::kFloat32, DType::kFloat64}) {
    EXPECT_TRUE(AllEqual(RunSelected(RangeOf(dtype, 1, 8, 3))[0], TensorOf(dtype, {3}, {1, 4, 7})));
    EXPECT_TRUE(
        AllEqual(RunSelected(RangeOf(dtype, 5, -4, -4))[0], TensorOf(dtype, {3}, {5, 1, -3})));
    EXPECT_TRUE(AllEqual(RunSelected(RangeOf(dtype, 5, 5, 1))[0], TensorOf(dtype, {0}, {})));
  }
}

TEST(FillTest, RangeOfFloatsIsRoundedOnce) {
  const KernelCall call = RangeOf(DType::kFloat32, 0.1, 100, 0.1);
  const Tensor got = RunSelected(call)[0];
  const auto step = static_cast<double>(0.1F);
  for (std::int64_t i = 0; i < got.ElementCount(); ++i) {
    const double exact = step + static_cast<double>(i) * step;
    EXPECT_LE(std::abs(DoubleAt(DType::kFloat32, got.data(), i) - exact),
              0x1p-24 * exact + 0x1p-52 * 2 * exact);
  }
}

struct ShapeCase {
  std::optional<std::int64_t> start, end;
  std::vector<std::int64_t> expected;
};

TEST(FillTest, ShapeTakesAPartOfTheExtents) {
  const ShapeCase cases[] = {{{}, {}, {2, 3, 5}}, {1, {}, {3, 5}}, {-1, {}, {5}}, {0, -1, {2, 3}},
                             {-9, 9, {2, 3, 5}},  {2, 1, {}},      {3, {}, {}}};
  for (const ShapeCase& param : cases) {
    KernelCall call{.op = OpKind::kShape};
    call.inputs = {Tensor(DType::kFloat16, {2, 3, 5})};
    if (param.start) {
      call.attributes.Set("start", *param.start);
    }
    if (param.end) {
      call.attributes.Set("end", *param.end);
    }
    EXPECT_TRUE(AllEqual(RunSelected(call)[0], Int64s(param.expected)));
  }
}

TEST(FillTest, SizeCountsElements) {
  KernelCall call{.op = OpKind::kSize};
  call.inputs = {Tensor(DType::kInt8, {2, 3, 5})};
  const std::int64_t expected[] = {30};
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], Tensor::From<std::int64_t>({}, expected)));
}

}  // namespace
}  // namespace halftone::testing
