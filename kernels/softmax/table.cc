#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/parallel.h"
#include "kernels/softmax/softmax.h"

namespace halftone {

SoftmaxGeometry SoftmaxGeometryOf(const KernelQuery& query) {
  const Shape& shape = query.Input(0)->shape;
  const bool coerces = query.attributes->Int("coerce_2d", 0) != 0;
  if (shape.rank() == 0) {
    return {};
  }
  const int axis = NormalizeAxis(query.attributes->Int("axis", coerces ? 1 : -1), shape.rank());
  if (coerces) {
    return {shape.ElementCount(0, axis), shape.ElementCount(axis, shape.rank()), 1};
  }
  return {shape.ElementCount(0, axis), shape[axis], shape.ElementCount(axis + 1, shape.rank())};
}

namespace {

struct SoftmaxState : KernelState {
  SoftmaxGeometry geometry;
  SoftmaxLoops loops;  // not of the reference
  DType dtype = DType::kFloat32;
  bool log = false;
};

template <ImplMode kMode>
std::unique_ptr<KernelState> Prepare(const KernelQuery& query) {
  auto state = std::make_unique<SoftmaxState>();
  state->geometry = SoftmaxGeometryOf(query);
  state->dtype = query.Input(0)->dtype;
  state->loops = FindSoftmaxLoops(query.op, state->dtype, kMode);
  state->log = query.op == OpKind::kLogSoftmax;
  return state;
}

void Run(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const SoftmaxState&>(*args.state);
  const SoftmaxGeometry& g = s.geometry;
  const std::int64_t group = g.length * g.inner;  // elements of one outer index
  if (group == 0) {
    return;
  }
  const auto stride = group * static_cast<std::int64_t>(SizeOf(s.dtype));
  const auto* x = static_cast<const std::byte*>(args.inputs[0]);
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  constexpr std::int64_t kGrainElements = 100'000;  // 0.25 ns an element: 25 us
  ParallelFor(g.outer, std::max<std::int64_t>(1, kGrainElements / group),
              [&](std::int64_t begin, std::int64_t end) {
                if (g.inner == 1) {
                  s.loops.rows(x + begin * stride, y + begin * stride, end - begin, g.length);
                  return;
                }
                for (std::int64_t outer = begin; outer < end; ++outer) {
                  s.loops.columns(x + outer * stride, y + outer * stride, g);
                }
              });
}

// The specification: double, one rounding.
void RunReference(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const SoftmaxState&>(*args.state);
  const SoftmaxGeometry& g = s.geometry;
  for (std::int64_t group = 0; group < g.outer * g.inner; ++group) {
    const std::int64_t first = group / g.inner * g.length * g.inner + group % g.inner;
    const auto x = [&](std::int64_t k) {
      return DoubleAt(s.dtype, args.inputs[0], first + k * g.inner);
    };
    double max = -std::numeric_limits<double>::infinity();
    for (std::int64_t k = 0; k < g.length; ++k) {
      max = std::max(max, x(k));
    }
    double sum = 0;
    for (std::int64_t k = 0; k < g.length; ++k) {
      sum += std::exp(x(k) - max);
    }
    for (std::int64_t k = 0; k < g.length; ++k) {
      const double shifted = x(k) - max;
      StoreDouble(s.dtype, args.outputs[0], first + k * g.inner,
                  s.log ? shifted - std::log(sum) : std::exp(shifted) / sum);
    }
  }
}

template <ImplMode kMode>
constexpr KernelEntry Vector(std::string_view name, OpKind op) {
  return {name, op, kTunableDTypes, kMode, kIsaAny, nullptr, Prepare<kMode>, nullptr, Run};
}

constexpr KernelEntry Reference(std::string_view name, OpKind op) {
  constexpr DTypeSet kDTypes = kTunableDTypes | DTypeSet(DType::kFloat64);
  return {name,
          op,
          kDTypes,
          ImplMode::kDefault,
          kIsaAny,
          nullptr,
          Prepare<ImplMode::kDefault>,
          nullptr,
          RunReference,
          true};
}

constexpr KernelEntry kEntries[] = {
    Vector<ImplMode::kHighPrecision>("softmax.softmax.precise", OpKind::kSoftmax),
    Vector<ImplMode::kHighPerformance>("softmax.softmax.fast", OpKind::kSoftmax),
    Vector<ImplMode::kHighPrecision>("softmax.log_softmax.precise", OpKind::kLogSoftmax),
    Vector<ImplMode::kHighPerformance>("softmax.log_softmax.fast", OpKind::kLogSoftmax),
    Reference("softmax.softmax.reference", OpKind::kSoftmax),
    Reference("softmax.log_softmax.reference", OpKind::kLogSoftmax),
};

}  // namespace

std::span<const KernelEntry> SoftmaxKernels() {
  return kEntries;
}

}  // namespace halftone
