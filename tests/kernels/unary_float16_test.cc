// Unary operators on float16 by their own instructions against those by conversion.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/cpu_isa.h"
#include "src/ir/half.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::EntryNamed;
using testing::KernelCall;
using testing::RunEntry;
using testing::TensorOf;

// Every float16 there is, and behind them as many as leave a rest of a vector.
Tensor AllHalves() {
  Tensor x(DType::kFloat16, {0x10000 + 45});
  auto* bits = reinterpret_cast<std::uint16_t*>(x.mutable_data());
  for (std::int64_t i = 0; i < x.ElementCount(); ++i) {
    bits[i] = static_cast<std::uint16_t>(i);
  }
  return x;
}

TEST(UnaryFloat16Test, InstructionsHaveTheBitsOfConversion) {
  if ((DetectIsa() & kIsaAvx512Fp16) == 0) {
    GTEST_SKIP() << "needs avx512_fp16";
  }
  for (const auto& [name, other] : {std::pair{"ceil", ".vector"},
                                    {"floor", ".vector"},
                                    {"round", ".vector"},
                                    {"sqrt", ".vector"},
                                    {"reciprocal.precise", ""}}) {
    const KernelEntry& entry = EntryNamed(std::string("unary.") + name + ".avx512_fp16");
    const KernelCall call{.op = entry.op, .inputs = {AllHalves()}};
    EXPECT_TRUE(AllEqual(RunEntry(entry, call)[0],
                         RunEntry(EntryNamed(std::string("unary.") + name + other), call)[0]))
        << name;
  }
}

TEST(UnaryFloat16Test, ClipHasTheBitsOfConversion) {
  if ((DetectIsa() & kIsaAvx512Fp16) == 0) {
    GTEST_SKIP() << "needs avx512_fp16";
  }
  // The bounds 0.1 and 1e6 are no float16.
  for (const auto& [low, high] : {std::pair{0.0, 6.0}, {-0.1, 0.1}, {-1e6, 1e6}, {2.0, -2.0}}) {
    KernelCall call{.op = OpKind::kClip,
                    .inputs = {AllHalves(), TensorOf(DType::kFloat32, {}, {low}),
                               TensorOf(DType::kFloat32, {}, {high})}};
    call.constant = {false, true, true};
    EXPECT_TRUE(AllEqual(RunEntry(EntryNamed("unary.clip.avx512_fp16"), call)[0],
                         RunEntry(EntryNamed("unary.clip.vector"), call)[0]))
        << low << " " << high;
  }
}

// Changing the sign of bits: of every float16 and bfloat16 what float32 gives.
TEST(UnaryFloat16Test, NegChangesTheSignOfEveryElement) {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    Tensor x(dtype, {0x10000 + 45});
    auto* bits = reinterpret_cast<std::uint16_t*>(x.mutable_data());
    for (std::int64_t i = 0; i < x.ElementCount(); ++i) {
      bits[i] = static_cast<std::uint16_t>(i);
    }
    const KernelCall call{.op = OpKind::kNeg, .inputs = {x}};
    EXPECT_TRUE(AllEqual(RunEntry(EntryNamed("unary.neg.vector"), call)[0],
                         RunEntry(EntryNamed("unary.neg.reference"), call)[0]));
  }
}

}  // namespace
}  // namespace halftone
