#include <cmath>
#include <cstring>

#include "kernels/elements.h"
#include "kernels/parallel.h"
#include "kernels/select/select.h"

namespace halftone {
namespace {

constexpr std::int64_t kGrain = 25'000;  // 1 ns an element: 25 us

// An axis, with the extents before and after it.
struct AxisState final : KernelState {
  DType dtype = DType::kFloat32;
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
  bool exclusive = false;  // CumSum
  bool reverse = false;
  int rank = 0;
  std::vector<std::int64_t> dims;  // of CumSum, whose axis is known when it runs
  DType index_dtype = DType::kInt64;
};

// Elements `stride` apart.
template <typename T>
void CumSumOfRow(const AxisState& s, const T* x, T* y, std::int64_t length, std::int64_t stride) {
  using Sum = std::conditional_t<kIsFloatElement<T>, double, std::uint64_t>;
  Sum sum = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    const std::int64_t at = (s.reverse ? length - 1 - i : i) * stride;
    const Sum before = sum;
    sum += static_cast<Sum>(NumberOf(x[at]));
    y[at] = ElementOf<T>(s.exclusive ? before : sum);
  }
}

}  // namespace

std::unique_ptr<KernelState> PrepareOneHot(const KernelQuery& query) {
  auto state = std::make_unique<AxisState>();
  const Shape& y = query.outputs.at(0)->shape;
  const int axis = NormalizeAxis(query.attributes->Int("axis", -1), y.rank());
  state->dtype = query.outputs[0]->dtype;
  state->index_dtype = query.inputs.at(0)->dtype;
  state->outer = y.ElementCount(0, axis);
  state->length = y[axis];
  state->inner = y.ElementCount(axis + 1, y.rank());
  return state;
}

// values[1] where the axis is at the index, values[0] elsewhere, and all along for an index outside
// [-depth, depth). Indices of floats are truncated.
void RunOneHot(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const AxisState&>(*args.state);
  VisitElementBytes(SizeOf(s.dtype), [&](auto element) {
    using T = decltype(element);
    const auto* values = static_cast<const T*>(args.inputs[2]);
    auto* y = static_cast<T*>(args.outputs[0]);
    const std::int64_t count = s.outer * s.length * s.inner;
    std::fill(y, y + count, values[0]);
    for (std::int64_t i = 0; i < s.outer * s.inner; ++i) {
      const double value = DoubleAt(s.index_dtype, args.inputs[0], i);
      const double at = std::trunc(value < 0 ? value + static_cast<double>(s.length) : value);
      if (at >= 0 && at < static_cast<double>(s.length)) {
        y[(i / s.inner * s.length + static_cast<std::int64_t>(at)) * s.inner + i % s.inner] =
            values[1];
      }
    }
  });
}

std::unique_ptr<KernelState> PrepareEyeLike(const KernelQuery& query) {
  auto state = std::make_unique<AxisState>();
  const TensorType& y = *query.outputs.at(0);
  state->dtype = y.dtype;
  state->outer = y.shape[0];
  state->length = y.shape[1];
  state->inner = query.attributes->Int("k", 0);  // the diagonal
  return state;
}

void RunEyeLike(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const AxisState&>(*args.state);
  VisitElement(s.dtype, [&](auto element) {
    using T = decltype(element);
    auto* y = static_cast<T*>(args.outputs[0]);
    for (std::int64_t row = 0; row < s.outer; ++row) {
      for (std::int64_t column = 0; column < s.length; ++column) {
        y[row * s.length + column] = ElementOf<T>(column - row == s.inner ? 1 : 0);
      }
    }
  });
}

std::unique_ptr<KernelState> PrepareCumSum(const KernelQuery& query) {
  auto state = std::make_unique<AxisState>();
  state->dtype = query.inputs.at(0)->dtype;
  state->dims = query.inputs[0]->shape.dims();
  state->rank = query.inputs[0]->shape.rank();
  state->index_dtype = query.inputs.at(1)->dtype;
  state->exclusive = query.attributes->Int("exclusive", 0) != 0;
  state->reverse = query.attributes->Int("reverse", 0) != 0;
  if (const Tensor* axis = query.Constant(1)) {
    NormalizeAxis(IntegersOf(*axis).at(0), state->rank);  // throws outside the data
  }
  return state;
}

// An axis that is known at run time only and lies outside the data counts as the last one.
void RunCumSum(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const AxisState&>(*args.state);
  std::int64_t axis = IntegerAt(s.index_dtype, args.inputs[1], 0);
  axis += axis < 0 ? s.rank : 0;
  axis = axis < 0 || axis >= s.rank ? s.rank - 1 : axis;
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  std::int64_t length = 1;
  for (int i = 0; i < s.rank; ++i) {
    (i < axis ? outer : i > axis ? inner : length) *= s.dims[static_cast<std::size_t>(i)];
  }
  VisitElement(s.dtype, [&](auto element) {
    using T = decltype(element);
    const auto* x = static_cast<const T*>(args.inputs[0]);
    auto* y = static_cast<T*>(args.outputs[0]);
    const std::int64_t grain = kGrain / std::max<std::int64_t>(length, 1);
    ParallelFor(outer * inner, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t first = row / inner * length * inner + row % inner;
        CumSumOfRow(s, x + first, y + first, length, inner);
      }
    });
  });
}

}  // namespace halftone
