#include "kernels/conv_transpose/phases.h"

#include <algorithm>
#include <array>
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

// Types and attributes of the convolution; the object must outlive a query of it.
struct ConvTypes {
  TensorType x, w, bias, y;
  Attributes attributes;

  ConvTypes(const ConvTransposeCall& call, const PhaseConv& conv)
      : x{call.dtype, {call.batch, call.input[1], call.input[2], call.input_channels}},
        w{call.dtype,
          {PhasesOf(call) * call.output_channels, call.input_channels, conv.window[0],
           conv.window[1]}},
        bias{call.result_dtype, {PhasesOf(call) * call.output_channels}},
        y{call.result_dtype,
          {call.batch, conv.pixels[0], conv.pixels[1], PhasesOf(call) * call.output_channels}} {
    attributes.Set(std::string(kChannelsLast), std::int64_t{1});
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

// [C, M, kh, kw] to [(phase, M), C, taps backwards].
Tensor PhaseWeights(const ConvTransposeCall& call, const PhaseConv& conv, const Tensor& weights,
                    const Shape& shape) {
  Tensor result(weights.dtype(), shape);
  VisitElementBytes(SizeOf(weights.dtype()), [&](auto element) {
    using T = decltype(element);
    const T* from = reinterpret_cast<const T*>(weights.data());
    T* to = reinterpret_cast<T*>(result.mutable_data());
    const std::int64_t m = call.output_channels;
    for (std::int64_t row = 0; row < shape[0] * call.input_channels; ++row) {
      const std::int64_t channel = row / call.input_channels;
      const std::int64_t c = row % call.input_channels;
      const std::int64_t phase_y = channel / m / call.stride[2];
      const std::int64_t phase_x = channel / m % call.stride[2];
      const T* filter = from + (c * m + channel % m) * call.taps();
      for (std::int64_t y = conv.window[0]; y-- > 0;) {
        for (std::int64_t x = conv.window[1]; x-- > 0;) {
          const std::int64_t ky = phase_y + y * call.stride[1];
          const std::int64_t kx = phase_x + x * call.stride[2];
          *to++ = filter[ky * call.kernel[2] + kx];
        }
      }
    }
  });
  return result;
}

struct PhasesState final : KernelState {
  ConvTransposeCall call;
  PhaseConv geometry;
  const KernelEntry* entry = nullptr;
  std::shared_ptr<PackedWeights> packed;  // of the convolution's weights
  std::unique_ptr<KernelState> conv;
  Tensor bias;  // of all phases, in case the convolution reads it
  Tensor weights;
  std::unique_ptr<Permutation> channels_last;
  std::int64_t input_bytes = 0;
  std::int64_t result_bytes = 0;
  std::int64_t conv_bytes = 0;
  int max_chunks = 1;

  [[nodiscard]] bool Consumed(std::size_t input) const override { return input == 1 || input == 2; }

  [[nodiscard]] std::int64_t block_bytes() const {
    return 2 * WholeLines(kBlockPixels * call.output_channels *
                          static_cast<std::int64_t>(SizeOf(call.result_dtype)));
  }
};

// The bias once for each phase.
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

// Output pixels [begin, end) of an image whose convolution is at `phases`.
void Shuffle(const PhasesState& s, const std::byte* phases, std::byte* y, std::int64_t begin,
             std::int64_t end, std::byte* scratch) noexcept {
  const ConvTransposeCall& call = s.call;
  const auto element = static_cast<std::int64_t>(SizeOf(call.result_dtype));
  const std::int64_t of_output = call.output_channels * element;  // bytes
  const std::int64_t width = call.output[2];
  std::byte* pixels = scratch;
  std::byte* rows = scratch + s.block_bytes() / 2;
  for (std::int64_t first = begin; first < end; first += kBlockPixels) {
    const std::int64_t count = std::min(kBlockPixels, end - first);
    std::int64_t row = first / width;
    std::int64_t at = first % width + call.pad[2];
    for (std::int64_t i = 0; i < count;) {
      // Phases of a pixel lie side by side.
      const std::int64_t phase = at % call.stride[2];
      const std::int64_t run =
          std::min({call.stride[2] - phase, width + call.pad[2] - at, count - i});
      const std::int64_t padded_row = row + call.pad[1];
      const std::int64_t pixel =
          (padded_row / call.stride[1] - s.geometry.first[0]) * s.geometry.pixels[1] +
          at / call.stride[2] - s.geometry.first[1];
      const std::int64_t channel =
          pixel * PhasesOf(call) + padded_row % call.stride[1] * call.stride[2] + phase;
      std::memcpy(pixels + i * of_output, phases + channel * of_output,
                  static_cast<std::size_t>(run * of_output));
      i += run;
      at += run;
      if (at == width + call.pad[2]) {
        at = call.pad[2];
        ++row;
      }
    }
    PixelsToRows(call.result_dtype, pixels, count, call.output_channels, rows);
    for (std::int64_t m = 0; m < call.output_channels; ++m) {
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
  if (call.groups != 1) {
    return "in groups";
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
  if (call.batch * call.input_channels * call.input_pixels() * call.output_channels *
          call.output_pixels() ==
      0) {
    return "there is nothing to sum";
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
  state->weights = PackOnce(
      PlaceOfConstant(query, 1), [&] { return "phases " + types.w.ToString(); },
      [&] { return PhaseWeights(call, state->geometry, *query.Constant(1), types.w.shape); });
  if (query.Constant(2) != nullptr) {
    state->bias = RepeatedBias(*query.Constant(2), types.bias);
  }
  state->packed = PackedOnceFor(query);
  KernelQuery conv =
      types.Query(&state->weights, query.Constant(2) != nullptr ? &state->bias : nullptr);
  constexpr int kIds[] = {-1, 0};
  conv.packed = state->packed.get();
  conv.constant_ids = kIds;
  state->entry = SelectKernel(conv).entry;
  state->conv = state->entry->prepare(conv);
  const auto element = static_cast<std::int64_t>(SizeOf(call.dtype));
  state->channels_last = std::make_unique<Permutation>(
      PermutationSpec{{call.batch, call.input_channels, call.input_pixels()}, {0, 2, 1}, element});
  state->input_bytes = WholeLines(types.x.size_bytes());
  state->result_bytes = WholeLines(types.y.size_bytes());
  if (state->entry->scratch_bytes != nullptr) {
    state->conv_bytes =
        WholeLines(static_cast<std::int64_t>(state->entry->scratch_bytes(*state->conv)));
  }
  state->max_chunks = MaxChunks();
  return state;
}

std::size_t ConvTransposePhasesScratch(const KernelState& state) {
  const auto& s = static_cast<const PhasesState&>(state);
  return static_cast<std::size_t>(s.input_bytes + s.result_bytes + s.conv_bytes +
                                  s.block_bytes() * s.max_chunks);
}

void RunConvTransposePhases(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const PhasesState&>(*args.state);
  const ConvTransposeCall& call = s.call;
  std::byte* const x = args.scratch;
  std::byte* const phases = x + s.input_bytes;
  std::byte* const conv = phases + s.result_bytes;
  std::byte* const blocks = conv + s.conv_bytes;
  s.channels_last->Run(args.inputs[0], x);
  const void* inputs[] = {x, s.weights.data(), s.bias.data()};
  void* outputs[] = {phases};
  s.entry->run({.state = s.conv.get(),
                .inputs = std::span(inputs).first(call.has_bias ? 3 : 2),
                .outputs = outputs,
                .scratch = conv});
  const auto element = static_cast<std::int64_t>(SizeOf(call.result_dtype));
  const std::int64_t image_bytes = call.output_channels * call.output_pixels() * element;
  const std::int64_t phases_bytes =
      s.geometry.Pixels() * PhasesOf(call) * call.output_channels * element;
  // A nanosecond an element; blocks begin at whole multiples, whoever takes them.
  const std::int64_t of_image = (call.output_pixels() + kBlockPixels - 1) / kBlockPixels;
  const std::int64_t grain = 25'000 / (kBlockPixels * call.output_channels);
  ForEachChunk(call.batch * of_image, std::max<std::int64_t>(1, grain), s.max_chunks,
               [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const std::int64_t image = i / of_image;
                   const std::int64_t first = i % of_image * kBlockPixels;
                   Shuffle(s, phases + image * phases_bytes,
                           static_cast<std::byte*>(args.outputs[0]) + image * image_bytes, first,
                           std::min(first + kBlockPixels, call.output_pixels()),
                           blocks + chunk * s.block_bytes());
                 }
               });
}

}  // namespace halftone
