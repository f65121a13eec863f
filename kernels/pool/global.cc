#include "kernels/pool/global.h"

#include "kernels/parallel.h"
#include "kernels/pool/plane_pool.h"
#include "kernels/pool/pool_call.h"
#include "src/ir/tensor.h"

namespace halftone {
namespace {

struct GlobalState : KernelState {
  explicit GlobalState(const KernelQuery& query) : call(PoolCallOf(query)) {}

  PoolCall call;
};

}  // namespace

std::string_view GlobalPoolRefusal(const KernelQuery& query) {
  return IsChannelsLast(*query.attributes) ? "channels are last" : "";
}

std::unique_ptr<KernelState> PrepareGlobalPool(const KernelQuery& query) {
  return std::make_unique<GlobalState>(query);
}

void RunGlobalPool(const KernelArgs& args) noexcept {
  const PoolCall& call = static_cast<const GlobalState&>(*args.state).call;
  const std::int64_t pixels = call.InputPixels();
  const auto element = static_cast<std::int64_t>(SizeOf(call.dtype));
  // About 10 elements a nanosecond.
  const std::int64_t grain = 250'000 / (pixels + 1) + 1;
  ParallelFor(call.planes(), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::byte* x = static_cast<const std::byte*>(args.inputs[0]) + i * pixels * element;
      const float result = call.average ? SumOf(call.dtype, x, pixels) / static_cast<float>(pixels)
                                        : MaximumOf(call.dtype, x, pixels);
      StoreDouble(call.dtype, args.outputs[0], i, static_cast<double>(result));
    }
  });
}

}  // namespace halftone
