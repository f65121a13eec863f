// Where: copies elements of either branch, whatever their dtype.
#include <cstdint>

#include "kernels/binary/binary.h"
#include "kernels/binary/broadcast.h"
#include "kernels/parallel.h"

namespace halftone {
namespace {

constexpr std::int64_t kGrain = 1 << 16;  // about 0.4 ns an element: 25 us

struct WhereState : KernelState {
  BroadcastPlan plan;
  std::size_t element_bytes = 0;
};

template <typename Word>
void Copy(const WhereState& s, const KernelArgs& args) {
  const auto* condition = static_cast<const std::uint8_t*>(args.inputs[0]);
  const auto* x = static_cast<const Word*>(args.inputs[1]);
  const auto* z = static_cast<const Word*>(args.inputs[2]);
  auto* y = static_cast<Word*>(args.outputs[0]);
  const BroadcastPlan::Strides step = s.plan.inner_stride();
  ParallelFor(s.plan.count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    ForEachRun(s.plan, begin, end,
               [&](std::int64_t position, const BroadcastPlan::Strides& at, std::int64_t count) {
                 for (std::int64_t i = 0; i < count; ++i) {
                   const bool first = condition[at[0] + i * step[0]] != 0;
                   y[position + i] = first ? x[at[1] + i * step[1]] : z[at[2] + i * step[2]];
                 }
               });
  });
}

}  // namespace

std::unique_ptr<KernelState> PrepareWhere(const KernelQuery& query) {
  auto state = std::make_unique<WhereState>();
  state->plan =
      PlanBroadcast(query.outputs[0]->shape,
                    {&query.Input(0)->shape, &query.Input(1)->shape, &query.Input(2)->shape});
  state->element_bytes = SizeOf(query.Input(1)->dtype);
  return state;
}

void RunWhere(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const WhereState&>(*args.state);
  switch (s.element_bytes) {
    case 1:
      return Copy<std::uint8_t>(s, args);
    case 2:
      return Copy<std::uint16_t>(s, args);
    case 4:
      return Copy<std::uint32_t>(s, args);
    default:
      return Copy<std::uint64_t>(s, args);
  }
}

}  // namespace halftone
