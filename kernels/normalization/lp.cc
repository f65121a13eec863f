// Vectorised LpNormalization along rows or columns; over_axes.cc has the specification.
#include <algorithm>

#include "kernels/normalization/lp_tiles.h"
#include "kernels/normalization/normalization.h"
#include "kernels/parallel.h"

namespace halftone {
namespace {

constexpr std::int64_t kColumns = 64;  // of a tile: whole lines of the cache

struct LpState final : KernelState {
  LpLoop loop = nullptr;
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
  std::int64_t element_bytes = 0;
};

}  // namespace

std::string_view VectorLpRefusal(const KernelQuery& query) {
  const std::int64_t p = query.attributes->Int("p", 2);
  return p == 1 || p == 2 ? "" : "p is neither 1 nor 2";
}

std::unique_ptr<KernelState> PrepareVectorLp(const KernelQuery& query) {
  auto state = std::make_unique<LpState>();
  const TensorType& x = *query.inputs.at(0);
  const int axis = NormalizeAxis(query.attributes->Int("axis", -1), x.shape.rank());
  state->loop = FindLpLoop(x.dtype, query.attributes->Int("p", 2));
  state->outer = x.shape.ElementCount(0, axis);
  state->length = x.shape[axis];
  state->inner = x.shape.ElementCount(axis + 1, x.shape.rank());
  state->element_bytes = static_cast<std::int64_t>(SizeOf(x.dtype));
  return state;
}

void RunVectorLp(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const LpState&>(*args.state);
  const auto* x = static_cast<const std::byte*>(args.inputs[0]);
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  const std::int64_t tiles = (s.inner + kColumns - 1) / kColumns;
  const std::int64_t tile_elements = s.length * std::min(s.inner, kColumns);
  constexpr std::int64_t kGrainElements = 75'000;  // 0.33 ns an element: 25 us
  ParallelFor(s.outer * tiles, kGrainElements / std::max<std::int64_t>(1, tile_elements) + 1,
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) {
                  const std::int64_t column = i % tiles * kColumns;
                  const std::int64_t first =
                      (i / tiles * s.length * s.inner + column) * s.element_bytes;
                  s.loop({.x = x + first,
                          .y = y + first,
                          .length = s.length,
                          .inner = s.inner,
                          .count = std::min(kColumns, s.inner - column)});
                }
              });
}

}  // namespace halftone
