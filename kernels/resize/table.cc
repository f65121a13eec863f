#include "kernels/resize/axis_taps.h"
#include "kernels/resize/resize.h"
#include "kernels/resize/separable.h"
#include "kernels/shared_components.h"
#include "kernels/strided/axis_indices.h"
#include "kernels/table_rows.h"

namespace halftone {
namespace {

bool IsNearest(const KernelQuery& query) {
  return query.attributes->Text("mode", "nearest") == "nearest";
}

// Nearest neighbours of any dtype are a copy by indices.

AxisIndices NearestIndices(const KernelQuery& query) {
  AxisIndices indices{.source = query.inputs.at(0)->shape, .axes = {}};
  for (AxisTaps& taps : ResizeTaps(query)) {
    indices.axes.push_back(std::move(taps.index));
  }
  return indices;
}

// Value of the elements that tf_crop_and_resize takes from outside the source.
FillElement ExtrapolationOf(const KernelQuery& query) {
  FillElement fill{};
  StoreDouble(query.outputs.at(0)->dtype, fill.data(), 0,
              query.attributes->Float("extrapolation_value", 0));
  return fill;
}

struct NearestState final : KernelState {
  explicit NearestState(const KernelQuery& query)
      : copy(NearestIndices(query), SizeOf(query.outputs.at(0)->dtype)),
        fill(ExtrapolationOf(query)) {}

  IndexedCopy copy;
  FillElement fill;
};

std::string_view RefuseNearest(const KernelQuery& query) {
  if (!IsNearest(query)) {
    return "serves mode nearest only";
  }
  return query.inputs.at(0)->shape.rank() > kMaxRank ? "serves up to 16 axes" : RefuseResize(query);
}

std::unique_ptr<KernelState> PrepareNearest(const KernelQuery& query) {
  return std::make_unique<NearestState>(query);
}

void RunNearest(const KernelArgs& args) noexcept {
  const auto& state = *static_cast<const NearestState*>(args.state);
  state.copy.Run(args.inputs[0], args.outputs[0], state.fill);
}

// Linear and cubic interpolation of images.

struct SeparableState final : KernelState {
  explicit SeparableState(const KernelQuery& query)
      : resize(ResizeTaps(query), query.outputs.at(0)->dtype) {}

  SeparableResize resize;
};

std::string_view RefuseSeparable(const KernelQuery& query) {
  if (IsNearest(query)) {
    return "serves modes linear and cubic only";
  }
  const std::string_view reason = RefuseResize(query);
  if (!reason.empty()) {
    return reason;
  }
  if (query.attributes->Int("antialias", 0) != 0 ||
      query.attributes->Text("coordinate_transformation_mode", "") == "tf_crop_and_resize") {
    return "serves neither antialias nor tf_crop_and_resize";
  }
  return SeparableTaps::Fits(ResizeTaps(query))
             ? ""
             : "serves one or two neighbouring resized axes only";
}

std::unique_ptr<KernelState> PrepareSeparable(const KernelQuery& query) {
  return std::make_unique<SeparableState>(query);
}

std::size_t SeparableScratch(const KernelState& state) {
  return static_cast<const SeparableState&>(state).resize.scratch_bytes();
}

void RunSeparable(const KernelArgs& args) noexcept {
  static_cast<const SeparableState*>(args.state)
      ->resize.Run(args.inputs[0], args.outputs[0], args.scratch);
}

// The reference: every output element as the weighted sum of its taps along all axes, in double.

struct ReferenceState final : KernelState {
  std::vector<AxisTaps> taps;
  DType from = DType::kFloat32;
  DType to = DType::kFloat32;
  std::int64_t count = 0;
  AxisIndices nearest;  // for mode nearest, of any dtype
  bool is_nearest = false;
  FillElement fill{};
};

std::unique_ptr<KernelState> PrepareReference(const KernelQuery& query) {
  auto state = std::make_unique<ReferenceState>();
  state->taps = ResizeTaps(query);
  state->from = query.inputs.at(0)->dtype;
  state->to = query.outputs.at(0)->dtype;
  state->count = query.outputs.at(0)->shape.ElementCount();
  state->is_nearest = IsNearest(query);
  state->fill = ExtrapolationOf(query);
  if (state->is_nearest) {
    state->nearest = NearestIndices(query);
  }
  return state;
}

// The sum over the taps of output index `rest` along `axis` and all axes behind it. `source` is the
// linear index so far; `rows` the number of output elements per step of the axis before.
double Interpolated(const ReferenceState& state, const void* data, std::size_t axis,
                    std::int64_t source, std::int64_t rest, std::int64_t rows) noexcept {
  if (axis == state.taps.size()) {
    return DoubleAt(state.from, data, source);
  }
  const AxisTaps& taps = state.taps[axis];
  rows /= taps.output_extent();
  double sum = 0;
  for (int k = 0; k < taps.width; ++k) {
    const auto tap = static_cast<std::size_t>(rest / rows * taps.width + k);
    sum += taps.weight[tap] * Interpolated(state, data, axis + 1,
                                           source * taps.source_extent + taps.index[tap],
                                           rest % rows, rows);
  }
  return sum;
}

bool IsOutside(const ReferenceState& state, std::int64_t o) noexcept {
  for (std::size_t axis = state.taps.size(); axis-- > 0;) {
    const AxisTaps& taps = state.taps[axis];
    const std::int64_t extent = taps.output_extent();
    if (!taps.outside.empty() && taps.outside[static_cast<std::size_t>(o % extent)]) {
      return true;
    }
    o /= extent;
  }
  return false;
}

void RunReference(const KernelArgs& args) noexcept {
  const auto& state = *static_cast<const ReferenceState*>(args.state);
  if (state.is_nearest) {
    return CopyByIndices(state.nearest, SizeOf(state.to), args.inputs[0], args.outputs[0],
                         state.fill);
  }
  for (std::int64_t o = 0; o < state.count; ++o) {
    if (IsOutside(state, o)) {
      StoreDouble(state.to, args.outputs[0], o, DoubleAt(state.to, state.fill.data(), 0));
      continue;
    }
    StoreDouble(state.to, args.outputs[0], o,
                Interpolated(state, args.inputs[0], 0, 0, o, state.count));
  }
}

constexpr DTypeSet kHalves{DType::kFloat16, DType::kBFloat16};

constexpr Component kResize{.name = "resize"};

constexpr KernelEntry kRows[] = {
    KernelEntry{"resize_nearest.any.portable", OpKind::kResize, kAllDTypes, ImplMode::kDefault,
                kIsaAny, RefuseNearest, PrepareNearest, nullptr, RunNearest, false}
        .MadeOf({&kCopyRuns, &kCopyBytes}),
    {"resize_separable.f32.portable", OpKind::kResize, DTypeSet(DType::kFloat32),
     ImplMode::kDefault, kIsaAny, RefuseSeparable, PrepareSeparable, SeparableScratch, RunSeparable,
     false},
    KernelEntry{"resize_separable.half.avx2", OpKind::kResize, kHalves, ImplMode::kDefault,
                kIsaAvx2, RefuseSeparable, PrepareSeparable, SeparableScratch, RunSeparable, false}
        .MadeOf({&kHalfLoops}),
    {"resize.any.reference", OpKind::kResize, kAllDTypes, ImplMode::kDefault, kIsaAny, RefuseResize,
     PrepareReference, nullptr, RunReference, true},
};

constexpr auto kEntries = MadeOf({&kResize, &kResizeTaps, &kIndexedCopy}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> ResizeKernels() {
  return kEntries;
}

}  // namespace halftone
