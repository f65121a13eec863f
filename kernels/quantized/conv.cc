#include "kernels/quantized/conv.h"

#include "kernels/quantized/byte_windows.h"
#include "kernels/quantized/product_state.h"

namespace halftone {
namespace {

constexpr std::int64_t kFewChannels = 8;

struct ByteConvState final : ProductState {
  ByteConvState(const KernelQuery& query, const ConvCall& conv_call, const ByteTileKernel& tile)
      : ProductState(query, conv_call.in_channels * conv_call.Taps(), conv_call.out_channels, tile),
        call(conv_call),
        image(conv_call) {}

  // Bytes of the padded input, which lies behind the chunks in the scratch.
  [[nodiscard]] std::int64_t padded_bytes() const {
    return copies ? image.size_bytes(call.batch) : 0;
  }

  ConvCall call;
  PaddedImage image;
  bool in_place = false;  // windows are pixels of the input, one behind the other
  bool copies = true;     // the input, with padding or as uint8
};

// [O, I, kh, kw] to [O, kh, kw, I].
Tensor TapsFirst(const ConvCall& call, const Tensor& weights) {
  const std::int64_t taps = call.Taps();
  const std::int64_t k = call.in_channels * taps;
  Tensor result(weights.type());
  for (std::int64_t i = 0; i < weights.ElementCount(); ++i) {
    const std::int64_t to = i / k * k + i % taps * call.in_channels + i / taps % call.in_channels;
    result.mutable_data()[to] = weights.data()[i];
  }
  return result;
}

bool ReadsInPlace(const ConvCall& call) {
  return call.group == 1 && call.Taps() == 1 && call.stride[1] == 1 && call.stride[2] == 1 &&
         call.input == call.output && call.in_channels % kBytesPerStep == 0;
}

}  // namespace

std::string_view ByteConvRefusal(const KernelQuery& query) {
  if (!query.layout.channels_last) {
    return "channels are not last";
  }
  const OperandPlaces places = PlacesOf(query.op);
  const Shape& w = query.Input(places.b)->shape;
  if (query.Constant(places.b) == nullptr) {
    return "weights are not constant";
  }
  if (w.ElementCount() == 0) {
    return "no weights";
  }
  const std::int64_t group = query.attributes->Int("group", 1);
  if (group > 1 && w[0] / group < kFewChannels) {
    return "too few channels in a group";
  }
  return RefusalOfScales(query, w[0]);
}

std::unique_ptr<KernelState> PrepareByteConv(const KernelQuery& query, const ByteTileKernel& tile) {
  const ConvCall call = QuantizedConvCall(query);
  auto state = std::make_unique<ByteConvState>(query, call, tile);
  const std::int64_t k = state->product.layout.k;
  state->b_offsets.clear();
  for (std::int64_t group = 0; group < call.group; ++group) {
    state->b_offsets.push_back(group * call.out_channels * k);
  }
  state->b_step = 1;
  state->b_column = k;
  state->column_stride = call.out_channels;
  state->in_place = ReadsInPlace(call);
  state->copies = !state->in_place || state->a_dtype != DType::kUInt8;
  state->Prepare(query, [&] { return TapsFirst(call, *query.Constant(state->places.b)); });
  return state;
}

std::size_t ByteConvScratchBytes(const KernelState& state) {
  const auto& conv = static_cast<const ByteConvState&>(state);
  return static_cast<std::size_t>(conv.scratch_bytes() + conv.padded_bytes());
}

void RunByteConv(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ByteConvState&>(*args.state);
  const ConvCall& call = state.call;
  const ProductOperands in = OperandsOf(state, args);
  const std::uint8_t* x = in.a;
  if (state.copies) {
    auto* padded = reinterpret_cast<std::uint8_t*>(args.scratch + state.scratch_bytes());
    CopyPadded(call, {.x = in.a, .flip = in.flip, .padding = in.a_zero}, padded);
    x = padded;
  }
  for (std::int64_t group = 0; group < call.group; ++group) {
    const ByteWindows windows{
        .call = &call, .image = state.image, .x = x + group * call.in_channels};
    ByteRun run = in.RunOf(state, group);
    run.m = call.batch * call.OutputPixels();
    run.rows = state.in_place ? RowsInPlace : RowsOfWindows;
    run.source = &windows;
    run.Advance(group * call.out_channels);
    run.row_stride = call.group * call.out_channels;
    MultiplyBytes(run, in.chunks);
  }
}

}  // namespace halftone
