#include "kernels/gather/elements.h"

#include <cstring>

#include "kernels/axis_runs.h"
#include "kernels/copy/copy_bytes.h"
#include "kernels/elements.h"
#include "kernels/parallel.h"

namespace halftone {
namespace {

struct ElementsState final : KernelState {
  AxisPositions positions;
  AxisRuns runs;
  std::size_t element_bytes = 0;
  bool wide = true;
};

struct NdState final : KernelState {
  NdPositions positions;
  std::int64_t batch_indices = 1;   // index tuples per batch
  std::int64_t batch_elements = 0;  // of the data
  std::int64_t slice_bytes = 0;
};

// Data of a run: `x` is the element that the first index would name if it were 0.
struct Reach {
  std::int64_t extent;
  std::int64_t axis_stride;
  std::int64_t stride;  // from index to index
};

template <typename T, typename Index>
void GatherRun(const T* x, const Index* indices, T* y, std::int64_t count,
               const Reach& reach) noexcept {
  for (std::int64_t k = 0; k < count; ++k) {
    std::int64_t at = indices[k];
    at += at < 0 ? reach.extent : 0;
    const bool outside = static_cast<std::uint64_t>(at) >= static_cast<std::uint64_t>(reach.extent);
    y[k] = outside ? T{} : x[at * reach.axis_stride + k * reach.stride];
  }
}

template <typename T, typename Index>
void GatherRuns(const ElementsState& s, const KernelArgs& args) noexcept {
  const auto* x = static_cast<const T*>(args.inputs[0]);
  const auto* indices = static_cast<const Index*>(args.inputs[1]);
  auto* y = static_cast<T*>(args.outputs[0]);
  const Reach reach{s.positions.extent, s.runs.axis_stride, s.runs.run.stride};
  ParallelFor(s.positions.count, 25'000, [&](std::int64_t begin, std::int64_t end) {
    s.runs.ForEach(begin, end, [&](std::int64_t first, std::int64_t count, std::int64_t base) {
      GatherRun(x + base, indices + first, y + first, count, reach);
    });
  });
}

}  // namespace

std::unique_ptr<KernelState> PrepareGatherElements(const KernelQuery& query) {
  auto state = std::make_unique<ElementsState>();
  state->positions = AxisPositionsOf(query);
  state->runs = AxisRunsOf(state->positions);
  state->element_bytes = SizeOf(query.inputs.at(0)->dtype);
  state->wide = query.inputs.at(1)->dtype == DType::kInt64;
  return state;
}

void RunGatherElements(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const ElementsState&>(*args.state);
  VisitElementBytes(s.element_bytes, [&](auto element) {
    using T = decltype(element);
    s.wide ? GatherRuns<T, std::int64_t>(s, args) : GatherRuns<T, std::int32_t>(s, args);
  });
}

void RunGatherElementsReference(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const ElementsState&>(*args.state);
  VisitElementBytes(s.element_bytes, [&](auto element) {
    using T = decltype(element);
    const auto* x = static_cast<const T*>(args.inputs[0]);
    auto* y = static_cast<T*>(args.outputs[0]);
    ParallelFor(s.positions.count, 10'000, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t at = IndexInAxis(args.inputs[1], s.wide, i, s.positions.extent);
        y[i] = at < 0 ? T{} : x[s.positions.DataIndex(i, at)];
      }
    });
  });
}

std::unique_ptr<KernelState> PrepareGatherNd(const KernelQuery& query) {
  auto state = std::make_unique<NdState>();
  const int batch = static_cast<int>(query.attributes->Int("batch_dims", 0));
  const Shape& data = query.inputs.at(0)->shape;
  state->positions = NdPositionsOf(query, batch);
  state->batch_indices =
      state->positions.tuples / std::max<std::int64_t>(1, data.ElementCount(0, batch));
  state->batch_elements = data.ElementCount(batch, data.rank());
  state->slice_bytes =
      state->positions.slice * static_cast<std::int64_t>(SizeOf(query.inputs[0]->dtype));
  return state;
}

void RunGatherNd(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const NdState&>(*args.state);
  const auto* x = static_cast<const std::byte*>(args.inputs[0]);
  const auto* indices = static_cast<const std::int64_t*>(args.inputs[1]);
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  const std::int64_t element = s.slice_bytes / std::max<std::int64_t>(1, s.positions.slice);
  ParallelFor(s.positions.tuples, GrainOf(s.slice_bytes + 16),
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) {
                  const std::int64_t at = s.positions.ElementAt(indices, i);
                  std::byte* target = y + i * s.slice_bytes;
                  if (at < 0) {
                    std::memset(target, 0, static_cast<std::size_t>(s.slice_bytes));
                  } else {
                    std::memcpy(target, x + (i / s.batch_indices * s.batch_elements + at) * element,
                                static_cast<std::size_t>(s.slice_bytes));
                  }
                }
              });
}

}  // namespace halftone
