#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "kernels/parallel.h"
#include "kernels/shared_components.h"
#include "kernels/softmax/fp16_rows.h"
#include "kernels/softmax/softmax.h"
#include "kernels/table_rows.h"

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

// Columns of a block, the unit of work if the axis is not the last one.
constexpr std::int64_t kBlockColumns = 128;

constexpr std::size_t kMask = 1;
constexpr std::size_t kKeep = 2;

// Index of the element that an operand broadcast to the shape of x has for an element of x.
class Broadcast {
 public:
  Broadcast() = default;

  Broadcast(const TensorType* operand, const Shape& shape) {
    if (operand == nullptr) {
      return;
    }
    std::int64_t stride = 1;
    for (int axis = shape.rank(); axis-- > 0;) {
      const int own = axis - (shape.rank() - operand->shape.rank());
      const std::int64_t extent = own < 0 ? 1 : operand->shape[own];
      axes_.push_back({shape[axis], extent == 1 ? 0 : stride});
      stride *= extent;
    }
  }

  [[nodiscard]] std::int64_t At(std::int64_t element) const {
    std::int64_t index = 0;
    for (const Axis& axis : axes_) {  // the last first
      index += element % axis.extent * axis.stride;
      element /= axis.extent;
    }
    return index;
  }

 private:
  struct Axis {
    std::int64_t extent = 1;
    std::int64_t stride = 0;
  };

  std::vector<Axis> axes_;
};

struct SoftmaxState : KernelState {
  SoftmaxGeometry geometry;
  SoftmaxLoops loops;  // not of the reference
  DType dtype = DType::kFloat32;
  bool log = false;
  bool masked = false;  // has one of these
  float scale = 1;
  float fill = 0;
  bool drop = false;
  bool mask_last = false;
  Broadcast mask;
  Broadcast keep;
  DType mask_dtype = DType::kFloat32;
};

bool IsMasked(const KernelQuery& query) {
  return query.fusion->softmax || query.Input(kMask) != nullptr || query.Input(kKeep) != nullptr;
}

// The vector loops take whole rows of mask and keep.
std::string_view RefuseOtherMasks(const KernelQuery& query) {
  if (!IsMasked(query)) {
    return "";
  }
  const SoftmaxGeometry geometry = SoftmaxGeometryOf(query);
  if (geometry.inner != 1 || query.attributes->Int("coerce_2d", 0) != 0) {
    return "takes a scale or mask along the last axis only";
  }
  for (const std::size_t i : {kMask, kKeep}) {
    const TensorType* operand = query.Input(i);
    if (operand != nullptr && (operand->shape.rank() == 0 ||
                               operand->shape[operand->shape.rank() - 1] != geometry.length)) {
      return "takes no mask that is broadcast along the axis";
    }
  }
  return query.Input(kMask) != nullptr && query.Input(kMask)->dtype != query.Input(0)->dtype
             ? "takes no mask of another dtype"
             : "";
}

template <ImplMode kMode>
std::unique_ptr<KernelState> Prepare(const KernelQuery& query) {
  auto state = std::make_unique<SoftmaxState>();
  state->geometry = SoftmaxGeometryOf(query);
  state->dtype = query.Input(0)->dtype;
  state->loops = FindSoftmaxLoops(query.op, state->dtype, kMode);
  state->log = query.op == OpKind::kLogSoftmax;
  state->masked = IsMasked(query);
  const StepSoftmax fused = query.fusion->softmax.value_or(StepSoftmax());
  state->scale = fused.scale;
  state->fill = fused.fill.value_or(-std::numeric_limits<float>::infinity());
  state->drop = fused.drop;
  state->mask_last = fused.mask_last;
  state->mask = Broadcast(query.Input(kMask), query.Input(0)->shape);
  state->mask_dtype = query.Input(kMask) != nullptr ? query.Input(kMask)->dtype : state->dtype;
  state->keep = Broadcast(query.Input(kKeep), query.Input(0)->shape);
  return state;
}

std::string_view RefuseForFloat16(const KernelQuery& query) {
  if (IsMasked(query)) {
    return "takes neither scale nor mask";
  }
  const SoftmaxGeometry geometry = SoftmaxGeometryOf(query);
  if (geometry.inner != 1) {
    return "the axis is not the last";
  }
  return geometry.length > kLongestFloat16Row ? "a row has more than 16384 elements" : "";
}

std::unique_ptr<KernelState> PrepareFloat16(const KernelQuery& query) {
  auto state = std::make_unique<SoftmaxState>();
  state->geometry = SoftmaxGeometryOf(query);
  state->dtype = DType::kFloat16;
  state->loops.rows = FindFloat16SoftmaxRows();
  return state;
}

const std::byte* OperandOrNull(const KernelArgs& args, std::size_t index) {
  return index < args.inputs.size() ? static_cast<const std::byte*>(args.inputs[index]) : nullptr;
}

void RunMaskedRows(const SoftmaxState& s, const KernelArgs& args, std::int64_t begin,
                   std::int64_t end) noexcept {
  const auto size = static_cast<std::int64_t>(SizeOf(s.dtype));
  const std::byte* mask = OperandOrNull(args, kMask);
  const std::byte* keep = OperandOrNull(args, kKeep);
  for (std::int64_t row = begin; row < end; ++row) {
    const std::int64_t first = row * s.geometry.length;
    s.loops.masked_row(
        {.x = static_cast<const std::byte*>(args.inputs[0]) + first * size,
         .mask = mask == nullptr ? nullptr : mask + s.mask.At(first) * size,
         .keep = keep == nullptr ? nullptr
                                 : reinterpret_cast<const std::uint8_t*>(keep + s.keep.At(first)),
         .y = static_cast<std::byte*>(args.outputs[0]) + first * size,
         .length = s.geometry.length,
         .scale = s.scale,
         .fill = s.fill,
         .drop = s.drop,
         .mask_last = s.mask_last});
  }
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
  constexpr std::int64_t kGrainElements = 40'000;  // 0.6 ns an element: 25 us
  if (g.inner != 1 && !s.masked) {
    const std::int64_t blocks = (g.inner + kBlockColumns - 1) / kBlockColumns;
    const std::int64_t elements = g.length * std::min(g.inner, kBlockColumns);
    ParallelFor(g.outer * blocks, std::max<std::int64_t>(1, kGrainElements / elements),
                [&](std::int64_t begin, std::int64_t end) {
                  for (std::int64_t i = begin; i < end; ++i) {
                    const std::int64_t column = i % blocks * kBlockColumns;
                    const std::int64_t at =
                        i / blocks * stride + column * static_cast<std::int64_t>(SizeOf(s.dtype));
                    s.loops.columns(x + at, y + at, g, std::min(kBlockColumns, g.inner - column));
                  }
                });
    return;
  }
  ParallelFor(g.outer, std::max<std::int64_t>(1, kGrainElements / group),
              [&](std::int64_t begin, std::int64_t end) {
                if (s.masked) {
                  RunMaskedRows(s, args, begin, end);
                } else {
                  s.loops.rows(x + begin * stride, y + begin * stride, end - begin, g.length);
                }
              });
}

// t of element `i`, or x where there is neither scale nor mask.
double ExactAt(const SoftmaxState& s, const KernelArgs& args, std::int64_t i) {
  const std::byte* mask = OperandOrNull(args, kMask);
  const std::byte* keep = OperandOrNull(args, kKeep);
  const double added = mask == nullptr ? 0 : DoubleAt(s.mask_dtype, mask, s.mask.At(i));
  if (keep != nullptr && (keep[s.keep.At(i)] == std::byte{0}) != s.drop) {
    return s.mask_last ? s.fill + added : s.fill;
  }
  return s.scale * DoubleAt(s.dtype, args.inputs[0], i) + added;
}

// The specification: double, one rounding.
void RunReference(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const SoftmaxState&>(*args.state);
  const SoftmaxGeometry& g = s.geometry;
  for (std::int64_t group = 0; group < g.outer * g.inner; ++group) {
    const std::int64_t first = group / g.inner * g.length * g.inner + group % g.inner;
    const auto x = [&](std::int64_t k) { return ExactAt(s, args, first + k * g.inner); };
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
  return {name, op, kTunableDTypes, kMode, kIsaAny, RefuseOtherMasks, Prepare<kMode>, nullptr, Run};
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

constexpr Component kSoftmax{"softmax", 2, "sums in pairs, split by columns"};

constexpr KernelEntry kRows[] = {
    Vector<ImplMode::kHighPrecision>("softmax.softmax.precise", OpKind::kSoftmax),
    {.name = "softmax.softmax.fast.avx512_fp16",
     .op = OpKind::kSoftmax,
     .dtypes = DTypeSet(DType::kFloat16),
     .impl_mode = ImplMode::kHighPerformance,
     .isa = kIsaAvx512 | kIsaAvx512Fp16,
     .refusal = RefuseForFloat16,
     .prepare = PrepareFloat16,
     .scratch_bytes = nullptr,
     .run = Run,
     .float16_arithmetic = true},
    Vector<ImplMode::kHighPerformance>("softmax.softmax.fast", OpKind::kSoftmax),
    Vector<ImplMode::kHighPrecision>("softmax.log_softmax.precise", OpKind::kLogSoftmax),
    Vector<ImplMode::kHighPerformance>("softmax.log_softmax.fast", OpKind::kLogSoftmax),
    Reference("softmax.softmax.reference", OpKind::kSoftmax),
    Reference("softmax.log_softmax.reference", OpKind::kLogSoftmax),
};

constexpr auto kEntries = MadeOf({&kSoftmax, &kVectorMath}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> SoftmaxKernels() {
  return kEntries;
}

}  // namespace halftone
