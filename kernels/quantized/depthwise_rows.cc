// Depthwise convolution with int8 weights whose zero points are 0, by rows of output pixels.
#include <algorithm>
#include <array>

#include "kernels/parallel.h"
#include "kernels/quantized/byte_product.h"
#include "kernels/quantized/conv.h"
#include "kernels/quantized/depthwise_row.h"
#include "kernels/quantized/operands.h"

namespace halftone {
namespace {

constexpr int kBlock = kDepthwiseRowChannels;
constexpr int kMostRows = 16;      // of a window
constexpr int kPixelsOfSums = 16;  // whose sums lie on the stack

struct DepthwiseRowsState final : KernelState {
  explicit DepthwiseRowsState(const KernelQuery& query)
      : call(QuantizedConvCall(query)),
        places(PlacesOf(query.op)),
        constants(query),
        x_dtype(query.Input(places.a)->dtype),
        y_dtype(query.outputs.at(0)->dtype),
        epilogue(query),
        groups((call.kernel[1] + kDepthwiseRowsAtOnce - 1) / kDepthwiseRowsAtOnce) {}

  ConvCall call;
  OperandPlaces places;
  ConstantInputs constants;
  DType x_dtype, y_dtype;
  ByteEpilogueState epilogue;
  std::int64_t groups;  // of rows of the window
  std::uint8_t padding = 0;
  std::vector<std::int8_t> weights;
  // Padded to whole blocks: by channels, and in the order of quarters and lanes.
  std::vector<std::int32_t> offset, offset_lanes;
  std::vector<float> multiplier, multiplier_lanes;

  [[nodiscard]] std::int64_t blocks() const { return (call.group + kBlock - 1) / kBlock; }

  [[nodiscard]] std::int64_t weights_of_block() const {
    return call.kernel[2] * groups * kBlock * kDepthwiseRowsAtOnce;
  }
};

// Position in the order of quarters and lanes of a channel of a block.
std::int64_t LaneOf(std::int64_t channel) {
  return channel % 16 / 4 * 16 + channel / 16 * 4 + channel % 4;
}

void PackWeights(DepthwiseRowsState& state, const Tensor& w) {
  const ConvCall& call = state.call;
  state.weights.resize(static_cast<std::size_t>(state.blocks() * state.weights_of_block()));
  for (std::int64_t i = 0; i < w.ElementCount(); ++i) {
    const std::int64_t channel = i / call.Taps();
    const std::int64_t row = i % call.Taps() / call.kernel[2];
    const std::int64_t column = i % call.kernel[2];
    const std::int64_t group = column * state.groups + row / kDepthwiseRowsAtOnce;
    const std::int64_t at = channel / kBlock * state.weights_of_block() +
                            (group * kBlock + LaneOf(channel % kBlock)) * kDepthwiseRowsAtOnce +
                            row % kDepthwiseRowsAtOnce;
    state.weights[static_cast<std::size_t>(at)] =
        w.values<std::int8_t>()[static_cast<std::size_t>(i)];
  }
}

// Sums over the taps of each channel.
std::vector<std::int32_t> SumsOfWeights(const ConvCall& call, const Tensor& w,
                                        std::int64_t padded) {
  std::vector<std::int32_t> sums(static_cast<std::size_t>(padded));
  for (std::int64_t i = 0; i < w.ElementCount(); ++i) {
    sums[static_cast<std::size_t>(i / call.Taps())] +=
        w.values<std::int8_t>()[static_cast<std::size_t>(i)];
  }
  return sums;
}

// The rows under the windows of one row of output pixels.
struct WindowRows {
  std::array<const std::uint8_t*, kMostRows> rows{};

  WindowRows(const ConvCall& call, const std::uint8_t* image, std::int64_t row,
             std::int64_t channel) {
    for (std::int64_t ky = 0; ky < call.kernel[1]; ++ky) {
      const std::int64_t y = row * call.stride[1] - call.pad[1] + ky * call.dilation[1];
      rows[static_cast<std::size_t>(ky)] =
          y < 0 || y >= call.input[1] ? nullptr : image + y * call.input[2] * call.group + channel;
    }
  }
};

}  // namespace

std::string_view DepthwiseRowsRefusal(const KernelQuery& query) {
  if (const std::string_view reason = ByteDepthwiseRefusal(query); !reason.empty()) {
    return reason;
  }
  const OperandPlaces places = PlacesOf(query.op);
  if (query.Input(places.b)->dtype != DType::kInt8) {
    return "weights are not int8";
  }
  if (query.Input(places.a_zero) != nullptr && query.Constant(places.a_zero) == nullptr) {
    return "the zero point of the input is not constant";
  }
  if (const Tensor* zero = query.Constant(places.b_zero)) {
    const std::vector<std::int64_t> values = IntegersOf(*zero);
    if (std::any_of(values.begin(), values.end(), [](std::int64_t v) { return v != 0; })) {
      return "weights have a zero point";
    }
  }
  const ConvCall call = QuantizedConvCall(query);
  if (call.dilation[2] != 1) {
    return "windows are dilated along rows";
  }
  return call.kernel[1] > kMostRows ? "the window is high" : "";
}

std::string_view DepthwiseRowsSlower(const KernelQuery& query) {
  const std::int64_t channels = query.attributes->Int("group", 1);
  const std::int64_t filled = (channels + kBlock - 1) / kBlock * kBlock;
  return channels * 2 <= filled ? "most channels of its blocks are empty" : "";
}

std::unique_ptr<KernelState> PrepareDepthwiseRows(const KernelQuery& query) {
  auto state = std::make_unique<DepthwiseRowsState>(query);
  const ConvCall& call = state->call;
  const OperandPlaces& places = state->places;
  const Tensor& w = *query.Constant(places.b);
  PackWeights(*state, w);
  const auto data = [&](std::size_t operand) -> const void* {
    return query.Constant(operand) == nullptr ? nullptr : query.Constant(operand)->data();
  };
  const auto scale = [&](std::size_t operand) {
    return data(operand) == nullptr ? 1.0F : *static_cast<const float*>(data(operand));
  };
  const std::int64_t padded = state->blocks() * kBlock;
  const std::int32_t flip = state->x_dtype == DType::kInt8 ? 128 : 0;
  const std::int32_t a_zero = ZeroPointAt(state->x_dtype, data(places.a_zero)) + flip;
  state->padding = static_cast<std::uint8_t>(a_zero);
  state->offset.resize(static_cast<std::size_t>(padded));
  state->multiplier.resize(static_cast<std::size_t>(padded));
  const bool integer = state->y_dtype == DType::kInt32;
  const std::vector<std::int32_t> sums = SumsOfWeights(call, w, padded);
  ComputeColumnTerms(
      {.k = call.Taps(),
       .n = call.group,
       .a_zero = a_zero,
       .b_sums = sums.data(),
       .bias = static_cast<const std::int32_t*>(data(places.bias)),
       .a_scale = scale(places.a_scale),
       .b_scale = static_cast<const float*>(data(places.b_scale)),
       .b_scale_per_column = ElementsOf(query, places.b_scale) > 1,
       .y_scale = scale(places.y_scale)},
      {.offset = state->offset.data(), .multiplier = integer ? nullptr : state->multiplier.data()});
  state->offset_lanes.resize(state->offset.size());
  state->multiplier_lanes.resize(state->multiplier.size());
  for (std::int64_t i = 0; i < padded; ++i) {
    const auto to = static_cast<std::size_t>(i / kBlock * kBlock + LaneOf(i % kBlock));
    state->offset_lanes[to] = state->offset[static_cast<std::size_t>(i)];
    state->multiplier_lanes[to] = state->multiplier[static_cast<std::size_t>(i)];
  }
  return state;
}

namespace {

// What one run has for all rows and blocks.
struct DepthwiseRun {
  const DepthwiseRowsState& state;
  const std::uint8_t* x;
  std::byte* y;
  std::int32_t y_zero;
  MaybeByteEpilogue epilogue;

  void Run(std::int64_t row, std::int64_t block) const {
    const ConvCall& call = state.call;
    const std::int64_t channel = block * kBlock;
    const WindowRows windows(call, x + row / call.output[1] * call.InputPixels() * call.group,
                             row % call.output[1], channel);
    DepthwiseRowArgs args{
        .rows = windows.rows.data(),
        .kernel_rows = static_cast<int>(call.kernel[1]),
        .kernel_columns = static_cast<int>(call.kernel[2]),
        .stride = call.stride[2],
        .first_column = -call.pad[2],
        .input_columns = call.input[2],
        .pitch = call.group,
        .channels = static_cast<int>(std::min<std::int64_t>(kBlock, call.group - channel)),
        .flip = static_cast<std::uint8_t>(state.x_dtype == DType::kInt8 ? 0x80 : 0),
        .padding = state.padding,
        .weights = state.weights.data() + block * state.weights_of_block(),
        .pixels = static_cast<int>(call.output[2])};
    const std::int64_t first = row * call.output[2] * call.group + channel;
    const bool residual = epilogue && epilogue->place != ResidualPlace::kNone;
    if (kByteDTypes.Has(state.y_dtype) && !residual) {
      Finish(args, first, block);
    } else {
      StoreSums(args, first, block);
    }
  }

 private:
  void Finish(DepthwiseRowArgs& args, std::int64_t first, std::int64_t block) const {
    const bool is_signed = state.y_dtype == DType::kInt8;
    const ByteBounds bounds = epilogue ? epilogue->bounds : ByteBounds();
    const ByteTileFinish finish{.y = reinterpret_cast<std::uint8_t*>(y) + first,
                                .row_stride = state.call.group,
                                .offset = state.offset_lanes.data() + block * kBlock,
                                .multiplier = state.multiplier_lanes.data() + block * kBlock,
                                .zero = y_zero + (is_signed ? 128 : 0),
                                .flip = static_cast<std::uint8_t>(is_signed ? 0x80 : 0),
                                .low = bounds.low,
                                .high = bounds.high};
    args.finish = &finish;
    DepthwiseRowVnni(args);
  }

  void StoreSums(DepthwiseRowArgs& args, std::int64_t first, std::int64_t block) const {
    // A vector behind the last row is read.
    alignas(64) std::int32_t sums[kPixelsOfSums * kBlock + 16];
    const std::int64_t channels = state.call.group;
    const auto element = static_cast<std::int64_t>(SizeOf(state.y_dtype));
    args.sums = sums;
    for (std::int64_t pixel = 0; pixel < state.call.output[2]; pixel += kPixelsOfSums) {
      args.pixels =
          static_cast<int>(std::min<std::int64_t>(kPixelsOfSums, state.call.output[2] - pixel));
      args.first_column = pixel * state.call.stride[2] - state.call.pad[2];
      DepthwiseRowVnni(args);
      const std::int64_t at = first + pixel * channels;
      StoreByteTile(sums, {.y = y + at * element,
                           .dtype = state.y_dtype,
                           .sums_stride = kBlock,
                           .row_stride = channels,
                           .rows = args.pixels,
                           .columns = args.channels,
                           .offset = state.offset.data() + block * kBlock,
                           .multiplier = state.multiplier.data() + block * kBlock,
                           .y_zero = y_zero,
                           .epilogue = Later(epilogue, at)});
    }
  }
};

}  // namespace

void RunDepthwiseRows(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const DepthwiseRowsState&>(*args.state);
  const ConvCall& call = state.call;
  const void* y_zero = state.constants.Input(args, state.places.y_zero);
  const DepthwiseRun run{
      .state = state,
      .x = static_cast<const std::uint8_t*>(state.constants.Input(args, state.places.a)),
      .y = static_cast<std::byte*>(args.outputs[0]),
      .y_zero = ZeroPointAt(state.y_dtype, y_zero),
      .epilogue = state.epilogue.Of(state.constants, args)};
  // About 60 products a nanosecond.
  const std::int64_t products =
      call.output[2] * std::min<std::int64_t>(call.group, kBlock) * call.Taps();
  ParallelFor(call.batch * call.output[1] * state.blocks(),
              1'500'000 / std::max<std::int64_t>(products, 1) + 1,
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) {
                  run.Run(i / state.blocks(), i % state.blocks());
                }
              });
}

}  // namespace halftone
