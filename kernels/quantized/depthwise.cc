#include <algorithm>

#include "kernels/parallel.h"
#include "kernels/quantized/byte_product.h"
#include "kernels/quantized/conv.h"
#include "kernels/quantized/depthwise_tile.h"
#include "kernels/quantized/operands.h"

namespace halftone {
namespace {

struct ByteDepthwiseState final : KernelState {
  explicit ByteDepthwiseState(const KernelQuery& query)
      : call(QuantizedConvCall(query)),
        places(PlacesOf(query.op)),
        constants(query),
        x_dtype(query.Input(places.a)->dtype),
        y_dtype(query.outputs.at(0)->dtype),
        epilogue(query) {}

  ConvCall call;
  OperandPlaces places;
  ConstantInputs constants;
  DType x_dtype;
  DType y_dtype;
  ByteEpilogueState epilogue;
  // Arrays of channels are padded to whole tiles.
  std::vector<std::int16_t> weights;  // [tap, channel], less their zero point
  std::vector<std::int32_t> offset;
  std::vector<float> multiplier;

  [[nodiscard]] std::int64_t padded() const {
    return (call.group + kDepthwiseChannels - 1) / kDepthwiseChannels * kDepthwiseChannels;
  }
};

// Products of a tile at about 8 a nanosecond: half of what float32 has.
std::int64_t GrainOf(const ConvCall& call) {
  const std::int64_t products = call.output[2] * call.group * call.Taps();
  return 200'000 / std::max<std::int64_t>(products, 1) + 1;
}

struct DepthwiseRun {
  const ByteDepthwiseState& state;
  DepthwiseTile tile;  // what all tiles share; x: the first image
  std::byte* y;
  std::int32_t y_zero;
  MaybeByteEpilogue epilogue;
};

// A row of output pixels; `row`: over all images.
void RunRow(const DepthwiseRun& run, std::int64_t row) {
  const ByteDepthwiseState& state = run.state;
  const ConvCall& call = state.call;
  const auto element = static_cast<std::int64_t>(SizeOf(state.y_dtype));
  alignas(64) std::int32_t sums[kDepthwisePixels * kDepthwiseChannels];
  DepthwiseTile part = run.tile;
  part.x += row / call.output[1] * call.InputPixels() * call.group;
  part.row = row % call.output[1];
  for (std::int64_t channel = 0; channel < call.group; channel += kDepthwiseChannels) {
    part.channel = channel;
    part.columns =
        static_cast<int>(std::min<std::int64_t>(kDepthwiseChannels, call.group - channel));
    part.weights = state.weights.data() + channel;
    for (std::int64_t pixel = 0; pixel < call.output[2]; pixel += kDepthwisePixels) {
      part.pixel = pixel;
      part.pixels =
          static_cast<int>(std::min<std::int64_t>(kDepthwisePixels, call.output[2] - pixel));
      SumDepthwiseTile(part, sums);
      const std::int64_t at = (row * call.output[2] + pixel) * call.group + channel;
      StoreByteTile(sums, {.y = run.y + at * element,
                           .dtype = state.y_dtype,
                           .sums_stride = kDepthwiseChannels,
                           .row_stride = call.group,
                           .rows = part.pixels,
                           .columns = part.columns,
                           .offset = state.offset.data() + channel,
                           .multiplier = state.multiplier.data() + channel,
                           .y_zero = run.y_zero,
                           .epilogue = Later(run.epilogue, at)});
    }
  }
}

}  // namespace

std::string_view ByteDepthwiseRefusal(const KernelQuery& query) {
  if (!query.layout.channels_last) {
    return "channels are not last";
  }
  const OperandPlaces places = PlacesOf(query.op);
  const Shape& w = query.Input(places.b)->shape;
  if (w[1] != 1 || w[0] != query.attributes->Int("group", 1)) {
    return "not one channel a group";
  }
  if (w.ElementCount(2, w.rank()) > kMostDepthwiseTaps) {
    return "the window is large";
  }
  for (const std::size_t operand :
       {places.b, places.b_zero, places.a_scale, places.b_scale, places.y_scale, places.bias}) {
    if (query.Input(operand) != nullptr && query.Constant(operand) == nullptr) {
      return "weights, scales or bias are not constant";
    }
  }
  return RefusalOfScales(query, w[0]);
}

std::unique_ptr<KernelState> PrepareByteDepthwise(const KernelQuery& query) {
  auto state = std::make_unique<ByteDepthwiseState>(query);
  const ConvCall& call = state->call;
  const OperandPlaces& places = state->places;
  const auto padded = static_cast<std::size_t>(state->padded());
  const Tensor& w = *query.Constant(places.b);
  const Tensor* zero = query.Constant(places.b_zero);
  state->weights.resize(padded * static_cast<std::size_t>(call.Taps()));
  for (std::int64_t i = 0; i < w.ElementCount(); ++i) {
    const std::int64_t channel = i / call.Taps();
    const std::int64_t w_zero =
        zero == nullptr
            ? 0
            : IntegerAt(zero->dtype(), zero->data(), zero->ElementCount() == 1 ? 0 : channel);
    state->weights[static_cast<std::size_t>(i % call.Taps()) * padded +
                   static_cast<std::size_t>(channel)] =
        static_cast<std::int16_t>(IntegerAt(w.dtype(), w.data(), i) - w_zero);
  }
  state->offset.resize(padded);
  state->multiplier.resize(padded);
  const auto scale = [&](std::size_t operand) {
    const Tensor* constant = query.Constant(operand);
    return constant == nullptr ? nullptr : constant->values<float>().data();
  };
  const Tensor* bias = query.Constant(places.bias);
  const bool integer = state->y_dtype == DType::kInt32;
  const std::vector<std::int32_t> no_sums(padded);
  ComputeColumnTerms(
      {.n = call.group,
       .b_sums = no_sums.data(),
       .bias = bias == nullptr ? nullptr : bias->values<std::int32_t>().data(),
       .a_scale = integer ? 1.0F : *scale(places.a_scale),
       .b_scale = scale(places.b_scale),
       .b_scale_per_column = ElementsOf(query, places.b_scale) > 1,
       .y_scale = scale(places.y_scale) == nullptr ? 1.0F : *scale(places.y_scale)},
      {.offset = state->offset.data(), .multiplier = integer ? nullptr : state->multiplier.data()});
  return state;
}

void RunByteDepthwise(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ByteDepthwiseState&>(*args.state);
  const ConvCall& call = state.call;
  const auto input = [&](std::size_t operand) {
    return operand == kNoOperand ? nullptr : state.constants.Input(args, operand);
  };
  const DepthwiseRun run{.state = state,
                         .tile = {.call = &call,
                                  .x = static_cast<const std::uint8_t*>(input(state.places.a)),
                                  .x_signed = state.x_dtype == DType::kInt8,
                                  .x_zero = ZeroPointAt(state.x_dtype, input(state.places.a_zero)),
                                  .weight_stride = state.padded()},
                         .y = static_cast<std::byte*>(args.outputs[0]),
                         .y_zero = state.places.y_zero == kNoOperand
                                       ? 0
                                       : ZeroPointAt(state.y_dtype, input(state.places.y_zero)),
                         .epilogue = state.epilogue.Of(state.constants, args)};
  // Rows of output pixels over all images.
  ParallelFor(call.batch * call.output[1], GrainOf(call),
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t row = begin; row < end; ++row) {
                  RunRow(run, row);
                }
              });
}

}  // namespace halftone
