// ArgMax, ArgMin: index of the greatest, or least, element along an axis; the first of equal ones,
// or the last with select_last_index. NaN counts as the extreme, as in NumPy; -0 and 0 are equal.
// Vector loops for float32, float16 and bfloat16, the reference for all dtypes: both exact.
#include <algorithm>
#include <limits>

#include "kernels/parallel.h"
#include "kernels/reduce/reduce.h"

namespace halftone {
namespace {

struct ArgMaxState : KernelState {
  DType dtype = DType::kFloat32;
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
  ArgMaxForm form;
  ArgMaxLoop loop = nullptr;  // none: the reference
};

std::unique_ptr<ArgMaxState> StateOf(const KernelQuery& query) {
  auto state = std::make_unique<ArgMaxState>();
  const Shape& shape = query.Input(0)->shape;
  const int axis = NormalizeAxis(query.attributes->Int("axis", 0), shape.rank());
  state->dtype = query.Input(0)->dtype;
  state->outer = shape.ElementCount(0, axis);
  state->length = shape[axis];
  state->inner = shape.ElementCount(axis + 1, shape.rank());
  state->form = {.least = query.op == OpKind::kArgMin,
                 .last = query.attributes->Int("select_last_index", 0) != 0};
  return state;
}

template <typename Load>
std::int64_t IndexOfMax(const ArgMaxState& s, const Load& load) {
  if (s.length == 0) {
    return 0;
  }
  std::int64_t best = 0;
  auto greatest = load(0);
  for (std::int64_t k = 1; k < s.length; ++k) {
    const auto x = load(k);
    const bool x_is_nan = x != x;
    const bool best_is_nan = greatest != greatest;
    const bool equal = x == greatest || (x_is_nan && best_is_nan);
    const bool better = (s.form.least ? x < greatest : x > greatest) || (x_is_nan && !best_is_nan);
    if (better || (equal && s.form.last)) {
      best = k;
      greatest = x;
    }
  }
  return best;
}

}  // namespace

std::string_view RefuseArgMaxLoop(const KernelQuery& query) {
  const Shape& shape = query.Input(0)->shape;
  const std::int64_t length = shape[NormalizeAxis(query.attributes->Int("axis", 0), shape.rank())];
  if (length == 0) {
    return "the axis is empty";
  }
  return length <= std::numeric_limits<std::int32_t>::max() ? "" : "an index needs 64 bits";
}

std::unique_ptr<KernelState> PrepareArgMaxLoop(const KernelQuery& query) {
  auto state = StateOf(query);
  state->loop = FindArgMaxLoop(state->dtype, state->form);
  return state;
}

void RunArgMaxLoop(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const ArgMaxState&>(*args.state);
  const auto* x = static_cast<const std::byte*>(args.inputs[0]);
  auto* y = static_cast<std::int64_t*>(args.outputs[0]);
  const auto element = static_cast<std::int64_t>(SizeOf(s.dtype));
  const std::int64_t tiles = (s.inner + kArgMaxColumns - 1) / kArgMaxColumns;
  constexpr std::int64_t kGrainElements = 200'000;  // 0.12 ns an element: 25 us
  const std::int64_t tile_elements = s.length * std::min(s.inner, kArgMaxColumns);
  ParallelFor(s.outer * tiles, kGrainElements / std::max<std::int64_t>(1, tile_elements) + 1,
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) {
                  const std::int64_t outer = i / tiles;
                  const std::int64_t column = i % tiles * kArgMaxColumns;
                  s.loop(x + (outer * s.length * s.inner + column) * element,
                         y + outer * s.inner + column,
                         {.length = s.length,
                          .inner = s.inner,
                          .count = std::min(kArgMaxColumns, s.inner - column)});
                }
              });
}

std::unique_ptr<KernelState> PrepareArgMaxReference(const KernelQuery& query) {
  return StateOf(query);
}

void RunArgMaxReference(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const ArgMaxState&>(*args.state);
  auto* y = static_cast<std::int64_t*>(args.outputs[0]);
  for (std::int64_t group = 0; group < s.outer * s.inner; ++group) {
    const std::int64_t first = group / s.inner * s.length * s.inner + group % s.inner;
    const auto at = [&](std::int64_t k) { return first + k * s.inner; };
    if (IsFloating(s.dtype)) {
      y[group] =
          IndexOfMax(s, [&](std::int64_t k) { return DoubleAt(s.dtype, args.inputs[0], at(k)); });
    } else if (s.dtype == DType::kUInt64) {
      y[group] = IndexOfMax(s, [&](std::int64_t k) {
        return static_cast<std::uint64_t>(IntegerAt(s.dtype, args.inputs[0], at(k)));
      });
    } else {
      y[group] =
          IndexOfMax(s, [&](std::int64_t k) { return IntegerAt(s.dtype, args.inputs[0], at(k)); });
    }
  }
}

}  // namespace halftone
