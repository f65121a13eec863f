#include "kernels/conv/depthwise.h"

#include "kernels/conv/conv_call.h"
#include "kernels/conv/plane_filter.h"
#include "kernels/conv/plane_rows.h"
#include "kernels/gemm/chunks.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/tile/half_rows.h"
#include "kernels/tile/tile_output.h"
#include "src/ir/fused_operands.h"

namespace halftone {
namespace {

struct DepthwiseState : ConstantsState {
  explicit DepthwiseState(const KernelQuery& query)
      : ConstantsState(query), call(ConvCallOf(query)) {}

  ConvCall call;
  PlaneLayout layout;
  std::vector<std::int64_t> offsets;
  std::vector<float> weights;  // [channels, taps]
  std::vector<float> bias;     // zeros when there is none
  int max_chunks = 1;

  // Bytes of one laid-out plane; a multiple of the alignment.
  [[nodiscard]] std::int64_t chunk_bytes() const {
    return (layout.size() + kFilterSlack + 15) / 16 * 64;
  }
};

}  // namespace

std::string_view DepthwiseRefusal(const KernelQuery& query) {
  const Shape& w = query.inputs.at(1)->shape;
  if (query.layout.channels_last) {
    return "channels are last";
  }
  if (w.rank() > 4) {
    return "more than 2 spatial axes";
  }
  const std::int64_t group = query.attributes->Int("group", 1);
  if (w[1] != 1 || w[0] > 4 * group) {
    return "not depthwise";
  }
  if (query.Constant(1) == nullptr || (query.Input(2) != nullptr && query.Constant(2) == nullptr)) {
    return "weights or bias are not constant";
  }
  return "";
}

std::unique_ptr<KernelState> PrepareDepthwise(const KernelQuery& query) {
  auto state = std::make_unique<DepthwiseState>(query);
  const ConvCall& call = state->call;
  state->layout = PlaneLayoutOf(call);
  state->offsets = TapOffsets(call, state->layout);
  state->max_chunks = MaxChunks();
  const std::int64_t channels = call.group * call.out_channels;
  state->weights.resize(static_cast<std::size_t>(channels * call.Taps()));
  WidenRow(call.dtype, query.Constant(1)->data(), state->weights.data(), channels * call.Taps());
  state->bias.assign(static_cast<std::size_t>(channels), 0.0F);
  if (call.has_bias) {
    WidenRow(call.result_dtype, query.Constant(2)->data(), state->bias.data(), channels);
  }
  state->constants.Release(1);
  state->constants.Release(2);
  return state;
}

std::size_t DepthwiseScratchBytes(const KernelState& state) {
  const auto& depthwise = static_cast<const DepthwiseState&>(state);
  return static_cast<std::size_t>(depthwise.chunk_bytes() * depthwise.max_chunks);
}

void RunDepthwise(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const DepthwiseState&>(*args.state);
  const ConvCall& call = state.call;
  const auto* x = static_cast<const std::byte*>(state.constants.Input(args, 0));
  const void* residual = state.constants.Input(args, kResidualOperand);
  const std::int64_t x_bytes = call.InputPixels() * static_cast<std::int64_t>(SizeOf(call.dtype));
  const std::int64_t y_bytes =
      call.OutputPixels() * static_cast<std::int64_t>(SizeOf(call.result_dtype));
  // Laying out a plane takes about as long as 16 multiplications per element.
  const double work = 16.0 * static_cast<double>(state.layout.size()) +
                      2.0 * static_cast<double>(call.OutputPixels() * call.Taps());
  ForEachChunk(call.batch * call.group, GrainForFlops(work), state.max_chunks,
               [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 auto* plane = reinterpret_cast<float*>(args.scratch + chunk * state.chunk_bytes());
                 for (std::int64_t i = begin; i < end; ++i) {
                   LayOutRows({.window = &call,
                               .layout = &state.layout,
                               .source_dtype = call.dtype,
                               .source = x + i * x_bytes,
                               .source_end = x + call.batch * call.group * x_bytes,
                               .target = plane});
                   for (std::int64_t o = 0; o < call.out_channels; ++o) {
                     const std::int64_t channel = i % call.group * call.out_channels + o;
                     std::byte* y = static_cast<std::byte*>(args.outputs[0]) +
                                    (i * call.out_channels + o) * y_bytes;
                     FilterPlane({.plane = plane,
                                  .row_step = call.stride[1] * state.layout.row_size(),
                                  .rows = call.output[1],
                                  .width = call.output[2],
                                  .offsets = state.offsets.data(),
                                  .weights = state.weights.data() + channel * call.Taps(),
                                  .taps = call.Taps(),
                                  .bias = state.bias[static_cast<std::size_t>(channel)],
                                  .epilogue = &call.epilogue,
                                  .slope = call.epilogue.SlopesFrom(channel),
                                  .result_dtype = call.result_dtype,
                                  .y = y,
                                  .residual = ResidualAt(residual, args.outputs[0], y)});
                   }
                 }
               });
}

}  // namespace halftone
