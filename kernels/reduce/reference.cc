// Specification of the reductions over any axes: floats in double with one rounding, exact
// integers.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/reduce/reduce.h"
#include "src/base/error.h"

namespace halftone {

std::vector<bool> ReducedAxes(const KernelQuery& query) {
  const int rank = query.Input(0)->shape.rank();
  std::vector<bool> reduced(static_cast<std::size_t>(rank), false);
  std::vector<std::int64_t> axes;
  if (query.Input(1) != nullptr) {
    if (query.Constant(1) == nullptr) {
      throw Error(ErrorKind::kUnsupported, "axes that are computed at run time are not supported");
    }
    axes = IntegersOf(*query.Constant(1));
  }
  if (axes.empty() && query.attributes->Int("noop_with_empty_axes", 0) == 0) {
    reduced.assign(reduced.size(), true);
  }
  for (const std::int64_t axis : axes) {
    reduced[static_cast<std::size_t>(NormalizeAxis(axis, rank))] = true;
  }
  return reduced;
}

namespace {

struct ReferenceState : KernelState {
  OpKind op = OpKind::kReduceSum;
  TensorType input;
  std::vector<bool> reduced;
  std::int64_t output_count = 1;
  std::int64_t length = 1;  // elements per output
  bool copies = false;      // noop_with_empty_axes
};

// The output element to which element `index` of the input belongs.
std::int64_t OutputIndex(const ReferenceState& s, std::int64_t index) {
  std::int64_t result = 0;
  std::int64_t stride = 1;
  for (int axis = s.input.shape.rank() - 1; axis >= 0; --axis) {
    const std::int64_t extent = s.input.shape[axis];
    if (!s.reduced[static_cast<std::size_t>(axis)]) {
      result += index % extent * stride;
      stride *= extent;
    }
    index /= extent;
  }
  return result;
}

// Number is double, std::int64_t, or std::uint64_t for uint64.
template <typename Number>
Number Start(OpKind op) {
  using Limits = std::numeric_limits<Number>;
  switch (op) {
    case OpKind::kReduceMax:
      return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    case OpKind::kReduceMin:
      return Limits::has_infinity ? Limits::infinity() : Limits::max();
    case OpKind::kReduceProd:
      return 1;
    default:
      return 0;
  }
}

// Integers are added and multiplied unsigned: they wrap.
template <typename Number>
Number Joined(OpKind op, Number a, Number x) {
  using Wrapped = std::conditional_t<std::is_same_v<Number, double>, double, std::uint64_t>;
  const auto wa = static_cast<Wrapped>(a);
  const auto wx = static_cast<Wrapped>(x);
  switch (op) {
    case OpKind::kReduceMax:
      return a != a || a > x ? a : x;
    case OpKind::kReduceMin:
      return a != a || a < x ? a : x;
    case OpKind::kReduceProd:
      return static_cast<Number>(wa * wx);
    case OpKind::kReduceL1:
      return static_cast<Number>(x < 0 ? wa - wx : wa + wx);
    case OpKind::kReduceL2:
    case OpKind::kReduceSumSquare:
      return static_cast<Number>(wa + wx * wx);
    default:
      return static_cast<Number>(wa + wx);
  }
}

template <typename Number>
Number Finished(const ReferenceState& s, Number total) {
  if (s.op == OpKind::kReduceMean) {
    return s.length == 0 && !std::is_floating_point_v<Number>
               ? Number{0}
               : static_cast<Number>(total / static_cast<Number>(s.length));
  }
  if (s.op == OpKind::kReduceLogSum) {
    return static_cast<Number>(std::log(static_cast<double>(total)));
  }
  return s.op == OpKind::kReduceL2 ? static_cast<Number>(std::sqrt(static_cast<double>(total)))
                                   : total;
}

template <typename Number, typename Load, typename Store>
void Reduce(const ReferenceState& s, std::byte* scratch, const Load& load, const Store& store) {
  auto* totals = reinterpret_cast<Number*>(scratch);
  for (std::int64_t i = 0; i < s.output_count; ++i) {
    totals[i] = Start<Number>(s.op);
  }
  const std::int64_t count = s.input.shape.ElementCount();
  for (std::int64_t i = 0; i < count; ++i) {
    Number& total = totals[OutputIndex(s, i)];
    total = Joined<Number>(s.op, total, load(i));
  }
  for (std::int64_t i = 0; i < s.output_count; ++i) {
    store(i, Finished(s, totals[i]));
  }
}

// m + ln(sum e^(x - m)) with m the greatest element, so that nothing overflows; an infinite m is
// the result. Scratch: m and the sum of each output.
template <typename Load, typename Store>
void ReduceLogSumExp(const ReferenceState& s, std::byte* scratch, const Load& load,
                     const Store& store) {
  auto* most = reinterpret_cast<double*>(scratch);
  double* sums = most + s.output_count;
  std::fill(most, sums, -std::numeric_limits<double>::infinity());
  std::fill(sums, sums + s.output_count, 0.0);
  const std::int64_t count = s.input.shape.ElementCount();
  for (std::int64_t i = 0; i < count; ++i) {
    double& m = most[OutputIndex(s, i)];
    m = Joined<double>(OpKind::kReduceMax, m, load(i));
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t o = OutputIndex(s, i);
    sums[o] += std::isinf(most[o]) ? 0 : std::exp(load(i) - most[o]);
  }
  for (std::int64_t i = 0; i < s.output_count; ++i) {
    store(i, std::isinf(most[i]) ? most[i] : most[i] + std::log(sums[i]));
  }
}

template <typename Number>
void ReduceIntegers(const ReferenceState& s, const KernelArgs& args) {
  const DType dtype = s.input.dtype;
  Reduce<Number>(
      s, args.scratch,
      [&](std::int64_t i) { return static_cast<Number>(IntegerAt(dtype, args.inputs[0], i)); },
      [&](std::int64_t i, Number value) {
        if (dtype == DType::kBool) {  // sums of booleans are true from one on
          static_cast<bool*>(args.outputs[0])[i] = value > 0;
          return;
        }
        const std::size_t size = SizeOf(dtype);  // the low bytes: little-endian two's complement
        std::memcpy(static_cast<std::byte*>(args.outputs[0]) + static_cast<std::size_t>(i) * size,
                    &value, size);
      });
}

}  // namespace

std::unique_ptr<KernelState> PrepareReduceReference(const KernelQuery& query) {
  auto state = std::make_unique<ReferenceState>();
  state->op = query.op;
  state->input = *query.Input(0);
  state->reduced = ReducedAxes(query);
  state->copies = true;
  for (int axis = 0; axis < state->input.shape.rank(); ++axis) {
    const bool reduced = state->reduced[static_cast<std::size_t>(axis)];
    state->length *= reduced ? state->input.shape[axis] : 1;
    state->copies = state->copies && !reduced;
  }
  state->copies = state->copies && query.attributes->Int("noop_with_empty_axes", 0) != 0;
  state->output_count = query.outputs[0]->shape.ElementCount();
  return state;
}

std::size_t ReduceReferenceScratch(const KernelState& state) {
  const auto& s = static_cast<const ReferenceState&>(state);
  const std::size_t values = s.op == OpKind::kReduceLogSumExp ? 2 : 1;
  return static_cast<std::size_t>(s.output_count) * values * sizeof(double);
}

void RunReduceReference(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const ReferenceState&>(*args.state);
  const DType dtype = s.input.dtype;
  if (s.copies) {
    std::memcpy(args.outputs[0], args.inputs[0],
                static_cast<std::size_t>(s.output_count) * SizeOf(dtype));
  } else if (s.op == OpKind::kReduceLogSumExp) {
    ReduceLogSumExp(
        s, args.scratch, [&](std::int64_t i) { return DoubleAt(dtype, args.inputs[0], i); },
        [&](std::int64_t i, double value) { StoreDouble(dtype, args.outputs[0], i, value); });
  } else if (IsFloating(dtype)) {
    Reduce<double>(
        s, args.scratch, [&](std::int64_t i) { return DoubleAt(dtype, args.inputs[0], i); },
        [&](std::int64_t i, double value) { StoreDouble(dtype, args.outputs[0], i, value); });
  } else if (dtype == DType::kUInt64) {
    ReduceIntegers<std::uint64_t>(s, args);
  } else {
    ReduceIntegers<std::int64_t>(s, args);
  }
}

}  // namespace halftone
