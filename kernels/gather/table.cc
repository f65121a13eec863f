#include <fmt/format.h>

#include <cstring>

#include "kernels/copy/copy_bytes.h"
#include "kernels/gather/elements.h"
#include "kernels/gather/gather.h"
#include "kernels/parallel.h"
#include "kernels/shared_components.h"
#include "kernels/table_rows.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// data seen as [outer, extent, inner], output as [outer, count, inner].
struct GatherState final : KernelState {
  std::int64_t outer = 1;
  std::int64_t extent = 0;  // of the data along the axis
  std::int64_t count = 0;   // indices
  std::int64_t inner_bytes = 0;
  bool wide_indices = true;  // int64, else int32
  // Constant indices, checked and counted from the front. Empty: read at run time.
  std::vector<std::int64_t> constant;
};

void KeepConstantIndices(const Tensor& indices, GatherState& state) {
  state.constant = IntegersOf(indices);
  for (std::int64_t& index : state.constant) {
    if (index < -state.extent || index >= state.extent) {
      throw Error(ErrorKind::kModel,
                  fmt::format("Gather: index {} is outside [-{}, {}) of the data's axis", index,
                              state.extent, state.extent));
    }
    index += index < 0 ? state.extent : 0;
  }
}

std::unique_ptr<KernelState> Prepare(const KernelQuery& query) {
  const TensorType& data = *query.inputs.at(0);
  const TensorType& indices = *query.inputs.at(1);
  if (indices.dtype != DType::kInt32 && indices.dtype != DType::kInt64) {
    throw Error(ErrorKind::kModel, fmt::format("Gather: expected indices of int32 or int64, got {}",
                                               NameOf(indices.dtype)));
  }
  const int axis = NormalizeAxis(query.attributes->Int("axis", 0), data.shape.rank());
  auto state = std::make_unique<GatherState>();
  state->outer = data.shape.ElementCount(0, axis);
  state->extent = data.shape[axis];
  state->count = indices.shape.ElementCount();
  state->inner_bytes = data.shape.ElementCount(axis + 1, data.shape.rank()) *
                       static_cast<std::int64_t>(SizeOf(data.dtype));
  state->wide_indices = indices.dtype == DType::kInt64;
  if (const Tensor* constant = query.Constant(1)) {
    KeepConstantIndices(*constant, *state);
  }
  return state;
}

// Element `i` of the indices, from the front; -1 when it points outside the data.
std::int64_t IndexAt(const GatherState& state, const void* indices, std::int64_t i) noexcept {
  if (!state.constant.empty()) {
    return state.constant[static_cast<std::size_t>(i)];
  }
  std::int64_t index = state.wide_indices ? static_cast<const std::int64_t*>(indices)[i]
                                          : static_cast<const std::int32_t*>(indices)[i];
  index += index < 0 ? state.extent : 0;
  return index >= 0 && index < state.extent ? index : -1;
}

// ONNX calls an index outside the data an error. A kernel cannot fail, so it writes zeros there and
// never reads outside its operands; indices that are constant are checked in Prepare().
template <typename CopyItem>
void RunRows(const KernelArgs& args, const CopyItem& copy_item) noexcept {
  const auto& state = *static_cast<const GatherState*>(args.state);
  const auto* data = static_cast<const std::byte*>(args.inputs[0]);
  auto* target = static_cast<std::byte*>(args.outputs[0]);
  const std::int64_t bytes = state.inner_bytes;
  // Random reads: the grain is an eighth of that of a plain copy.
  ParallelFor(
      state.outer * state.count, GrainOf(bytes * 8), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t item = begin; item < end; ++item) {
          const std::int64_t row = item / state.count;
          const std::int64_t index = IndexAt(state, args.inputs[1], item - row * state.count);
          copy_item(target + item * bytes,
                    index < 0 ? nullptr : data + (row * state.extent + index) * bytes, bytes);
        }
      });
}

template <std::int64_t kBytes>
void CopyFixed(std::byte* target, const std::byte* source, std::int64_t /*bytes*/) noexcept {
  if (source != nullptr) {
    std::memcpy(target, source, kBytes);
  } else {
    std::memset(target, 0, kBytes);
  }
}

void CopyAny(std::byte* target, const std::byte* source, std::int64_t bytes) noexcept {
  if (source != nullptr) {
    std::memcpy(target, source, static_cast<std::size_t>(bytes));
  } else {
    std::memset(target, 0, static_cast<std::size_t>(bytes));
  }
}

void Run(const KernelArgs& args) noexcept {
  switch (static_cast<const GatherState*>(args.state)->inner_bytes) {
    case 2:
      return RunRows(args, CopyFixed<2>);
    case 4:
      return RunRows(args, CopyFixed<4>);
    case 8:
      return RunRows(args, CopyFixed<8>);
    default:
      return RunRows(args, CopyAny);
  }
}

constexpr Component kGather{.name = "gather"};
constexpr Component kGatherElements{"gather.elements", 2, "indices by runs, not one by one"};

constexpr KernelEntry kRows[] = {
    {"gather.any.portable", OpKind::kGather, kAllDTypes, ImplMode::kDefault, kIsaAny, nullptr,
     Prepare, nullptr, Run, true},
    KernelEntry{"gather_elements.any.portable", OpKind::kGatherElements, kAllDTypes,
                ImplMode::kDefault, kIsaAny, nullptr, PrepareGatherElements, nullptr,
                RunGatherElements}
        .MadeOf({&kGatherElements}),
    {"gather_elements.any.reference", OpKind::kGatherElements, kAllDTypes, ImplMode::kDefault,
     kIsaAny, nullptr, PrepareGatherElements, nullptr, RunGatherElementsReference, true},
    {"gather_nd.any.portable", OpKind::kGatherNd, kAllDTypes, ImplMode::kDefault, kIsaAny, nullptr,
     PrepareGatherNd, nullptr, RunGatherNd, true},
};

constexpr auto kEntries = MadeOf({&kGather, &kCopyBytes}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> GatherKernels() {
  return kEntries;
}

}  // namespace halftone
