// QLinearResize against the interpolation in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/quantized/quantized.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::EntriesFor;
using testing::ExactResult;
using testing::KernelCall;
using testing::RandomTensor;
using testing::RunEntry;
using testing::TensorOf;

constexpr DType kF32 = DType::kFloat32;
constexpr DType kS8 = DType::kInt8;
constexpr DType kU8 = DType::kUInt8;

struct Case {
  const char* name;
  Shape input;
  std::vector<float> scales;
  std::vector<std::int64_t> sizes;
  const char* mode = "linear";
  const char* transformation = "half_pixel";
};

// In channels-last order too: the kernel knows shapes alone.
const Case kCases[] = {
    {"Linear2", {1, 2, 3, 5}, {1, 1, 2, 2}, {}},
    {"Linear2Nhwc", {1, 3, 5, 32}, {1, 2, 2, 1}, {}},
    {"Linear4NhwcOddChannels", {2, 3, 5, 21}, {1, 4, 4, 1}, {}},
    {"LinearNhwcManyChannels", {1, 4, 3, 131}, {1, 1.7F, 2.3F, 1}, {}},
    {"LinearNhwcFewChannels", {1, 5, 7, 3}, {1, 3, 2, 1}, {}},
    {"LinearCorners", {2, 1, 4, 5}, {1, 1, 2, 2}, {}, "linear", "align_corners"},
    {"LinearCornersToOne", {1, 1, 4, 5}, {}, {1, 1, 1, 3}, "linear", "align_corners"},
    {"LinearAsymmetric", {1, 1, 4, 5}, {1, 1, 2, 3}, {}, "linear", "asymmetric"},
    {"LinearTf", {1, 1, 4, 5}, {1, 1, 2.5F, 1.6F}, {}, "linear", "tf_half_pixel_for_nn"},
    {"LinearPytorch", {1, 1, 4, 5}, {}, {1, 1, 1, 3}, "linear", "pytorch_half_pixel"},
    {"LinearSymmetric", {1, 1, 4, 4}, {1, 1, 2.3F, 2.94F}, {}, "linear", "half_pixel_symmetric"},
    {"LinearDown", {1, 1, 8, 9}, {1, 1, 0.6F, 0.4F}, {}},
    {"LinearOneAxis", {2, 3, 9}, {1, 1, 1.7F}, {}},
    {"LinearOneElement", {1, 1, 1, 1}, {1, 1, 4, 3}, {}},
    {"LinearThreads", {1, 8, 61, 67}, {1, 1, 1.5F, 1.5F}, {}},
    {"LinearThreadsNhwc", {1, 31, 67, 24}, {1, 2, 2, 1}, {}},
    {"Cubic2", {1, 2, 4, 5}, {1, 1, 2, 2}, {}, "cubic"},
    {"CubicNhwc", {1, 4, 5, 19}, {1, 2, 3, 1}, {}, "cubic"},
    {"NearestNhwc", {1, 4, 5, 19}, {1, 2, 3, 1}, {}, "nearest"},
    {"Nearest", {1, 3, 4, 5}, {}, {1, 3, 7, 3}, "nearest"},
};

struct Quantised {
  DType dtype = kU8;
  float scale = 1;
  std::int32_t zero = 0;
};

KernelCall CallOf(const Case& c, OpKind op) {
  KernelCall call{.op = op};
  call.attributes.Set("mode", std::string(c.mode));
  call.attributes.Set("coordinate_transformation_mode", std::string(c.transformation));
  return call;
}

// Region, scales and sizes, as constants.
void AddExtents(const Case& c, KernelCall& call) {
  call.constant.resize(call.inputs.size());
  call.inputs.emplace_back();
  if (c.scales.empty()) {
    call.inputs.emplace_back();
    call.inputs.emplace_back(Tensor::From<std::int64_t>({std::ssize(c.sizes)}, c.sizes));
  } else {
    call.inputs.emplace_back(Tensor::From<float>({std::ssize(c.scales)}, c.scales));
  }
  call.constant.resize(call.inputs.size(), true);
}

Tensor Bytes(DType dtype, const Shape& shape, Rng& rng) {
  const double low = dtype == kS8 ? -128 : 0;
  return RandomTensor({dtype, shape}, rng, low, low + 256);
}

KernelCall ByteCall(const Case& c, const Tensor& bytes, const Quantised& x, const Quantised& y) {
  KernelCall call = CallOf(c, OpKind::kQLinearResize);
  call.inputs = {bytes, TensorOf(kF32, {}, {static_cast<double>(x.scale)}),
                 TensorOf(x.dtype, {}, {static_cast<double>(x.zero)}),
                 TensorOf(kF32, {}, {static_cast<double>(y.scale)}),
                 TensorOf(y.dtype, {}, {static_cast<double>(y.zero)})};
  AddExtents(c, call);
  return call;
}

// The interpolation of the steps of x, in double.
std::vector<double> Interpolated(const Case& c, const Tensor& bytes, std::int32_t zero) {
  Tensor steps(kF32, bytes.shape());
  for (std::int64_t i = 0; i < bytes.ElementCount(); ++i) {
    StoreDouble(kF32, steps.mutable_data(), i,
                static_cast<double>(IntegerAt(bytes.dtype(), bytes.data(), i) - zero));
  }
  KernelCall call = CallOf(c, OpKind::kResize);
  call.inputs = {steps};
  AddExtents(c, call);
  return DoublesOf(ExactResult(call)[0]);
}

class QLinearResizeTest : public ::testing::TestWithParam<Case> {};

TEST_P(QLinearResizeTest, IsWithinTheBoundOfTheInterpolation) {
  const Case& c = GetParam();
  Rng rng(41);
  for (const DType from : {kU8, kS8}) {
    for (const DType to : {kU8, kS8}) {
      const Quantised x{from, 0.031F, from == kS8 ? -7 : 131};
      const Quantised y{to, 0.027F, to == kS8 ? 5 : 120};
      const Tensor bytes = Bytes(from, c.input, rng);
      const KernelCall call = ByteCall(c, bytes, x, y);
      const std::vector<double> steps = Interpolated(c, bytes, x.zero);
      const double ratio = static_cast<double>(x.scale) / static_cast<double>(y.scale);
      // byte_resize.h: g(K + L + 4) r sum |h w q|, up to 4 taps an axis, |q| <= 255 and the weights
      // of cubic taps with a sum of absolute values below 1.5 an axis.
      const double bound = 12 * 0x1p-24 / (1 - 12 * 0x1p-24) * ratio * 1.5 * 1.5 * 255;
      const double low = to == kS8 ? -128 : 0;
      for (const KernelEntry* entry : EntriesFor(call)) {
        const Tensor got = RunEntry(*entry, call)[0];
        ASSERT_EQ(std::ssize(steps), got.ElementCount());
        for (std::int64_t i = 0; i < got.ElementCount(); ++i) {
          const double v = steps[static_cast<std::size_t>(i)] * ratio;
          const double least = std::clamp(std::nearbyint(v - bound) + y.zero, low, low + 255);
          const double most = std::clamp(std::nearbyint(v + bound) + y.zero, low, low + 255);
          const auto byte = static_cast<double>(IntegerAt(to, got.data(), i));
          ASSERT_GE(byte, least) << entry->name << " at " << i;
          ASSERT_LE(byte, most) << entry->name << " at " << i;
        }
      }
    }
  }
}

TEST_P(QLinearResizeTest, EveryKernelHasTheBitsOfTheReference) {
  const Case& c = GetParam();
  Rng rng(42);
  for (const DType dtype : {kU8, kS8}) {
    const Quantised x{dtype, 0.031F, dtype == kS8 ? -7 : 131};
    for (const Quantised& y : {x, Quantised{kU8, 0.0117F, 90}}) {
      const KernelCall call = ByteCall(c, Bytes(dtype, c.input, rng), x, y);
      const std::vector<const KernelEntry*> entries = EntriesFor(call);
      ASSERT_EQ(entries.size(), 2U);
      const Tensor want = RunEntry(*entries.back(), call)[0];
      for (const int threads : {1, 3}) {
        EXPECT_TRUE(AllEqual(RunEntry(*entries.front(), call, threads)[0], want)) << threads;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, QLinearResizeTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

// Doubling has weights of quarters: with one scale all sums are exact, and halves round to even.
TEST(QLinearResizeOfOneScaleTest, WeightsActOnTheIntegers) {
  const Case c{"x", {1, 6, 7, 20}, {1, 2, 2, 1}, {}};
  Rng rng(43);
  const Quantised x{kU8, 0.031F, 131};
  const Tensor bytes = Bytes(kU8, c.input, rng);
  const KernelCall call = ByteCall(c, bytes, x, x);
  const std::vector<double> exact = Interpolated(c, bytes, 0);
  for (const KernelEntry* entry : EntriesFor(call)) {
    const Tensor got = RunEntry(*entry, call)[0];
    std::int64_t ties = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      // Ties of q - z: to an even number of steps from the zero point.
      EXPECT_EQ(IntegerAt(kU8, got.data(), static_cast<std::int64_t>(i)),
                static_cast<std::int64_t>(std::nearbyint(exact[i] - x.zero)) + x.zero);
      ties += exact[i] - std::floor(exact[i]) == 0.5 ? 1 : 0;
    }
    EXPECT_GT(ties, 0);
  }
}

TEST(QLinearResizeRefusalTest, ThreeAxesAndWiderFiltersHaveNoKernel) {
  Rng rng(44);
  const Quantised x{kU8, 0.031F, 131};
  const Case volume{"Volume", {1, 1, 2, 3, 4}, {1, 1, 2, 2, 2}, {}};
  EXPECT_TRUE(EntriesFor(ByteCall(volume, Bytes(kU8, volume.input, rng), x, x)).empty());
  const Case half{"Half", {1, 1, 1, 4}, {1, 1, 1, 0.5F}, {}};
  KernelCall call = ByteCall(half, Bytes(kU8, half.input, rng), x, x);
  EXPECT_FALSE(EntriesFor(call).empty());
  call.attributes.Set("antialias", std::int64_t{1});
  EXPECT_TRUE(EntriesFor(call).empty());
}

}  // namespace
}  // namespace halftone
