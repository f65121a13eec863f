#include <cstring>

#include "kernels/shared_components.h"
#include "kernels/strided/axis_indices.h"
#include "kernels/strided/strided.h"
#include "kernels/table_rows.h"

namespace halftone {
namespace {

struct StridedState final : KernelState {
  explicit StridedState(AxisIndices axis_indices, std::size_t size)
      : indices(std::move(axis_indices)), copy(indices, size), element_bytes(size) {}

  AxisIndices indices;  // empty axes in the fast kernels, which do not read them
  IndexedCopy copy;
  std::size_t element_bytes = 0;
  FillElement fill{};
  bool fill_at_run_time = false;  // Pad whose value is not constant
};

std::string_view RefuseSlice(const KernelQuery& query) {
  for (std::size_t i = 1; i < 5; ++i) {
    if (query.Input(i) != nullptr && query.Constant(i) == nullptr) {
      return "starts, ends, axes and steps must be constant";
    }
  }
  return "";
}

std::string_view RefusePad(const KernelQuery& query) {
  if (query.Constant(1) == nullptr) {
    return "pads must be constant";
  }
  return query.Input(3) != nullptr && query.Constant(3) == nullptr ? "axes must be constant" : "";
}

// Makes no indices for an empty result: if one axis has extent 0, another may have any extent, and
// there is nothing to copy.
template <AxisIndices (*kIndices)(const KernelQuery&)>
AxisIndices IndicesOf(const KernelQuery& query) {
  return query.outputs.at(0)->shape.ElementCount() > 0
             ? kIndices(query)
             : AxisIndices{.source = Shape{0}, .axes = {{}}};
}

template <AxisIndices (*kIndices)(const KernelQuery&), bool kKeepIndices>
std::unique_ptr<KernelState> Prepare(const KernelQuery& query) {
  auto state = std::make_unique<StridedState>(IndicesOf<kIndices>(query),
                                              SizeOf(query.outputs.at(0)->dtype));
  if (!kKeepIndices) {
    state->indices = {};
  }
  if (query.op == OpKind::kPad && query.Input(2) != nullptr) {
    state->fill_at_run_time = query.Constant(2) == nullptr;
    if (query.Constant(2) != nullptr && query.Constant(2)->ElementCount() > 0) {
      const Tensor value = Convert(*query.Constant(2), query.outputs[0]->dtype);
      std::memcpy(state->fill.data(), value.data(), state->element_bytes);
    }
  }
  return state;
}

FillElement FillOf(const StridedState& state, const KernelArgs& args) noexcept {
  FillElement fill = state.fill;
  if (state.fill_at_run_time) {
    std::memcpy(fill.data(), args.inputs[2], state.element_bytes);
  }
  return fill;
}

void Run(const KernelArgs& args) noexcept {
  const auto& state = *static_cast<const StridedState*>(args.state);
  state.copy.Run(args.inputs[0], args.outputs[0], FillOf(state, args));
}

void RunReference(const KernelArgs& args) noexcept {
  const auto& state = *static_cast<const StridedState*>(args.state);
  CopyByIndices(state.indices, state.element_bytes, args.inputs[0], args.outputs[0],
                FillOf(state, args));
}

using Refusal = std::string_view (*)(const KernelQuery&);

template <AxisIndices (*kIndices)(const KernelQuery&)>
constexpr KernelEntry Fast(std::string_view name, OpKind op, Refusal refusal) {
  return {name,    op,  kAllDTypes, ImplMode::kDefault, kIsaAny, refusal, Prepare<kIndices, false>,
          nullptr, Run, false};
}

template <AxisIndices (*kIndices)(const KernelQuery&)>
constexpr KernelEntry Reference(std::string_view name, OpKind op, Refusal refusal) {
  return {name,
          op,
          kAllDTypes,
          ImplMode::kDefault,
          kIsaAny,
          refusal,
          Prepare<kIndices, true>,
          nullptr,
          RunReference,
          true};
}

constexpr Component kStrided{.name = "strided"};
constexpr Component kSlice{"strided.slice", 2, "every second element in vectors"};

constexpr KernelEntry kRows[] = {
    Fast<SliceIndices>("slice.any.portable", OpKind::kSlice, RefuseSlice).MadeOf({&kSlice}),
    Fast<PadIndices>("pad.any.portable", OpKind::kPad, RefusePad),
    Fast<ExpandIndices>("expand.any.portable", OpKind::kExpand, nullptr),
    Fast<TileIndices>("tile.any.portable", OpKind::kTile, nullptr),
    Fast<CenterCropPadIndices>("center_crop_pad.any.portable", OpKind::kCenterCropPad, nullptr),
    Reference<SliceIndices>("slice.any.reference", OpKind::kSlice, RefuseSlice),
    Reference<PadIndices>("pad.any.reference", OpKind::kPad, RefusePad),
    Reference<ExpandIndices>("expand.any.reference", OpKind::kExpand, nullptr),
    Reference<TileIndices>("tile.any.reference", OpKind::kTile, nullptr),
    Reference<CenterCropPadIndices>("center_crop_pad.any.reference", OpKind::kCenterCropPad,
                                    nullptr),
};

constexpr auto kEntries =
    MadeOf({&kStrided, &kIndexedCopy, &kCopyRuns, &kCopyBytes}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> StridedKernels() {
  return kEntries;
}

}  // namespace halftone
