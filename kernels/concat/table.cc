#include <fmt/format.h>

#include "kernels/concat/concat.h"
#include "kernels/copy/copy_bytes.h"
#include "kernels/copy/copy_runs.h"
#include "kernels/parallel.h"
#include "kernels/shared_components.h"
#include "kernels/table_rows.h"
#include "src/base/error.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

// Concat and Split are one operation in two directions. Seen as [outer, axis, inner], the whole
// tensor is `outer` rows of row_bytes; part p holds part_bytes[p] of each row. A part in place
// already lies at its position in the whole.
struct PartsState final : KernelState {
  std::int64_t outer = 1;
  std::int64_t row_bytes = 0;
  std::vector<std::int64_t> part_bytes;
  std::vector<std::int64_t> part_offset;  // within a row of the whole
};

std::unique_ptr<PartsState> PartsOf(const KernelQuery& query, const TensorType& whole,
                                    const std::vector<const TensorType*>& parts) {
  const int axis = NormalizeAxis(query.attributes->Int("axis", 0), whole.shape.rank());
  auto state = std::make_unique<PartsState>();
  const std::int64_t inner_bytes = whole.shape.ElementCount(axis + 1, whole.shape.rank()) *
                                   static_cast<std::int64_t>(SizeOf(whole.dtype));
  state->outer = whole.shape.ElementCount(0, axis);
  state->row_bytes = inner_bytes * whole.shape[axis];
  std::int64_t offset = 0;
  for (const TensorType* part : parts) {
    Shape expected = whole.shape;
    expected[axis] = part->shape.rank() > axis ? part->shape[axis] : 0;
    if (part->dtype != whole.dtype || part->shape != expected) {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: part {} does not fit {} along axis {}", InfoOf(query.op).name,
                              part->ToString(), whole.ToString(), axis));
    }
    state->part_offset.push_back(offset);
    state->part_bytes.push_back(inner_bytes * part->shape[axis]);
    offset += state->part_bytes.back();
  }
  if (offset != state->row_bytes) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: the parts have {} bytes a row along axis {}, the whole has {}",
                            InfoOf(query.op).name, offset, axis, state->row_bytes));
  }
  return state;
}

std::unique_ptr<KernelState> PrepareConcat(const KernelQuery& query) {
  return PartsOf(query, *query.outputs.at(0), query.inputs);
}

std::unique_ptr<KernelState> PrepareSplit(const KernelQuery& query) {
  return PartsOf(query, *query.inputs.at(0), query.outputs);
}

// Calls copy(part, first row, rows) until all is copied.
template <typename CopyRows>
void ForEachPart(const PartsState& state, const CopyRows& copy_rows) noexcept {
  const std::size_t parts = state.part_bytes.size();
  if (state.outer == 1) {  // few long runs: each is split by itself
    for (std::size_t p = 0; p < parts; ++p) {
      copy_rows(p, std::int64_t{0}, std::int64_t{1});
    }
    return;
  }
  ParallelFor(state.outer, GrainOf(state.row_bytes), [&](std::int64_t begin, std::int64_t end) {
    for (std::size_t p = 0; p < parts; ++p) {
      copy_rows(p, begin, end - begin);
    }
  });
}

void RunConcat(const KernelArgs& args) noexcept {
  const auto& state = *static_cast<const PartsState*>(args.state);
  auto* whole = static_cast<std::byte*>(args.outputs[0]);
  ForEachPart(state, [&](std::size_t part, std::int64_t first, std::int64_t rows) {
    const std::int64_t bytes = state.part_bytes[part];
    if (args.inputs[part] == whole + state.part_offset[part]) {
      return;  // the plan of the memory put it there
    }
    CopyRuns({.source = static_cast<const std::byte*>(args.inputs[part]) + first * bytes,
              .target = whole + first * state.row_bytes + state.part_offset[part],
              .source_stride = bytes,
              .target_stride = state.row_bytes,
              .bytes = bytes,
              .count = rows});
  });
}

void RunSplit(const KernelArgs& args) noexcept {
  const auto& state = *static_cast<const PartsState*>(args.state);
  const auto* whole = static_cast<const std::byte*>(args.inputs[0]);
  ForEachPart(state, [&](std::size_t part, std::int64_t first, std::int64_t rows) {
    const std::int64_t bytes = state.part_bytes[part];
    if (args.outputs[part] == whole + state.part_offset[part]) {
      return;
    }
    CopyRuns({.source = whole + first * state.row_bytes + state.part_offset[part],
              .target = static_cast<std::byte*>(args.outputs[part]) + first * bytes,
              .source_stride = state.row_bytes,
              .target_stride = bytes,
              .bytes = bytes,
              .count = rows});
  });
}

// Runs of memcpy are short enough to be their own specification.
constexpr Component kConcat{.name = "concat"};

constexpr KernelEntry kRows[] = {
    {"concat.any.portable", OpKind::kConcat, kAllDTypes, ImplMode::kDefault, kIsaAny, nullptr,
     PrepareConcat, nullptr, RunConcat, true},
    {"split.any.portable", OpKind::kSplit, kAllDTypes, ImplMode::kDefault, kIsaAny, nullptr,
     PrepareSplit, nullptr, RunSplit, true},
};

constexpr auto kEntries = MadeOf({&kConcat, &kCopyRuns, &kCopyBytes}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> ConcatKernels() {
  return kEntries;
}

}  // namespace halftone
