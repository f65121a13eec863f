// ArgMax, ArgMin: the index of the greatest, or least, element along an axis; the first one of
// equals, or the last with select_last_index. NaN counts as what is sought, as in NumPy.
#include <cmath>

#include "kernels/parallel.h"
#include "kernels/reduce/reduce.h"

namespace halftone {
namespace {

struct ArgMaxState : KernelState {
  DType dtype = DType::kFloat32;
  std::int64_t groups = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
  bool last = false;
  bool least = false;
};

template <typename Load>
std::int64_t IndexOfMax(const ArgMaxState& s, const Load& load) {
  std::int64_t best = 0;
  auto greatest = load(0);
  for (std::int64_t k = 1; k < s.length; ++k) {
    const auto x = load(k);
    const bool x_is_nan = x != x;
    const bool best_is_nan = greatest != greatest;
    const bool equal = x == greatest || (x_is_nan && best_is_nan);
    const bool better = (s.least ? x < greatest : x > greatest) || (x_is_nan && !best_is_nan);
    if (better || (equal && s.last)) {
      best = k;
      greatest = x;
    }
  }
  return best;
}

}  // namespace

std::unique_ptr<KernelState> PrepareArgMax(const KernelQuery& query) {
  auto state = std::make_unique<ArgMaxState>();
  const Shape& shape = query.Input(0)->shape;
  const int axis = NormalizeAxis(query.attributes->Int("axis", 0), shape.rank());
  state->dtype = query.Input(0)->dtype;
  state->length = shape[axis];
  state->inner = shape.ElementCount(axis + 1, shape.rank());
  state->groups = shape.ElementCount(0, axis) * state->inner;
  state->least = query.op == OpKind::kArgMin;
  state->last = query.attributes->Int("select_last_index", 0) != 0;
  return state;
}

void RunArgMax(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const ArgMaxState&>(*args.state);
  auto* y = static_cast<std::int64_t*>(args.outputs[0]);
  for (std::int64_t group = 0; group < s.groups; ++group) {
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
