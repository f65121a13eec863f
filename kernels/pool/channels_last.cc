#include "kernels/pool/channels_last.h"

#include <vector>

#include "kernels/parallel.h"
#include "kernels/pool/channel_pool.h"
#include "kernels/pool/pool_call.h"

namespace halftone {
namespace {

struct PoolState : KernelState {
  explicit PoolState(const KernelQuery& query) : call(PoolCallOf(query)) {
    for (std::int64_t x = 0; x < call.output[2]; ++x) {
      columns.push_back(TapsAt(call, 2, x));
    }
  }

  PoolCall call;
  std::vector<TapRange> columns;
};

}  // namespace

std::string_view ChannelsLastPoolRefusal(const KernelQuery& query) {
  return query.layout.channels_last ? "" : "channels are not last";
}

std::unique_ptr<KernelState> PrepareChannelsLastPool(const KernelQuery& query) {
  return std::make_unique<PoolState>(query);
}

void RunChannelsLastPool(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const PoolState&>(*args.state);
  const PoolCall& call = state.call;
  const ChannelPool pool{
      .call = &call, .x = args.inputs[0], .y = args.outputs[0], .columns = state.columns.data()};
  // About 8 elements a nanosecond.
  const std::int64_t grain = 200'000 / (call.Taps() * call.channels * call.output[2] + 1) + 1;
  ParallelFor(call.batch * call.output[1], grain,
              [&](std::int64_t begin, std::int64_t end) { PoolChannelRows(pool, begin, end); });
}

}  // namespace halftone
