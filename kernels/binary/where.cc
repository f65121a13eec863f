// Operator Where: copies elements of either branch, of any dtype.
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

// The operands of a run, each walking by its stride.
template <typename Word>
struct Run {
  const std::uint8_t* condition;
  const Word* x;
  const Word* z;
  Word* y;
  std::int64_t count;
  BroadcastPlan::Strides step;
};

// Both branches are read whatever the condition says: a mask without a pattern would mispredict
// every second jump. Strides that are known here let the compiler use vectors.
template <bool x_moves, bool z_moves, typename Word>
void SelectAlongMask(const Run<Word>& run) {
  for (std::int64_t i = 0; i < run.count; ++i) {
    const Word first = run.x[x_moves ? i : 0];
    const Word second = run.z[z_moves ? i : 0];
    run.y[i] = run.condition[i] != 0 ? first : second;
  }
}

template <typename Word>
void SelectByStrides(const Run<Word>& run) {
  for (std::int64_t i = 0; i < run.count; ++i) {
    const Word first = run.x[i * run.step[1]];
    const Word second = run.z[i * run.step[2]];
    run.y[i] = run.condition[i * run.step[0]] != 0 ? first : second;
  }
}

template <typename Word>
void Select(const Run<Word>& run) {
  constexpr void (*kLoops[2][2])(const Run<Word>&) = {
      {SelectAlongMask<false, false, Word>, SelectAlongMask<false, true, Word>},
      {SelectAlongMask<true, false, Word>, SelectAlongMask<true, true, Word>}};
  if (run.step[0] == 1 && run.step[1] <= 1 && run.step[2] <= 1) {
    kLoops[run.step[1] != 0 ? 1 : 0][run.step[2] != 0 ? 1 : 0](run);
  } else {
    SelectByStrides(run);
  }
}

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
                 Select(Run<Word>{.condition = condition + at[0],
                                  .x = x + at[1],
                                  .z = z + at[2],
                                  .y = y + position,
                                  .count = count,
                                  .step = step});
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
