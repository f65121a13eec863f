#include "kernels/skeleton/skeleton.h"

#include <cmath>

#include "gtest/gtest.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

KernelCall CallOf(const Tensor& x, float factor, float offset) {
  KernelCall call{.op = OpKind::kAbs};
  call.attributes.Set("factor", factor);
  call.attributes.Set("offset", offset);
  call.inputs = {x};
  call.outputs = {x.type()};
  return call;
}

// The tests of real families loop over EntriesFor(call); the skeleton is in no table.
TEST(SkeletonTest, StaysWithinTheBound) {
  constexpr float kFactor = 1.7F;
  constexpr float kOffset = -0.3F;
  Rng rng(71);
  for (const KernelEntry& entry : SkeletonKernels()) {
    for (const DType dtype :
         {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64}) {
      for (const std::int64_t count : {0, 1, 2, 3, 15, 16, 17, 33, 70001}) {
        if (!entry.dtypes.Has(dtype)) {
          continue;
        }
        const Tensor x = RandomTensor({dtype, {count}}, rng, -4, 4);
        Tensor exact(DType::kFloat64, {count});
        for (std::int64_t i = 0; i < count; ++i) {
          exact.mutable_values<double>()[static_cast<std::size_t>(i)] =
              double{kFactor} * DoubleAt(dtype, x.data(), i) + double{kOffset};
        }
        const auto bound = [&](std::int64_t i, double value) {
          const double product = std::abs(double{kFactor} * DoubleAt(dtype, x.data(), i));
          return 0x1p-24 * product + 0x1p-24 * (1 + 0x1p-24) * std::abs(value);
        };
        EXPECT_TRUE(AllWithin(RunEntry(entry, CallOf(x, kFactor, kOffset), 2)[0], exact, bound))
            << entry.name << " in " << NameOf(dtype) << ", " << count;
      }
    }
  }
}

TEST(SkeletonErrors, AnotherShapeIsRefused) {
  KernelCall call = CallOf(Tensor(DType::kFloat32, {2}), 1, 0);
  call.outputs = {{DType::kFloat32, {3}}};
  try {
    RunEntry(SkeletonKernels()[0], call);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "Skeleton: expected an output of shape 2, got 3");
  }
}

}  // namespace
}  // namespace halftone::testing
