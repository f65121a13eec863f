// Maxima of 16-bit types as whole numbers.
#include <gtest/gtest.h>

#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllWithin;
using testing::EntriesFor;
using testing::ErrorBound;
using testing::ExactResult;
using testing::KernelCall;
using testing::RunEntry;

// Every element there is beside infinities, zeros and NaN of both signs.
TEST(PoolMaximaBitsTest, EveryElementBesideSpecialOnes) {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    const std::uint16_t infinity = dtype == DType::kFloat16 ? 0x7c00 : 0x7f80;
    for (const int other : {0, 0x8000, infinity + 0, infinity | 0x8000, infinity + 1, 0xffff}) {
      Tensor x(dtype, {1, 0x10000, 1, 2});
      auto* bits = reinterpret_cast<std::uint16_t*>(x.mutable_data());
      for (int i = 0; i < 0x10000; ++i) {
        bits[2 * i + i % 2] = static_cast<std::uint16_t>(i);
        bits[2 * i + 1 - i % 2] = static_cast<std::uint16_t>(other);
      }
      const KernelCall call{.op = OpKind::kGlobalMaxPool, .inputs = {x}};
      const Tensor exact = ExactResult(call)[0];
      for (const KernelEntry* entry : EntriesFor(call)) {
        EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact, ErrorBound{}))
            << entry->name << " beside " << other;
      }
    }
  }
}

}  // namespace
}  // namespace halftone
