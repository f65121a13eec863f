// Hardmax: 1 at the first of the greatest elements, NaN counting as greatest, and 0 elsewhere.
#include <algorithm>
#include <limits>

#include "kernels/elements.h"
#include "kernels/parallel.h"
#include "kernels/reduce/reduce.h"
#include "kernels/select/select.h"

namespace halftone {
namespace {

struct HardmaxState final : KernelState {
  DType dtype = DType::kFloat32;
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
  ArgMaxLoop loop = nullptr;  // none: the reference
};

std::unique_ptr<HardmaxState> StateOf(const KernelQuery& query) {
  auto state = std::make_unique<HardmaxState>();
  const TensorType& x = *query.inputs.at(0);
  const int axis = NormalizeAxis(query.attributes->Int("axis", -1), std::max(x.shape.rank(), 1));
  const bool matrix = query.attributes->Int("coerce_2d", 0) != 0;
  const int last = matrix ? x.shape.rank() : std::min(axis + 1, x.shape.rank());
  state->dtype = x.dtype;
  state->outer = x.shape.ElementCount(0, axis);
  state->length = x.shape.ElementCount(axis, last);
  state->inner = x.shape.ElementCount(last, x.shape.rank());
  return state;
}

// Columns of y[length, inner].
template <typename T>
void Mark(T* y, const std::int64_t* indices, const ArgMaxTile& tile) {
  if (tile.inner == 1) {
    std::fill_n(y, tile.length, T{});
    y[indices[0]] = ElementOf<T>(1);
    return;
  }
  for (std::int64_t k = 0; k < tile.length; ++k) {
    std::fill_n(y + k * tile.inner, tile.count, T{});
  }
  for (std::int64_t j = 0; j < tile.count; ++j) {
    y[indices[j] * tile.inner + j] = ElementOf<T>(1);
  }
}

// Elements `stride` apart.
template <typename T>
void HardmaxOfRow(const T* x, T* y, std::int64_t length, std::int64_t stride) {
  std::int64_t best = 0;
  for (std::int64_t k = 0; k < length; ++k) {
    const auto value = NumberOf(x[k * stride]);
    const auto most = NumberOf(x[best * stride]);
    best = value > most || (value != value && most == most) ? k : best;
  }
  for (std::int64_t k = 0; k < length; ++k) {
    y[k * stride] = ElementOf<T>(k == best ? 1 : 0);
  }
}

}  // namespace

std::string_view RefuseHardmaxLoop(const KernelQuery& query) {
  const std::int64_t length = StateOf(query)->length;
  if (length == 0) {
    return "the axis is empty";
  }
  return length <= std::numeric_limits<std::int32_t>::max() ? "" : "an index needs 64 bits";
}

std::unique_ptr<KernelState> PrepareHardmaxLoop(const KernelQuery& query) {
  auto state = StateOf(query);
  state->loop = FindArgMaxLoop(state->dtype, {});
  return state;
}

void RunHardmaxLoop(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const HardmaxState&>(*args.state);
  const std::int64_t tiles = (s.inner + kArgMaxColumns - 1) / kArgMaxColumns;
  const std::int64_t tile_elements = s.length * std::min(s.inner, kArgMaxColumns);
  constexpr std::int64_t kGrainElements = 125'000;  // 0.2 ns an element: 25 us
  VisitElement(s.dtype, [&](auto element) {
    using T = decltype(element);
    const auto* x = static_cast<const T*>(args.inputs[0]);
    auto* y = static_cast<T*>(args.outputs[0]);
    ParallelFor(s.outer * tiles, kGrainElements / std::max<std::int64_t>(1, tile_elements) + 1,
                [&](std::int64_t begin, std::int64_t end) {
                  std::int64_t indices[kArgMaxColumns];
                  for (std::int64_t i = begin; i < end; ++i) {
                    const std::int64_t column = i % tiles * kArgMaxColumns;
                    const std::int64_t first = i / tiles * s.length * s.inner + column;
                    const ArgMaxTile tile{.length = s.length,
                                          .inner = s.inner,
                                          .count = std::min(kArgMaxColumns, s.inner - column)};
                    s.loop(x + first, indices, tile);
                    Mark(y + first, indices, tile);
                  }
                });
  });
}

std::unique_ptr<KernelState> PrepareHardmax(const KernelQuery& query) {
  return StateOf(query);
}

void RunHardmax(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const HardmaxState&>(*args.state);
  VisitElement(s.dtype, [&](auto element) {
    using T = decltype(element);
    const auto* x = static_cast<const T*>(args.inputs[0]);
    auto* y = static_cast<T*>(args.outputs[0]);
    const std::int64_t grain = 25'000 / std::max<std::int64_t>(s.length, 1);
    ParallelFor(s.outer * s.inner, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t first = row / s.inner * s.length * s.inner + row % s.inner;
        HardmaxOfRow(x + first, y + first, s.length, s.inner);
      }
    });
  });
}

}  // namespace halftone
