#include "kernels/gather/elements.h"

#include <cstring>

#include "kernels/copy/copy_bytes.h"
#include "kernels/elements.h"
#include "kernels/parallel.h"
#include "kernels/positions.h"

namespace halftone {
namespace {

struct ElementsState final : KernelState {
  AxisPositions positions;
  std::size_t element_bytes = 0;
  bool wide = true;
};

struct NdState final : KernelState {
  NdPositions positions;
  std::int64_t batch_indices = 1;   // index tuples per batch
  std::int64_t batch_elements = 0;  // of the data
  std::int64_t slice_bytes = 0;
};

}  // namespace

std::unique_ptr<KernelState> PrepareGatherElements(const KernelQuery& query) {
  auto state = std::make_unique<ElementsState>();
  state->positions = AxisPositionsOf(query);
  state->element_bytes = SizeOf(query.inputs.at(0)->dtype);
  state->wide = query.inputs.at(1)->dtype == DType::kInt64;
  return state;
}

void RunGatherElements(const KernelArgs& args) noexcept {
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
