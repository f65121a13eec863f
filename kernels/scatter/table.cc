#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kernels/axis_runs.h"
#include "kernels/copy/copy_bytes.h"
#include "kernels/elements.h"
#include "kernels/parallel.h"
#include "kernels/positions.h"
#include "kernels/scatter/scatter.h"
#include "kernels/shared_components.h"
#include "kernels/table_rows.h"
#include "src/base/error.h"

namespace halftone {
namespace {

enum class Reduction : std::uint8_t { kNone, kAdd, kMul, kMax, kMin };

Reduction ReductionOf(const KernelQuery& query) {
  const std::string name = query.attributes->Text("reduction", "none");
  constexpr std::string_view kNames[] = {"none", "add", "mul", "max", "min"};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) {
      return static_cast<Reduction>(i);
    }
  }
  throw Error(
      ErrorKind::kModel,
      fmt::format("attribute 'reduction': expected none, add, mul, max or min, got '{}'", name));
}

template <typename Number>
Number Greater(Number a, Number b) {
  return a != a || a > b ? a : b;
}

template <typename Number>
Number Lesser(Number a, Number b) {
  return a != a || a < b ? a : b;
}

// Integers wrap: they are added and multiplied unsigned.
template <typename Number>
Number Joined(Reduction reduction, Number a, Number b) {
  using Wrapped = std::conditional_t<std::is_floating_point_v<Number>, Number, std::uint64_t>;
  switch (reduction) {
    case Reduction::kAdd:
      return static_cast<Number>(static_cast<Wrapped>(a) + static_cast<Wrapped>(b));
    case Reduction::kMul:
      return static_cast<Number>(static_cast<Wrapped>(a) * static_cast<Wrapped>(b));
    case Reduction::kMax:
      return Greater(a, b);
    case Reduction::kMin:
      return Lesser(a, b);
    default:
      return b;
  }
}

template <typename T>
T JoinedElement(Reduction reduction, T a, T b) {
  if constexpr (std::is_same_v<T, float>) {
    return Joined<float>(reduction, a, b);
  } else {
    return ElementOf<T>(Joined(reduction, NumberOf(a), NumberOf(b)));
  }
}

// target[i] = target[i] joined with update[i].
void JoinRow(DType dtype, Reduction reduction, const std::byte* update, std::byte* target,
             std::int64_t count) {
  const auto bytes = static_cast<std::size_t>(count) * SizeOf(dtype);
  if (reduction == Reduction::kNone) {
    std::memcpy(target, update, bytes);
    return;
  }
  VisitElement(dtype, [&](auto element) {
    using T = decltype(element);
    const T* from = reinterpret_cast<const T*>(update);
    T* to = reinterpret_cast<T*>(target);
    for (std::int64_t i = 0; i < count; ++i) {
      to[i] = JoinedElement(reduction, to[i], from[i]);
    }
  });
}

struct ElementsState final : KernelState {
  AxisPositions positions;
  AxisRuns runs;
  Reduction reduction = Reduction::kNone;
  TensorType data;
  bool wide = true;
};

std::unique_ptr<KernelState> PrepareElements(const KernelQuery& query) {
  auto state = std::make_unique<ElementsState>();
  state->positions = AxisPositionsOf(query);
  state->runs = AxisRunsOf(state->positions);
  state->reduction = ReductionOf(query);
  state->data = *query.inputs.at(0);
  state->wide = query.inputs.at(1)->dtype == DType::kInt64;
  return state;
}

// `join` makes an element of the result of what it was and of an update.
template <typename T, typename Index, typename Join>
void JoinRuns(const ElementsState& s, const KernelArgs& args, const Join& join) noexcept {
  const auto* indices = static_cast<const Index*>(args.inputs[1]);
  const auto* updates = static_cast<const T*>(args.inputs[2]);
  auto* y = static_cast<T*>(args.outputs[0]);
  const std::int64_t extent = s.positions.extent;
  s.runs.ForEach(0, s.positions.count,
                 [&](std::int64_t first, std::int64_t count, std::int64_t base) {
                   for (std::int64_t k = 0; k < count; ++k) {
                     std::int64_t at = indices[first + k];
                     at += at < 0 ? extent : 0;
                     if (at >= 0 && at < extent) {
                       T& element = y[base + at * s.runs.axis_stride + k * s.runs.run.stride];
                       element = join(element, updates[first + k]);
                     }
                   }
                 });
}

void RunElements(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const ElementsState&>(*args.state);
  CopyBytes(args.outputs[0], args.inputs[0], s.data.size_bytes());
  const auto run = [&](auto element, const auto& join) {
    using T = decltype(element);
    s.wide ? JoinRuns<T, std::int64_t>(s, args, join) : JoinRuns<T, std::int32_t>(s, args, join);
  };
  if (s.reduction == Reduction::kNone) {
    VisitElementBytes(SizeOf(s.data.dtype), [&](auto element) {
      run(element, [](auto /*old*/, auto update) { return update; });
    });
  } else {
    VisitElement(s.data.dtype, [&](auto element) {
      run(element, [&](auto old, auto update) { return JoinedElement(s.reduction, old, update); });
    });
  }
}

void RunElementsReference(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const ElementsState&>(*args.state);
  CopyBytes(args.outputs[0], args.inputs[0], s.data.size_bytes());
  const auto element = static_cast<std::int64_t>(SizeOf(s.data.dtype));
  const auto* updates = static_cast<const std::byte*>(args.inputs[2]);
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  for (std::int64_t i = 0; i < s.positions.count; ++i) {
    const std::int64_t at = IndexInAxis(args.inputs[1], s.wide, i, s.positions.extent);
    if (at >= 0) {
      JoinRow(s.data.dtype, s.reduction, updates + i * element,
              y + s.positions.DataIndex(i, at) * element, 1);
    }
  }
}

struct NdState final : KernelState {
  NdPositions positions;
  Reduction reduction = Reduction::kNone;
  TensorType data;
};

std::unique_ptr<KernelState> PrepareNd(const KernelQuery& query) {
  auto state = std::make_unique<NdState>();
  state->positions = NdPositionsOf(query, 0);
  state->reduction = ReductionOf(query);
  state->data = *query.inputs.at(0);
  return state;
}

// Columns [begin, end) of every slice, in the order of the updates.
void JoinColumns(const NdState& s, const KernelArgs& args, std::int64_t begin, std::int64_t end) {
  const auto element = static_cast<std::int64_t>(SizeOf(s.data.dtype));
  const auto* indices = static_cast<const std::int64_t*>(args.inputs[1]);
  const auto* updates = static_cast<const std::byte*>(args.inputs[2]);
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  for (std::int64_t i = 0; i < s.positions.tuples; ++i) {
    const std::int64_t at = s.positions.ElementAt(indices, i);
    if (at >= 0) {
      JoinRow(s.data.dtype, s.reduction, updates + (i * s.positions.slice + begin) * element,
              y + (at + begin) * element, end - begin);
    }
  }
}

// Threads share the columns of the slices: each passes over all updates in their order.
void RunNd(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const NdState&>(*args.state);
  CopyBytes(args.outputs[0], args.inputs[0], s.data.size_bytes());
  const std::int64_t bytes =
      s.positions.tuples * static_cast<std::int64_t>(SizeOf(s.data.dtype)) * 2;
  // Finding a slice costs about as much as copying 64 bytes of it.
  const std::int64_t grain = std::max<std::int64_t>(GrainOf(bytes), 64);
  ParallelFor(s.positions.slice, grain,
              [&](std::int64_t begin, std::int64_t end) { JoinColumns(s, args, begin, end); });
}

void RunNdReference(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const NdState&>(*args.state);
  std::memcpy(args.outputs[0], args.inputs[0], static_cast<std::size_t>(s.data.size_bytes()));
  for (std::int64_t column = 0; column < s.positions.slice; ++column) {
    JoinColumns(s, args, column, column + 1);
  }
}

// A cache [batch, ..., sequence, ...] with `update` written from write_indices[batch] on.
struct CacheState final : KernelState {
  TensorType cache;
  std::int64_t batch = 1;
  std::int64_t outer = 1;  // between batch and sequence
  std::int64_t extent = 0;
  std::int64_t written = 0;
  std::int64_t inner_bytes = 0;
  bool circular = false;
  bool has_indices = false;
};

std::unique_ptr<KernelState> PrepareCache(const KernelQuery& query) {
  auto state = std::make_unique<CacheState>();
  state->cache = *query.inputs.at(0);
  const Shape& shape = state->cache.shape;
  const int axis = NormalizeAxis(query.attributes->Int("axis", -2), shape.rank());
  const std::string mode = query.attributes->Text("mode", "linear");
  if (mode != "linear" && mode != "circular") {
    throw Error(ErrorKind::kModel,
                fmt::format("attribute 'mode': expected linear or circular, got '{}'", mode));
  }
  state->circular = mode == "circular";
  state->batch = shape[0];
  state->outer = shape.ElementCount(1, axis);
  state->extent = shape[axis];
  state->written = query.inputs.at(1)->shape[axis];
  state->inner_bytes = shape.ElementCount(axis + 1, shape.rank()) *
                       static_cast<std::int64_t>(SizeOf(state->cache.dtype));
  state->has_indices = query.Input(2) != nullptr;
  return state;
}

void RunCache(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const CacheState&>(*args.state);
  CopyBytes(args.outputs[0], args.inputs[0], s.cache.size_bytes());
  const auto* update = static_cast<const std::byte*>(args.inputs[1]);
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  for (std::int64_t row = 0; row < s.batch * s.outer; ++row) {
    const std::int64_t index =
        s.has_indices ? static_cast<const std::int64_t*>(args.inputs[2])[row / s.outer] : 0;
    if (index < 0 || (index >= s.extent && !s.circular)) {
      continue;  // outside the cache, before a sum with it could overflow
    }
    const std::int64_t first = s.circular ? index % std::max<std::int64_t>(s.extent, 1) : index;
    for (std::int64_t i = 0; i < s.written; ++i) {
      const std::int64_t at = s.circular ? (first + i) % s.extent : first + i;
      if (at < s.extent) {
        std::memcpy(y + (row * s.extent + at) * s.inner_bytes,
                    update + (row * s.written + i) * s.inner_bytes,
                    static_cast<std::size_t>(s.inner_bytes));
      }
    }
  }
}

constexpr ImplMode kAnyMode = ImplMode::kDefault;

constexpr Component kScatter{.name = "scatter"};

constexpr KernelEntry kRows[] = {
    {"scatter_nd.any.portable", OpKind::kScatterNd, kAllDTypes, kAnyMode, kIsaAny, nullptr,
     PrepareNd, nullptr, RunNd},
    {"scatter_nd.any.reference", OpKind::kScatterNd, kAllDTypes, kAnyMode, kIsaAny, nullptr,
     PrepareNd, nullptr, RunNdReference, true},
    {"scatter_elements.any.portable", OpKind::kScatterElements, kAllDTypes, kAnyMode, kIsaAny,
     nullptr, PrepareElements, nullptr, RunElements},
    {"scatter_elements.any.reference", OpKind::kScatterElements, kAllDTypes, kAnyMode, kIsaAny,
     nullptr, PrepareElements, nullptr, RunElementsReference, true},
    {"tensor_scatter.any.reference", OpKind::kTensorScatter, kAllDTypes, kAnyMode, kIsaAny, nullptr,
     PrepareCache, nullptr, RunCache, true},
};

constexpr auto kEntries = MadeOf({&kScatter, &kCopyBytes}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> ScatterKernels() {
  return kEntries;
}

}  // namespace halftone
