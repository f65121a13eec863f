// Specification of ConvTranspose in double: every output is the sum over channels and over the taps
// that reach it.
#include "kernels/conv_transpose/reference.h"

#include "kernels/conv_transpose/conv_transpose.h"

namespace halftone {
namespace {

struct ReferenceState final : KernelState {
  ConvTransposeCall call;
};

}  // namespace

std::unique_ptr<KernelState> PrepareConvTransposeReference(const KernelQuery& query) {
  auto state = std::make_unique<ReferenceState>();
  state->call = ConvTransposeCallOf(query);
  return state;
}

void RunConvTransposeReference(const KernelArgs& args) noexcept {
  const ConvTransposeCall& call = static_cast<const ReferenceState&>(*args.state).call;
  const std::int64_t channels = call.groups * call.output_channels;
  const std::int64_t pixels = call.output_pixels();
  for (std::int64_t out = 0; out < call.batch * channels * pixels; ++out) {
    const std::int64_t image = out / (channels * pixels);
    const std::int64_t m = out / pixels % channels;
    const std::int64_t group = m / call.output_channels;
    const std::int64_t pixel = out % pixels;
    double sum = call.has_bias ? DoubleAt(call.result_dtype, args.inputs[2], m) : 0;
    for (std::int64_t k = 0; k < call.taps(); ++k) {
      const std::int64_t z = call.Source(0, pixel / (call.output[1] * call.output[2]),
                                         k / (call.kernel[1] * call.kernel[2]));
      const std::int64_t y = call.Source(1, pixel / call.output[2] % call.output[1],
                                         k / call.kernel[2] % call.kernel[1]);
      const std::int64_t x = call.Source(2, pixel % call.output[2], k % call.kernel[2]);
      if (z < 0 || y < 0 || x < 0) {
        continue;
      }
      const std::int64_t from = (z * call.input[1] + y) * call.input[2] + x;
      for (std::int64_t c = 0; c < call.input_channels; ++c) {
        const std::int64_t channel = group * call.input_channels + c;
        sum +=
            DoubleAt(call.dtype, args.inputs[0],
                     (image * call.groups * call.input_channels + channel) * call.input_pixels() +
                         from) *
            DoubleAt(call.dtype, args.inputs[1],
                     (channel * call.output_channels + m % call.output_channels) * call.taps() + k);
      }
    }
    StoreDouble(call.result_dtype, args.outputs[0], out, sum);
  }
}

}  // namespace halftone
