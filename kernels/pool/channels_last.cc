#include "kernels/pool/channels_last.h"

#include "kernels/parallel.h"
#include "kernels/pool/channel_pool.h"
#include "kernels/pool/pool_call.h"

namespace halftone {
namespace {

struct PoolState : KernelState {
  explicit PoolState(const KernelQuery& query) : call(PoolCallOf(query)) {}

  PoolCall call;
};

}  // namespace

std::string_view ChannelsLastPoolRefusal(const KernelQuery& query) {
  return IsChannelsLast(*query.attributes) ? "" : "channels are not last";
}

std::unique_ptr<KernelState> PrepareChannelsLastPool(const KernelQuery& query) {
  return std::make_unique<PoolState>(query);
}

void RunChannelsLastPool(const KernelArgs& args) noexcept {
  const PoolCall& call = static_cast<const PoolState&>(*args.state).call;
  const ChannelPool pool{.call = &call, .x = args.inputs[0], .y = args.outputs[0]};
  // About 8 elements a nanosecond.
  const std::int64_t grain = 200'000 / (call.Taps() * call.channels + 1) + 1;
  ParallelFor(call.batch * call.OutputPixels(), grain,
              [&](std::int64_t begin, std::int64_t end) { PoolChannelPixels(pool, begin, end); });
}

}  // namespace halftone
