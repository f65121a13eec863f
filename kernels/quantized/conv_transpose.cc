#include "kernels/quantized/conv_transpose.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/conv_transpose/phase_convs.h"
#include "kernels/parallel.h"
#include "kernels/quantized/operands.h"

namespace halftone {
namespace {

constexpr std::int64_t kAlignment = 64;

// Number of bytes of the result that are worth waking a thread for.
constexpr std::int64_t kGrain = 1 << 17;

std::int64_t WholeLines(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// Operands of QLinearConvTranspose that have a value for each channel of the result.
constexpr std::array kOfChannels = {std::size_t{4}, std::size_t{5}, std::size_t{8}};

// Location of the results of a phase, in bytes.
struct PhasePlace {
  std::int64_t result = 0;
  std::int64_t image_stride = 0;
  std::int64_t row_stride = 0;  // of pixels
  std::int64_t pixel_stride = 0;
  std::int64_t run = 1;  // phases from this one on that follow each other at a pixel
};

// A constant operand once for each phase of a convolution.
Tensor Repeated(const Tensor& of, std::int64_t phases) {
  Tensor result(of.dtype(), Shape{phases * of.ElementCount()});
  for (std::int64_t i = 0; i < phases; ++i) {
    std::memcpy(result.mutable_data() + static_cast<std::size_t>(i) * of.size_bytes(), of.data(),
                of.size_bytes());
  }
  return result;
}

// One convolution with its operands.
struct PhaseKernel {
  PhaseTypes types;
  std::vector<std::optional<Tensor>> constants;  // by operand: those that it does not take over
  const KernelEntry* entry = nullptr;
  std::unique_ptr<KernelState> state;
  std::int64_t result = 0;  // where it stands among the results, bytes
};

// The query of a convolution, whose types and constants it sets.
KernelQuery QueryOf(const KernelQuery& query, const ConvTransposeCall& call, const PhaseConv& of,
                    PhaseKernel& conv) {
  const OperandPlaces places = PlacesOf(query.op);
  conv.types.x.dtype = query.Input(places.a)->dtype;
  conv.types.w.dtype = query.Input(places.b)->dtype;
  conv.constants.resize(query.inputs.size());
  KernelQuery inner{.op = OpKind::kQLinearConv,
                    .attributes = &conv.types.attributes,
                    .fusion = query.fusion,
                    .layout = {.channels_last = true}};
  for (std::size_t i = 0; i < query.inputs.size(); ++i) {
    const Tensor* known = query.Constant(i);
    std::optional<Tensor>& own = conv.constants[i];
    if (i == places.b) {
      own = PhaseWeights(call, of, *known, conv.types.w.shape);
    } else if (known != nullptr && std::ranges::find(kOfChannels, i) != kOfChannels.end() &&
               known->ElementCount() == ChannelsOf(call)) {
      own = Repeated(*known, of.phases);
    }
    inner.inputs.push_back(i == places.a ? &conv.types.x : own ? &own->type() : query.Input(i));
    inner.constants.push_back(own ? &*own : known);
  }
  inner.outputs = {&conv.types.y};
  inner.impl_mode = query.impl_mode;
  return inner;
}

struct ByteConvTransposeState final : KernelState {
  explicit ByteConvTransposeState(const KernelQuery& query)
      : call(QuantizedConvTransposeCall(query)), first(FirstPixel(call)) {}

  // Bytes of an output pixel.
  [[nodiscard]] std::int64_t pixel_bytes() const {
    return ChannelsOf(call) * static_cast<std::int64_t>(SizeOf(call.result_dtype));
  }

  ConvTransposeCall call;
  PhasePair first{};
  std::vector<PhaseKernel> convs;
  std::vector<PhasePlace> places;  // of each phase
  std::int64_t result_bytes = 0;   // of all convolutions
  std::int64_t conv_bytes = 0;     // scratch of the largest
};

void AddConv(const KernelQuery& query, const PhaseConv& of, ByteConvTransposeState& state) {
  PhaseKernel conv{.types = PhaseTypes(state.call, of), .constants = {}};
  const KernelQuery inner = QueryOf(query, state.call, of, conv);
  conv.entry = SelectKernel(inner).entry;
  conv.state = conv.entry->prepare(inner);
  if (conv.entry->scratch_bytes != nullptr) {
    state.conv_bytes =
        std::max(state.conv_bytes,
                 WholeLines(static_cast<std::int64_t>(conv.entry->scratch_bytes(*conv.state))));
  }
  for (std::size_t i = 0; i < conv.constants.size(); ++i) {
    if (conv.state->Consumed(i)) {
      conv.constants[i].reset();
    }
  }
  conv.result = state.result_bytes;
  const std::int64_t pixel_stride = of.phases * state.pixel_bytes();
  for (std::int64_t i = 0; i < of.phases; ++i) {
    state.places.push_back({.result = conv.result + i * state.pixel_bytes(),
                            .image_stride = of.pixels[0] * of.pixels[1] * pixel_stride,
                            .row_stride = of.pixels[1] * pixel_stride,
                            .pixel_stride = pixel_stride,
                            .run = of.phases - i});
  }
  state.result_bytes += WholeLines(conv.types.y.size_bytes());
  state.convs.push_back(std::move(conv));
}

// One row of pixels of the result.
void OrderRow(const ByteConvTransposeState& s, const std::byte* results, std::int64_t image,
              std::int64_t row, std::byte* y) noexcept {
  const ConvTransposeCall& call = s.call;
  const std::int64_t padded_row = row + call.pad[1];
  const std::int64_t end = call.output[2] + call.pad[2];
  const std::int64_t bytes = s.pixel_bytes();
  for (std::int64_t at = call.pad[2]; at < end;) {
    const std::int64_t phase = at % call.stride[2];
    const PhasePlace& place =
        s.places[static_cast<std::size_t>(padded_row % call.stride[1] * call.stride[2] + phase)];
    const std::int64_t run = std::min({place.run, call.stride[2] - phase, end - at});
    const std::byte* from = results + place.result + image * place.image_stride +
                            (padded_row / call.stride[1] - s.first[0]) * place.row_stride +
                            (at / call.stride[2] - s.first[1]) * place.pixel_stride;
    std::memcpy(y + (at - call.pad[2]) * bytes, from, static_cast<std::size_t>(run * bytes));
    at += run;
  }
}

}  // namespace

std::string_view ByteConvTransposeLimits(const KernelQuery& query) {
  const OperandPlaces places = PlacesOf(query.op);
  if (query.Constant(places.b) == nullptr) {
    return "weights are not constant";
  }
  for (const std::size_t i : kOfChannels) {
    if (query.Input(i) != nullptr && query.Constant(i) == nullptr) {
      return "scales, zero points or biases of channels are not constant";
    }
  }
  if (query.Input(places.residual) != nullptr) {
    return "has no residual operand";
  }
  const ConvTransposeCall call = QuantizedConvTransposeCall(query);
  if (const std::string_view refusal = PhaseConvsRefusal(call); !refusal.empty()) {
    return refusal;
  }
  for (const PhaseConv& conv : PhaseConvsOf(call)) {
    if (std::min({conv.pad[0], conv.pad[1], conv.pad_end[0], conv.pad_end[1]}) < 0) {
      return "the padding is wider than the window";
    }
  }
  return RefusalOfScales(query, ChannelsOf(call));
}

std::string_view ByteConvTransposeRefusal(const KernelQuery& query) {
  return query.layout.channels_last ? ByteConvTransposeLimits(query) : "channels are not last";
}

std::unique_ptr<KernelState> PrepareByteConvTranspose(const KernelQuery& query) {
  auto state = std::make_unique<ByteConvTransposeState>(query);
  for (const PhaseConv& conv : PhaseConvsOf(state->call)) {
    AddConv(query, conv, *state);
  }
  return state;
}

std::size_t ByteConvTransposeScratchBytes(const KernelState& state) {
  const auto& s = static_cast<const ByteConvTransposeState&>(state);
  return static_cast<std::size_t>(s.result_bytes + s.conv_bytes);
}

void RunByteConvTranspose(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const ByteConvTransposeState&>(*args.state);
  const ConvTransposeCall& call = s.call;
  std::byte* const results = args.scratch;
  for (const PhaseKernel& conv : s.convs) {
    std::array<const void*, kNoOperand> inputs{};
    for (std::size_t i = 0; i < conv.constants.size(); ++i) {
      inputs[i] = conv.constants[i] ? conv.constants[i]->data() : args.inputs[i];
    }
    void* outputs[] = {results + conv.result};
    conv.entry->run({.state = conv.state.get(),
                     .inputs = std::span(inputs).first(conv.constants.size()),
                     .outputs = outputs,
                     .scratch = results + s.result_bytes});
  }
  const std::int64_t row_bytes = call.output[2] * s.pixel_bytes();
  ParallelFor(call.batch * call.output[1], kGrain / std::max<std::int64_t>(row_bytes, 1) + 1,
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) {
                  OrderRow(s, results, i / call.output[1], i % call.output[1],
                           static_cast<std::byte*>(args.outputs[0]) + i * row_bytes);
                }
              });
}

}  // namespace halftone
