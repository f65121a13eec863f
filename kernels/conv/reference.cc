#include "kernels/conv/reference.h"

#include <vector>

#include "kernels/conv/conv_call.h"
#include "kernels/elements.h"
#include "kernels/gemm/matrix_call.h"
#include "src/ir/fused_operands.h"
#include "src/ir/tensor.h"

namespace halftone {
namespace {

using Index = std::array<std::int64_t, kSpatialAxes>;

Index IndexOf(std::int64_t flat, const Index& extents) {
  return {flat / (extents[1] * extents[2]), flat / extents[2] % extents[1], flat % extents[2]};
}

struct ReferenceState : KernelState {
  explicit ReferenceState(const KernelQuery& query) : call(ConvCallOf(query)), constants(query) {
    for (std::int64_t tap = 0; tap < call.Taps(); ++tap) {
      taps.push_back(IndexOf(tap, call.kernel));
    }
  }

  ConvCall call;
  ConstantInputs constants;
  std::vector<Index> taps;  // divisions for every product would take most of the time
};

// The flat input position under tap `tap` of output `out`, or -1 in the padding.
std::int64_t InputPosition(const ConvCall& call, const Index& out, const Index& tap) {
  std::int64_t flat = 0;
  for (std::size_t i = 0; i < kSpatialAxes; ++i) {
    const std::int64_t at = out[i] * call.stride[i] - call.pad[i] + tap[i] * call.dilation[i];
    if (at < 0 || at >= call.input[i]) {
      return -1;
    }
    flat = flat * call.input[i] + at;
  }
  return flat;
}

std::int64_t InputElement(const ConvCall& call, std::int64_t image, std::int64_t channel,
                          std::int64_t pixel) {
  const std::int64_t channels = call.group * call.in_channels;
  return call.channels_last ? (image * call.InputPixels() + pixel) * channels + channel
                            : (image * channels + channel) * call.InputPixels() + pixel;
}

// `sum` and the products of one output, by input channel and tap. The element type is known here:
// to ask for it at every product takes most of the time.
template <typename T>
double SumOf(const ReferenceState& state, const T* x, const T* w, std::int64_t image,
             std::int64_t channel, const Index& position, double sum) {
  const ConvCall& call = state.call;
  const std::int64_t first = channel / call.out_channels * call.in_channels;
  const T* weights = w + channel * call.in_channels * call.Taps();
  for (std::int64_t c = 0; c < call.in_channels; ++c) {
    for (const Index& tap : state.taps) {
      const std::int64_t at = InputPosition(call, position, tap);
      if (at >= 0) {
        sum += static_cast<double>(NumberOf(x[InputElement(call, image, first + c, at)])) *
               static_cast<double>(NumberOf(*weights));
      }
      ++weights;
    }
  }
  return sum;
}

}  // namespace

std::unique_ptr<KernelState> PrepareConvReference(const KernelQuery& query) {
  return std::make_unique<ReferenceState>(query);
}

void RunConvReference(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ReferenceState&>(*args.state);
  const ConvCall& call = state.call;
  const void* x = state.constants.Input(args, 0);
  const void* w = state.constants.Input(args, 1);
  const void* bias = call.has_bias ? state.constants.Input(args, 2) : nullptr;
  const void* residual = state.constants.Input(args, kResidualOperand);
  const std::int64_t channels = call.group * call.out_channels;
  const std::int64_t pixels = call.OutputPixels();
  for (std::int64_t out = 0; out < call.batch * channels * pixels; ++out) {
    const std::int64_t image = out / pixels / channels;
    const std::int64_t channel = call.channels_last ? out % channels : out / pixels % channels;
    const std::int64_t pixel = call.channels_last ? out / channels % pixels : out % pixels;
    const Index position = IndexOf(pixel, call.output);
    const double bias_value = bias != nullptr ? DoubleAt(call.result_dtype, bias, channel) : 0.0;
    const double sum = VisitElement(call.dtype, [&](auto element) {
      using T = decltype(element);
      return SumOf(state, static_cast<const T*>(x), static_cast<const T*>(w), image, channel,
                   position, bias_value);
    });
    const double r = residual != nullptr ? DoubleAt(call.result_dtype, residual, out) : 0.0;
    StoreDouble(call.result_dtype, args.outputs[0], out, call.epilogue.Apply(sum, r, channel));
  }
}

}  // namespace halftone
