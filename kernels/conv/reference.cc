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

std::int64_t FlatOf(const Index& index, const Index& extents) {
  return (index[0] * extents[1] + index[1]) * extents[2] + index[2];
}

// Distance of a tap from the first tap, by axis and in pixels.
struct Tap {
  Index offset;
  std::int64_t pixels;
};

// Divisions for every product would take most of the time.
std::vector<Tap> TapsOf(const ConvCall& call) {
  std::vector<Tap> taps;
  for (std::int64_t tap = 0; tap < call.Taps(); ++tap) {
    Index offset = IndexOf(tap, call.kernel);
    for (std::size_t i = 0; i < kSpatialAxes; ++i) {
      offset[i] *= call.dilation[i];
    }
    taps.push_back({offset, FlatOf(offset, call.input)});
  }
  return taps;
}

struct ReferenceState : KernelState {
  explicit ReferenceState(const KernelQuery& query)
      : call(ConvCallOf(query)), constants(query), taps(TapsOf(call)) {}

  ConvCall call;
  ConstantInputs constants;
  std::vector<Tap> taps;
};

// Whether a tap lies within the input and not in the padding. `first`: where the first tap lies.
bool Reads(const ConvCall& call, const Index& first, const Tap& tap) {
  for (std::size_t i = 0; i < kSpatialAxes; ++i) {
    const std::int64_t at = first[i] + tap.offset[i];
    if (at < 0 || at >= call.input[i]) {
      return false;
    }
  }
  return true;
}

// Elements from a pixel to the next, and from a channel to the next.
struct InputSteps {
  std::int64_t pixel;
  std::int64_t channel;
};

InputSteps StepsOf(const ConvCall& call) {
  const std::int64_t channels = call.group * call.in_channels;
  return call.channels_last ? InputSteps{channels, 1} : InputSteps{1, call.InputPixels()};
}

struct OutputPlace {
  std::int64_t image;
  std::int64_t channel;
  Index position;
};

// `sum` and the products of one output, by input channel and tap. The element type is known here:
// to ask for it at every product takes most of the time.
template <typename T>
double SumOf(const ReferenceState& state, const T* x, const T* w, const OutputPlace& place,
             double sum) {
  const ConvCall& call = state.call;
  Index first;
  for (std::size_t i = 0; i < kSpatialAxes; ++i) {
    first[i] = place.position[i] * call.stride[i] - call.pad[i];
  }
  const InputSteps steps = StepsOf(call);
  const std::int64_t group = place.channel / call.out_channels;
  // Of the first tap and channel; a tap that is read has an element in x.
  std::int64_t element = place.image * call.group * call.in_channels * call.InputPixels() +
                         group * call.in_channels * steps.channel +
                         FlatOf(first, call.input) * steps.pixel;
  const T* weights = w + place.channel * call.in_channels * call.Taps();
  for (std::int64_t c = 0; c < call.in_channels; ++c, element += steps.channel) {
    for (const Tap& tap : state.taps) {
      if (Reads(call, first, tap)) {
        sum += static_cast<double>(NumberOf(x[element + tap.pixels * steps.pixel])) *
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
    const std::int64_t channel = call.channels_last ? out % channels : out / pixels % channels;
    const std::int64_t pixel = call.channels_last ? out / channels % pixels : out % pixels;
    const OutputPlace place{out / pixels / channels, channel, IndexOf(pixel, call.output)};
    const double bias_value = bias != nullptr ? DoubleAt(call.result_dtype, bias, channel) : 0.0;
    const double sum = VisitElement(call.dtype, [&](auto element) {
      using T = decltype(element);
      return SumOf(state, static_cast<const T*>(x), static_cast<const T*>(w), place, bias_value);
    });
    const double r = residual != nullptr ? DoubleAt(call.result_dtype, residual, out) : 0.0;
    StoreDouble(call.result_dtype, args.outputs[0], out, call.epilogue.Apply(sum, r, channel));
  }
}

}  // namespace halftone
