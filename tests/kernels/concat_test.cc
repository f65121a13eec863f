#include "kernels/concat/concat.h"

#include "gtest/gtest.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "tests/kernels/index_oracle.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

struct Case {
  const char* name;
  Shape whole;
  std::int64_t axis;
  std::vector<std::int64_t> parts;  // extents along the axis
};

class ConcatTest : public ::testing::TestWithParam<Case> {
 protected:
  // The part of `whole` from `first` along the axis, element by element.
  static Tensor PartOf(const Tensor& whole, int axis, std::int64_t first, std::int64_t extent) {
    Shape shape = whole.shape();
    shape[axis] = extent;
    return ByIndex(whole, shape, [&](Position at) {
      at[static_cast<std::size_t>(axis)] += first;
      return std::optional(at);
    });
  }
};

TEST_P(ConcatTest, ConcatAndSplitAreInverse) {
  const Case& param = GetParam();
  Rng rng(51);
  for (const DTypeRow& row : kDTypes) {
    const Tensor whole = RandomTensor({row.dtype, param.whole}, rng, -100, 100);
    KernelCall concat{.op = OpKind::kConcat};
    KernelCall split{.op = OpKind::kSplit};
    concat.attributes.Set("axis", param.axis);
    split.attributes.Set("axis", param.axis);
    split.inputs = {whole};
    concat.outputs = {whole.type()};
    const int axis = NormalizeAxis(param.axis, param.whole.rank());
    std::int64_t first = 0;
    for (const std::int64_t extent : param.parts) {
      concat.inputs.emplace_back(PartOf(whole, axis, first, extent));
      split.outputs.push_back(concat.inputs.back()->type());
      first += extent;
    }
    EXPECT_TRUE(AllEqual(RunSelected(concat, 2)[0], whole)) << row.name;
    const auto parts = RunSelected(split, 2);
    ASSERT_EQ(parts.size(), param.parts.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      EXPECT_TRUE(AllEqual(parts[p], *concat.inputs[p])) << row.name << ", part " << p;
    }
  }
}

const Case kCases[] = {
    {"One", {3, 4}, 0, {3}},
    {"Rows", {5, 4}, 0, {2, 3}},
    {"Columns", {3, 7}, -1, {1, 4, 2}},
    {"Channels", {2, 9, 3, 5}, 1, {2, 3, 4}},
    {"ShortRuns", {50, 9}, 1, {5, 3, 1}},
    {"WithEmpty", {2, 5}, 1, {0, 5, 0}},
    {"AllEmpty", {0, 5}, 1, {2, 3}},
    {"Many", {3, 33}, 1, {1, 2, 3, 4, 5, 6, 7, 5}},
    {"LargeRows", {2, 600, 700}, 0, {1, 1}},
    {"LargeChannels", {600, 2, 700}, 1, {1, 1}},
};

INSTANTIATE_TEST_SUITE_P(Cases, ConcatTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(ConcatErrors, PartsThatDoNotFitAreNamed) {
  KernelCall call{.op = OpKind::kConcat};
  call.attributes.Set("axis", std::int64_t{1});
  call.inputs = {Tensor(DType::kFloat32, {2, 3}), Tensor(DType::kFloat32, {3, 3})};
  call.outputs = {{DType::kFloat32, {2, 6}}};
  try {
    RunSelected(call);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "Concat: part float32 3x3 does not fit float32 2x6 along axis 1");
  }
}

}  // namespace
}  // namespace halftone::testing
