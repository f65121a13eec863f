#include "kernels/pool/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/pool/pool_call.h"
#include "src/ir/tensor.h"

namespace halftone {
namespace {

struct ReferenceState : KernelState {
  explicit ReferenceState(const KernelQuery& query) : call(PoolCallOf(query)) {}

  PoolCall call;
};

struct Pooled {
  double value = 0;
  std::int64_t pixel = 0;  // of the maximum; -1: of no tap
};

// Computes one output. A maximum is NaN if any tap is NaN, and -inf over no taps.
Pooled PoolAt(const PoolCall& call, const void* x, std::int64_t image, std::int64_t channel,
              const std::array<std::int64_t, kSpatialAxes>& out) {
  std::array<TapRange, kSpatialAxes> taps;
  std::array<std::int64_t, kSpatialAxes> start{};
  for (std::size_t i = 0; i < kSpatialAxes; ++i) {
    taps[i] = TapsAt(call, i, out[i]);
    start[i] = out[i] * call.stride[i] - call.pad[i];
  }
  double sum = 0;
  Pooled maximum{.value = -std::numeric_limits<double>::infinity(), .pixel = -1};
  for (std::int64_t d = taps[0].first; d < taps[0].last; ++d) {
    for (std::int64_t h = taps[1].first; h < taps[1].last; ++h) {
      for (std::int64_t w = taps[2].first; w < taps[2].last; ++w) {
        const std::int64_t z = start[0] + d * call.dilation[0];
        const std::int64_t y = start[1] + h * call.dilation[1];
        const std::int64_t at = start[2] + w * call.dilation[2];
        const std::int64_t pixel = (z * call.input[1] + y) * call.input[2] + at;
        const double value = DoubleAt(
            call.dtype, x,
            call.channels_last ? (image * call.InputPixels() + pixel) * call.channels + channel
                               : (image * call.channels + channel) * call.InputPixels() + pixel);
        sum += call.norm > 0 ? std::pow(std::abs(value), call.norm) : value;
        const bool keeps =
            std::isnan(maximum.value) || (maximum.pixel >= 0 && maximum.value >= value);
        maximum = keeps ? maximum : Pooled{value, pixel};
      }
    }
  }
  if (call.norm > 0) {
    return {.value = std::pow(sum, 1 / call.norm)};
  }
  const auto counted = static_cast<double>(taps[0].counted * taps[1].counted * taps[2].counted);
  return call.average ? Pooled{.value = sum / counted} : maximum;
}

// Element of Indices: the position in the whole input.
std::int64_t IndexOf(const PoolCall& call, std::int64_t plane, std::int64_t pixel) {
  if (pixel >= 0 && call.indices_by_columns) {
    const std::int64_t w = pixel % call.input[2];
    const std::int64_t h = pixel / call.input[2] % call.input[1];
    const std::int64_t d = pixel / (call.input[1] * call.input[2]);
    // The first axis that the input has counts fastest; axes that it does not have are 0.
    pixel = call.input[0] > 1 || d > 0 ? (w * call.input[1] + h) * call.input[0] + d
                                       : w * call.input[1] + h;
  }
  return plane * call.InputPixels() + std::max<std::int64_t>(pixel, 0);
}

}  // namespace

std::unique_ptr<KernelState> PreparePoolReference(const KernelQuery& query) {
  return std::make_unique<ReferenceState>(query);
}

void RunPoolReference(const KernelArgs& args) noexcept {
  const PoolCall& call = static_cast<const ReferenceState&>(*args.state).call;
  const std::int64_t pixels = call.OutputPixels();
  for (std::int64_t out = 0; out < call.planes() * pixels; ++out) {
    const std::int64_t image = out / (call.channels * pixels);
    const std::int64_t in_image = out % (call.channels * pixels);
    const std::int64_t channel = call.channels_last ? in_image % call.channels : in_image / pixels;
    const std::int64_t pixel = call.channels_last ? in_image / call.channels : in_image % pixels;
    const Pooled pooled = PoolAt(call, args.inputs[0], image, channel,
                                 {pixel / (call.output[1] * call.output[2]),
                                  pixel / call.output[2] % call.output[1], pixel % call.output[2]});
    StoreDouble(call.dtype, args.outputs[0], out, pooled.value);
    if (call.indices) {
      static_cast<std::int64_t*>(args.outputs[1])[out] =
          IndexOf(call, image * call.channels + channel, pooled.pixel);
    }
  }
}

}  // namespace halftone
