#include "kernels/pool/global.h"

#include "kernels/parallel.h"
#include "kernels/pool/pool_call.h"
#include "kernels/pool/whole_planes.h"

namespace halftone {
namespace {

struct GlobalState : KernelState {
  explicit GlobalState(const KernelQuery& query) : call(PoolCallOf(query)) {}

  PoolCall call;
};

}  // namespace

std::string_view GlobalPoolRefusal(const KernelQuery& query) {
  return query.layout.channels_last ? "channels are last" : "";
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
    PoolWholePlanes({.average = call.average,
                     .dtype = call.dtype,
                     .x = static_cast<const std::byte*>(args.inputs[0]) + begin * pixels * element,
                     .count = pixels,
                     .planes = end - begin,
                     .y = static_cast<std::byte*>(args.outputs[0]) + begin * element});
  });
}

}  // namespace halftone
