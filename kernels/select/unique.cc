#include <algorithm>

#include "kernels/gemm/matrix_call.h"
#include "kernels/select/select.h"
#include "src/ir/slice_groups.h"

namespace halftone {
namespace {

struct UniqueState final : KernelState {
  explicit UniqueState(const KernelQuery& query) : constants(query) {}

  ConstantInputs constants;
  SliceSet slices;
  std::int64_t planned = 0;
};

std::int64_t* OutputOf(const KernelArgs& args, std::size_t i) {
  return i < args.outputs.size() ? static_cast<std::int64_t*>(args.outputs[i]) : nullptr;
}

}  // namespace

std::unique_ptr<KernelState> PrepareUnique(const KernelQuery& query) {
  auto state = std::make_unique<UniqueState>(query);
  state->slices = SliceSetOf(*query.attributes, *query.inputs.at(0));
  state->planned = query.outputs.at(0)->shape[0];
  return state;
}

// The order of the slices and their groups.
std::size_t UniqueScratch(const KernelState& state) {
  const auto& s = static_cast<const UniqueState&>(state);
  return static_cast<std::size_t>(s.slices.length) * (sizeof(std::int64_t) + sizeof(SliceGroup));
}

// Results: the index of each group's first slice, the group of each slice, the number of slices of
// each group.
void RunUnique(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const UniqueState&>(*args.state);
  auto* order = reinterpret_cast<std::int64_t*>(args.scratch);
  auto* groups =
      reinterpret_cast<SliceGroup*>(args.scratch + s.slices.length * sizeof(std::int64_t));
  std::int64_t* indices = OutputOf(args, 0);
  std::int64_t* inverse = OutputOf(args, 1);
  std::int64_t* counts = OutputOf(args, 2);
  const std::int64_t count = GroupSlices(s.slices, s.constants.Input(args, 0), order, groups);
  if (count != s.planned) {
    NoteOtherCount(args);
    std::fill_n(indices, s.planned, std::int64_t{0});
    if (inverse != nullptr) {
      std::fill_n(inverse, s.slices.length, std::int64_t{0});
    }
    if (counts != nullptr) {
      std::fill_n(counts, s.planned, std::int64_t{0});
    }
    return;
  }
  for (std::int64_t g = 0; g < count; ++g) {
    const SliceGroup& group = groups[g];
    indices[g] = order[group.begin];
    for (std::int64_t i = 0; inverse != nullptr && i < group.count; ++i) {
      inverse[order[group.begin + i]] = g;
    }
    if (counts != nullptr) {
      counts[g] = group.count;
    }
  }
}

}  // namespace halftone
