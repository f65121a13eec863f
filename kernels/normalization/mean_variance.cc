// Vectorised MeanVarianceNormalization; over_axes.cc has the specification.
#include <algorithm>
#include <vector>

#include "kernels/normalization/mean_variance_tiles.h"
#include "kernels/normalization/normalization.h"
#include "kernels/parallel.h"

namespace halftone {
namespace {

constexpr std::int64_t kColumns = 64;  // of a tile: whole lines of the cache

struct MeanVarianceState final : KernelState {
  MeanVarianceLoops loops;
  bool by_column = false;            // the last axes are not summed over
  std::int64_t row = 1;              // elements of the last axes that are summed over, or are not
  std::vector<std::int64_t> groups;  // where they begin; of columns those of a row together
  std::vector<std::int64_t> spans;   // where those of a group begin, from its own begin on
  std::int64_t element_bytes = 0;

  [[nodiscard]] std::int64_t tile_columns() const { return by_column ? kColumns : row; }
};

// Adds an axis to places of what stands along it.
std::vector<std::int64_t> Along(const std::vector<std::int64_t>& places, std::int64_t extent,
                                std::int64_t stride) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < extent; ++i) {
    for (const std::int64_t place : places) {
      all.push_back(i * stride + place);
    }
  }
  return all;
}

}  // namespace

std::unique_ptr<KernelState> PrepareMeanVariance(const KernelQuery& query) {
  auto state = std::make_unique<MeanVarianceState>();
  const TensorType& x = *query.inputs.at(0);
  std::vector<bool> inside(static_cast<std::size_t>(x.shape.rank()), false);
  for (const std::int64_t axis : query.attributes->Ints("axes", {0, 2, 3})) {
    inside[static_cast<std::size_t>(NormalizeAxis(axis, x.shape.rank()))] = true;
  }
  state->loops = FindMeanVarianceLoops(x.dtype);
  state->element_bytes = static_cast<std::int64_t>(SizeOf(x.dtype));
  state->groups = {0};
  state->spans = {0};
  state->by_column = !inside.empty() && !inside.back();
  bool in_row = true;
  for (int axis = x.shape.rank() - 1; axis >= 0; --axis) {
    const bool summed = inside[static_cast<std::size_t>(axis)];
    in_row = in_row && summed != state->by_column;
    if (in_row) {
      state->row *= x.shape[axis];
    } else {
      auto& places = summed ? state->spans : state->groups;
      places = Along(places, x.shape[axis], x.shape.ElementCount(axis + 1, x.shape.rank()));
    }
  }
  return state;
}

void RunMeanVariance(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const MeanVarianceState&>(*args.state);
  const auto* x = static_cast<const std::byte*>(args.inputs[0]);
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  if (s.row == 0 || s.spans.empty()) {
    return;
  }
  const std::int64_t columns = s.tile_columns();
  const std::int64_t tiles = (s.row + columns - 1) / columns;
  const std::int64_t tile_elements = std::ssize(s.spans) * std::min(s.row, columns);
  constexpr std::int64_t kGrainElements = 50'000;  // 0.5 ns an element: 25 us
  ParallelFor(std::ssize(s.groups) * tiles, kGrainElements / tile_elements + 1,
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) {
                  const std::int64_t column = i % tiles * columns;
                  const std::int64_t first =
                      (s.groups[static_cast<std::size_t>(i / tiles)] + column) * s.element_bytes;
                  const MeanVarianceTile tile{.x = x + first,
                                              .y = y + first,
                                              .spans = s.spans,
                                              .count = std::min(columns, s.row - column)};
                  (s.by_column ? s.loops.by_column : s.loops.together)(tile);
                }
              });
}

}  // namespace halftone
