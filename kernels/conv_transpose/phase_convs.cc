#include "kernels/conv_transpose/phase_convs.h"

#include <algorithm>

#include "kernels/elements.h"

namespace halftone {
namespace {

using Ints = std::vector<std::int64_t>;

// Convolution of one phase f. Its output o is the sum over t of x[q - t] w[f + t stride] with q =
// (o + pad) / stride: a window that ends at q, with reversed taps.
PhaseConv PhaseConvOf(const ConvTransposeCall& call, std::int64_t phase) {
  const PhasePair first = FirstPixel(call);
  const PhasePair at = {phase / call.stride[2], phase % call.stride[2]};
  PhaseConv conv{.first_phase = phase};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t axis = i + 1;
    const std::int64_t stride = call.stride[axis];
    // Outputs may end earlier: the pixels behind them are not read.
    const std::int64_t reached =
        (call.output[axis] - 1 + call.pad[axis] - at[i]) / stride - first[i] + 1;
    conv.pixels[i] = std::max({reached, call.input[axis] - first[i], std::int64_t{1}});
    conv.window[i] = (call.kernel[axis] - at[i] + stride - 1) / stride;
    conv.pad[i] = conv.window[i] - 1 - first[i];
    conv.pad_end[i] = conv.pixels[i] - 1 + conv.window[i] - conv.pad[i] - call.input[axis];
  }
  return conv;
}

// Copies the taps of a phase from one filter, from last to first; returns the end of the copy.
template <typename T>
T* CopyTaps(const ConvTransposeCall& call, const PhaseConv& conv, std::int64_t phase,
            const T* filter, T* to) {
  for (std::int64_t y = conv.window[0]; y-- > 0;) {
    for (std::int64_t x = conv.window[1]; x-- > 0;) {
      const std::int64_t ky = phase / call.stride[2] + y * call.stride[1];
      const std::int64_t kx = phase % call.stride[2] + x * call.stride[2];
      *to++ = filter[ky * call.kernel[2] + kx];
    }
  }
  return to;
}

}  // namespace

PhasePair FirstPixel(const ConvTransposeCall& call) {
  return {call.pad[1] / call.stride[1], call.pad[2] / call.stride[2]};
}

std::vector<PhaseConv> PhaseConvsOf(const ConvTransposeCall& call) {
  std::vector<PhaseConv> convs;
  for (std::int64_t phase = 0; phase < call.stride[1] * call.stride[2]; ++phase) {
    const PhaseConv conv = PhaseConvOf(call, phase);
    if (!convs.empty() && convs.back().window == conv.window && !IsDepthwise(call)) {
      ++convs.back().phases;
    } else {
      convs.push_back(conv);
    }
  }
  return convs;
}

bool IsDepthwise(const ConvTransposeCall& call) {
  return call.groups > 1 && call.input_channels == 1 && call.output_channels == 1;
}

std::int64_t ChannelsOf(const ConvTransposeCall& call) {
  return call.groups * call.output_channels;
}

PhaseTypes::PhaseTypes(const ConvTransposeCall& call, const PhaseConv& conv) {
  const std::int64_t channels = ChannelsOf(call) * conv.phases;
  x = {call.dtype, {call.batch, call.input[1], call.input[2], call.groups * call.input_channels}};
  w = {call.dtype, {channels, call.input_channels, conv.window[0], conv.window[1]}};
  bias = {call.result_dtype, {channels}};
  y = {call.result_dtype, {call.batch, conv.pixels[0], conv.pixels[1], channels}};
  attributes.Set("group", call.groups);
  attributes.Set("kernel_shape", Ints{conv.window[0], conv.window[1]});
  attributes.Set("strides", Ints{1, 1});
  attributes.Set("pads", Ints{conv.pad[0], conv.pad[1], conv.pad_end[0], conv.pad_end[1]});
}

KernelQuery PhaseTypes::Query(const Tensor* weights, const Tensor* bias_values) const {
  KernelQuery query{
      .op = OpKind::kConv, .attributes = &attributes, .layout = {.channels_last = true}};
  query.inputs = {&x, &w};
  query.constants = {nullptr, weights};
  if (bias_values != nullptr) {
    query.inputs.push_back(&bias);
    query.constants.push_back(bias_values);
  }
  query.outputs = {&y};
  query.impl_mode = ImplMode::kHighPrecision;
  return query;
}

Tensor PhaseWeights(const ConvTransposeCall& call, const PhaseConv& conv, const Tensor& weights,
                    const Shape& shape) {
  Tensor result(weights.dtype(), shape);
  VisitElementBytes(SizeOf(weights.dtype()), [&](auto element) {
    using T = decltype(element);
    const T* from = reinterpret_cast<const T*>(weights.data());
    T* to = reinterpret_cast<T*>(result.mutable_data());
    const std::int64_t m = ChannelsOf(call);
    for (std::int64_t row = 0; row < shape[0] * call.input_channels; ++row) {
      const std::int64_t channel = row / call.input_channels;
      const std::int64_t c = row % call.input_channels;
      const std::int64_t phase = conv.first_phase + channel / m;
      const T* filter = from + (c * m + channel % m) * call.taps();
      to = CopyTaps(call, conv, phase, filter, to);
    }
  });
  return result;
}

std::string_view PhaseConvsRefusal(const ConvTransposeCall& call) {
  if (call.groups != 1 && !IsDepthwise(call)) {
    return "in groups of several channels";
  }
  if (call.input[0] != 1 || call.output[0] != 1 || call.kernel[0] != 1 || call.pad[0] != 0) {
    return "three spatial axes";
  }
  for (const std::size_t axis : {1, 2}) {
    if (call.kernel[axis] < call.stride[axis]) {
      return "windows are shorter than the stride";
    }
    if (call.dilation[axis] != 1 && call.kernel[axis] != 1) {
      return "windows are dilated";
    }
  }
  for (const std::int64_t extent : {call.batch, call.input_channels, call.input_pixels(),
                                    call.output_channels, call.output_pixels()}) {
    if (extent == 0) {
      return "there is nothing to sum";
    }
  }
  return {};
}

}  // namespace halftone
