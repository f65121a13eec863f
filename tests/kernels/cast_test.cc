#include "kernels/cast/cast.h"

#include <hwy/targets.h>

#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "kernels/cast/half_loops.h"
#include "src/base/rng.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

KernelCall CallOf(const Tensor& x, DType to) {
  KernelCall call{.op = OpKind::kCast};
  call.attributes.Set("to", std::int64_t{RowOf(to).onnx_type});
  call.inputs = {x};
  call.outputs = {{to, x.shape()}};
  return call;
}

// What Convert() of the ir says is the oracle; it is tested against other sources in tests/ir. It
// goes by double, which loses low bits of 64-bit integers on their way to floats: these are kept
// below 2^53 here, and have a test of their own.
class CastTest : public ::testing::TestWithParam<DTypeRow> {};

TEST_P(CastTest, ConvertsToEveryDType) {
  Rng rng(31);
  const DType from = GetParam().dtype;
  for (const std::int64_t count : {0, 1, 3, 15, 16, 17, 67, 1000}) {
    Tensor x = RandomTensor({from, {count}}, rng, from == DType::kUInt8 ? 0 : -120, 120);
    if (SizeOf(from) < 8 || IsFloating(from)) {
      x = WithSpecialValues(x, rng);
    }
    for (const DTypeRow& to : kDTypes) {
      const KernelCall call = CallOf(x, to.dtype);
      for (const KernelEntry* entry : EntriesFor(call)) {
        EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 2)[0], Convert(x, to.dtype)))
            << entry->name << " from " << GetParam().name << " to " << to.name << ", " << count;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, CastTest, ::testing::ValuesIn(kDTypes),
                         [](const auto& test) { return std::string(test.param.short_name); });

TEST(CastHalfTest, EverySixteenBitPatternSurvivesTheRoundTrip) {
  Tensor f16(DType::kFloat16, {65536});
  Tensor bf16(DType::kBFloat16, {65536});
  for (std::size_t i = 0; i < 65536; ++i) {
    f16.mutable_values<Float16>()[i].bits = static_cast<std::uint16_t>(i);
    bf16.mutable_values<BFloat16>()[i].bits = static_cast<std::uint16_t>(i);
  }
  for (const Tensor& x : {f16, bf16}) {
    for (const KernelEntry* up : EntriesFor(CallOf(x, DType::kFloat32))) {
      const Tensor wide = RunEntry(*up, CallOf(x, DType::kFloat32))[0];
      EXPECT_TRUE(AllEqual(wide, Convert(x, DType::kFloat32))) << up->name;
      for (const KernelEntry* down : EntriesFor(CallOf(wide, x.dtype()))) {
        EXPECT_TRUE(AllEqual(RunEntry(*down, CallOf(wide, x.dtype()))[0], x)) << down->name;
      }
    }
    const DType other = x.dtype() == DType::kFloat16 ? DType::kBFloat16 : DType::kFloat16;
    for (const KernelEntry* across : EntriesFor(CallOf(x, other))) {
      EXPECT_TRUE(AllEqual(RunEntry(*across, CallOf(x, other))[0], Convert(x, other)))
          << across->name;
    }
  }
}

TEST(CastHalfTest, TiesGoToEven) {
  // Halfway between neighbours of each 16-bit format, and one float above and below.
  std::vector<float> values;
  for (const float unit : {0x1p-11F, 0x1p-8F}) {
    for (int step = 1; step < 40; step += 2) {
      const float tie = 1 + static_cast<float>(step) * unit;
      for (const float value : {tie, std::nextafter(tie, 0.0F), std::nextafter(tie, 9.0F)}) {
        values.push_back(value);
        values.push_back(-value);
        values.push_back(value * 0x1p-20F);  // subnormal in f16
      }
    }
  }
  values.insert(values.end(), {65519.996F, 65520.0F, 0x1p-25F, 0x1.8p-25F, 3.4e38F, 0x1p-149F});
  const Tensor x = Tensor::From<float>({static_cast<std::int64_t>(values.size())}, values);
  for (const KernelEntry* entry : EntriesFor(CallOf(x, DType::kFloat16))) {
    const Tensor f16 = RunEntry(*entry, CallOf(x, DType::kFloat16))[0];
    const Tensor bf16 = RunEntry(*entry, CallOf(x, DType::kBFloat16))[0];
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(f16.values<Float16>()[i], Float16::FromFloat(values[i]))
          << entry->name << " " << values[i];
      EXPECT_EQ(bf16.values<BFloat16>()[i], BFloat16::FromFloat(values[i]))
          << entry->name << " " << values[i];
    }
  }
}

// Both sides of every bound, whole numbers and halves, in each lane of a vector.
TEST(CastIntegerTest, FloatsAreTruncatedAndSaturate) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> values = {0,   -0.0, 0.5, -0.5,      0.999,     -0.999,
                                1.5, -1.5, NAN, kInfinity, -kInfinity};
  for (const int bits : {7, 8, 15, 16, 31, 32, 63, 64}) {
    const float bound = std::ldexp(1.0F, bits);
    for (const float value : {bound, bound - 1, bound - 0.5F, bound + 0.5F, bound + 1,
                              std::nextafter(bound, 0.0F), std::nextafter(bound, 3e38F)}) {
      values.insert(values.end(), {value, -value});
    }
  }
  for (const DType from : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    for (int shift = 0; shift < 17; ++shift) {
      values.insert(values.begin(), 7);
      const Tensor x = TensorOf(from, {static_cast<std::int64_t>(values.size())}, values);
      for (const DTypeRow& to : kDTypes) {
        const KernelCall call = CallOf(x, to.dtype);
        for (const KernelEntry* entry : EntriesFor(call)) {
          EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], Convert(x, to.dtype)))
              << entry->name << " to " << to.name;
        }
      }
    }
  }
}

TEST(CastIntegerTest, SixtyFourBitsAreRoundedOnce) {
  // 2^62 + 2^54 is halfway between two bfloat16; one more decides, and is lost on the way by
  // double.
  const std::int64_t base = std::int64_t{1} << 62;
  const std::int64_t half = std::int64_t{1} << 54;
  const std::int64_t values[] = {base + half, base + half + 1, -(base + half + 1), base + 3 * half};
  const Tensor x = Tensor::From<std::int64_t>({4}, values);
  const Tensor got = RunSelected(CallOf(x, DType::kBFloat16))[0];
  const double up = 0x1p62 + 0x1p55;
  EXPECT_EQ(DoublesOf(got), (std::vector<double>{0x1p62, up, -up, 0x1p62 + 0x1p56}));
}

// The symptom: each cast of a few elements took 20 us, because its pointer was that of Highway's
// trampoline, which runs CPUID.
TEST(HalfLoopFor, DoesNotReturnATrampoline) {
  hwy::GetChosenTarget().DeInit();
  const HalfLoop first = HalfLoopFor(DType::kFloat32, DType::kFloat16);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  EXPECT_EQ(HalfLoopFor(DType::kFloat32, DType::kFloat16), first);
}

}  // namespace
}  // namespace halftone::testing
