#include "kernels/conv_transpose/phases.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "kernels/conv_transpose/group_products.h"
#include "kernels/conv_transpose/packed.h"
#include "kernels/conv_transpose/pixel_block.h"
#include "kernels/elements.h"
#include "kernels/gemm/chunks.h"
#include "kernels/packed_weights.h"
#include "kernels/transpose/permutation.h"
#include "src/ir/layout.h"

namespace halftone {
namespace {

// With 16 pixels 1.1 to 1.5 of the time of products, with 64 0.8 to 1.0, with more 0.4 to 0.8
// (halftone_bench --benchmark_filter=sequence/conv_transpose, Skylake-SP).
constexpr std::int64_t kFewestPixels = 32;

using Ints = std::vector<std::int64_t>;
using Pair = std::array<std::int64_t, 2>;

// The convolution: of axes 1 and 2 of the call. Output o is phase (o + pad) % stride of its pixel
// (o + pad) / stride - first.
struct PhaseConv {
  Pair first{};  // the pixel of the first output
  Pair pixels{};
  Pair window{};
  Pair pad{};
  Pair pad_end{};

  [[nodiscard]] std::int64_t Pixels() const { return pixels[0] * pixels[1]; }
};

// Output o of phase f sums x[q - t] w[f + t stride] over t, q = (o + pad) / stride: a window that
// ends at q, whose taps run backwards.
PhaseConv PhaseConvOf(const ConvTransposeCall& call) {
  PhaseConv conv;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t axis = i + 1;
    const std::int64_t stride = call.stride[axis];
    conv.first[i] = call.pad[axis] / stride;
    conv.pixels[i] = (call.output[axis] - 1 + call.pad[axis]) / stride - conv.first[i] + 1;
    conv.window[i] = call.kernel[axis] / stride;
    conv.pad[i] = conv.window[i] - 1 - conv.first[i];
    conv.pad_end[i] = conv.pixels[i] - 1 + conv.window[i] - conv.pad[i] - call.input[axis];
  }
  return conv;
}

std::int64_t PhasesOf(const ConvTransposeCall& call) {
  return call.stride[1] * call.stride[2];
}

// Of a depthwise call each phase is a depthwise convolution of its own: several results of one
// channel have no fast form.
bool IsDepthwise(const ConvTransposeCall& call) {
  return call.groups > 1 && call.input_channels == 1 && call.output_channels == 1;
}

std::int64_t ChannelsOf(const ConvTransposeCall& call) {  // of the result
  return call.groups * call.output_channels;
}

// Types and attributes of a convolution; the object must outlive a query of it.
struct ConvTypes {
  TensorType x, w, bias, y;
  Attributes attributes;

  ConvTypes(const ConvTransposeCall& call, const PhaseConv& conv) {
    const std::int64_t channels = ChannelsOf(call) * (IsDepthwise(call) ? 1 : PhasesOf(call));
    x = {call.dtype, {call.batch, call.input[1], call.input[2], call.groups * call.input_channels}};
    w = {call.dtype, {channels, call.input_channels, conv.window[0], conv.window[1]}};
    bias = {call.result_dtype, {channels}};
    y = {call.result_dtype, {call.batch, conv.pixels[0], conv.pixels[1], channels}};
    attributes.Set(std::string(kChannelsLast), std::int64_t{1});
    attributes.Set("group", call.groups);
    attributes.Set("kernel_shape", Ints{conv.window[0], conv.window[1]});
    attributes.Set("strides", Ints{1, 1});
    attributes.Set("pads", Ints{conv.pad[0], conv.pad[1], conv.pad_end[0], conv.pad_end[1]});
  }

  // High precision unless the caller is told otherwise: Winograd's method has another bound.
  [[nodiscard]] KernelQuery Query(const Tensor* weights, const Tensor* bias_values) const {
    KernelQuery query{.op = OpKind::kConv, .attributes = &attributes};
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
};

// [C, M, kh, kw] to [(phase, M), C, taps backwards]; of a depthwise call [C, 1, kh, kw] to
// [C, 1, taps backwards] of one phase.
Tensor PhaseWeights(const ConvTransposeCall& call, const PhaseConv& conv, const Tensor& weights,
                    const Shape& shape, std::int64_t first_phase) {
  Tensor result(weights.dtype(), shape);
  VisitElementBytes(SizeOf(weights.dtype()), [&](auto element) {
    using T = decltype(element);
    const T* from = reinterpret_cast<const T*>(weights.data());
    T* to = reinterpret_cast<T*>(result.mutable_data());
    const std::int64_t m = ChannelsOf(call);
    for (std::int64_t row = 0; row < shape[0] * call.input_channels; ++row) {
      const std::int64_t channel = row / call.input_channels;
      const std::int64_t c = row % call.input_channels;
      const std::int64_t phase = first_phase + channel / m;
      const T* filter = from + (c * m + channel % m) * call.taps();
      for (std::int64_t y = conv.window[0]; y-- > 0;) {
        for (std::int64_t x = conv.window[1]; x-- > 0;) {
          const std::int64_t ky = phase / call.stride[2] + y * call.stride[1];
          const std::int64_t kx = phase % call.stride[2] + x * call.stride[2];
          *to++ = filter[ky * call.kernel[2] + kx];
        }
      }
    }
  });
  return result;
}

// One convolution, with what it reads of constants.
struct PhaseKernel {
  const KernelEntry* entry = nullptr;
  std::unique_ptr<KernelState> state;
  Tensor weights;  // empty when the kernel made its own form of them
};

bool IsFinite(const Tensor& weights) {
  return VisitElement(weights.dtype(), [&](auto element) {
    using T = decltype(element);
    const T* values = reinterpret_cast<const T*>(weights.data());
    return std::all_of(values, values + weights.ElementCount(),
                       [](T value) { return std::isfinite(static_cast<double>(NumberOf(value))); });
  });
}

struct PhasesState final : KernelState {
  ConvTransposeCall call;
  PhaseConv geometry;
  std::shared_ptr<PackedWeights> packed;  // of the convolutions' weights
  std::vector<PhaseKernel> convs;         // one, or one for each phase
  Tensor bias;                            // of the channels of a convolution
  std::unique_ptr<Permutation> channels_last;
  std::int64_t input_bytes = 0;
  std::int64_t result_bytes = 0;
  std::int64_t conv_bytes = 0;
  // Bytes from one to the next in the results of the convolutions.
  std::int64_t image_stride = 0;
  std::int64_t pixel_stride = 0;
  std::int64_t phase_stride = 0;
  int max_chunks = 1;

  // Of an output pixel.
  [[nodiscard]] std::int64_t output_bytes() const {
    return ChannelsOf(call) * static_cast<std::int64_t>(SizeOf(call.result_dtype));
  }

  [[nodiscard]] bool Consumed(std::size_t input) const override { return input == 1 || input == 2; }

  [[nodiscard]] std::int64_t block_bytes() const {
    return 2 * WholeLines(kBlockPixels * output_bytes());
  }
};

// The bias once for each phase of a convolution.
Tensor RepeatedBias(const Tensor& bias, const TensorType& type) {
  Tensor result(type.dtype, type.shape);
  const auto bytes = static_cast<std::size_t>(bias.type().size_bytes());
  for (std::size_t at = 0; at < static_cast<std::size_t>(type.size_bytes()); at += bytes) {
    std::memcpy(result.mutable_data() + at, bias.data(), bytes);
  }
  return result;
}

// What the weights of one call and another have in common is packed once.
std::shared_ptr<PackedWeights> PackedOnceFor(const KernelQuery& query) {
  return PackOnce(
      PlaceOfConstant(query, 1), [] { return std::string("weights of phases"); },
      [] { return std::make_shared<PackedWeights>(); });
}

PhaseKernel PhaseKernelOf(const KernelQuery& query, const PhasesState& state,
                          const ConvTypes& types, std::int64_t phase) {
  PhaseKernel conv;
  conv.weights = PhaseWeights(state.call, state.geometry, *query.Constant(1), types.w.shape, phase);
  KernelQuery inner =
      types.Query(&conv.weights, query.Constant(2) != nullptr ? &state.bias : nullptr);
  const int ids[] = {-1, static_cast<int>(phase)};
  inner.packed = state.packed.get();
  inner.constant_ids = ids;
  conv.entry = SelectKernel(inner).entry;
  conv.state = conv.entry->prepare(inner);
  if (conv.state->Consumed(1)) {
    conv.weights = Tensor();
  }
  return conv;
}

// Output pixels [begin, end) of an image whose convolutions are at `phases`.
void Shuffle(const PhasesState& s, const std::byte* phases, std::byte* y, std::int64_t begin,
             std::int64_t end, std::byte* scratch) noexcept {
  const ConvTransposeCall& call = s.call;
  const auto element = static_cast<std::int64_t>(SizeOf(call.result_dtype));
  const std::int64_t of_output = s.output_bytes();
  const std::int64_t width = call.output[2];
  std::byte* pixels = scratch;
  std::byte* rows = scratch + s.block_bytes() / 2;
  for (std::int64_t first = begin; first < end; first += kBlockPixels) {
    const std::int64_t count = std::min(kBlockPixels, end - first);
    std::int64_t row = first / width;
    std::int64_t at = first % width + call.pad[2];
    for (std::int64_t i = 0; i < count;) {
      // Phases of a pixel.
      const std::int64_t phase = at % call.stride[2];
      const std::int64_t run =
          std::min({call.stride[2] - phase, width + call.pad[2] - at, count - i});
      const std::int64_t padded_row = row + call.pad[1];
      const std::int64_t pixel =
          (padded_row / call.stride[1] - s.geometry.first[0]) * s.geometry.pixels[1] +
          at / call.stride[2] - s.geometry.first[1];
      const std::byte* from =
          phases + pixel * s.pixel_stride +
          (padded_row % call.stride[1] * call.stride[2] + phase) * s.phase_stride;
      if (s.phase_stride == of_output) {
        std::memcpy(pixels + i * of_output, from, static_cast<std::size_t>(run * of_output));
      } else {
        for (std::int64_t r = 0; r < run; ++r) {
          std::memcpy(pixels + (i + r) * of_output, from + r * s.phase_stride,
                      static_cast<std::size_t>(of_output));
        }
      }
      i += run;
      at += run;
      if (at == width + call.pad[2]) {
        at = call.pad[2];
        ++row;
      }
    }
    PixelsToRows(call.result_dtype, pixels, count, ChannelsOf(call), rows);
    for (std::int64_t m = 0; m < ChannelsOf(call); ++m) {
      std::memcpy(y + (m * call.output_pixels() + first) * element,
                  rows + m * kBlockPixels * element, static_cast<std::size_t>(count * element));
    }
  }
}

}  // namespace

std::string_view ConvTransposePhasesRefusal(const KernelQuery& query) {
  const std::string_view refusal = PackedConvTransposeRefusal(query);
  if (!refusal.empty()) {
    return refusal;
  }
  const ConvTransposeCall call = ConvTransposeCallOf(query);
  if (call.groups != 1 && !IsDepthwise(call)) {
    return "in groups of several channels";
  }
  if (call.input[0] != 1 || call.output[0] != 1 || call.kernel[0] != 1 || call.pad[0] != 0) {
    return "three spatial axes";
  }
  for (const std::size_t axis : {1, 2}) {
    if (call.kernel[axis] % call.stride[axis] != 0 ||
        (call.dilation[axis] != 1 && call.kernel[axis] != 1)) {
      return "windows are no multiples of the stride";
    }
  }
  for (const std::int64_t extent : {call.batch, call.input_channels, call.input_pixels(),
                                    call.output_channels, call.output_pixels()}) {
    if (extent == 0) {
      return "there is nothing to sum";
    }
  }
  if (!IsFinite(*query.Constant(1))) {
    return "weights are not finite";
  }
  const PhaseConv conv = PhaseConvOf(call);
  for (const std::int64_t pad : {conv.pad[0], conv.pad[1], conv.pad_end[0], conv.pad_end[1]}) {
    if (pad < 0) {
      return "the padding is wider than the window";
    }
  }
  // Kernels ask whether weights are constant, not what they are.
  const ConvTypes types(call, conv);
  const KernelChoice choice = SelectKernel(types.Query(query.Constant(1), query.Constant(2)));
  return choice.entry->is_reference ? "there is no convolution for it" : "";
}

std::string_view ConvTransposePhasesSlower(const KernelQuery& query) {
  return ConvTransposeCallOf(query).input_pixels() < kFewestPixels ? "there are few pixels" : "";
}

std::unique_ptr<KernelState> PrepareConvTransposePhases(const KernelQuery& query) {
  auto state = std::make_unique<PhasesState>();
  state->call = ConvTransposeCallOf(query);
  const ConvTransposeCall& call = state->call;
  state->geometry = PhaseConvOf(call);
  const ConvTypes types(call, state->geometry);
  if (query.Constant(2) != nullptr) {
    state->bias = RepeatedBias(*query.Constant(2), types.bias);
  }
  state->packed = PackedOnceFor(query);
  const std::int64_t convs = IsDepthwise(call) ? PhasesOf(call) : 1;
  for (std::int64_t phase = 0; phase < convs; ++phase) {
    state->convs.push_back(PhaseKernelOf(query, *state, types, phase));
    const PhaseKernel& conv = state->convs.back();
    if (conv.entry->scratch_bytes != nullptr) {
      state->conv_bytes =
          std::max(state->conv_bytes,
                   WholeLines(static_cast<std::int64_t>(conv.entry->scratch_bytes(*conv.state))));
    }
  }
  const auto element = static_cast<std::int64_t>(SizeOf(call.dtype));
  state->channels_last = std::make_unique<Permutation>(PermutationSpec{
      {call.batch, call.groups * call.input_channels, call.input_pixels()}, {0, 2, 1}, element});
  state->input_bytes = WholeLines(types.x.size_bytes());
  state->result_bytes = WholeLines(types.y.size_bytes());
  state->pixel_stride = types.y.shape[3] * static_cast<std::int64_t>(SizeOf(call.result_dtype));
  state->image_stride = state->geometry.Pixels() * state->pixel_stride;
  state->phase_stride = convs == 1 ? state->output_bytes() : state->result_bytes;
  state->max_chunks = MaxChunks();
  return state;
}

std::size_t ConvTransposePhasesScratch(const KernelState& state) {
  const auto& s = static_cast<const PhasesState&>(state);
  return static_cast<std::size_t>(s.input_bytes + s.result_bytes * std::ssize(s.convs) +
                                  s.conv_bytes + s.block_bytes() * s.max_chunks);
}

void RunConvTransposePhases(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const PhasesState&>(*args.state);
  const ConvTransposeCall& call = s.call;
  std::byte* const x = args.scratch;
  std::byte* const phases = x + s.input_bytes;
  std::byte* const conv = phases + s.result_bytes * std::ssize(s.convs);
  std::byte* const blocks = conv + s.conv_bytes;
  s.channels_last->Run(args.inputs[0], x);
  for (std::size_t i = 0; i < s.convs.size(); ++i) {
    const void* inputs[] = {x, s.convs[i].weights.data(), s.bias.data()};
    void* outputs[] = {phases + static_cast<std::int64_t>(i) * s.result_bytes};
    s.convs[i].entry->run({.state = s.convs[i].state.get(),
                           .inputs = std::span(inputs).first(call.has_bias ? 3 : 2),
                           .outputs = outputs,
                           .scratch = conv});
  }
  const auto element = static_cast<std::int64_t>(SizeOf(call.result_dtype));
  const std::int64_t image_bytes = ChannelsOf(call) * call.output_pixels() * element;
  // A nanosecond an element; blocks begin at whole multiples, whoever takes them.
  const std::int64_t of_image = (call.output_pixels() + kBlockPixels - 1) / kBlockPixels;
  const std::int64_t grain = 25'000 / (kBlockPixels * ChannelsOf(call));
  ForEachChunk(call.batch * of_image, std::max<std::int64_t>(1, grain), s.max_chunks,
               [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const std::int64_t image = i / of_image;
                   const std::int64_t first = i % of_image * kBlockPixels;
                   Shuffle(s, phases + image * s.image_stride,
                           static_cast<std::byte*>(args.outputs[0]) + image * image_bytes, first,
                           std::min(first + kBlockPixels, call.output_pixels()),
                           blocks + chunk * s.block_bytes());
                 }
               });
}

}  // namespace halftone
