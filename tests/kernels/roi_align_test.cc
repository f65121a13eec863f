// RoiAlign: numbers worked out by hand; the node tests of the ONNX project hold the modes against
// another implementation.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

Tensor Computed(const KernelCall& call) {
  const Tensor one = RunSelected(call, 1)[0];
  EXPECT_TRUE(AllEqual(RunSelected(call, 2)[0], one));
  return one;
}

// A linear image is its own mean at the centre of a bin.
TEST(RoiAlignTest, BinsOfALinearImageAreItsValuesAtTheirCentres) {
  Tensor x(DType::kFloat32, {1, 1, 8, 8});
  for (std::int64_t i = 0; i < 64; ++i) {
    x.mutable_values<float>()[static_cast<std::size_t>(i)] = static_cast<float>(i / 8 * 2 + i % 8);
  }
  KernelCall call{.op = OpKind::kRoiAlign};
  call.attributes.Set("output_height", std::int64_t{2});
  call.attributes.Set("output_width", std::int64_t{2});
  call.inputs = {x, TensorOf(DType::kFloat32, {2, 4}, {1.5, 2.5, 5.5, 6.5, 0, 0, 4, 4}),
                 Tensor::From<std::int64_t>({2}, std::vector<std::int64_t>{0, 5})};
  // Region of 4x4 pixels from (1, 2): bins centred at 2 and 4 across, 3 and 5 down. No image 5.
  EXPECT_TRUE(AllEqual(Computed(call),
                       TensorOf(DType::kFloat32, {2, 1, 2, 2}, {8, 10, 12, 14, 0, 0, 0, 0})));
}

// A region of 2^40 pixels, of which 16 are there: samples outside of the image are not visited one
// by one, or this would not end. Of 2^20 x 2^20 samples, 2 x 2^20 apart, a few see the image.
TEST(RoiAlignTest, ARegionFarLargerThanTheImageEnds) {
  for (const char* mode : {"avg", "max"}) {
    KernelCall call{.op = OpKind::kRoiAlign};
    call.attributes.Set("mode", std::string(mode));
    call.attributes.Set("spatial_scale", 1.0F);
    const std::vector<double> ones(16, 1);
    call.inputs = {TensorOf(DType::kFloat32, {1, 1, 4, 4}, ones),
                   TensorOf(DType::kFloat32, {1, 4}, {-0x1p30, -0x1p30, 0x1p30, 0x1p30}),
                   Tensor::From<std::int64_t>({1}, std::vector<std::int64_t>{0})};
    const Tensor y = Computed(call);
    EXPECT_GE(y.values<float>()[0], 0.0F);
    EXPECT_LE(y.values<float>()[0], 1.0F);
  }
}

// 10^12 samples of each bin would have no end.
TEST(RoiAlignTest, AMillionSamplesAlongAnAxisAreASentence) {
  KernelCall call{.op = OpKind::kRoiAlign};
  call.attributes.Set("sampling_ratio", std::int64_t{1'000'000});
  call.inputs = {Tensor(DType::kFloat32, {1, 1, 4, 4}),
                 TensorOf(DType::kFloat32, {1, 4}, {0, 0, 4, 4}),
                 Tensor::From<std::int64_t>({1}, std::vector<std::int64_t>{0})};
  try {
    static_cast<void>(RunSelected(call));
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "attribute 'sampling_ratio': expected at most 1024 samples along an axis of a bin, "
              "got 1000000: give fewer, more change nothing that can be seen");
  }
}

// The mean is that of all samples, and where one is outside the greatest is no less than zero.
TEST(RoiAlignTest, SamplesOutsideOfTheImageCountAsZeros) {
  Rng rng(11);
  const Tensor x = RandomTensor({DType::kFloat32, {1, 2, 4, 4}}, rng, -2, -1);
  for (const std::int64_t ratio : {0, 3}) {
    for (const char* mode : {"avg", "max"}) {
      const auto align = [&](double left, double top, double right, double bottom) {
        KernelCall call{.op = OpKind::kRoiAlign};
        call.attributes.Set("mode", std::string(mode));
        call.attributes.Set("sampling_ratio", ratio);
        call.inputs = {x, TensorOf(DType::kFloat32, {1, 4}, {left, top, right, bottom}),
                       Tensor::From<std::int64_t>({1}, std::vector<std::int64_t>{0})};
        return Computed(call);
      };
      // 8 x 8 pixels from (-2, -2) on. Samples at the centres of pixels lie at -2 to 5; those at -1
      // and 4, a pixel beside the image, see its border. Of 3 along each axis, one sees the image:
      // between the pixels 1 and 2.
      constexpr double kCentres[] = {2, 1, 1, 2};
      const Tensor y = align(-2, -2, 6, 6);
      for (std::int64_t c = 0; c < 2; ++c) {
        double sum = 0;
        for (std::int64_t i = 0; i < 16; ++i) {
          const bool middle = i / 4 % 3 != 0 && i % 4 % 3 != 0;
          const double weight = ratio == 0 ? kCentres[i / 4] * kCentres[i % 4] / 64
                                : middle   ? 1.0 / 9 / 4
                                           : 0;
          sum += weight * DoubleAt(DType::kFloat32, x.data(), c * 16 + i);
        }
        const double want = std::string(mode) == "avg" ? sum : 0;
        EXPECT_NEAR(y.values<float>()[static_cast<std::size_t>(c)], want, 1e-6) << mode << ratio;
      }
    }
  }
}

}  // namespace
}  // namespace halftone::testing
