// Arithmetic of float16 by its own instructions against that by conversion.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu_isa.h"
#include "src/ir/half.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

// Every operand meets every other: all exponents, zeros of both signs, subnormal numbers, NaN.
TEST(BinaryFloat16Test, InstructionsHaveTheBitsOfConversion) {
  if ((DetectIsa() & kIsaAvx512Fp16) == 0) {
    GTEST_SKIP() << "needs avx512_fp16";
  }
  Rng rng(12);
  std::vector<double> values = testing::SpecialValues(DType::kFloat16);
  while (values.size() < 97) {
    const Float16 half{static_cast<std::uint16_t>(rng.Next())};
    values.push_back(half.ToFloat());
  }
  const auto count = static_cast<std::int64_t>(values.size());
  for (const char* name : {"add", "sub", "mul", "div", "max", "min", "prelu"}) {
    const KernelEntry& entry = testing::EntryNamed(std::string("binary.") + name + ".avx512_fp16");
    const KernelEntry& other = testing::EntryNamed(std::string("binary.") + name + ".vector");
    for (const Shape& b : {Shape{1, count}, Shape{count, 1}}) {
      testing::KernelCall call{.op = entry.op};
      call.inputs = {testing::TensorOf(DType::kFloat16, {count, 1}, values),
                     testing::TensorOf(DType::kFloat16, b, values)};
      EXPECT_TRUE(
          testing::AllEqual(testing::RunEntry(entry, call)[0], testing::RunEntry(other, call)[0]))
          << name;
      std::swap(call.inputs[0], call.inputs[1]);
      EXPECT_TRUE(
          testing::AllEqual(testing::RunEntry(entry, call)[0], testing::RunEntry(other, call)[0]))
          << name;
    }
  }
}

}  // namespace
}  // namespace halftone
