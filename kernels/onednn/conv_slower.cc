// Convolutions that are faster without oneDNN, or without Winograd's method, by measurement.
#include "kernels/conv/conv_call.h"
#include "kernels/onednn/conv.h"

namespace halftone {
namespace {

// Winograd's method has 36 weights for 9, which come from memory in a network: with fewer pixels
// than this, reading them takes longer than the products saved. Of the direct way's time in
// networks (ResNet-50, VGG-19, Inception, DenseNet, SqueezeNet, nanodet; Zen 4, 1 and 2 threads;
// 46 shapes of each): 12x12 to 14x14 0.86 to 2.3, median 1.18; from 19x19 on 0.44 to 1.04,
// median 0.65. (Alone, with weights in the cache, it is 1.7 times as fast at 14x14.)
constexpr std::int64_t kWinogradPixels = 256;
// Limit for float16, where the alternative is the dot units: at 14x14 they are 1.6 times as fast,
// at 28x28 as fast (ResNet-50, VGG-19 with their weights in memory).
constexpr std::int64_t kWinogradPixelsOfFloat16 = 400;

// Fewest channels for Winograd's method: with fewer, transforming pixels takes longer than the
// products saved (Zen 4, 12 channels: 1.2 times as long as the direct way; from 16 on it is twice
// as fast). From where on it pays differs between CPUs: on Skylake-SP, 19 layers of 6 networks, one
// thread, it takes 1.24 to 1.47 of the direct way's time while in * out / (in + out) channels are
// 24 or fewer. Operator tuning measures that.
constexpr std::int64_t kWinogradChannels = 16;

// Fewest pixels for oneDNN: with fewer, a 1x1 convolution waits for its weights, and a oneDNN call
// takes longer than the rest (EfficientNet's gates: 5 to 20 us against 0.6 to 14).
constexpr std::int64_t kPixelsOfTheLibrary = 4;
// Fewest multiply-adds for oneDNN, for windows of any size (Skylake-SP, 1x1 to 4x4 pixels: 4 to 6
// us against 0.5 to 2.4 up to 37 000, 5.9 against 5.0 with 48 000, 16 against 25 with 192 000;
// float16 and bfloat16, Zen 5, 1x1 and 2x2 pixels: 1.1 to 2.1 us against 0.4 to 0.6 up to 37 000).
constexpr std::int64_t kSumsOfTheLibrary = 40'000;

// Depthwise windows that our own loops compute several rows at a time, with the activation in them:
// 0.67 to 1.03 of oneDNN's time on the layers of MobileNetV2 and EfficientNet-B0 (Zen 4);
// without one 0.91 to 1.11, which is seldom in networks. 5x5 took 0.9 to 2.1, and 3x3 in rows of 7
// pixels, which leave little but edges, 1.07 to 1.25.
constexpr std::int64_t kPixelsOfOwnDepthwise = 8;

bool IsOwnDepthwise(const ConvCall& call) {
  const bool depthwise = call.in_channels == 1 && call.out_channels == 1;
  const bool square = call.kernel[1] == 3 && call.kernel[2] == 3;
  const bool dense = call.dilation[1] == 1 && call.dilation[2] == 1;
  const bool even = call.stride[1] == call.stride[2] && call.stride[1] <= 2;
  return depthwise && square && dense && even && call.output[2] >= kPixelsOfOwnDepthwise;
}

std::string_view WinogradSlower(const ConvCall& call) {
  if (call.in_channels < kWinogradChannels) {
    return "there are few channels";
  }
  const std::int64_t enough =
      call.dtype == DType::kFloat16 ? kWinogradPixelsOfFloat16 : kWinogradPixels;
  return call.OutputPixels() < enough ? "there are few pixels" : "";
}

}  // namespace

std::string_view LibraryConvSlower(const KernelQuery& query, const LibraryConvForm& form) {
  const ConvCall call = ConvCallOf(query);
  if (call.dtype == DType::kFloat16 && call.in_channels == 1 && call.out_channels == 1) {
    return "it is depthwise: converting takes longer than the products";
  }
  if (call.dtype == DType::kFloat32 && IsOwnDepthwise(call)) {
    return "it is depthwise, with windows of 3x3";
  }
  const std::int64_t pixels = call.batch * call.OutputPixels();
  if (call.Taps() == 1 && pixels < kPixelsOfTheLibrary) {
    return "there are few pixels";
  }
  const double sums =
      static_cast<double>(pixels) *
      static_cast<double>(call.Taps() * call.group * call.in_channels * call.out_channels);
  if (sums < static_cast<double>(kSumsOfTheLibrary)) {
    return "the work takes less time than a oneDNN call";
  }
  return form.algorithm == LibraryAlgorithm::kWinograd ? WinogradSlower(call) : "";
}

}  // namespace halftone
