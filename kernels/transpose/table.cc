#include <fmt/format.h>

#include <algorithm>

#include "kernels/shared_components.h"
#include "kernels/strided/axis_indices.h"
#include "kernels/table_rows.h"
#include "kernels/transpose/permutation.h"
#include "kernels/transpose/transpose.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// Permutation that sees the channels as [groups, channels / groups] and exchanges both axes, in
// either layout.
PermutationSpec ShuffleSpec(const KernelQuery& query, std::int64_t groups) {
  const Shape& shape = query.inputs.at(0)->shape;
  const bool last = query.layout.channels_last;
  const std::int64_t channels = shape[last ? shape.rank() - 1 : 1];
  Check(groups > 0 && channels % groups == 0, "channels are shuffled in groups that divide them");
  const std::int64_t pixels = shape.ElementCount() / std::max<std::int64_t>(1, shape[0] * channels);
  const auto bytes = static_cast<std::int64_t>(SizeOf(query.inputs.at(0)->dtype));
  if (last) {
    return {{shape[0] * pixels, groups, channels / groups}, {0, 2, 1}, bytes};
  }
  return {{shape[0], groups, channels / groups, pixels}, {0, 2, 1, 3}, bytes};
}

PermutationSpec TransposeSpec(const KernelQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  if (const std::int64_t groups = query.layout.shuffle_groups; groups != 0) {
    return ShuffleSpec(query, groups);
  }
  PermutationSpec spec{.source = x.shape.dims(),
                       .order = {},
                       .element_bytes = static_cast<std::int64_t>(SizeOf(x.dtype))};
  const std::vector<std::int64_t> stated = query.attributes->Ints("perm");
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    spec.order.push_back(
        stated.empty() ? x.shape.rank() - 1 - axis
                       : NormalizeAxis(stated.at(static_cast<std::size_t>(axis)), x.shape.rank()));
  }
  return spec;
}

// depth = (block row, block column, channel) in mode DCR, (channel, block row, block column) in
// CRD.
PermutationSpec DepthToSpaceSpec(const KernelQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const std::int64_t block = query.attributes->Int("blocksize", 0);
  const std::string mode = query.attributes->Text("mode", "DCR");
  if (x.shape.rank() != 4 || block < 1 || x.shape[1] % (block * block) != 0) {
    throw Error(ErrorKind::kModel, fmt::format("DepthToSpace: blocksize {} does not fit input {}",
                                               block, x.shape.ToString()));
  }
  if (mode != "DCR" && mode != "CRD") {
    throw Error(ErrorKind::kModel,
                fmt::format("DepthToSpace: expected mode DCR or CRD, got '{}'", mode));
  }
  const std::int64_t channels = x.shape[1] / (block * block);
  const auto bytes = static_cast<std::int64_t>(SizeOf(x.dtype));
  if (mode == "DCR") {
    return {
        {x.shape[0], block, block, channels, x.shape[2], x.shape[3]}, {0, 3, 4, 1, 5, 2}, bytes};
  }
  return {{x.shape[0], channels, block, block, x.shape[2], x.shape[3]}, {0, 1, 4, 2, 5, 3}, bytes};
}

// The inverse of mode DCR.
PermutationSpec SpaceToDepthSpec(const KernelQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const std::int64_t block = query.attributes->Int("blocksize", 1);
  return {{x.shape[0], x.shape[1], x.shape[2] / block, block, x.shape[3] / block, block},
          {0, 3, 5, 1, 2, 4},
          static_cast<std::int64_t>(SizeOf(x.dtype))};
}

PermutationSpec SpecOf(const KernelQuery& query) {
  PermutationSpec spec = query.op == OpKind::kTranspose      ? TransposeSpec(query)
                         : query.op == OpKind::kSpaceToDepth ? SpaceToDepthSpec(query)
                                                             : DepthToSpaceSpec(query);
  if (spec.order.size() > kMaxRank) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("Transpose: more than {} axes are not supported, got {}", kMaxRank,
                            spec.order.size()));
  }
  return spec;
}

struct PermutationState final : KernelState {
  explicit PermutationState(const KernelQuery& query)
      : permutation(SpecOf(query)), empty(query.outputs.at(0)->shape.ElementCount() == 0) {}

  Permutation permutation;
  bool empty = false;
};

struct SpecState final : KernelState {
  explicit SpecState(const KernelQuery& query) : spec(SpecOf(query)) {}

  PermutationSpec spec;
};

template <typename State>
std::unique_ptr<KernelState> Prepare(const KernelQuery& query) {
  return std::make_unique<State>(query);
}

void Run(const KernelArgs& args) noexcept {
  const auto& state = *static_cast<const PermutationState*>(args.state);
  if (!state.empty) {
    state.permutation.Run(args.inputs[0], args.outputs[0]);
  }
}

void RunReference(const KernelArgs& args) noexcept {
  PermuteByElement(static_cast<const SpecState*>(args.state)->spec, args.inputs[0],
                   args.outputs[0]);
}

constexpr KernelEntry Fast(std::string_view name, OpKind op) {
  return {name,    op,  kAllDTypes, ImplMode::kDefault, kIsaAny, nullptr, Prepare<PermutationState>,
          nullptr, Run, false};
}

constexpr KernelEntry Reference(std::string_view name, OpKind op) {
  return {name,         op,      kAllDTypes,         ImplMode::kDefault,
          kIsaAny,      nullptr, Prepare<SpecState>, nullptr,
          RunReference, true};
}

constexpr Component kTranspose{"transpose", 2, "whole lines of far rows"};

constexpr KernelEntry kRows[] = {
    Fast("transpose.any.portable", OpKind::kTranspose),
    Fast("depth_to_space.any.portable", OpKind::kDepthToSpace),
    Fast("space_to_depth.any.portable", OpKind::kSpaceToDepth),
    Reference("transpose.any.reference", OpKind::kTranspose),
    Reference("depth_to_space.any.reference", OpKind::kDepthToSpace),
    Reference("space_to_depth.any.reference", OpKind::kSpaceToDepth),
};

constexpr auto kEntries =
    MadeOf({&kTranspose, &kCopyRuns, &kCopyBytes, &kIndexedCopy}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> TransposeKernels() {
  return kEntries;
}

}  // namespace halftone
