#include "kernels/copy/copy.h"

#include "gtest/gtest.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

struct Case {
  const char* name;
  OpKind op;
  Shape input;
  Shape output;
};

class CopyTest : public ::testing::TestWithParam<Case> {};

TEST_P(CopyTest, KeepsTheElementsUnderAnotherShape) {
  Rng rng(41);
  for (const DTypeRow& row : kDTypes) {
    const Tensor x = RandomTensor({row.dtype, GetParam().input}, rng, -100, 100);
    KernelCall call{.op = GetParam().op};
    call.inputs = {x};
    call.outputs = {{row.dtype, GetParam().output}};
    const auto entries = EntriesFor(call);
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_TRUE(AllEqual(RunEntry(*entries[0], call, 2)[0], x.Reshaped(GetParam().output)))
        << row.name;
  }
}

const Case kCases[] = {
    {"Identity", OpKind::kIdentity, {3, 5}, {3, 5}},
    {"Scalar", OpKind::kIdentity, {}, {}},
    {"Reshape", OpKind::kReshape, {2, 3, 4}, {6, 4}},
    {"Flatten", OpKind::kFlatten, {2, 3, 4}, {2, 12}},
    {"Squeeze", OpKind::kSqueeze, {1, 3, 1}, {3}},
    {"Unsqueeze", OpKind::kUnsqueeze, {3}, {1, 3, 1}},
    {"Empty", OpKind::kReshape, {0, 3}, {3, 0}},
    {"Large", OpKind::kFlatten, {1, 1031, 1033}, {1, 1065023}},
};

INSTANTIATE_TEST_SUITE_P(Cases, CopyTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(CopyErrors, AnotherElementCountIsRefused) {
  KernelCall call{.op = OpKind::kReshape};
  call.inputs = {Tensor(DType::kFloat32, {2, 3})};
  call.outputs = {{DType::kFloat32, {5}}};
  try {
    RunSelected(call);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "Reshape: expected input and output of one dtype and element count, got float32 2x3 "
        "and float32 5");
  }
}

}  // namespace
}  // namespace halftone::testing
