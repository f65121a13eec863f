#include "kernels/conv_transpose/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/conv_transpose/group_products.h"
#include "kernels/conv_transpose/packed.h"
#include "kernels/conv_transpose/phase_convs.h"
#include "kernels/conv_transpose/pixel_block.h"
#include "kernels/elements.h"
#include "kernels/gemm/chunks.h"
#include "kernels/packed_weights.h"
#include "kernels/transpose/permutation.h"

namespace halftone {
namespace {

// Fewest input pixels of this kernel. Its time relative to ConvTranspose by matrix products: 1.1 to
// 1.5 with 16 pixels, 0.8 to 1.0 with 64, 0.4 to 0.8 with more (halftone_bench
// --benchmark_filter=sequence/conv_transpose, Skylake-SP).
constexpr std::int64_t kFewestPixels = 32;

// One convolution, with what it reads of constants.
struct PhaseKernel {
  const KernelEntry* entry = nullptr;
  std::unique_ptr<KernelState> state;
  Tensor weights;           // empty when the kernel made its own form of them
  Tensor bias;              // of its channels
  std::int64_t result = 0;  // where it stands among the results, bytes
};

// Location of the results of a phase, in bytes.
struct PhasePlace {
  std::int64_t result = 0;
  std::int64_t image_stride = 0;
  std::int64_t row_stride = 0;  // of pixels
  std::int64_t pixel_stride = 0;
  std::int64_t run = 1;  // phases from this one on that follow each other at a pixel
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
  PhasePair first{};                      // FirstPixel()
  std::shared_ptr<PackedWeights> packed;  // of the convolutions' weights
  std::vector<PhaseKernel> convs;
  std::vector<PhasePlace> places;  // of each phase
  std::unique_ptr<Permutation> channels_last;
  std::int64_t input_bytes = 0;
  std::int64_t result_bytes = 0;  // of all convolutions
  std::int64_t conv_bytes = 0;
  int max_chunks = 1;

  // Bytes of an output pixel.
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

// Packs once the weights that calls have in common: the strides decide which taps belong to which
// phase.
std::shared_ptr<PackedWeights> PackedOnceFor(const KernelQuery& query,
                                             const ConvTransposeCall& call) {
  return PackOnce(
      PlaceOfConstant(query, 1),
      [&] {
        return fmt::format("weights of phases {}x{}, {} groups", call.stride[1], call.stride[2],
                           call.groups);
      },
      [] { return std::make_shared<PackedWeights>(); });
}

void AddConv(const KernelQuery& query, const PhaseConv& of, PhasesState& state) {
  const PhaseTypes types(state.call, of);
  PhaseKernel conv;
  conv.weights = PhaseWeights(state.call, of, *query.Constant(1), types.w.shape);
  if (query.Constant(2) != nullptr) {
    conv.bias = RepeatedBias(*query.Constant(2), types.bias);
  }
  KernelQuery inner =
      types.Query(&conv.weights, query.Constant(2) != nullptr ? &conv.bias : nullptr);
  const int ids[] = {-1, static_cast<int>(of.first_phase)};
  inner.packed = state.packed.get();
  inner.constant_ids = ids;
  conv.entry = SelectKernel(inner).entry;
  conv.state = conv.entry->prepare(inner);
  if (conv.state->Consumed(1)) {
    conv.weights = Tensor();
  }
  if (conv.entry->scratch_bytes != nullptr) {
    state.conv_bytes =
        std::max(state.conv_bytes,
                 WholeLines(static_cast<std::int64_t>(conv.entry->scratch_bytes(*conv.state))));
  }
  conv.result = state.result_bytes;
  const std::int64_t pixel_stride = of.phases * state.output_bytes();
  for (std::int64_t i = 0; i < of.phases; ++i) {
    state.places.push_back({.result = conv.result + i * state.output_bytes(),
                            .image_stride = of.pixels[0] * of.pixels[1] * pixel_stride,
                            .row_stride = of.pixels[1] * pixel_stride,
                            .pixel_stride = pixel_stride,
                            .run = of.phases - i});
  }
  state.result_bytes += WholeLines(types.y.size_bytes());
  state.convs.push_back(std::move(conv));
}

// Output pixels [begin, end) of an image.
struct ImagePixels {
  std::int64_t image, begin, end;
};

void Shuffle(const PhasesState& s, const std::byte* results, const ImagePixels& part, std::byte* y,
             std::byte* scratch) noexcept {
  const ConvTransposeCall& call = s.call;
  const auto element = static_cast<std::int64_t>(SizeOf(call.result_dtype));
  const std::int64_t of_output = s.output_bytes();
  const std::int64_t width = call.output[2];
  std::byte* pixels = scratch;
  std::byte* rows = scratch + s.block_bytes() / 2;
  for (std::int64_t first = part.begin; first < part.end; first += kBlockPixels) {
    const std::int64_t count = std::min(kBlockPixels, part.end - first);
    std::int64_t row = first / width;
    std::int64_t at = first % width + call.pad[2];
    for (std::int64_t i = 0; i < count;) {
      // Phases of a pixel.
      const std::int64_t phase = at % call.stride[2];
      const std::int64_t padded_row = row + call.pad[1];
      const PhasePlace& place =
          s.places[static_cast<std::size_t>(padded_row % call.stride[1] * call.stride[2] + phase)];
      const std::int64_t run =
          std::min({place.run, call.stride[2] - phase, width + call.pad[2] - at, count - i});
      const std::byte* from = results + place.result + part.image * place.image_stride +
                              (padded_row / call.stride[1] - s.first[0]) * place.row_stride +
                              (at / call.stride[2] - s.first[1]) * place.pixel_stride;
      std::memcpy(pixels + i * of_output, from, static_cast<std::size_t>(run * of_output));
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
  if (const std::string_view of_phases = PhaseConvsRefusal(call); !of_phases.empty()) {
    return of_phases;
  }
  // Bytes that were packed and let go (src/exec/shared_constants.h) are not made again to be
  // judged: with infinite weights the result is NaN then where it was infinite, of no use either
  // way.
  if (query.Constant(1)->has_bytes() && !IsFinite(*query.Constant(1))) {
    return "weights are not finite";
  }
  for (const PhaseConv& conv : PhaseConvsOf(call)) {
    for (const std::int64_t pad : {conv.pad[0], conv.pad[1], conv.pad_end[0], conv.pad_end[1]}) {
      if (pad < 0) {
        return "the padding is wider than the window";
      }
    }
    // Kernels ask whether weights are constant, not what they are.
    const PhaseTypes types(call, conv);
    if (SelectKernel(types.Query(query.Constant(1), query.Constant(2))).entry->is_reference) {
      return "there is no convolution for it";
    }
  }
  return "";
}

std::string_view ConvTransposePhasesSlower(const KernelQuery& query) {
  return ConvTransposeCallOf(query).input_pixels() < kFewestPixels ? "there are few pixels" : "";
}

std::unique_ptr<KernelState> PrepareConvTransposePhases(const KernelQuery& query) {
  auto state = std::make_unique<PhasesState>();
  state->call = ConvTransposeCallOf(query);
  const ConvTransposeCall& call = state->call;
  state->first = FirstPixel(call);
  state->packed = PackedOnceFor(query, call);
  for (const PhaseConv& conv : PhaseConvsOf(call)) {
    AddConv(query, conv, *state);
  }
  const std::int64_t channels = call.groups * call.input_channels;
  const auto element = static_cast<std::int64_t>(SizeOf(call.dtype));
  state->channels_last = std::make_unique<Permutation>(
      PermutationSpec{{call.batch, channels, call.input_pixels()}, {0, 2, 1}, element});
  state->input_bytes = WholeLines(call.batch * channels * call.input_pixels() * element);
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
  std::byte* const results = x + s.input_bytes;
  std::byte* const scratch = results + s.result_bytes;
  std::byte* const blocks = scratch + s.conv_bytes;
  s.channels_last->Run(args.inputs[0], x);
  for (const PhaseKernel& conv : s.convs) {
    const void* inputs[] = {x, conv.weights.data(), conv.bias.data()};
    void* outputs[] = {results + conv.result};
    conv.entry->run({.state = conv.state.get(),
                     .inputs = std::span(inputs).first(call.has_bias ? 3 : 2),
                     .outputs = outputs,
                     .scratch = scratch});
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
                   Shuffle(s, results,
                           {.image = image,
                            .begin = first,
                            .end = std::min(first + kBlockPixels, call.output_pixels())},
                           static_cast<std::byte*>(args.outputs[0]) + image * image_bytes,
                           blocks + chunk * s.block_bytes());
                 }
               });
}

}  // namespace halftone
