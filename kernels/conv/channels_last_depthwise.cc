#include "kernels/conv/channels_last_depthwise.h"

#include "kernels/conv/channel_filter.h"
#include "kernels/conv/channels_last.h"
#include "kernels/conv/conv_call.h"
#include "kernels/gemm/chunks.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/tile/half_rows.h"
#include "src/ir/fused_operands.h"

namespace halftone {
namespace {

struct DepthwiseState : ConstantsState {
  explicit DepthwiseState(const KernelQuery& query)
      : ConstantsState(query), call(ConvCallOf(query)) {}

  ConvCall call;
  std::vector<float> weights;  // as ChannelFilter has them
  std::vector<float> bias;     // zeros when there is none
};

}  // namespace

std::string_view ChannelsLastDepthwiseRefusal(const KernelQuery& query) {
  const std::string_view refusal = ChannelsLastRefusal(query);
  if (!refusal.empty()) {
    return refusal;
  }
  const Shape& w = query.inputs.at(1)->shape;
  return w[1] == 1 && w[0] == query.attributes->Int("group", 1) ? "" : "not depthwise";
}

std::unique_ptr<KernelState> PrepareChannelsLastDepthwise(const KernelQuery& query) {
  auto state = std::make_unique<DepthwiseState>(query);
  const ConvCall& call = state->call;
  const std::int64_t channels = call.group;
  const std::int64_t taps = call.Taps();
  std::vector<float> source(static_cast<std::size_t>(channels * taps));
  WidenRow(call.dtype, query.Constant(1)->data(), source.data(), channels * taps);
  const std::int64_t padded = (channels + kFilterChannels - 1) / kFilterChannels * kFilterChannels;
  state->weights.resize(static_cast<std::size_t>(padded * taps));
  for (std::int64_t c = 0; c < channels; ++c) {
    const std::int64_t lane = c % kFilterChannels;
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      state->weights[static_cast<std::size_t>((c - lane) * taps + tap * kFilterChannels + lane)] =
          source[static_cast<std::size_t>(c * taps + tap)];
    }
  }
  state->bias.assign(static_cast<std::size_t>(padded), 0.0F);
  if (call.has_bias) {
    WidenRow(call.result_dtype, query.Constant(2)->data(), state->bias.data(), channels);
  }
  state->constants.Release(1);
  state->constants.Release(2);
  return state;
}

void RunChannelsLastDepthwise(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const DepthwiseState&>(*args.state);
  const ConvCall& call = state.call;
  const ChannelFilter filter{
      .call = &call,
      .x = static_cast<const std::byte*>(state.constants.Input(args, 0)),
      .weights = state.weights.data(),
      .bias = state.bias.data(),
      .y = static_cast<std::byte*>(args.outputs[0]),
      .residual = static_cast<const std::byte*>(state.constants.Input(args, kResidualOperand))};
  // A tap takes about as long as four multiplications of a matrix product.
  const double work = 8.0 * static_cast<double>(call.output[2] * call.group * call.Taps());
  ParallelFor(call.batch * call.output[1], GrainForFlops(work),
              [&](std::int64_t begin, std::int64_t end) { FilterChannelRows(filter, begin, end); });
}

}  // namespace halftone
